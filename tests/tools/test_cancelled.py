"""Between the yes and the act a cancelled call neither writes nor runs (Z19): each tool, at every place it waits."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any, cast

import pytest

from jp_tui.conversation.outcomes import Failure, Success
from jp_tui.questions.types import GivenAnswer, Question
from jp_tui.questions.wire import digest
from jp_tui.system import children
from jp_tui.tools.port import Cancel, NeedsInput, Outcome, Tool, ToolCall
from jp_tui.tools.registry import builtin, local
from tests.system.sandboxing import or_skip
from tests.tools.asking import repository
from tests.tools.running import shell

OFF = "The call was cancelled before anything was changed."
BIG = "".join(f"line {number}\n" for number in range(9_000))
"""More than is compared in our own process: a child makes its diff, and the tool waits for it."""
CHANGES: dict[str, tuple[str, dict[str, Any]]] = {
    "a new file": ("fs_create_file", {"path": "made/new.txt", "content": "new\n"}),
    "a file replaced": ("fs_create_file", {"path": "dirty.txt", "content": "other\n"}),
    "a large file replaced": ("fs_create_file", {"path": "big.txt", "content": BIG + "one more\n"}),
    "a file modified": ("fs_modify_file", {"path": "dirty.txt", "patterns": [{"old": "changed", "new": "again"}]}),
    "several files modified": (
        "fs_modify_file",
        {"patterns": [{"old": "file", "new": "thing", "paths": ["clean.txt", "dirty.txt"]}]},
    ),
    "a large file modified": ("fs_modify_file", {"path": "big.txt", "patterns": [{"old": "line 77\n", "new": "x\n"}]}),
    "a file moved": ("fs_move_file", {"source": "clean.txt", "target": "there.txt"}),
    "a changed file moved onto another": ("fs_move_file", {"source": "dirty.txt", "target": "clean.txt"}),
    "a file deleted": ("fs_delete_file", {"path": "clean.txt"}),
    "a changed file deleted": ("fs_delete_file", {"path": "dirty.txt"}),
}


class Stepped:
    """Runs a tool, and calls it off when it has waited `at` times; at 0, before it begins. `waited` counts."""

    def __init__(self, tool: Tool, call: ToolCall, at: int) -> None:
        self._tool, self._call, self._at = tool, call, at
        self.waited = 0

    def __await__(self) -> Generator[Any, None, Outcome]:
        running, waits = self._tool.run(self._call).__await__(), None
        while True:
            if self.waited == self._at:  # while it waits, so that what is told of it is told now
                self._call.cancel.called = True
            thrown: BaseException | None = None
            try:
                if self.waited:
                    yield waits
            except BaseException as raised:  # a group of tasks interrupts whoever waits for it
                thrown = raised
            try:
                waits = next(running) if thrown is None else running.throw(thrown)
            except StopIteration as done:
                return cast(Outcome, done.value)
            self.waited += 1


def filled(root: Path) -> Path:
    root.mkdir()
    repository(root, {"clean.txt": "a clean file\n", "dirty.txt": "as committed\n", "big.txt": BIG})
    (root / "dirty.txt").write_text("a changed file\n")
    return root


def contents(root: Path) -> dict[str, bytes]:
    """Every file and folder below, without git's own."""
    found: dict[str, bytes] = {}
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name != ".git"]
        found |= {os.path.join(folder, name): b"" for name in folders}
        found |= {os.path.join(folder, name): Path(folder, name).read_bytes() for name in names}
    return found


async def allowed(tool: Tool, root: Path, arguments: dict[str, Any], **named: Any) -> dict[str, GivenAnswer]:
    """A yes to each question that the tool asks before it acts."""
    given: dict[str, GivenAnswer] = {}
    asked: set[str] = set()

    def yes(question: Question) -> None:
        assert question.id not in asked
        asked.add(question.id)
        given[question.id] = GivenAnswer(True, digest(question))

    while True:
        before = contents(root)
        cancel = Cancel()
        cancel.called = True  # nothing is done while we ask for the questions
        found = await tool.run(ToolCall(arguments, root, answers=given, cancel=cancel, **named))
        assert contents(root) == before
        if not isinstance(found, NeedsInput):
            return given
        yes(found.question)


@pytest.mark.parametrize("change", CHANGES)
async def test_z19_a_cancelled_change_writes_nothing_wherever_the_tool_waits(tmp_path: Path, change: str) -> None:
    """(Z19) Whole, or not at all: called off at each place where the tool waits after the last yes."""
    name, arguments = CHANGES[change]
    tool = builtin()[name]
    root = filled(tmp_path / "w")
    given = await allowed(tool, root, arguments)
    assert given or change == "a file moved", "a change is asked about"
    before, at = contents(root), 0
    while True:
        step = Stepped(tool, ToolCall(arguments, root, answers=given), at)
        found = await step
        if step.waited < at:
            break
        assert (found, contents(root)) == (Failure(OFF), before), f"called off after {at} waits"
        at += 1
    assert isinstance(found, Success) and contents(root) != before
    assert at > step.waited, "it was called off at each of its waits, and before the first"


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """What every child that is started was told to run."""
    found: list[list[str]] = []
    start = children._start

    def noted(argv: Any, *rest: Any) -> Any:
        found.append(list(argv))
        return start(argv, *rest)

    monkeypatch.setattr(children, "_start", noted)
    return found


