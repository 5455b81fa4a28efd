"""Checks of terminal and machine with advice: the part of `jp-tui doctor` that needs no settings.

Read-only. Child processes run only to test whether they work.
"""

from __future__ import annotations

import os
import platform
import shutil
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Literal

from jp_tui.system import editor
from jp_tui.system.children import ChildProblem, run
from jp_tui.system.paths import because
from jp_tui.system.terminal_query import TerminalReplies

State = Literal["ok", "warn", "bad"]
SMALL, LEAST = (80, 24), (60, 16)
SCARCE, LOW = 64 << 20, 1 << 30
"""Bytes of free space: below the first writes will soon fail, below the second a warning is due."""
_KITTY = "kitty, Ghostty, WezTerm, foot, Alacritty and iTerm2 support it; elsewhere use Ctrl+J for a new line"


@dataclass(frozen=True, slots=True)
class CheckupFinding:
    """One line of the report. `mend` is the advice in plain text; empty if there is none."""

    check: str
    state: State
    detail: str
    mend: str = ""


def terminal(
    environment: Mapping[str, str], size: tuple[int, int] | None, said: TerminalReplies | None
) -> Iterator[CheckupFinding]:
    """Check the terminal. `size` in cells; it and the replies `said` are None without a terminal. Pure."""
    name = environment.get("TERM", "")
    if size is None:
        yield CheckupFinding("terminal", "warn", "the output isn't a terminal", "Run it in a terminal, without a pipe.")
    elif name in ("", "dumb", "unknown"):
        mend = "Set TERM to your terminal's type, for example xterm-256color, or use `jp-tui --plain`."
        yield CheckupFinding("terminal", "bad", f"TERM is {name or 'not set'}", mend)
    else:
        program = environment.get("TERM_PROGRAM", "")
        yield CheckupFinding("terminal", "ok", name + (f", {program}" if program else ""))
    if size is not None:
        yield _size(size)
    yield _colours(environment)
    yield _letters(environment)
    if said is not None:
        yield from _protocols(said)


def _size(size: tuple[int, int]) -> CheckupFinding:
    words = f"{size[0]}x{size[1]}"
    if size[0] < LEAST[0] or size[1] < LEAST[1]:
        return CheckupFinding("size", "bad", words, f"Enlarge the window to at least {LEAST[0]}x{LEAST[1]}.")
    if size[0] < SMALL[0] or size[1] < SMALL[1]:
        return CheckupFinding("size", "warn", words, f"The workspace looks best from {SMALL[0]}x{SMALL[1]}.")
    return CheckupFinding("size", "ok", words)


def _colours(environment: Mapping[str, str]) -> CheckupFinding:
    name, colours = environment.get("TERM", ""), environment.get("COLORTERM", "")
    if environment.get("NO_COLOR"):
        return CheckupFinding("colours", "ok", "none: NO_COLOR is set", "Unset NO_COLOR to use colours.")
    if colours in ("truecolor", "24bit") or name.endswith("-direct"):
        return CheckupFinding("colours", "ok", "16 million")
    mend = "If your terminal supports true colour, set COLORTERM=truecolor."
    if "256" in name:
        return CheckupFinding("colours", "ok", "256 (nearest colours)", mend)
    return CheckupFinding("colours", "warn", "at least 16", mend)


def _letters(environment: Mapping[str, str]) -> CheckupFinding:
    found = next((environment[name] for name in ("LC_ALL", "LC_CTYPE", "LANG") if environment.get(name)), "")
    if found.replace("-", "").casefold().endswith("utf8") or platform.system() == "Darwin":
        return CheckupFinding("unicode", "ok", found or "UTF-8")
    mend = "Set LANG to C.UTF-8 or another UTF-8 locale."
    return CheckupFinding("unicode", "warn", f"the locale is {found or 'not set'}", mend)


def _protocols(said: TerminalReplies) -> Iterator[CheckupFinding]:
    if not said.any:
        mend = "No action needed. The connection may be slow. Basic keys work."
        yield CheckupFinding("key protocol", "warn", "the terminal didn't answer within 200 ms", mend)
        return
    if said.keys:
        yield CheckupFinding("key protocol", "ok", "kitty protocol: all keys can be distinguished")
    else:
        yield CheckupFinding("key protocol", "warn", "basic: Shift+Enter is the same as Enter", f"{_KITTY}.")
    rows = (
        (
            "focus reports",
            said.focus,
            "questions notify you when you look away",
            "derived from your last key press",
        ),
        ("whole frames", said.sync, "synchronized output: no flicker", "the screen may flicker"),
    )
    for check, can, with_it, without in rows:
        words = with_it if can else f"{'not supported' if can is False else 'unknown'}: {without}"
        yield CheckupFinding(check, "ok" if can else "warn", words, "" if can else "Use a newer terminal.")


