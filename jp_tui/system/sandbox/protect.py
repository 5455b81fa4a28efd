"""Parts of a workspace that a command can't change: repositories, jp-tui's settings, and the user's read-only paths
(Z18).

A path is followed one step at a time. A link on the way can't be mounted over, so its level is closed instead; its
target is protected as well. Missing paths are listed, to be reserved by an empty folder.
"""

from __future__ import annotations

import os
import stat
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field

from jp_tui.system.problem import display_path
from jp_tui.system.sandbox.mounts import Mount, SandboxProblem, beneath
from jp_tui.system.sandbox.places import KEPT

_PARTS = ("config", "config.worktree", "hooks", "info", "commondir", "HEAD")
"""Parts of a repository's folder that git runs, obeys or follows."""
_LONGEST = 4_096
_LINKS = 40


@dataclass
class Protected:
    """Requests for a workspace. `missing` are absolute paths, without links, that don't exist yet."""

    root: str
    wishes: list[Mount] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    closed: set[str] = field(default_factory=set)

    def add(self, path: str, why: str, *, asked: bool = False, there: bool = False) -> None:
        """Protect a path of the workspace, absolute or from its root. Raises SandboxProblem for a path outside that the
        user `asked` for. What is protected because it was `there` needs no reservation when it is gone."""
        steps = self._steps(path)
        here, links = self.root, 0
        while steps is not None:
            if not steps:
                self.wishes.append(Mount("read", here, why, fixed=True))
                return
            step = steps.popleft()
            if step == "..":
                above = os.path.dirname(here)
                steps = self._steps(os.path.join(above, *steps)) if here == self.root else steps
                here = self.root if here == self.root else above
                continue
            found = os.path.join(here, step)
            mode = _mode(found)
            if mode is None:
                path = os.path.normpath(os.path.join(found, *steps))
                if not beneath(path, self.root):
                    break
                self.missing += [] if there else [path]
                return
            if stat.S_ISLNK(mode):
                links += 1
                if links > _LINKS:
                    raise SandboxProblem(f"{display_path(found)} leads through too many links.")
                self.close(here)
                target = os.readlink(found)
                if os.path.isabs(target):
                    steps, here = self._steps(os.path.join(target, *steps)), self.root
                else:
                    steps.extendleft(one for one in reversed(target.split("/")) if one not in ("", "."))
                continue
            here = found
            if not stat.S_ISDIR(mode):  # a file on the way remains a file
                steps.clear()
        if asked:
            raise SandboxProblem(f"read_only names {display_path(why)}, which is outside the workspace.")

    def _steps(self, path: str) -> deque[str] | None:
        """Return the steps of a path from the root; None if it is outside."""
        if os.path.isabs(path):
            path = path if beneath(path, self.root) else os.path.realpath(path)
            if not beneath(path, self.root):
                return None
            path = path[len(self.root.rstrip("/")) :]
        return deque(step for step in path.split("/") if step not in ("", "."))

    def close(self, folder: str) -> None:
        """Make this level fixed: nothing can be added or removed; its entries can be changed."""
        if folder in self.closed:
            return
        self.closed.add(folder)
        self.wishes.append(Mount("level", folder, "holds a link that stays", fixed=True))
        try:
            with os.scandir(folder) as entries:
                inside = [one.path for one in entries if not one.is_symlink()]
        except OSError as error:
            raise SandboxProblem(f"{display_path(folder)} can't be read: {error.strerror}.") from error
        self.wishes += [Mount("write", path, "beside a link that stays") for path in sorted(inside)]


def protected(
    root: str, control: Iterable[str], repositories: Iterable[str], read_only: Iterable[str], own: Iterable[str]
) -> Protected:
    """Return the protected parts. `control` are `.git` and the like found in the workspace, `repositories` folders laid
    out as git's own, `read_only` the user's paths, `own` jp-tui's folders, which may be anywhere. Raises
    SandboxProblem."""
    found = Protected(root)
    for name in KEPT:
        found.add(name, name)
    for path in control:
        found.add(path, "a repository or settings", there=True)
        for folder in _folders_of(path):
            _git_folder(found, folder)
    for path in repositories:
        _git_folder(found, path)
    for name in read_only:
        found.add(name, name, asked=True)
    for path in own:
        found.add(path, "jp-tui's own files")
    return found


def linked_repositories(control: Iterable[str]) -> list[str]:
    """Return repository folders that a worktree or submodule here belongs to, if they refer to it in turn. A command
    can read them, wherever they are."""
    found = []
    for path in control:
        folder = _gitdir(path)
        if not folder or not os.path.isfile(os.path.join(folder, "HEAD")):
            continue
        back = _line(os.path.join(folder, "gitdir"))
        tree = _worktree(folder)
        real = os.path.realpath(path)
        if (back and os.path.realpath(os.path.join(folder, back)) == real) or (tree and tree == os.path.dirname(real)):
            found += [folder, *_common(folder)]
    return list(dict.fromkeys(found))


def _git_folder(found: Protected, folder: str) -> None:
    """Protect a folder laid out as git's own; if it is the workspace itself, only what git obeys in it."""
    if folder == found.root:
        for name in _PARTS:
            found.add(os.path.join(folder, name), name)
    else:
        found.add(folder, "a repository", there=True)
    hooks = os.path.join(folder, "hooks")
    inside = [os.path.join(folder, name) for name in _PARTS]
    with suppress(OSError):
        inside += [os.path.join(hooks, name) for name in os.listdir(hooks)]
    for path in inside:
        if os.path.islink(path):
            found.add(os.path.realpath(path), "linked from a repository", there=True)


def _folders_of(path: str) -> Iterator[str]:
    """Return git's own folders for a `.git`: itself, or its target, and what these share."""
    if os.path.basename(path).casefold() not in (".git", "git~1"):
        return
    folder = _gitdir(path) or os.path.realpath(path)
    if os.path.isdir(folder):
        yield folder
        yield from _common(folder)


def _gitdir(path: str) -> str:
    """Return the real repository path in a `.git` file; "" for anything else."""
    line = _line(path) if os.path.isfile(path) else ""
    if not line.startswith("gitdir:"):
        return ""
    return os.path.realpath(os.path.join(os.path.dirname(path), line.removeprefix("gitdir:").strip()))


def _common(folder: str) -> list[str]:
    """Return what a worktree's folder shares with its repository."""
    line = _line(os.path.join(folder, "commondir"))
    return [os.path.realpath(os.path.join(folder, line))] if line else []


def _worktree(folder: str) -> str:
    """Return the real folder that a submodule's configuration names as its worktree."""
    try:
        with open(os.path.join(folder, "config"), encoding="utf-8", errors="surrogateescape") as file:
            rows = [line.partition("=") for line in file.read(1 << 16).splitlines()]
    except OSError:
        return ""
    for name, _, value in rows:
        if name.strip().casefold() == "worktree" and value.strip():
            return os.path.realpath(os.path.join(folder, value.strip().strip('"')))
    return ""


def _line(path: str) -> str:
    """Return the first line of a small file; "" if there is none."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape", newline="\n") as file:
            return file.read(_LONGEST).split("\n")[0].rstrip("\r")
    except OSError:
        return ""


def _mode(path: str) -> int | None:
    """Return the mode of an entry, links not followed; None if missing. Raises SandboxProblem if unknown."""
    try:
        return os.lstat(path).st_mode
    except FileNotFoundError:
        return None
    except OSError as error:
        raise SandboxProblem(f"{display_path(path)} can't be read: {error.strerror}.") from error
