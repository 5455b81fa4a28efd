"""Places of this machine that a sandbox hides: homes, other disks, temporary files, sockets, and jp-tui's own folders
(Z18).

Names only, no content. Links are resolved first: a link's target in a home folder is hidden as well, unless it is part
of the system.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress

from jp_tui.system.paths import Paths, PathsError
from jp_tui.system.sandbox.hiding import CREDENTIALS, SENSITIVE, SOCKETS, hideable, named_paths
from jp_tui.system.sandbox.mounts import Mount, SandboxProblem, beneath

_TEMPORARY = ("/tmp", "/var/tmp", "/run", "/var/run", "/dev/shm")
_DISKS = ("/mnt", "/media")
_XDG = ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR")
_STAYS = ("/run/current-system", "/run/booted-system", "/run/wrappers", "/run/opengl-driver")
_PEOPLE = 1_000
"""User ids of people start here."""
KEPT = (".git", ".jp-tui", ".jp_tui")
"""Control folders of git and jp-tui at the top of a workspace."""


def hidden(root: str, environment: Mapping[str, str], *, network: bool = False) -> list[Mount]:
    """Return the requests for a workspace `root`. Raises SandboxProblem if it is one of jp-tui's own folders."""
    wishes = [Mount("private", path, "temporary files and sockets") for path in _folders(_TEMPORARY)]
    wishes += [
        Mount("private", path, "temporary files")
        for path in _folders([environment.get("TMPDIR", "")])
        if hideable(path) and not beneath(path, root) and path != "/"
    ]
    wishes += [Mount("empty", path, "other disks") for path in _folders(_DISKS)]
    wishes += _ours(root, environment)
    for home in homes(environment):
        wishes += _home(home, root)
    wishes += _named(root, environment)
    wishes += [Mount("mask", path, "a socket") for path in sockets()]
    wishes += [Mount("read", path, "the system") for path in _folders(_STAYS)]
    resolver = os.path.realpath("/etc/resolv.conf")
    return wishes + ([Mount("read", resolver, "the name server")] if network and os.path.isfile(resolver) else [])


def home_of(environment: Mapping[str, str]) -> str:
    """Return the user's home folder with links resolved; "" if unknown."""
    home = environment.get("HOME", "") or os.path.expanduser("~")
    return os.path.realpath(home) if os.path.isabs(home) else ""


def homes(environment: Mapping[str, str]) -> list[str]:
    """Return every existing home folder, real and once: the user's, root's, those in /home, and those of other
    people."""
    found = [home_of(environment), "/root", "/home"]
    with suppress(OSError):
        with open("/etc/passwd", encoding="utf-8", errors="surrogateescape", newline="\n") as accounts:
            rows = [line.rstrip("\n").split(":") for line in accounts]
        people = [row for row in rows if len(row) == 7 and row[2].isdigit()]
        found += [row[5] for row in people if int(row[2]) >= _PEOPLE or int(row[2]) in (0, os.geteuid())]
    real = _folders(path for path in found if path not in ("", "/nonexistent"))
    mine = home_of(environment)
    return [path for path in real if path == mine or hideable(path)]


def sockets() -> list[str]:
    """Return the listening sockets with a name in the file system."""
    found = []
    with suppress(OSError):
        with open("/proc/net/unix", encoding="utf-8", errors="surrogateescape", newline="\n") as table:
            names = {line.rstrip("\n").split(" ", 7)[-1] for line in table if "/" in line}
        for name in sorted(names):
            with suppress(OSError, ValueError):
                if name.startswith("/") and stat.S_ISSOCK(os.lstat(name).st_mode):
                    found.append(os.path.join(os.path.realpath(os.path.dirname(name)), os.path.basename(name)))
    return found


def own_folders(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return jp-tui's own folders, with links resolved; they need not exist."""
    try:
        paths = Paths.of(environment)
    except PathsError:
        return ()
    return tuple(os.path.realpath(path) for path in (paths.config, paths.data, paths.state, paths.cache))


def _ours(root: str, environment: Mapping[str, str]) -> Iterator[Mount]:
    for path in own_folders(environment):
        if beneath(root, path):
            raise SandboxProblem(f"The workspace is one of jp-tui's own folders ({path}).")
        if os.path.isdir(path):
            yield Mount("empty", path, "jp-tui's own files", fixed=True)


def _home(home: str, root: str) -> Iterator[Mount]:
    """Requests for one home folder. If the workspace contains it, its own level is closed and all dot entries are
    hidden."""
    entries = _entries(home)
    if beneath(home, root):
        yield Mount("level", home, "a home folder", fixed=True)
        yield from _opened(home, root, entries)
    elif hideable(home):
        yield Mount("private", home, "a home folder")
    else:
        yield from (_covered(one.path, "in a home folder") for one in entries if _dotted(one) and hideable(one.path))
    for entry in entries:
        target = os.path.realpath(entry.path) if entry.is_symlink() else ""
        if not os.path.exists(target) or not hideable(target) or target == root:
            continue
        if not beneath(target, root):
            yield _covered(target, "linked from a home folder")
        elif entry.name.startswith(".") and beneath(home, root):
            yield Mount("read", target, "linked from a home folder", fixed=True)
    for name in SENSITIVE:
        target = os.path.realpath(os.path.join(home, name))
        if os.path.exists(target) and hideable(target) and not beneath(root, target):
            yield _covered(target, "usually holds secrets")


def _opened(home: str, root: str, entries: list[os.DirEntry[str]]) -> Iterator[Mount]:
    """Requests for the content of a home folder within the workspace. Links can't be changed on a closed level."""
    for entry in entries:
        if _dotted(entry) and not (home == root and entry.name in KEPT):
            yield _covered(entry.path, "in a home folder")
        elif not entry.is_symlink() and not entry.name.startswith("."):
            yield Mount("write", entry.path, "in a home folder")


def _dotted(entry: os.DirEntry[str]) -> bool:
    return entry.name.startswith(".") and not entry.is_symlink()


def _named(root: str, environment: Mapping[str, str]) -> Iterator[Mount]:
    """Requests for credentials, settings and sockets named by variables."""
    for name in _XDG:
        for path in _folders([environment.get(name, "")]):
            if hideable(path) and not beneath(path, root):
                yield Mount("empty", path, name)
    for name in (*CREDENTIALS, *SOCKETS):
        for path in named_paths(environment.get(name, "")):
            real = os.path.realpath(path)
            if os.path.lexists(real) and hideable(real) and not beneath(root, real):
                yield _covered(real, name)


def _covered(path: str, why: str) -> Mount:
    return Mount("empty" if os.path.isdir(path) else "mask", path, why)


def _folders(paths: Iterable[str]) -> list[str]:
    """Return those that are absolute and exist, real, each once."""
    return list(dict.fromkeys(os.path.realpath(path) for path in paths if os.path.isabs(path) and os.path.isdir(path)))


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return []
