"""Search folders for what a sandbox hides or protects: secrets by name, and repositories (Z18).

Runs in the child of `worker.py`. Names decide, so no file is opened. The number of entries and the time are limited;
what wasn't searched is reported. Neither plans nor mounts anything.
"""

from __future__ import annotations

import os
import re
import stat
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from fnmatch import translate
from typing import Any

from jp_tui.system.ignore_lists import IgnoreLists
from jp_tui.tools.files.guard import CONTROL, control, secret

_SECRET, _CONTROL, _HEAD, _OBJECTS, _REFS, _COMMON = 1, 2, 4, 8, 16, 32
_LAYOUT = {"HEAD": _HEAD, "objects": _OBJECTS, "refs": _REFS, "commondir": _COMMON}
_NAMES, _LINKS = 200_000, 10_000
_DEEP = 3_500
"""Bytes of a path that can be mounted over, with room below the system's limit of 4,096."""
_SAID = 0.25


class _Enough(Exception):
    """The limit of entries or time is reached."""


class Names:
    """Classification of names by rules as in `guard.secret`; most names need only a table lookup."""

    def __init__(self, rules: Sequence[str]) -> None:
        self.rules = tuple(rules)
        held = [rule.casefold().split("/") for rule in self.rules if not rule.startswith("!")]
        ends = [translate(rule[-1]) for rule in held if len(rule) == 1 or rule[-1] != "*"]
        self._ends = re.compile("|".join(ends) or r"(?!)")
        self._whole = [f"{'/'.join(rule)}" for rule in held if len(rule) > 1 and rule[-1] == "*"]
        self._known: dict[str, int] = {}

    def look(self, name: str) -> int:
        """Return the possible kinds of an entry with this name."""
        found = self._known.get(name)
        if found is None:
            found = _LAYOUT.get(name, 0)
            if name.isascii() and name.isprintable():  # same result as `guard`, without the work for unusual characters
                plain = name.strip().casefold().rstrip(". ") or name
                found |= (_SECRET if self._ends.match(plain) else 0) | (_CONTROL if plain in CONTROL else 0)
            else:
                found |= _SECRET | (_CONTROL if control(name) else 0)
            if len(self._known) < _NAMES:
                self._known[name] = found
        return found

    def within(self, folder: str) -> bool:
        """True if a rule covers everything in this folder."""
        return bool(self._whole) and secret(f"{folder}/x", self._whole)

    def secret(self, path: str) -> bool:
        return secret(path, self.rules)


class SurveyWalk:
    """One search; results are absolute paths. `closed` are folders that weren't searched: too deep, or unreadable
    though owned by the user."""

    def __init__(self, job: dict[str, Any], emit: Callable[[dict[str, object]], None]) -> None:
        self._emit, self._most = emit, int(job["entries"])
        self._until = time.monotonic() + float(job["seconds"])
        self._say = time.monotonic() + _SAID
        self.entries = 0
        self.whole = True
        self.control: list[str] = []
        self.repositories: list[str] = []
        self.secrets: list[str] = []
        self.closed: list[str] = []
        self.linked: set[str] = set()
        self.hidden: list[str] = []
        self.hides: Callable[[str, bool], str] | None = None

    def walk(self, top: str, names: Names, *, base: str = "") -> bool:
        """Search a folder. Rules see paths relative to `base`. Return True if it was searched completely."""
        waiting = deque([top])
        try:
            while waiting:
                folder = waiting.popleft()
                try:
                    with os.scandir(folder) as entries:
                        waiting += self._level(folder, entries, names, base)
                except PermissionError:
                    self._shut(folder)
                except OSError:
                    continue  # removed meanwhile
        except _Enough:
            self.whole = False
            return False
        return True

    def _level(self, folder: str, entries: Iterator[os.DirEntry[str]], names: Names, base: str) -> list[str]:
        folders: list[str] = []
        layout = 0
        covered = names.within(_from(base, folder))
        for entry in entries:
            self.entries += 1
            if self.entries % 1024 == 0:
                self._count()
            kind = names.look(entry.name)
            layout |= kind
            if kind & _CONTROL:
                self.control.append(entry.path)
            is_folder = entry.is_dir(follow_symlinks=False)
            if self.hides is not None and not is_folder and self.hides(_from(base, entry.path), False):
                self.hidden.append(entry.path)
            if is_folder:
                (folders if len(os.fsencode(entry.path)) < _DEEP else self.closed).append(entry.path)
            elif entry.is_symlink():
                self._link(entry.path, names, base, maybe=covered or bool(kind & _SECRET))
            elif (covered or kind & _SECRET) and names.secret(_from(base, entry.path)):
                self.secrets.append(entry.path)
        if layout & _HEAD and (layout & _COMMON or (layout & _OBJECTS and layout & _REFS)):
            self.repositories.append(folder)
        return folders

    def _link(self, path: str, names: Names, base: str, *, maybe: bool) -> None:
        """Check a link: its target counts, and a link with the name of a secret makes its target one."""
        if len(self.linked) >= _LINKS:
            raise _Enough
        with suppress(OSError):
            if maybe and names.secret(_from(base, path)):
                real = os.path.realpath(path)
                if os.path.isfile(real):
                    self.secrets.append(real)
                return
            target = os.readlink(path)
            rest = target
            while rest.startswith("../"):
                rest = rest[3:]
            if target.startswith("/") or ".." in rest.split("/"):
                self.linked.add(os.path.realpath(path))
            elif rest != target or rest == "..":
                there = os.path.normpath(os.path.join(os.path.dirname(path), target))
                if not _within(there, base):
                    self.linked.add(os.path.realpath(path))

    def _shut(self, folder: str) -> None:
        """Record a folder that can't be read now but that its owner could open."""
        with suppress(OSError):
            if os.lstat(folder).st_uid == os.geteuid():
                self.closed.append(folder)

    def _count(self) -> None:
        now = time.monotonic()
        if self.entries > self._most or now > self._until:
            raise _Enough
        if now > self._say:
            self._say = now + _SAID
            self._emit({"entries": self.entries})


