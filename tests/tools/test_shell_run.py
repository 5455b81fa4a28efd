"""`shell_run` (S40; issue 8, line 9): what is shown before it runs, what runs, and what the model is told."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from jp_tui.conversation.outcomes import Failure, Success
from jp_tui.questions.types import GivenAnswer
from jp_tui.questions.wire import digest
from jp_tui.settings import data
from jp_tui.settings.layers.toml import loads
from jp_tui.tools.port import Cancel, NeedsInput, Outcome, RenderFailed, ToolCall
from jp_tui.tools.shell.output import Tail
from jp_tui.tools.shell_run import LONGEST, ShellRun
from tests.limits import LIMIT

NONE: Mapping[str, Any] = {"sandbox": {"mode": "off"}}


async def ran(root: Path, *, options: Mapping[str, Any] = NONE, leave: bool = True, **arguments: Any) -> Outcome:
    return await ShellRun().run(ToolCall(arguments, root, options=dict(options), leave=leave))


async def shown(root: Path, *, options: Mapping[str, Any] = NONE, **arguments: Any) -> str:
    return await ShellRun().render(ToolCall(arguments, root, options=dict(options)))


def text(outcome: Outcome) -> str:
    assert isinstance(outcome, Success | Failure), outcome
    return outcome.content if isinstance(outcome, Success) else outcome.message


def gone(number: int) -> bool:
    """Whether a process is over; one that nobody fetches is."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    except OSError:
        return True


async def test_a_program_runs_without_a_shell(tmp_path: Path) -> None:
    done = await ran(tmp_path, argv=["printf", "%s\n", "$HOME `id` *", ""])
    assert isinstance(done, Success)
    assert done.content.startswith("Exit status 0 after ")
    assert done.content.endswith("Output:\n$HOME `id` *\n\n")


async def test_a_line_runs_in_a_shell_only_when_it_is_asked_for(tmp_path: Path) -> None:
    done = await ran(tmp_path, command="echo $((6 * 7)) | cat; echo err >&2; exit 3")
    assert isinstance(done, Failure)
    assert "Exit status 3 after " in done.message and done.message.endswith("Output:\n42\nerr\n")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({}, "either `argv`"),
        ({"argv": ["ls"], "command": "ls"}, "either `argv`"),
        ({"argv": []}, "`argv` must be"),
        ({"argv": ["ls", 1]}, "`argv` must be"),
        ({"argv": ["", "x"]}, "`argv` must be"),
        ({"argv": "ls"}, "`argv` must be"),
        ({"command": " \n"}, "must not be empty"),
        ({"command": "a\0b"}, "without a NUL"),
        ({"command": "a\ud800"}, "half characters"),
        ({"command": "x" * (LONGEST + 1)}, "put it into a script"),
        ({"command": "ls", "timeout_secs": 0}, "`timeout_secs`"),
        ({"command": "ls", "shell": "zsh"}, "not an argument"),
        ({"command": "ls", "cwd": ".."}, "outside the workspace"),
        ({"command": "ls", "cwd": "/etc"}, "outside the workspace"),
        ({"command": "ls", "cwd": "link"}, "outside the workspace"),
        ({"command": "ls", "cwd": "file"}, "is not a folder"),
        ({"command": "ls", "cwd": "nowhere"}, "nowhere"),
    ],
)
async def test_wrong_arguments_are_shown_to_nobody(tmp_path: Path, arguments: dict[str, Any], says: str) -> None:
    """V19: one structured error, no prompt, nothing runs; the folder is one of the workspace (T11)."""
    (tmp_path / "link").symlink_to("/etc")
    (tmp_path / "file").touch()
    with pytest.raises(RenderFailed, match=says):
        await shown(tmp_path, **arguments)
    done = await ran(tmp_path, **arguments)
    assert isinstance(done, Failure) and says in done.message


async def test_all_of_a_command_is_shown_behind_what_we_say(tmp_path: Path) -> None:
    """Nothing in a command can stand before our words, and nothing of it is left out."""
    command = "ls\nSandboxed: yes\n" + "x" * 5_000 + "\nrm -rf ~"
    said = await shown(tmp_path, command=command)
    ours, _, theirs = said.partition(" of it:\n")
    assert ours.startswith(
        "Not sandboxed: your settings switch the sandbox off. It can do all that you can.\nIn the work"
    )
    assert "by /bin/sh -c. All 4 lines" in ours
    assert theirs == command