def ran(started: list[list[str]], mark: str) -> bool:
    return any(mark in word for argv in started for word in argv)


async def agreed(root: Path, arguments: dict[str, Any], options: Any) -> dict[str, GivenAnswer]:
    """The yes to what `shell_run` itself asks."""
    asked = await builtin()["shell_run"].run(ToolCall(arguments, root, options=options))
    assert isinstance(asked, NeedsInput) and asked.question.id == "confirm"
    return {"confirm": GivenAnswer(True, digest(asked.question))}


async def test_z19_a_cancelled_command_is_never_started(tmp_path: Path, started: list[list[str]]) -> None:
    """(Z19) `shell_run`, with the yes to its own question, at each place where it waits before the start."""
    (root := tmp_path / "w").mkdir()
    arguments = {"command": "echo mark-of-the-command; sleep 300"}
    options: Any = {"confirm": "always", "sandbox": {"mode": "off"}}
    given, at = await agreed(root, arguments, options), 0
    while True:
        found = await Stepped(builtin()["shell_run"], ToolCall(arguments, root, answers=given, options=options), at)
        if ran(started, "mark-of-the-command"):
            break
        assert found == Failure("The call was cancelled before the command ran."), f"called off after {at} waits"
        at += 1
    assert at > 0, "nothing was started while it was called off first"
    assert isinstance(found, Failure) and "It was cancelled" in found.message, "later it is ended"


async def test_z19_a_cancelled_command_does_not_begin_in_its_sandbox(tmp_path: Path) -> None:
    """(Z19) The same while the sandbox is looked for, planned and checked; the command runs at last."""
    or_skip()
    (root := tmp_path / "w").mkdir()
    arguments = {"command": "touch ran"}
    options: Any = {"confirm": "always", "sandbox": {"mode": "required"}}
    given, at = await agreed(root, arguments, options), 0
    while True:
        tool = builtin()["shell_run"]  # a new one looks for its sandbox again
        found = await Stepped(tool, ToolCall(arguments, root, answers=given, options=options), at)
        if (root / "ran").exists():
            break
        assert isinstance(found, Failure) and "cancelled" in found.message, f"called off after {at} waits"
        at += 1
    assert at > 1, "nothing ran where it was called off first"


async def test_z19_a_cancelled_local_tool_is_never_started(tmp_path: Path, started: list[list[str]]) -> None:
    """(Z19) Its command line is made by a child; called off meanwhile, the command itself does not run."""
    tool = local(shell("echo mark-of-the-tool", stdin="{{ tool }}"))
    at = 0
    while True:
        found = await (step := Stepped(tool, ToolCall({}, tmp_path), at))
        if ran(started, "mark-of-the-tool"):
            break
        assert isinstance(found, Failure) and "it was cancelled" in found.message, f"called off after {at} waits"
        at += 1
    assert at >= 2 and step.waited, "it was called off before it began, and while its command line was made"


async def test_z19_a_program_called_off_before_its_start_is_none(
    tmp_path: Path, started: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """(Z19) The runner itself starts nothing for a caller that has been called off."""
    cancel = asyncio.Event()
    cancel.set()
    done = await children.run(["touch", "made"], cwd=tmp_path, cancel=cancel)
    assert started == [] and not (tmp_path / "made").exists()
    assert (done.cancelled, done.timed_out, done.flooded, done.ok, done.status, done.signal) == (
        *(True, False, False, False),
        *(None, None),
    )
    assert (done.stdout, done.stderr, done.dropped, done.ms) == (b"", b"", 0, 0)


def test_the_steps_are_those_of_the_tool() -> None:
    """The instrument itself: it is called off after exactly so many waits, and says how many there were."""

    class Waits:
        source, title = "tool", staticmethod(lambda arguments: "")

        async def run(self, call: ToolCall) -> Outcome:
            seen = [call.cancel.called]
            for _ in range(2):
                await asyncio.sleep(0)
                seen.append(call.cancel.called)
            return Success(str(seen))

    async def at(number: int) -> tuple[Outcome, int]:
        step = Stepped(cast(Tool, Waits()), ToolCall({}, Path()), number)
        return await step, step.waited

    run: Callable[[int], tuple[Outcome, int]] = lambda number: asyncio.run(at(number))  # noqa: E731
    assert run(0) == (Success("[True, True, True]"), 2)
    assert run(2) == (Success("[False, False, True]"), 2)
    assert run(3) == (Success("[False, False, False]"), 2)
