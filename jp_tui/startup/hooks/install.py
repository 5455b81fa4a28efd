"""`jp-tui hook install | uninstall PROGRAM` (intake.md N25): a preview, a copy, and an undo that leaves no trace.

A file that isn't plain JSON, isn't the user's own, is a link, or changes meanwhile stays untouched.
"""

from __future__ import annotations

import asyncio
import os
import re
import shlex
import shutil
import stat
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from jp_tui.startup.hooks.entries import (
    FILES,
    PLUGIN_MARK,
    HookFile,
    NotOurs,
    ours_in,
    plugin,
    with_ours,
    without_ours,
)
from jp_tui.system.paths import because

if TYPE_CHECKING:
    from jp_tui.headless.output import TextOutput
    from jp_tui.settings.cli.arguments import CommandLine
    from jp_tui.startup.parts import RunLocation

COPY = ".jp-tui-before"
BLOCKS_SINCE = (2, 1, 295)
"""Version of Claude Code that honours `onFailure` (N23)."""
_LARGEST = 4 << 20


def install(arguments: CommandLine, place: RunLocation, output: TextOutput) -> int:
    """Return the exit status."""
    change = _Change(arguments, place, output)
    return change.run()


class _Change:
    """One run of install or uninstall."""

    def __init__(self, arguments: CommandLine, place: RunLocation, output: TextOutput) -> None:
        self._arguments, self._output = arguments, output
        self._file = FILES[arguments.program or ""]
        self._adds = arguments.command == "hook install"
        home = Path(place.environment.get("HOME") or os.path.expanduser("~"))
        self._path = hook_path(self._file, home, place.workspace if arguments.project else None, place.environment)
        self._environment = place.environment

    def run(self) -> int:
        """Return the exit status."""
        try:
            dry = self._arguments.dry_run
            if self._adds and not dry:
                self._check_version()
            before = read_own(self._path)
            after = self._after(before)
            if after == before:
                said = "are installed already" if self._adds else "aren't installed"
                self._output.print(f"Nothing to do: hooks of {self._file.title} {said} in {self._path}.")
                return 0
            if dry:
                self._preview(before, after)
                if self._adds:
                    self._check_version()  # the diff is shown in any case
                return 0
            self._write(before, after)
        except NotOurs as problem:
            self._output.tell(f"jp-tui: {self._path}: {problem}. Nothing was changed.")
            return 1
        except OSError as problem:
            self._output.tell(f"jp-tui: {self._path}: {because(problem)}. Nothing was changed.")
            return 1
        return 0

    # Content

    def _after(self, before: bytes | None) -> bytes | None:
        """Return the new content, None to remove the file."""
        if self._file.word == "opencode":
            if before is not None and not before.decode("utf-8", "replace").startswith(PLUGIN_MARK):
                raise NotOurs("it isn't a plugin of jp-tui")
            return plugin(command_words()).encode() if self._adds else None
        if self._adds:
            return with_ours(before, self._file, shell_command())
        if before is None or not ours_in(before):
            return before
        copy = read_own(self._copy)
        for command in _commands_in(before):
            if with_ours(copy, self._file, command) == before:
                return copy  # byte for byte as it was
        return without_ours(before)

    @property
    def _copy(self) -> Path:
        return self._path.with_name(self._path.name + COPY)

    def _preview(self, before: bytes | None, after: bytes | None) -> None:
        from jp_tui.tools.files.difference import unified

        old, new = (
            (f"{mark}{self._path}", content.decode("utf-8", "replace")) if content is not None else ("/dev/null", "")
            for mark, content in (("a", before), ("b", after))
        )
        self._output.write(unified(old[0], new[0], old[1], new[1]))

    # Disk

    def _write(self, before: bytes | None, after: bytes | None) -> None:
        """Put the new content in place of the old, which is still there. Raises NotOurs, OSError."""
        if self._adds and before is not None and not (self._copy.exists() and ours_in_safe(before)):
            _replace(self._copy, None, before, 0o600, checks=False)
        if after is None:
            if read_own(self._path) != before:
                raise NotOurs("it changed meanwhile")
            self._path.unlink()
        else:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            mode = 0o600 if before is None else stat.S_IMODE(self._path.stat().st_mode)
            _replace(self._path, before, after, mode)
        if not self._adds:
            with suppress(FileNotFoundError):
                self._copy.unlink()
        self._told(before)

    def _told(self, before: bytes | None) -> None:
        print_ = self._output.print
        if not self._adds:
            print_(f"Removed the hooks of {self._file.title} from {self._path}.")
            return
        print_(f"Installed hooks of {self._file.title} in {self._path}.")
        if before is not None and self._file.word != "opencode":
            print_(f"What was there before is in {self._copy}.")
        if self._file.after:
            print_(self._file.after)

    def _check_version(self) -> None:
        """Refuse a version of Claude Code that runs a tool when its hook dies (N23). Raises NotOurs."""
        if not self._file.on_failure or self._arguments.anyway:
            return
        found = asyncio.run(claude_version(self._environment))
        if found is None:
            raise NotOurs(
                "`claude --version` says no version; if Claude Code is 2.1.295 or newer, add --anyway. An older one "
                "runs a tool when its hook dies"
            )
        if found < BLOCKS_SINCE:
            shown = ".".join(map(str, found))
            raise NotOurs(
                f"Claude Code {shown} runs a tool when its hook dies; 2.1.295 and newer don't. Update it, or add "
                "--anyway"
            )


