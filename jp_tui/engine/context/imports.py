"""`@path` in an instruction file: where such words stand, and the text with others in their place (context.md K3).

Words in code (fences, indented blocks aside, and spans between backticks) name nothing. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

_FENCE = re.compile(r"^ {0,3}(```+|~~~+)")
_SPAN = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)")
_NAMED = re.compile(r"(?:(?<=\s)|^)@([^\s@`]{1,1024})")
_PUNCTUATION = ".,;:!?)]}'\""


@dataclass(frozen=True, slots=True)
class Import:
    """The words from `start` to `end` name `path`."""

    start: int
    end: int
    path: str


def imports(text: str) -> Iterator[Import]:
    """Iterate over the files that the text names, in order."""
    at, fence = 0, ""
    for line in text.splitlines(keepends=True):
        begins = _FENCE.match(line)
        if fence:
            if begins and begins[1].startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
        elif begins:
            fence = begins[1]
        else:
            code = [match.span() for match in _SPAN.finditer(line)] if "`" in line else []
            for match in _NAMED.finditer(line):
                path = match[1].rstrip(_PUNCTUATION)
                inside = any(start <= match.start() < end for start, end in code)
                if path and not inside:
                    yield Import(at + match.start(), at + match.start() + 1 + len(path), path)
        at += len(line)


def insert_imports(text: str, parts: Mapping[Import, str]) -> str:
    """The text with each import's own in its place."""
    found: list[str] = []
    done = 0
    for one, inner in parts.items():
        found += text[done : one.start], inner
        done = one.end
    return "".join([*found, text[done:]])