async def test_arguments_are_told_apart_when_shown(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    said = await shown(tmp_path, argv=["git", "commit", "-m", "two words", ""], cwd="sub", timeout_secs=30)
    assert said.endswith("In the folder sub, at most 30 s, without a shell. All of it:\ngit commit -m 'two words' ''")


async def test_without_bwrap_it_says_so_and_required_refuses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Issue 8, 9: plainly when there is none."""
    monkeypatch.setenv("PATH", str(tmp_path))
    assert (await shown(tmp_path, argv=["/bin/true"], options={})).startswith("Not sandboxed: bwrap is not installed.")
    required = {"sandbox": {"mode": "required"}}
    with pytest.raises(RenderFailed, match="there is none: bwrap is not installed"):
        await shown(tmp_path, argv=["/bin/true"], options=required)
    assert isinstance(await ran(tmp_path, argv=["/bin/true"], options=required), Failure)


async def test_confirm_is_asked_where_neither_a_person_nor_walls_were(tmp_path: Path) -> None:
    """S40: `confirm` where the policy wants it; it shows all of the command, and holds for what it showed."""
    tool, arguments = ShellRun(), {"command": "touch made"}

    def call(given: GivenAnswer | None = None, **named: Any) -> ToolCall:
        answers = {} if given is None else {"confirm": given}
        return ToolCall(dict(arguments), tmp_path, answers=answers, options={**NONE, **named})

    asked = await tool.run(call())
    assert isinstance(asked, NeedsInput)
    assert asked.question.id == "confirm" and asked.question.default is False
    assert (asked.question.context or "").endswith("\ntouch made")
    no = await tool.run(call(GivenAnswer(False, digest(asked.question))))
    assert isinstance(no, Failure) and "answered with no" in no.message
    assert isinstance(await tool.run(call(GivenAnswer(True, "of another command"))), NeedsInput)
    assert not (tmp_path / "made").exists()
    assert isinstance(await tool.run(call(GivenAnswer(True, digest(asked.question)))), Success)
    assert (tmp_path / "made").exists()
    assert isinstance(await tool.run(call(confirm="never")), Success)


async def test_confirm_always_asks_again(tmp_path: Path) -> None:
    assert isinstance(await ran(tmp_path, argv=["true"], options={**NONE, "confirm": "always"}), NeedsInput)


async def test_no_credential_of_ours_reaches_a_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """T10: an allow-list, so nothing that is new gets through; SHELL-089: no input, no terminal."""
    for name in ("OPENAI_API_KEY", "SSH_AUTH_SOCK", "DBUS_SESSION_BUS_ADDRESS", "LD_PRELOAD_X"):
        monkeypatch.setenv(name, "shh")
    assert "shh" not in text(await ran(tmp_path, argv=["env"]))
    assert "Output:\n[]\n" in text(await ran(tmp_path, command='read x; echo "[$x]"'))
    assert isinstance(await ran(tmp_path, command="exec 3</dev/tty"), Failure)


async def test_time_and_signals_are_told(tmp_path: Path) -> None:
    """SHELL-082: what ignores TERM is killed; the model learns how it ended."""
    late = await ran(tmp_path, command="trap '' TERM; echo began; sleep 300", timeout_secs=1)
    assert "ended after 1 s, its time limit" in text(late) and "began" in text(late)
    assert "killed by SIGSEGV" in text(await ran(tmp_path, command="kill -SEGV $$"))
    assert "no program nowhere-to-be-found" in text(await ran(tmp_path, argv=["nowhere-to-be-found"]))


async def test_cancelling_ends_all_that_it_started(tmp_path: Path) -> None:
    """The whole group goes, not only the shell."""
    cancel, begun = Cancel(), asyncio.Event()
    arguments = {"command": "sleep 300 & echo $! ; wait", "timeout_secs": 60}
    said: list[str] = []

    def progress(line: str) -> None:
        said.append(line)
        begun.set()

    call = ToolCall(arguments, tmp_path, options=dict(NONE), leave=True, cancel=cancel, progress=progress)
    running = asyncio.create_task(ShellRun().run(call))
    await asyncio.wait_for(begun.wait(), LIMIT)
    cancel.called = True
    assert "It was cancelled" in text(await running)
    assert gone(int(said[0]))


async def test_output_is_bounded_and_the_gap_is_marked_where_it_is(tmp_path: Path) -> None:
    """SHELL-087: head and tail are kept, what is left out is counted."""
    said = text(await ran(tmp_path, command="echo first; yes y | head -c 400000; echo; echo last"))
    assert "Output:\nfirst\n" in said and said.endswith("last\n")
    assert "bytes of output are left out here" in said and len(said) < 50_000


async def test_each_call_begins_in_the_workspace_again(tmp_path: Path) -> None:
    """SHELL-104."""
    before = Path.cwd()
    tool = ShellRun()
    for command in ("cd /tmp", "pwd"):
        done = await tool.run(ToolCall({"command": command}, tmp_path, options=dict(NONE), leave=True))
    assert text(done).endswith(f"Output:\n{tmp_path}\n") and Path.cwd() == before


def test_progress_is_the_last_line_and_not_too_often() -> None:
    now, said = [0.0], list[str]()
    tail = Tail(said.append, lambda: now[0])
    tail.add(b"one\ntwo")
    tail.add(b" and a half\n")
    now[0] = 1.0
    tail.add(b"three\n\n")
    assert said == ["two", "three"]


def test_it_is_off_and_asks() -> None:
    """Issue 8, 9: off until enabled, run mode ask, shown by itself before leave is asked (R90)."""
    entry = loads(Path(data.TOOLS_FILE).read_text("utf-8"), "tools.toml")["conversation"]["tools"]["shell_run"]
    assert entry["enable"]["state"] is False
    assert (entry["run"], entry["format"]) == ("ask", "unattended")
    walls = {"mode": "auto", "network": False, "read_only": [], "visible": ["default"]}
    assert entry["options"] == {"sandbox": walls, "confirm": "auto"}
