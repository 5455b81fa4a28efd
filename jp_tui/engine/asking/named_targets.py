"""Which refused targets the arguments of a call name (inquiries.md R247: also by move or shell).

For tools whose doings we cannot know, a command line for instance. It would rather find one too many, and a person is
asked, than one too few; a program that writes what its arguments do not name is out of its reach. Pure, but for what
it is given to look at the disk with.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from posixpath import basename, isabs, join, normpath
from typing import Protocol

from jp_tui.conversation.strict_json import Json
from jp_tui.engine.asking.shell_words import words as words_of

_GLOB = re.compile(r"[*?\[]")
_FOLDERS = re.compile(r"\*\*(?:/+\*\*)+")
_CLASS = re.compile(r"\[[!^]?\]?(?:\[[:.=].*?[:.=]\]|[^\]/])*\]")
_MOVES = frozenset({"cd", "pushd", "popd", "chdir"})
_BASES = 30
_ENTRIES = 20_000
"""Names in folders that patterns are tried on."""
_LOOKS = 50_000
"""Words in each folder that they may be meant in."""


class Disk(Protocol):
    """What is looked up on the disk."""

    def real(self, path: str) -> str:
        """An absolute path after links, as far as it exists; a `~` in front is somebody's home."""

    def is_folder(self, path: str) -> bool:
        """Whether a folder is there, links followed."""

    def there(self, path: str) -> bool:
        """Whether something has this name, a link also."""

    def twin(self, path: str) -> object:
        """What a file has in common with its other names; None for one that has a single name, and for no file."""

    def folds(self, path: str) -> bool:
        """Whether capitals make no difference there."""

    def names(self, folder: str) -> Iterable[str]:
        """What stands in a folder; nothing for one that cannot be read."""


def find_targets(arguments: Json, root: str, refused: Iterable[str], disk: Disk) -> tuple[str, ...]:
    """The refused paths that some word of the arguments names: itself, a folder above it, something below it, its bare
    name, a pattern that fits it, or a link to it; all of them where its words cannot be known. `root` is the folder
    that the call works in, real and absolute; the paths are below it."""
    targets = tuple(refused)
    if not targets:
        return ()
    words = words_of(arguments)
    if words.unknown:
        return targets
    call = _Call(words.found, root, disk)
    return targets if call.endless else tuple(target for target in targets if call.names(join(root, target)))


class _Call:
    """The words of one call, with the places that they may mean; `endless`: more than can be looked at."""

    def __init__(self, words: set[str], root: str, disk: Disk) -> None:
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
        """Whether this absolute path is named."""
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
        """Whether a pattern fits it, or a folder above it."""
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
        """From a folder that nobody knows: whether it, or a folder above it, ends as the word does."""
        inside = [path for path in above if len(path) >= len(_steps(self._root))]
        for word in self._words:
            if not self._moves and not word.startswith("../"):
                continue
            steps = [step for step in _pattern(_folded(word, fold)).split("/") if step not in ("", ".", "..")]
            if steps and not isabs(word) and any(_matches(steps, path[-len(steps) :]) for path in inside):
                return True
        return False

    def _folders(self) -> list[str]:
        """Where the call may work: in its own folder, and in those that it names."""
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
        """What a pattern stands for on the disk: links do not look like what they lead to."""
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
            # `**` is also no folder at all
        yield at


def _folded(path: str, fold: bool) -> str:
    return path.casefold() if fold else path


def _steps(path: str) -> list[str]:
    return [step for step in normpath(path).split("/") if step]


def _above(steps: list[str]) -> Iterator[list[str]]:
    """The path itself and all folders above it."""
    for count in range(len(steps), 0, -1):
        yield steps[:count]


@lru_cache(maxsize=1024)
def _pattern(word: str) -> str:
    """A pattern that fits at least as much, without sets of characters."""
    return _FOLDERS.sub("**", _CLASS.sub("?", word))


def _matches(pattern: Sequence[str], path: Sequence[str]) -> bool:
    """Step by step; `**` stands for any number of folders."""
    if not pattern:
        return not path
    if pattern[0] == "**":
        return any(_matches(pattern[1:], path[at:]) for at in range(len(path) + 1)) or (
            bool(path) and len(pattern) == 1
        )
    return bool(path) and fnmatchcase(path[0], pattern[0]) and _matches(pattern[1:], path[1:])