def clipboard(environment: Mapping[str, str], helper: tuple[str, ...]) -> CheckupFinding:
    """Check the clipboard. `helper` is the program that accepts text, empty if there is none. Pure."""
    if helper:
        return CheckupFinding("clipboard", "ok", f"{Path(helper[0]).name}, and OSC 52")
    if environment.get("SSH_CONNECTION") or environment.get("SSH_TTY"):
        return CheckupFinding("clipboard", "ok", "OSC 52, through the connection", "Your local terminal must allow it.")
    wanted = "wl-clipboard" if environment.get("WAYLAND_DISPLAY") else "xclip" if environment.get("DISPLAY") else ""
    mend = f"Install {wanted} to copy reliably." if wanted else "Copying works if the terminal allows OSC 52."
    return CheckupFinding("clipboard", "warn", "OSC 52 only, which some terminals don't support", mend)


async def multiplexer(environment: Mapping[str, str]) -> tuple[CheckupFinding, ...]:
    """Check tmux or screen and what they pass through; empty without a multiplexer."""
    if environment.get("TMUX"):
        return tuple([await _tmux(environment, *one) for one in _TMUX])
    if environment.get("STY") or (environment.get("TERM", "").startswith("screen") and not environment.get("TMUX")):
        return (
            CheckupFinding("screen", "warn", "GNU screen doesn't pass on the clipboard or key protocol", "Use tmux."),
        )
    return ()


_TMUX = (
    ("set-clipboard", ("on", "external"), "the clipboard", "set -g set-clipboard on"),
    ("allow-passthrough", ("on", "all"), "notifications", "set -g allow-passthrough on"),
    ("focus-events", ("on", "1"), "focus reports", "set -g focus-events on"),
    ("extended-keys", ("on", "always"), "the key protocol", "set -s extended-keys on"),
)


async def _tmux(
    environment: Mapping[str, str], option: str, good: tuple[str, ...], what: str, mend: str
) -> CheckupFinding:
    said = await _output(["tmux", "show-options", "-Aqv", "-g", option], {"TMUX": environment["TMUX"]})
    said = said or await _output(["tmux", "show-options", "-sqv", option], {"TMUX": environment["TMUX"]})
    if said in good:
        return CheckupFinding(f"tmux {option}", "ok", f"{said}: passes on {what}")
    words = f"{said or 'off'}: may not pass on {what}"
    return CheckupFinding(f"tmux {option}", "warn", words, f"Add to ~/.tmux.conf: {mend}")


async def _output(argv: list[str], extra: Mapping[str, str] | None = None) -> str:
    """Return the first output line of a program; empty if it failed."""
    try:
        done = await run(argv, cwd="/", timeout=2.0, output_limit=4096, env_extra=extra)
    except ChildProblem:
        return ""
    lines = done.stdout.decode("utf-8", "replace").splitlines()
    return lines[0].strip() if done.ok and lines else ""


async def programs(environment: Mapping[str, str]) -> tuple[CheckupFinding, ...]:
    """Check Git, the editor, Python and the screen library."""
    said = await _output(["git", "--version"])
    git = CheckupFinding("git", "ok", said.removeprefix("git version ")) if said else None
    mend = "Install Git. Without it, jp-tui can't ask before changing files with uncommitted work."
    return (
        git or CheckupFinding("git", "warn", "not found", mend),
        _editor(environment),
        CheckupFinding("python", "ok", platform.python_version()),
        CheckupFinding("textual", "ok", metadata.version("textual")),
    )


def _editor(environment: Mapping[str, str]) -> CheckupFinding:
    try:
        words = editor.command(environment)
    except OSError as problem:
        return CheckupFinding("editor", "warn", str(problem), "Set EDITOR to the editor that Ctrl+G opens.")
    if shutil.which(words[0], path=environment.get("PATH")) is None:
        return CheckupFinding("editor", "warn", f"{words[0]} isn't found", "Fix $VISUAL or $EDITOR.")
    return CheckupFinding("editor", "ok", " ".join(words))


def folder(name: str, path: Path) -> CheckupFinding:
    """Check a jp-tui folder: writable or creatable, private, with free disk space."""
    check = f"{name} folder"
    there = path
    while not there.exists() and there != there.parent:
        there = there.parent
    try:
        found = os.stat(there)
        room = os.statvfs(there)
    except OSError as error:
        return CheckupFinding(
            check, "bad", f"{path}: {because(error)}", "Fix it, or set JP_TUI_HOME to another folder."
        )
    if not stat.S_ISDIR(found.st_mode) or not os.access(there, os.W_OK | os.X_OK):
        words = f"{path} can't be {'written' if there == path else 'created'}"
        return CheckupFinding(check, "bad", words, f"Check the owner and mode of {there}, or set JP_TUI_HOME.")
    free = room.f_bavail * room.f_frsize
    if free < SCARCE:
        return CheckupFinding(check, "bad", f"{path}: {free >> 20} MiB free", "Free some disk space.")
    if there == path and found.st_mode & 0o077:
        return CheckupFinding(check, "warn", f"{path} can be read by other users", f"chmod 700 {path}")
    words = str(path) + ("" if there == path else ", not created yet")
    if free < LOW:
        return CheckupFinding(check, "warn", f"{words}; {free >> 20} MiB free", "Free some disk space.")
    return CheckupFinding(check, "ok", words)