def hook_path(file: HookFile, home: Path, project: Path | None, environment: dict[str, str]) -> Path:
    """Return the file of a program's hooks: the user's, or that of a project."""
    if project is not None:
        return project / file.project
    config = environment.get("XDG_CONFIG_HOME", "")
    if file.word == "opencode" and os.path.isabs(config):
        return Path(config) / file.user.removeprefix(".config/")
    own = {"claude": "CLAUDE_CONFIG_DIR", "codex": "CODEX_HOME"}.get(file.word, "")
    if own and os.path.isabs(environment.get(own, "")):
        return Path(environment[own]) / Path(file.user).name
    return home / file.user


async def claude_version(environment: dict[str, str]) -> tuple[int, ...] | None:
    """Return the version of the `claude` on the path, None if it can't be known."""
    from jp_tui.system.children import ChildProblem, run

    program = shutil.which("claude", path=environment.get("PATH"))
    if program is None:
        return None
    try:
        done = await run([program, "--version"], cwd=os.getcwd(), timeout=20.0)
    except (ChildProblem, OSError):
        return None
    found = re.search(rb"(\d+)\.(\d+)\.(\d+)", done.stdout)
    return tuple(map(int, found.groups())) if found else None


def command_words() -> list[str]:
    """Return what runs this jp-tui, with absolute paths."""
    program = os.path.abspath(sys.argv[0]) if sys.argv and os.sep in sys.argv[0] else shutil.which("jp-tui") or ""
    if os.path.basename(program) == "jp-tui" and os.access(program, os.X_OK):
        return [program]
    return [sys.executable, "-m", "jp_tui"]


def shell_command() -> str:
    """Return the same for a shell."""
    return shlex.join(command_words())


def _commands_in(content: bytes) -> list[str]:
    """Return what runs jp-tui in our entries."""
    from jp_tui.startup.hooks.entries import OURS

    every = (one["command"] for commands in ours_in(content).values() for one in commands)
    return list(dict.fromkeys(OURS.sub("", command).rstrip() for command in every))


def ours_in_safe(content: bytes) -> bool:
    """True if there are entries of ours."""
    try:
        return bool(ours_in(content))
    except NotOurs:
        return False


def read_own(path: Path) -> bytes | None:
    """Return a file's content, None where there is none. Raises NotOurs unless it is the user's own plain file."""
    try:
        number = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        if path.is_symlink():
            raise NotOurs(f"it is a link to {os.readlink(path)}") from None
        return None
    except OSError:
        if path.is_symlink():
            raise NotOurs(f"it is a link to {os.readlink(path)}") from None
        raise
    with os.fdopen(number, "rb") as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode):
            raise NotOurs("it isn't a plain file")
        if found.st_uid != os.getuid():
            raise NotOurs("it belongs to another user")
        if found.st_nlink > 1:
            raise NotOurs("it has several names (hard links)")
        data = file.read(_LARGEST + 1)
    if len(data) > _LARGEST:
        raise NotOurs(f"it is larger than {_LARGEST >> 20} MiB")
    return data


def _replace(path: Path, before: bytes | None, after: bytes, mode: int, *, checks: bool = True) -> None:
    """Write a new file beside it and put it in its place, unless the content is no longer `before`."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    number = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
    try:
        with os.fdopen(number, "wb") as file:
            os.fchmod(file.fileno(), mode)
            file.write(after)
            file.flush()
            os.fsync(file.fileno())
        if checks and read_own(path) != before:
            raise NotOurs("it changed meanwhile")
        os.rename(beside, path)
    except BaseException:
        with suppress(OSError):
            beside.unlink()
        raise
