"""Find the refused targets in a call's arguments (inquiries.md R247: also by move or shell).

For tools with unpredictable effects, such as a command line. It prefers false matches, where a person is asked, over
missed ones; it can't detect a program that writes files not named in its arguments. Pure, except for the disk access
passed to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from posixpath import basename, isabs, join, normpath

from jp_tui.conversation.strict_json import Json
from jp_tui.engine.asking.shell_words import words as words_of
from jp_tui.engine.asking.targets_on_disk import OnDisk

_GLOB = re.compile(r"[*?\[]")
_FOLDERS = re.compile(r"\*\*(?:/+\*\*)+")
_CLASS = re.compile(r"\[[!^]?\]?(?:\[[:.=].*?[:.=]\]|[^\]/])*\]")
_MOVES = frozenset({"cd", "pushd", "popd", "chdir"})
_BASES = 30
_ENTRIES = 20_000
"""Folder entries compared with patterns."""
_LOOKS = 50_000
"""Combinations of words and folders that are checked."""


def find_targets(arguments: Json, root: str, refused: Iterable[str], disk: OnDisk) -> tuple[str, ...]:
    """Return the refused paths that some word of the arguments names: itself, a parent folder, something below it, its
    bare name, a matching pattern, or a link to it; all of them if its words are unknown. `root` is the folder that the
    call works in, real and absolute; the paths are below it."""
    targets = tuple(refused)
    if not targets:
        return ()
    words = words_of(arguments)
    if words.unknown:
        return targets
    call = _Call(words.found, root, disk)
    return targets if call.endless else tuple(target for target in targets if call.names(join(root, target)))


class _Call:
    """Words of one call, with the places that they may mean; `endless`: more than can be checked."""

    def __init__(self, words: set[str], root: str, disk: OnDisk) -> None:
        self._disk, self._root = disk, root
        self._moves = not _MOVES.isdisjoint(words)
        self._words = {word.rstrip("/") or word for word in words if word}
        self._bare = {basename(word) for word in self._words}
        self._bases = self._folders()
        self._left = _ENTRIES
        self.endless = len(self._words) * len(self._bases) > _LOOKS
        if self.endless:
            return
        self._plain = {path for word in self._words for path in self._places(word)}
        self._patterns = [_pattern(word) for word in self._words if _GLOB.search(word)]
        for pattern in self._patterns:
            for base in self._bases:
                steps = [step for step in join(base, pattern).split("/") if step not in ("", ".")]
                self._plain.update(map(self._disk.real, self._expanded("/", steps)))

    def names(self, target: str) -> bool:
        """True if this absolute path is named."""
        fold = self._disk.folds(target)
        wanted = _folded(target, fold)
        plain = {_folded(path, fold) for path in self._plain} if fold else self._plain
        bare = {_folded(name, fold) for name in self._bare} if fold else self._bare
        above = list(_above(_steps(wanted)))
        if basename(wanted) in bare or "/" in plain or any("/" + "/".join(steps) in plain for steps in above):
            return True
        if any(path.startswith(wanted + "/") for path in plain):
            return True
        twin = self._disk.twin(target)
        if twin is not None and any(self._disk.twin(path) == twin for path in self._plain):
            return True
        return self._fits(above, fold) or self._ends(above, fold)

    def _fits(self, above: list[list[str]], fold: bool) -> bool:
        """True if a pattern matches it, or a parent folder."""
        for pattern in self._patterns:
            folded = _folded(pattern, fold)
            for base in self._bases:
                steps = _steps(join(_folded(base, fold), folded))
                if any(_matches(steps, path) for path in above):
                    return True
            bare = "/" not in pattern or self._moves
            if bare and fnmatchcase(above[0][-1], basename(folded)):
                return True
        return False

    def _ends(self, above: list[list[str]], fold: bool) -> bool:
        """True if it, or a parent folder, ends as the word does, relative to any folder."""
        inside = [path for path in above if len(path) >= len(_steps(self._root))]
        for word in self._words:
            if not self._moves and not word.startswith("../"):
                continue
            steps = [step for step in _pattern(_folded(word, fold)).split("/") if step not in ("", ".", "..")]
            if steps and not isabs(word) and any(_matches(steps, path[-len(steps) :]) for path in inside):
                return True
        return False

    def _folders(self) -> list[str]:
        """Return the possible working folders of the call: its own, and those it names."""
        found = [self._root, *([self._disk.real("~")] if self._moves else [])]
        for _ in range(2):
            for base in tuple(found):
                for word in self._words:
                    path = join(base, word)
                    if word not in (".", "/") and len(found) < _BASES and self._disk.is_folder(path):
                        path = self._disk.real(path)
                        found += [path] if path not in found else []
        return found

    def _places(self, word: str) -> Iterator[str]:
        if word.startswith("~"):
            yield self._disk.real(word)
            return
        first = word.partition("/")[0]
        for base in self._bases[:1] if isabs(word) else self._bases:
            path = join(base, word)
            yield "/" + normpath(path).lstrip("/")
            if first in ("", ".", "..") or self._disk.there(join(base, first)):
                yield self._disk.real(path)

    def _expanded(self, at: str, steps: Sequence[str]) -> Iterator[str]:
        """Expand a pattern on the disk: a link's name differs from its target."""
        for number, step in enumerate(steps):
            if not _GLOB.search(step):
                at = join(at, step)
                continue
            for name in self._disk.names(at):
                self._left -= 1
                if self._left < 0:
                    self.endless = True
                    return
                path, rest = join(at, name), steps[number + 1 :]
                if step == "**" and rest and not name.startswith(".") and self._disk.is_folder(path):
                    yield from self._expanded(path, steps[number:]) if self._disk.real(path) == path else ()
                if fnmatchcase(name, step):
                    yield from self._expanded(path, rest)
            if step != "**":
                return
            # `**` also matches no folder at all
        yield at


def _folded(path: str, fold: bool) -> str:
    return path.casefold() if fold else path


def _steps(path: str) -> list[str]:
    return [step for step in normpath(path).split("/") if step]


def _above(steps: list[str]) -> Iterator[list[str]]:
    """Iterate over the path and all its parents."""
    for count in range(len(steps), 0, -1):
        yield steps[:count]


@lru_cache(maxsize=1024)
def _pattern(word: str) -> str:
    """Return a pattern that matches at least as much, without character sets."""
    return _FOLDERS.sub("**", _CLASS.sub("?", word))


def _matches(pattern: Sequence[str], path: Sequence[str]) -> bool:
    """Match step by step; `**` stands for any number of folders."""
    if not pattern:
        return not path
    if pattern[0] == "**":
        return any(_matches(pattern[1:], path[at:]) for at in range(len(path) + 1)) or (
            bool(path) and len(pattern) == 1
        )
    return bool(path) and fnmatchcase(path[0], pattern[0]) and _matches(pattern[1:], path[1:])
