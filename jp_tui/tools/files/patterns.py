"""Text replacement by patterns that keeps every other byte (surface.md S40, `fs_modify_file`).

Pure and standard library only, so that a minimal child process can run it: a regular expression may never end (traps.md
T21c), so the caller limits its time. Patterns see "\\n" as line end; the file keeps its own.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

BROAD_FROM = 10
"""Lines of a file from which a pattern that changes more than half of them needs approval (surface.md S40)."""

MAX_RESULT = 2 << 20
_BOM = "\ufeff"


class PatternProblem(Exception):
    """Reason why a pattern can't be applied, as the end of a sentence that begins with the pattern's number."""


@dataclass(frozen=True, slots=True)
class Replacement:
    """One replacement. `number` (from 1) identifies it in messages."""

    number: int
    old: str
    new: str
    regex: bool = False


@dataclass(frozen=True, slots=True)
class PatternResult:
    """Text after one pattern: the number of replacements and of lines they touched."""

    text: str
    count: int
    touched: int
    lines: int

    @property
    def broad(self) -> bool:
        """True if over half of a file of ten lines or more changed (S40)."""
        return self.lines >= BROAD_FROM and self.touched * 2 > self.lines


@dataclass(frozen=True, slots=True)
class _Flat:
    """Text with "\\n" for every line end, and the decoder to the original text."""

    text: str
    pairs: list[int]
    """Positions in `text` of each "\\n" that was "\\r\\n"."""
    end: str
    """The most frequent line end of the file."""

    def back(self, offset: int) -> int:
        return offset + bisect_left(self.pairs, offset)


def apply(text: str, pattern: Replacement, *, every: bool, case_sensitive: bool) -> PatternResult:
    """Replace the pattern once, or everywhere. Raises PatternProblem if it isn't found or found too often."""
    mark = _BOM if text.startswith(_BOM) else ""
    raw = text[len(mark) :]
    flat = _flat(raw)
    spans: list[tuple[int, int, str]] = []
    size = len(raw)
    for start, end, new in _found(flat.text, pattern, case_sensitive):
        spans.append((start, end, new))
        size += len(new)
        if size > MAX_RESULT:
            raise PatternProblem("makes the file larger than 2 MiB")
        if not every and len(spans) > 1:
            break
    if not spans:
        raise PatternProblem("is not found")
    if not every and len(spans) > 1:
        raise PatternProblem("is found more than once; make `old` longer, or set `replace_all`")
    out: list[str] = [mark]
    at = 0
    for start, end, new in spans:
        out += [raw[at : flat.back(start)], new.replace("\n", flat.end)]
        at = flat.back(end)
    out.append(raw[at:])
    return PatternResult("".join(out), len(spans), *_touched(flat.text, spans))


def _flat(raw: str) -> _Flat:
    pairs = [found.start() - index for index, found in enumerate(re.finditer("\r\n", raw))]
    text = raw.replace("\r\n", "\n")
    mostly = "\r\n" if len(pairs) * 2 > text.count("\n") else "\n"
    return _Flat(text, pairs, mostly)


def _found(text: str, pattern: Replacement, case_sensitive: bool) -> Iterator[tuple[int, int, str]]:
    """Return the matches in order, without overlaps, each with its replacement."""
    old, new = (_line_ends(one) for one in (pattern.old, pattern.new))
    if not pattern.regex and case_sensitive:
        at = text.find(old)
        while at >= 0:
            yield at, at + len(old), new
            at = text.find(old, at + len(old))
        return
    flags = re.MULTILINE if case_sensitive else re.MULTILINE | re.IGNORECASE
    try:
        compiled = re.compile(old if pattern.regex else re.escape(old), flags)
        at = -1
        for match in compiled.finditer(text):
            if at >= 0 and match.start() == len(text) and text.endswith("\n"):
                return  # nothing after the last line end is a line, and `^` has already matched
            at = match.start()
            yield match.start(), match.end(), _line_ends(match.expand(new)) if pattern.regex else new
    except (re.error, RecursionError, OverflowError, IndexError) as error:
        raise PatternProblem(f"is no valid regular expression or replacement: {error}") from None


def _line_ends(text: str) -> str:
    return text.replace("\r\n", "\n")


def _touched(text: str, spans: list[tuple[int, int, str]]) -> tuple[int, int]:
    """Return the number of lines that the spans touch, and of all lines."""
    breaks = [found.start() for found in re.finditer("\n", text)]
    lines = len(breaks) + (0 if not text or text.endswith("\n") else 1)
    touched, last = 0, -1
    for start, end, _ in spans:
        first = max(bisect_left(breaks, start), last + 1)
        final = bisect_right(breaks, max(start, end - 1) - 1)
        touched += max(0, final - first + 1)
        last = max(last, final)
    return min(touched, lines), lines
