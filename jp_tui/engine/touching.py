"""Which refused targets the arguments of a call name (inquiries.md R247: also by move or shell).

For tools whose doings we cannot know, a command line for instance. It would rather find one too many, and a person is
asked, than one too few; a program that writes what its arguments do not name is out of its reach.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from posixpath import basename, isabs, join, normpath

from jp_tui.conversation.strict_json import Json

_WORDS = re.compile(r"""[^\s"'`=;|&<>(){},:@]+""")
_GLOB = re.compile(r"[*?\[]")
MOST = 200_000
"""Words of one call that are looked at; a longer one names everything."""


def touched(arguments: Json, root: str, refused: Iterable[str]) -> tuple[str, ...]:
    """The refused paths that some word of the arguments names: itself, a folder above it, its bare name, or a
    pattern that fits it. `root` is the folder that the call works in, real and absolute; the paths are below it."""
    targets = tuple(refused)
    if not targets:
        return ()
    words = set[str]()
    for number, word in enumerate(_words(arguments)):
        if number >= MOST:
            return targets
        words.add(word)
    return tuple(target for target in targets if any(_names(word, root, join(root, target)) for word in words))


def _words(found: Json) -> Iterator[str]:
    match found:
        case str():
            yield from _WORDS.findall(found)
        case list():
            for one in found:
                yield from _words(one)
        case dict():
            for key, value in found.items():
                yield from _WORDS.findall(key)
                yield from _words(value)
        case _:
            pass


def _names(word: str, root: str, target: str) -> bool:
    bare = word.rstrip("/") or word
    if basename(bare) == basename(target):
        return True
    path = normpath(bare if isabs(bare) else join(root, bare))
    if target == path or target.startswith(path.rstrip("/") + "/"):
        return True
    return bool(_GLOB.search(bare)) and (fnmatchcase(target, path) or fnmatchcase(basename(target), basename(bare)))
