"""Processes of this machine: who started us, and whether one still runs (intake.md N4, N5, N6).

Measured from the system, never from what a process says of itself: `/proc` is read. Without it (macOS) only the parent
and whether a process still runs are known. A process is named by its id and its start: ids are reused.
"""

from __future__ import annotations

import contextlib
import os
import pwd
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

_SHELLS = frozenset({"sh", "bash", "dash", "zsh", "ksh", "mksh", "fish", "ash", "busybox"})
_INTERPRETER = re.compile(r"(python|pypy|node|nodejs|bun|deno|ruby|perl|php|lua|Rscript)[\d.]*t?")
_ODD = re.compile(r"[^A-Za-z0-9_.+-]+")
_MOST = 64
_SAME_SECONDS = 2.0
"""Two measurements of one start may differ by this: the clock may have been set between them."""
_DEEPEST = 64


@dataclass(frozen=True, slots=True)
class ProcessInfo:
    """A process. `words` is its command line, empty if it can't be read; `started` is UTC, as 2026-12-01T00:00:00Z;
    `folder`, `exe` and `terminal` are empty where the system doesn't show them."""

    pid: int
    parent: int
    started: str
    name: str
    exe: str = ""
    words: tuple[str, ...] = ()
    uid: int = -1
    folder: str = ""
    terminal: str = ""

    @property
    def base(self) -> str:
        """The name of its program file."""
        return os.path.basename(self.exe.removesuffix(" (deleted)")).removesuffix(".exe") or self.name

    @property
    def is_shell(self) -> bool:
        return self.base in _SHELLS

    @property
    def only_passes_on(self) -> bool:
        """True for a shell with a command line of its own (`sh -c`): what started it is the asker."""
        if not self.is_shell:
            return False
        for word in self.words[1:]:
            if not word.startswith(("-", "+")) or word == "--":
                return False
            if not word.startswith("--") and "c" in word[1:]:
                return True
        return False

    @property
    def script(self) -> str:
        """The file that an interpreter runs, as an absolute path; empty for other programs. No other argument is ever
        kept (N4)."""
        if not (self.is_shell or _INTERPRETER.fullmatch(self.base)):
            return ""
        for word in self.words[1:]:
            if word.startswith("-"):
                if word in ("-c", "-m", "-e", "-", "--eval") or (self.is_shell and "c" in word[1:]):
                    return ""
                continue
            path = os.path.normpath(os.path.join(self.folder or "/", word))
            return path if os.path.isfile(path) else ""
        return ""

    @property
    def program(self) -> str:
        """Its name in settings (N3): of the script, else of the program file; letters, digits and `_.+-` only."""
        named = _ODD.sub("_", os.path.basename(self.script) or self.base).strip(".")
        return named[:_MOST] or "unknown"


def process(pid: int) -> ProcessInfo | None:
    """Return a process, None if there is none of this id or it has ended."""
    if pid <= 0:
        return None
    return _from_proc(pid) if os.path.isdir("/proc/self") else _only_alive(pid)


def ancestors(pid: int) -> Iterator[ProcessInfo]:
    """Yield the parent of a process, its parent, and so on."""
    found = process(pid)
    for _ in range(_DEEPEST):
        found = process(found.parent) if found is not None else None
        if found is None:
            return
        yield found


def asker() -> ProcessInfo | None:
    """Return the process that started this one; a shell between is passed over (N4): `sh -c`, and a subshell, which is
    a copy of the shell that made it."""
    found: ProcessInfo | None = None
    for one in ancestors(os.getpid()):
        if found is not None and not (found.is_shell and (one.exe, one.words) == (found.exe, found.words)):
            return found
        found = None if one.only_passes_on else one
    return found


def host() -> str:
    """Return the name of this machine."""
    return os.uname().nodename


def boot() -> str:
    """Return what tells this run of the machine, and the place where its process ids count, from others; empty if
    unknown."""
    try:
        id_ = Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
        return f"{id_} {os.readlink('/proc/self/ns/pid')}"
    except OSError:
        return ""


def user(uid: int) -> str:
    """Return the name of a user, else the number."""
    try:
        return pwd.getpwuid(uid).pw_name
    except (KeyError, OverflowError):
        return str(uid)


def has_ended(pid: int, started: str, on: str, since_boot: str) -> bool:
    """True if the process with this start is known to have ended; on another machine, or where its id means nothing,
    nothing is known."""
    if on != host():
        return False
    now = boot()
    if since_boot != now:
        before, here = since_boot.partition(" ")[0], now.partition(" ")[0]
        return bool(before and here) and before != here  # the machine was started again
    found = process(pid)
    return found is None or not same_start(found.started, started)


def same_start(one: str, other: str) -> bool:
    """True if two measured starts are the same."""
    try:
        return abs((_read(one) - _read(other)).total_seconds()) <= _SAME_SECONDS
    except ValueError:
        return one == other


def _read(started: str) -> datetime:
    return datetime.strptime(started, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)


def _stamp(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%SZ}"


def _from_proc(pid: int) -> ProcessInfo | None:
    folder = f"/proc/{pid}"
    try:
        line = Path(folder, "stat").read_text("utf-8", "replace")
        uid = os.stat(folder).st_uid
    except OSError:
        return None
    name, _, rest = line.partition("(")[2].rpartition(")")
    fields = rest.split()
    if len(fields) < 20 or fields[0] in "ZX":  # ended, and only its entry is left
        return None
    return ProcessInfo(
        pid=pid,
        parent=int(fields[1]),
        started=_stamp(_booted() + int(fields[19]) / os.sysconf("SC_CLK_TCK")),
        name=name,
        exe=_link(f"{folder}/exe"),
        words=_words(f"{folder}/cmdline"),
        uid=uid,
        folder=_link(f"{folder}/cwd"),
        terminal=_terminal(int(fields[4])),
    )


def _booted() -> float:
    with contextlib.suppress(OSError, ValueError):
        for line in Path("/proc/stat").read_text("ascii").splitlines():
            if line.startswith("btime "):
                return float(line.split()[1])
    return 0.0


def _link(path: str) -> str:
    try:
        return os.readlink(path)
    except OSError:
        return ""


def _words(path: str) -> tuple[str, ...]:
    try:
        raw = Path(path).read_bytes()
    except OSError:
        return ()
    return tuple(os.fsdecode(word) for word in raw.rstrip(b"\0").split(b"\0"))


def _terminal(number: int) -> str:
    major, minor = (number >> 8) & 0xFFF, (number & 0xFF) | ((number >> 12) & 0xFFF00)
    if 136 <= major <= 143:
        return f"/dev/pts/{minor + (major - 136) * 256}"
    return f"/dev/tty{minor}" if major == 4 and minor < 64 else ""


def _only_alive(pid: int) -> ProcessInfo | None:
    """Return what can be known of a process without `/proc`: that there is one."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return None
    except OSError:
        pass
    parent = os.getppid() if pid == os.getpid() else 0
    return ProcessInfo(pid, parent, "", "process")
