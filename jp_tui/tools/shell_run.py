"""`shell_run`: run a program, or a line for /bin/sh, in the workspace (surface.md S40; issue 8, line 9).

A shell is used only if the model asks for one. The question shows everything before the run: the folder, with or
without a sandbox, and every character of the command. It runs in a sandbox if available (`shell/sandbox.py`), through
the common child runner, and ends with all processes it started. No terminal, no input, no fallback: without the sandbox
that was shown, nothing runs.
"""

from __future__ import annotations

import asyncio
import os
import shlex
import shutil
from dataclasses import dataclass
from typing import Protocol

from jp_tui.conversation.events import SourceKind
from jp_tui.conversation.outcomes import Failure
from jp_tui.conversation.strict_json import Json, JsonObject
from jp_tui.conversation.text import first_line
from jp_tui.questions.types import BooleanAnswer, Question
from jp_tui.questions.wire import digest
from jp_tui.system.children import ChildExit, ChildProblem, child_environment, run
from jp_tui.system.files import FileProblem, Root
from jp_tui.system.ignore_lists import IgnoreProblem
from jp_tui.system.problem import display_path
from jp_tui.system.sandbox.command import limited, most_processes
from jp_tui.system.sandbox.mounts import SandboxProblem
from jp_tui.tools.files.workspace import CallArguments, ToolRefusal
from jp_tui.tools.local.output import signal_name
from jp_tui.tools.port import NeedsInput, Outcome, RenderFailed, ToolCall
from jp_tui.tools.shell.output import FLOOD, KEPT, Tail, result_text
from jp_tui.tools.shell.sandbox import TOO_LARGE, Sandboxing, Walled, unkept

SECONDS, MOST_SECONDS = 120, 3_600
LONGEST = 16_384
"""Maximum characters of a command. A longer one can't be reviewed before it runs."""
_KEYS = frozenset({"argv", "command", "cwd", "timeout_secs"})
_TITLE = 200
NO = "The command was not run: the question about it was answered with no."
"""M57."""


@dataclass(frozen=True, slots=True)
class CheckedCommand:
    """Validated request: `argv` is run, `written` is shown, `place` is the folder."""

    argv: tuple[str, ...]
    written: str
    shell: bool
    cwd: str
    place: str
    seconds: int


class CommandListener(Protocol):
    """Follows a command: its start, its process, its output, its end. In a sandbox no process is named: what runs there
    can't change anything of ours."""

    def begins(self) -> None: ...
    def started(self, pid: int) -> None: ...
    def adds(self, data: bytes) -> None: ...
    def ends(self, done: ChildExit) -> None: ...


class ShellRun:
    """The tool; see `jp_tui.tools.port.Tool`, `Formats` and `commands`."""

    commands = True

    def __init__(self) -> None:
        self._sandbox = Sandboxing()

    @property
    def source(self) -> SourceKind:
        return "tool"

    def title(self, arguments: JsonObject) -> str:
        """Return the command's first line."""
        argv, command = arguments.get("argv"), arguments.get("command")
        words = _words(argv)
        return first_line(shlex.join(words) if words else command if isinstance(command, str) else "")[:_TITLE]

    async def render(self, call: ToolCall) -> str:
        """Return everything needed to decide about the run. A request that is refused anyway is never shown."""
        try:
            wanted = _read(call)
            return _prompt_text(wanted, await self._sandbox.walled(call))
        except (ToolRefusal, FileProblem, IgnoreProblem) as problem:
            raise RenderFailed(str(problem)) from None

    async def walls(self, call: ToolCall) -> tuple[bool, bool]:
        """Return whether a sandbox works here for this call, and whether the network is open in it. Searches nothing: a
        workspace too large to search is asked about by `confirm`."""
        return await self._sandbox.works(call)

    async def run(self, call: ToolCall) -> Outcome:
        return await self.watched(call, None)

    async def watched(self, call: ToolCall, listener: CommandListener | None) -> Outcome:
        """Run a call with a listener for its command."""
        try:
            wanted = _read(call)
            walls = await self._sandbox.walled(call)
            if (asked := _confirm(call, wanted, walls)) is not None:
                return asked
            return await _run_checked(call, wanted, walls, self._sandbox, listener)
        except (ToolRefusal, FileProblem, IgnoreProblem) as problem:
            return Failure(str(problem))


def _words(argv: Json) -> list[str]:
    """Return a list of texts unchanged; empty for anything else."""
    return [word for word in argv if isinstance(word, str)] if isinstance(argv, list) else []


