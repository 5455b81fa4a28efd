"""Command line of bubblewrap, and the limits inside.

Pure except for the count of processes. Bubblewrap reads its options from a descriptor, so their number isn't bound by
the length of a command line.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from jp_tui.system.sandbox.mounts import Mount, SandboxProblem

FILE_BLOCKS = 1 << 23
"""Largest file that a command may write, in blocks of 512 bytes: 4 GiB."""
MOST_MOUNTS = 1_000
"""Bubblewrap reads the whole mount table again for each mount: 500 take a second, 1,000 four."""
READY, GO = b"ready\n", b"go\n"
_MORE_PROCESSES = 2_048
_LIMITS = 'ulimit -c 0; ulimit -f "$1" 2>/dev/null; ulimit -u "$2" 2>/dev/null || ulimit -p "$2" 2>/dev/null; shift 2; '
_BECOME = 'exec "$@" 2>&1'
_WAIT = 'exec 2>&1; "$@"; exit "$?"'
"""The waiting shell has no descriptor but the command's own output, which can't speak for the sandbox."""
_GATE = 'echo ready >&0; read -r said || exit 125; [ "$said" = go ] || exit 125; exec </dev/null; '
"""The input is a socket to jp-tui. The rest runs only after the finished mounts were verified from outside."""


@dataclass(frozen=True, slots=True)
class Bubblewrap:
    """The program, and which of its newer options work here."""

    program: str
    userns: bool = True
    """can forbid further user namespaces (0.8.0)"""
    size: bool = True
    """can limit the size of a folder in memory (0.7.0)"""


def options(bubblewrap: Bubblewrap, mounts: Sequence[Mount], cwd: str, nothing: str, *, network: bool) -> list[str]:
    """Return bubblewrap's options. `nothing` is an empty file, shown in place of masked ones. Raises SandboxProblem for
    too many mounts."""
    if len(mounts) > MOST_MOUNTS:
        raise SandboxProblem(
            f"It would need {len(mounts):,} mounts, more than {MOST_MOUNTS:,}, for the repositories, read-only paths "
            "and files that usually hold secrets in the workspace. Narrow options.secrets, or open a smaller folder."
        )
    made = ["--unshare-all", *(["--unshare-user", "--disable-userns"] if bubblewrap.userns else [])]
    made += ["--share-net"] if network else []
    # no bubblewrap process inside: its program could be reached there past every mount, by /proc/1/exe
    made += [
        "--die-with-parent",
        "--as-pid-1",
        "--cap-drop",
        "ALL",
        "--ro-bind",
        "/",
        "/",
        "--dev",
        "/dev",
        "--proc",
        "/proc",
    ]
    size = ["--size", str(_memory() // 8)] if bubblewrap.size else []
    for mount in mounts:
        match mount.kind:
            case "private":
                made += [*size, "--tmpfs", mount.path]
            case "empty":
                made += ["--tmpfs", mount.path]
            case "write":
                made += ["--bind", mount.path, mount.path]
            case "read" | "level" | "shown":
                made += ["--ro-bind", mount.path, mount.path]
            case "mask":
                made += ["--ro-bind", nothing, mount.path]
            case "link":
                made += ["--symlink", mount.source, mount.path]
            case "folder":
                made += ["--dir", mount.path]
    for path in ("/proc", "/dev", *(mount.path for mount in mounts if mount.kind == "empty")):
        made += ["--remount-ro", path]  # last: mounts within an empty folder exist by now
    return [*made, "--chdir", cwd]


def limited(argv: Sequence[str], processes: int, file_blocks: int = FILE_BLOCKS, *, gate: bool = False) -> list[str]:
    """Return `argv` with limits on file size and the number of processes, both outputs merged. The arguments are passed
    verbatim: no shell parses them. With a `gate` the shell is the first process of a sandbox: it waits for GO on its
    input, a socket, and then for the command, which has /dev/null as its input. Pure."""
    script = _GATE + _LIMITS + _WAIT if gate else _LIMITS + _BECOME
    return ["/bin/sh", "-c", script, "sh", str(file_blocks), str(processes), *argv]


def most_processes() -> int:
    """Return the process limit: the present number plus more than any build needs."""
    try:
        running = Path("/proc/loadavg").read_text("ascii").split()[3].partition("/")[2]
        return int(running) + _MORE_PROCESSES
    except (OSError, IndexError, ValueError):
        return 2 * _MORE_PROCESSES


def _memory() -> int:
    """Return the bytes of memory of this machine."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return 8 << 30