def workspace(job: dict[str, Any], emit: Callable[[dict[str, object]], None]) -> None:
    """`root`, `rules`, `entries`, `seconds`, `skip` (folders that links aren't followed to), `read_only` (paths whose
    other names count). Emits {"entries": n} as progress and {"found": …} at the end."""
    search, names, root = SurveyWalk(job, emit), Names(job["rules"]), str(job["root"])
    lists = IgnoreLists((name, text) for name, text in job.get("ignored", ()))
    search.hides = lists.hidden if lists else None
    search.walk(root, names, base=root)
    search.secrets += _files_of(search.hidden)
    if search.whole:
        for path in sorted(search.linked):
            _outside(search, path, names, [root, *job["skip"]])
    kept = [
        *(os.path.join(root, one) for one in job["read_only"]),
        *_run_by_git([*search.control, *search.repositories]),
    ]
    twins = _twins(search, root, _several(search.secrets), _several(_files(kept))) if search.whole else ([], [])
    emit(
        {
            "found": {
                "control": search.control,
                "repositories": search.repositories,
                "secrets": list(dict.fromkeys([*search.secrets, *twins[0]])),
                "twins": twins[1],
                "closed": search.closed,
                "entries": search.entries,
                "whole": search.whole,
                "hidden": len(search.hidden),
            }
        }
    )


def _files_of(paths: Sequence[str]) -> Iterator[str]:
    """The files that these are or lead to."""
    for path in paths:
        real = os.path.realpath(path)
        if os.path.isfile(real):
            yield real


def places(job: dict[str, Any], emit: Callable[[dict[str, object]], None]) -> None:
    """`trees` that commands can read, searched for secrets by `rules`; and `private`, system folders, searched for
    files with restricted access. Trees that weren't searched completely are in `left`."""
    names = Names(job["rules"])
    secrets: list[str] = []
    closed: list[str] = []
    left: list[str] = []
    for tree in job["trees"]:
        search = SurveyWalk(job, emit)
        if os.path.isdir(tree):
            if not search.walk(tree, names):
                left.append(tree)
        elif names.secret(tree):
            search.secrets.append(tree)
        secrets += search.secrets
        closed += search.closed
    for tree in job["private"]:
        _not_for_everybody(tree, secrets, closed)
    emit({"found": {"secrets": secrets, "closed": closed, "left": left}})


def _outside(search: SurveyWalk, path: str, names: Names, skip: Sequence[str]) -> None:
    """Check the target of a link out of the workspace."""
    if any(_within(path, one) for one in skip):
        return
    if os.path.isfile(path):
        search.secrets += [path] if names.secret(path) else []
    elif os.path.isdir(path):
        other = SurveyWalk({"entries": 0, "seconds": 0}, search._emit)
        other._most, other._until, other.entries = search._most, search._until, search.entries
        search.whole = other.walk(path, names) and search.whole
        search.entries = other.entries
        search.secrets += other.secrets


def _run_by_git(paths: Sequence[str]) -> Iterator[str]:
    """Files in repositories that git obeys; each may have another name outside its protected folder."""
    for path in dict.fromkeys(paths):
        for name in ("config", "config.worktree", "hooks", "info"):
            yield os.path.join(path, name)


def _files(paths: Sequence[str]) -> Iterator[str]:
    for path in paths:
        if os.path.isdir(path) and not os.path.islink(path):
            for folder, _, names in os.walk(path):
                yield from (os.path.join(folder, name) for name in names)
        else:
            yield path


def _several(paths: Iterable[str]) -> set[tuple[int, int]]:
    """Return device and inode of those files that have more than one name."""
    found = set()
    for path in paths:
        with suppress(OSError):
            there = os.lstat(path)
            if stat.S_ISREG(there.st_mode) and there.st_nlink > 1:
                found.add((there.st_dev, there.st_ino))
    return found


def _twins(
    search: SurveyWalk, root: str, secrets: set[tuple[int, int]], kept: set[tuple[int, int]]
) -> tuple[list[str], list[str]]:
    """Return the other names of these files in the workspace."""
    numbers = {number for _, number in secrets | kept}
    found: tuple[list[str], list[str]] = ([], [])
    waiting = [root] if numbers else []
    while waiting:
        with suppress(OSError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                elif entry.inode() in numbers and entry.is_file(follow_symlinks=False):
                    there = os.lstat(entry.path)
                    key = (there.st_dev, there.st_ino)
                    found[0].extend([entry.path] if key in secrets else [])
                    found[1].extend([entry.path] if key in kept else [])
    return found


def _not_for_everybody(top: str, files: list[str], folders: list[str]) -> None:
    """Collect what only some users may read in a system folder; an ordinary command doesn't need it."""
    waiting = [top]
    while waiting:
        with suppress(OSError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                with suppress(OSError):
                    there = entry.stat(follow_symlinks=False)
                    if stat.S_ISDIR(there.st_mode):
                        (waiting if there.st_mode & 0o005 == 0o005 else folders).append(entry.path)
                    elif stat.S_ISREG(there.st_mode) and there.st_size and not there.st_mode & 0o004:
                        files.append(entry.path)


def _within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _from(base: str, path: str) -> str:
    """Return the path as rules see it: relative to a workspace's root, or absolute."""
    return path[len(base.rstrip("/")) + 1 :] if base else path
