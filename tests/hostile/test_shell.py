"""The recorded group `shell`, case by case, on its whole way (issue 8, line 9): asked with all of it shown, bounded.

What is dangerous runs in a throw-away folder, with limits of its own. A fork bomb is not run here: its limit is looked
at (`tests/system/test_sandbox_mounts.py`), because root is not held by it.
"""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

from jp_tui.conversation.neutral import neutralise
from jp_tui.conversation.outcomes import Failure, Success
from jp_tui.conversation.text import Foreign
from jp_tui.inquiry.values import Rule
from jp_tui.protocol.values import Permitted
from jp_tui.system.children import run
from jp_tui.system.sandbox.command import limited
from jp_tui.tools import shell_run
from jp_tui.tools.port import ToolCall
from jp_tui.tools.registry import builtin
from jp_tui.tools.shell_run import ShellRun
from tests.engine.conftest import Bench, tool_setup
from tests.fakes.models import Script, call, end, text
from tests.fakes.tools import Reviews
from tests.hostile.recorded import cases, ours
from tests.limits import LIMIT

OK = [*text("Ok."), *end()]
OFF = {"sandbox": {"mode": "off"}}


def command(identifier: str) -> str:
    return str(ours("shell")[identifier]["payload"]["command"])


def enabled(bench: Bench, **more: Any) -> None:
    named = {"run": "ask", "format": "unattended", "options": OFF, **more}
    bench.tools["shell_run"] = tool_setup("shell_run", builtin()["shell_run"], **named)


def test_every_command_is_asked_about_with_all_of_it_shown(bench: Bench) -> None:
    """All of them: a person is asked, what is shown ends with the whole command, and with a no nothing runs."""
    enabled(bench)
    told = [str(case["payload"]["command"]) for case in cases("shell").values()]
    calls = [item for at, line in enumerate(told) for item in call("shell_run", {"command": line}, f"c{at}", at)]
    bench.script = Script([*calls, *end("tools")], OK)
    bench.start()
    bench.say("go")
    for line in told:
        prompt = bench.prompt()
        assert prompt.kind == "permission" and prompt.human_only
        assert prompt.rendered.raw.startswith("Not sandboxed: ") and prompt.rendered.raw.endswith(f" of it:\n{line}")
        shown = neutralise(Foreign(prompt.rendered.raw), "approval")
        assert not set(shown) & {"\r", "\x1b", "\x07"} and len(shown) >= len(prompt.rendered.raw)
        bench.answer(prompt, Permitted(run=False))
    assert bench.turn().outcome == "done"
    assert list(bench.workspace.iterdir()) == []


def test_a_refused_target_in_a_command_is_a_persons_to_decide(bench: Bench) -> None:
    """R247: also by shell, also where commands run unattended; by what the tool says of itself, not by its name."""
    bench.reviewer = Reviews(apply_changes=(False, "no"))
    create = builtin()["fs_create_file"]
    bench.tools["fs_create_file"] = tool_setup(
        "fs_create_file", create, rules={"apply_changes": Rule(target="assistant")}
    )
    bench.tools["other_name"] = tool_setup(
        "other_name", builtin()["shell_run"], run="unattended", options={**OFF, "confirm": "never"}
    )
    bench.script = Script(
        [*call("fs_create_file", {"path": "new.py", "content": "x"}, "c1"), *end("tools")],
        [*call("other_name", {"command": "echo harmless"}, "c2"), *end("tools")],
        [*call("other_name", {"command": "printf x > ne''w.py"}, "c3"), *end("tools")],
        OK,
    )
    bench.start()
    bench.say("go")
    prompt = bench.prompt()
    assert (prompt.kind, prompt.call) == ("permission", "c3") and "remember" not in prompt.controls
    bench.answer(prompt, Permitted(run=False))
    bench.turn()
    assert list(bench.workspace.iterdir()) == []


async def outcome(root: Path, line: str, **more: Any) -> Success | Failure:
    done = await ShellRun().run(ToolCall({"command": line, **more}, root, options=dict(OFF), leave=True))
    assert isinstance(done, Success | Failure)
    return done


@pytest.mark.parametrize(("identifier", "ok"), [("SHELL-070", True), ("SHELL-071", False), ("SHELL-072", True)])
async def test_ordinary_commands_run(tmp_path: Path, identifier: str, ok: bool) -> None:
    """Controls: nothing is denied that a person let run. (There is no repository for the second.)"""
    (tmp_path / "src").mkdir()
    (tmp_path / "file").write_text("a|b\n")
    done = await outcome(tmp_path, command(identifier))
    assert isinstance(done, Success) is ok and "Exit status" in (done.content if ok else done.message)  # type: ignore[union-attr]


async def test_what_ignores_the_end_is_killed(tmp_path: Path) -> None:
    """SHELL-082."""
    began = asyncio.get_running_loop().time()
    done = await outcome(tmp_path, command("SHELL-082"), timeout_secs=1)
    assert isinstance(done, Failure) and "its time limit" in done.message
    assert asyncio.get_running_loop().time() - began < 8


async def test_a_flood_ends_and_is_marked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SHELL-087."""
    monkeypatch.setattr(shell_run, "FLOOD", 4 << 20)
    done = await outcome(tmp_path, command("SHELL-087"))
    assert isinstance(done, Failure) and "because it wrote more than" in done.message
    assert "bytes of output are left out here" in done.message and len(done.message) < 60_000


async def test_a_file_cannot_fill_the_disk(tmp_path: Path) -> None:
    """SHELL-086."""
    argv = limited(["/bin/sh", "-c", command("SHELL-086")], 4_096, file_blocks=2_048)
    done = await run(argv, cwd=tmp_path, timeout=LIMIT)
    assert not done.ok and not done.timed_out and (tmp_path / "big").stat().st_size == 2_048 * 512


@pytest.mark.parametrize("identifier", ["SHELL-089", "SHELL-090"])
async def test_nobody_takes_the_users_keys(tmp_path: Path, identifier: str) -> None:
    """No input, no terminal: it returns by itself, and at once."""
    began = asyncio.get_running_loop().time()
    line = command(identifier).replace("ssh user@host", "ssh -o ConnectTimeout=1 user@127.0.0.1")
    await outcome(tmp_path, f"{line}; exec </dev/tty", timeout_secs=15)
    assert asyncio.get_running_loop().time() - began < 10


async def test_our_own_folder_is_never_moved(tmp_path: Path) -> None:
    """SHELL-104."""
    before = Path(os.getcwd())
    assert isinstance(await outcome(tmp_path, command("SHELL-104")), Success)
    done = await outcome(tmp_path, "pwd")
    assert isinstance(done, Success) and done.content.endswith(f"\n{tmp_path}\n") and before == Path(os.getcwd())
