"""Walls around a child: bubblewrap, where it works here (issue 8, line 9; surface.md S10, S40).

The disk can be read but not written, the workspace can be written but for git's and our own files in it, credentials
and sockets are out of sight, /tmp is its own, there is no network unless it was allowed, and nothing outlives the call:
the processes have a number space of their own. Whether that works is found out by really doing it, at first use and
once. Starts nothing else, and never says that there are walls where there are none.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from jp_tui.system.children import ChildProblem, child_environment, run
from jp_tui.system.paths import Paths, PathsError, private_folder

FILE_BLOCKS = 1 << 23
"""The largest file that a command may write, in blocks of 512 bytes: 4 GiB."""
_MORE_PROCESSES = 2_048
_LIMITER = (
    'ulimit -c 0; ulimit -f "$1" 2>/dev/null; ulimit -u "$2" 2>/dev/null || ulimit -p "$2" 2>/dev/null; '
    'shift 2; exec "$@" 2>&1'
)
_PROBE = 'test -w . && ! test -w / && test "$$" -lt 100 && echo walled'
_PROBE_SECONDS = 5.0

_FOLDERS = (
    ".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".config/gcloud", ".config/gh", ".password-store",
    ".local/share/keyrings", ".mozilla", ".config/google-chrome", ".config/chromium", ".thunderbird",
)  # fmt: skip
_FILES = (
    ".netrc", "_netrc", ".git-credentials", ".config/git/credentials", ".pgpass", ".pypirc", ".npmrc", ".vault-token",
    ".cargo/credentials", ".cargo/credentials.toml", ".bash_history", ".zsh_history", ".python_history",
)  # fmt: skip
_SOCKETS = ("/tmp", "/run", "/var/run")
_STAYS = ("/run/current-system", "/run/booted-system", "/run/wrappers", "/run/opengl-driver")
_RESOLVES = ("/run/systemd/resolve", "/run/NetworkManager", "/run/resolvconf")
_KEPT = (".git", ".jp-tui", ".jp_tui")
_DEEP, _MOST = 3, 4_000
"""How deep, and among how many entries, repositories within the workspace are looked for."""


@dataclass(frozen=True, slots=True)
class Walls:
    """What a walled child may reach; all paths are real, absolute and there. `root` can be written but for what stands
    in `read_only`; `folders` look empty, `files` too; `seen` shows through empty folders."""

    root: str
    cwd: str
    network: bool = False
    read_only: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    seen: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """Whether children can be walled in: `program` when they can, else `reason`, as a clause."""

    program: str = ""
    reason: str = ""


def walled(program: str, walls: Walls, argv: Sequence[str]) -> list[str]:
    """The command line of bubblewrap at `program` that runs `argv` within these walls. Pure."""
    made = [program, "--unshare-all", "--die-with-parent", "--cap-drop", "ALL"]
    made += ["--share-net"] if walls.network else []
    made += ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
    around = [folder for folder in walls.folders if _beneath(walls.root, folder)]
    for folder in around:  # the workspace comes into sight again below; the others must not lie below it
        made += ["--tmpfs", folder]
    made += ["--bind", walls.root, walls.root]
    for folder in walls.folders:
        made += [] if folder in around else ["--tmpfs", folder]
    for file in walls.files:
        made += ["--ro-bind", "/dev/null", file]
    for path in (*walls.seen, *walls.read_only):
        made += ["--ro-bind", path, path]
    return [*made, "--chdir", walls.cwd, "--", *argv]


def limited(argv: Sequence[str], processes: int, file_blocks: int = FILE_BLOCKS) -> list[str]:
    """`argv` with bounds on the size of a file and the number of processes, both outputs in one. It is handed over
    word for word: no shell reads it. Pure."""
    return ["/bin/sh", "-c", _LIMITER, "sh", str(file_blocks), str(processes), *argv]


def most_processes() -> int:
    """How many processes there may be: those there are, and as many more as any build needs."""
    try:
        running = Path("/proc/loadavg").read_text("ascii").split()[3].partition("/")[2]
        return int(running) + _MORE_PROCESSES
    except (OSError, IndexError, ValueError):
        return 2 * _MORE_PROCESSES


def walls_of(
    root: str, cwd: str, environment: Mapping[str, str], *, network: bool = False, read_only: Sequence[str] = ()
) -> Walls:
    """The walls for a child in `cwd` of the workspace `root`; `read_only` are more paths of it that stay as they are.

    What is not there needs no wall, and gets none: bubblewrap would have to make it.
    """
    root, home = os.path.realpath(root), environment.get("HOME", "") or os.path.expanduser("~")
    hidden = [*_SOCKETS, *(os.path.join(home, folder) for folder in _FOLDERS)]
    kept = [os.path.join(root, name) for name in (*_KEPT, *read_only)] + _repositories(root)
    try:
        ours = Paths.of(environment)
        hidden += [str(ours.data), str(ours.state), str(ours.cache)]
        kept.append(str(ours.config))
        if _beneath(str(ours.config), root):  # else a command could make it, with our settings in it
            private_folder(ours.config)
    except PathsError:
        pass  # without a home nothing of ours is anywhere, nor where it cannot be made
    seen = [*_STAYS, *(_RESOLVES if network else ())]
    return Walls(
        root=root,
        cwd=os.path.realpath(cwd),
        network=network,
        read_only=_real(path for path in kept if os.path.lexists(path)),
        folders=_real(folder for folder in hidden if os.path.isdir(folder) and not os.path.islink(folder)),
        files=_real(path for name in _FILES if os.path.isfile(path := os.path.join(home, name))),
        seen=tuple(path for path in seen if os.path.isdir(path)),
    )


def trial(root: str) -> Found | list[str]:
    """A command line that shows whether walls around `root` stand, or why there can be none."""
    program, real = shutil.which("bwrap", path=child_environment(os.environ)["PATH"]), os.path.realpath(root)
    if program is None:
        return Found(reason="bwrap is not installed")
    if _beneath(os.path.realpath(program), real):
        return Found(reason="the only bwrap is one of this workspace")
    if real == "/":
        return Found(reason="the workspace is the whole disk")
    return walled(program, walls_of(real, real, os.environ), ["/bin/sh", "-c", _PROBE])


async def probed(root: str | Path) -> Found:
    """Really run something within walls around `root` and see whether they stand."""
    argv = trial(str(root))
    if isinstance(argv, Found):
        return argv
    try:
        done = await run(argv, cwd=root, timeout=_PROBE_SECONDS, output_limit=4_096)
    except ChildProblem as problem:
        return Found(reason=f"bwrap does not work here: {problem}")
    if done.ok and done.stdout == b"walled\n":
        return Found(argv[0])
    said = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return Found(reason=f"bwrap does not work here: {said[0][:200] if said else 'its walls do not hold'}")


class Sandbox:
    """The walls of workspaces; probed at the first use of each."""

    def __init__(self) -> None:
        self._found: dict[str, Found] = {}

    async def found(self, root: str | Path) -> Found:
        """Whether they stand, as it was found out the first time."""
        key = str(root)
        if key not in self._found:
            self._found[key] = await probed(key)
        return self._found[key]


def _repositories(root: str) -> list[str]:
    """The `.git` of repositories below the root, nearest first: their hooks run outside the sandbox, later."""
    found, folders, left = list[str](), [root], _MOST
    for _ in range(_DEEP):
        deeper = list[str]()
        for folder in folders:
            try:
                entries = list(islice(os.scandir(folder), max(left, 0)))
            except OSError:
                continue
            left -= len(entries)
            found += [one.path for one in entries if one.name == ".git" and folder != root]
            deeper += [one.path for one in entries if one.name != ".git" and one.is_dir(follow_symlinks=False)]
        folders = deeper
    return found


def _beneath(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _real(paths: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(os.path.realpath, paths)))