def _read(call: ToolCall) -> CheckedCommand:
    """Validate the arguments. Raises ToolRefusal with all problems, FileProblem for a folder that is missing or outside
    the workspace."""
    given = CallArguments("shell_run", call.arguments, _KEYS)
    command, argv = given.text("command"), given.json("argv")
    where = given.text("cwd") or "."
    seconds = given.number("timeout_secs", 1, MOST_SECONDS, SECONDS)
    words = _words(argv)
    if argv is not None and (not words or words != argv or not words[0]):
        given.problem("`argv` must be a list of texts, the program first.")
    if (argv is None) == (call.arguments.get("command") is None):
        given.problem("give either `argv`, a program with its arguments, or `command`, a line for /bin/sh.")
    elif argv is None and not command.strip():
        given.problem("`command` must not be empty.")
    written = shlex.join(words) if argv is not None else command
    if len(written) > LONGEST:
        given.problem(f"a command may have {LONGEST:,} characters, not {len(written):,}; put it into a script.")
    if "\0" in written or not _is_printable(written):
        given.problem("a command must be text without a NUL or half characters.")
    given.check()
    with Root(call.root) as root:
        there = root.stat(where)
        if there.kind != "folder":
            raise ToolRefusal(f"shell_run: {display_path(where)} is not a folder.")
        cwd = os.path.normpath(os.path.join(root.path, there.real))
        place = "the workspace" if cwd == root.path else f"the folder {display_path(there.real)}"
    shell = argv is None
    return CheckedCommand(("/bin/sh", "-c", command) if shell else tuple(words), written, shell, cwd, place, seconds)


def _is_printable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _prompt_text(wanted: CheckedCommand, walls: Walled) -> str:
    """Return jp-tui's lines first, so that nothing in a command can precede them, then the complete command."""
    if walls.sandboxed:
        net = "The network is open to it, and so is what listens on this machine." if walls.network else "No network."
        held = (
            "Sandboxed: it can change this workspace only, but no .git, no .jp-tui and no read-only path in it. Your "
            f"home folder is hidden except tool chains, and so are files that usually hold secrets. {net}"
        )
        held += "" if walls.whole else f"\n{TOO_LARGE}"
    else:
        held = f"Not sandboxed: {walls.reason}. It can do all that you can{walls.lists}."
    lines, size = wanted.written.count("\n") + 1, len(wanted.written)
    count = f"{lines:,} lines" if lines > 1 else f"{size:,} characters" if size > 200 else ""
    how = "by /bin/sh -c" if wanted.shell else "without a shell"
    rest = f"All {count} of it:" if count else "All of it:"
    return f"{held}\nIn {wanted.place}, at most {wanted.seconds:,} s, {how}. {rest}\n{wanted.written}"


def _confirm(call: ToolCall, wanted: CheckedCommand, walls: Walled) -> NeedsInput | Failure | None:
    """Ask as the policy says (S40): always, never, or where neither a person nor a sandbox protects the run."""
    policy = call.options.get("confirm", "auto")
    if policy == "never" or (policy != "always" and (walls.whole or call.leave)):
        return None
    question = Question(
        "confirm",
        "Run this command?",
        BooleanAnswer(),
        _prompt_text(wanted, walls),
        default=False,
        has_default=True,
        exact=True,
        acts=True,
    )
    given = call.answers.get("confirm")
    if given is None or not isinstance(given.value, bool) or given.digest != digest(question):
        return NeedsInput(question)
    return None if given.value else Failure(NO, declined=True)


async def _run_checked(
    call: ToolCall, wanted: CheckedCommand, walls: Walled, sandbox: Sandboxing, listener: CommandListener | None
) -> Outcome:
    if call.cancel.called:
        return Failure("The call was cancelled before the command ran.")
    path = child_environment(os.environ)["PATH"]
    if "/" not in wanted.argv[0] and shutil.which(wanted.argv[0], path=path) is None:
        return Failure(f"There is no program {display_path(wanted.argv[0])} here.")
    cancel = asyncio.Event()
    call.cancel.then(cancel.set)
    tail, notes = Tail(call.progress, asyncio.get_running_loop().time), list[str]()

    def heard(data: bytes) -> None:
        tail.add(data)
        if listener is not None:
            listener.adds(data)

    if listener is not None:
        listener.begins()
    try:
        if walls.sandboxed:
            done, notes = await sandbox.run(walls, wanted.argv, wanted.cwd, wanted.seconds, KEPT, FLOOD, cancel, heard)
        else:
            done = await run(
                limited(wanted.argv, most_processes()),
                cwd=wanted.cwd,
                timeout=wanted.seconds,
                output_limit=KEPT,
                flood=FLOOD,
                cancel=cancel,
                heard=heard,
                leashed=True,
                started=listener.started if listener is not None else None,
            )
    except ChildProblem as problem:
        return Failure(f"The command could not be started: {problem}.")
    except SandboxProblem as problem:
        return Failure("The call was cancelled before the command ran." if cancel.is_set() else unkept(problem))
    if listener is not None:
        listener.ends(done)
    return result_text(done, wanted.seconds, signal_name, walled=walls.sandboxed, network=walls.network, notes=notes)
