"""Interrupted between the yes and the act, a call changes and runs nothing (Z19), through the whole engine."""

from __future__ import annotations

import asyncio
import pkgutil
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from jp_tui.protocol import events as e
from jp_tui.protocol.commands import Interrupt
from jp_tui.protocol.values import Answered, Permitted
from jp_tui.system import children
from jp_tui.tools.registry import builtin, local
from tests.engine.conftest import Bench, tool_setup
from tests.fakes.models import Script, call, end, text
from tests.limits import LIMIT
from tests.tools.running import shell
from tests.tools.test_cancelled import CHANGES, allowed, contents, filled

ASKS = {name: change for name, change in CHANGES.items() if name != "a file moved"}
SOME = ("a new file", "several files modified", "a command")
COMMAND: tuple[str, dict[str, Any]] = ("shell_run", {"command": "echo mark > made"})


def begun(bench: Bench, tool: str, arguments: dict[str, Any]) -> dict[str, bytes]:
    """A turn whose model asks for this; what the workspace holds before it."""
    bench.workspace.rmdir()
    filled(bench.workspace)
    options = {"confirm": "always", "sandbox": {"mode": "off"}} if tool == "shell_run" else {}
    bench.tools[tool] = tool_setup(tool, builtin()[tool], options=options)
    bench.script = Script([*call(tool, arguments), *end("tools")], [*text("Ok."), *end()])
    bench.start()
    bench.say("go")
    return contents(bench.workspace)


def all_but_the_last(bench: Bench, tool: str, arguments: dict[str, Any]) -> None:
    """A yes to each question before the last, which waits then."""
    options: Any = dict(bench.tools[tool].options)
    many = len(asyncio.run(allowed(builtin()[tool], bench.workspace, arguments, options=options)))
    for _ in range(many - 1):
        bench.answer(bench.prompt(), Answered(value=True))


def ended(bench: Bench) -> str:
    """The turn was interrupted; the one response of the call."""
    assert bench.turn().outcome == "interrupted"
    (response,) = [event for event in bench.log() if event["type"] == "tool_call_response"]
    return str(response["content"])


@pytest.mark.parametrize(
    ("change", "action"),
    [
        *((change, "stop") for change in (*ASKS, "a command")),
        *((change, action) for change in SOME for action in ("abort", "respond", "reply")),
    ],
)
def test_z19_interrupted_while_the_yes_is_recorded(bench: Bench, change: str, action: Interrupt) -> None:
    """(Z19) The yes is on its way into the log; with the interrupt behind it nothing is written, nothing runs."""
    tool, arguments = ASKS.get(change, COMMAND)
    before = begun(bench, tool, arguments)
    all_but_the_last(bench, tool, arguments)
    prompt = bench.prompt()
    bench.journal.hold = lambda kind: kind == "inquiry_response"
    bench.answer(prompt, Answered(value=True))
    assert bench.journal.asked.wait(LIMIT)
    bench.interrupt(action, "rather not" if action in ("respond", "reply") else "")
    bench.send_and_wait()
    bench.journal.gate.set()
    bench.until(e.TurnCompleted)
    assert contents(bench.workspace) == before
    responses = [event for event in bench.log() if event["type"] == "tool_call_response"]
    assert len(responses) == 1 and not str(responses[0]["content"]).startswith(("Created", "Replaced", "Changed"))


class Stubborn:
    """A step of a tool that ends although its task was cancelled: only the tool itself can stop then."""

    def __init__(self, step: Callable[..., Awaitable[Any]]) -> None:
        self._step = step
        self.armed = False
        self.began, self.gate = threading.Event(), threading.Event()

    async def __call__(self, *given: Any, **named: Any) -> Any:
        found = await self._step(*given, **named)
        while self.armed and not self.gate.is_set():
            self.began.set()
            try:
                await asyncio.sleep(0.005)
            except asyncio.CancelledError:
                continue
        return found


WAITS = {
    "a large file replaced": "jp_tui.tools.fs_create_file.ask",
    "several files modified": "jp_tui.tools.fs_modify_file.dirty",
    "a large file modified": "jp_tui.tools.fs_modify_file.ask",
    "a changed file moved onto another": "jp_tui.tools.fs_move_file.dirty",
    "a changed file deleted": "jp_tui.tools.fs_delete_file.dirty",
    "a command": "jp_tui.tools.shell.sandbox.Sandboxing.walled",
}
"""A step that the tool waits for between the last yes and the act."""


@pytest.mark.parametrize("change", WAITS)
def test_z19_interrupted_while_the_tool_gets_ready(bench: Bench, change: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """(Z19) The tool runs again with the yes, and is called off before it acts."""
    tool, arguments = ASKS.get(change, COMMAND)
    step = Stubborn(_found(WAITS[change]))
    monkeypatch.setattr(WAITS[change], step if change != "a command" else _method(step))
    before = begun(bench, tool, arguments)
    all_but_the_last(bench, tool, arguments)
    prompt = bench.prompt()
    step.armed = True
    bench.answer(prompt, Answered(value=True))
    assert step.began.wait(LIMIT)
    bench.interrupt("stop")
    bench.send_and_wait()
    step.gate.set()
    assert "cancelled" in ended(bench)
    bench.stop()
    assert contents(bench.workspace) == before


def test_z19_interrupted_while_a_local_tool_gets_ready(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """(Z19) The same for a program of the user's, allowed to run and called off before its command line was made."""
    step = Stubborn(_found("jp_tui.tools.local.tool.rendered"))
    step.armed = True
    monkeypatch.setattr("jp_tui.tools.local.tool.rendered", step)
    started: list[str] = []
    start: Any = children._start
    monkeypatch.setattr(children, "_start", lambda argv, *rest: (started.append(" ".join(argv)), start(argv, *rest))[1])
    bench.tools["t"] = tool_setup("t", local(shell("echo mark-of-the-tool")), run="ask")
    bench.script = Script([*call("t", {}), *end("tools")])
    bench.start()
    bench.say("go")
    bench.answer(bench.prompt(), Permitted(run=True))
    assert step.began.wait(LIMIT)
    bench.interrupt("stop")
    bench.send_and_wait()
    step.gate.set()
    assert "cancelled" in ended(bench)
    bench.stop()
    assert not any("mark-of-the-tool" in words for words in started)


def _found(place: str) -> Callable[..., Awaitable[Any]]:
    found: Callable[..., Awaitable[Any]] = pkgutil.resolve_name(place)
    return found


def _method(step: Stubborn) -> Callable[..., Awaitable[Any]]:
    async def walled(self: Any, *given: Any) -> Any:
        return await step(self, *given)

    return walled


def test_z19_what_was_answered_no_is_not_done_either(bench: Bench, tmp_path: Path) -> None:
    """The instrument can fail: without an interrupt a yes changes the workspace, and a no does not."""
    tool, arguments = ASKS["a new file"]
    before = begun(bench, tool, arguments)
    bench.answer(bench.prompt(), Answered(value=False))
    bench.turn()
    assert contents(bench.workspace) == before
    bench.script = Script([*call(tool, arguments, "c2"), *end("tools")], [*text("Ok."), *end()])
    bench.stop()
    bench.start("latest")
    bench.say("again")
    bench.answer(bench.prompt(), Answered(value=True))
    bench.turn()
    assert contents(bench.workspace) != before
