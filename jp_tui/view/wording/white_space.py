"""Marks for changes of white space alone: `·` a space, `→` a tab, `␍` a carriage return (Z26).

Two lines differ in white space alone if nothing else differs; only the differences are marked. A changed line of only
white space is marked whole. It processes diff lines before they are neutralised, because neutralising removes the
carriage return that may be the only change. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from jp_tui.view.wording.diff_lines import DiffLine, DiffReader, groups, pairs

SIGNS = {" ": "·", "\t": "→", "\r": "␍"}
LEGEND = "· space, → tab, ␍ CR"
Spans = tuple[tuple[int, int], ...]
"""Parts of a line, in characters."""
_WHITE = re.compile(r"[ \t\r\f\v]+")
_FOLD = 64
"""Signs of one run that are written out."""


def differing(before: str, after: str) -> tuple[Spans, Spans] | None:
    """Return where two lines differ, if only in white space; else None."""
    if before == after or _WHITE.sub("", before) != _WHITE.sub("", after):
        return None
    old, new = _gaps(before), _gaps(after)
    return _others(before, old, after, new), _others(after, new, before, old)


def _gaps(text: str) -> dict[int, tuple[int, int]]:
    """Return each run of white space by the number of other characters before it."""
    found: dict[int, tuple[int, int]] = {}
    white = 0
    for match in _WHITE.finditer(text):
        start, end = match.span()
        found[start - white] = start, end
        white += end - start
    return found


def _others(
    text: str, gaps: Mapping[int, tuple[int, int]], beside: str, theirs: Mapping[int, tuple[int, int]]
) -> Spans:
    """Return the runs that differ on the other side."""
    return tuple(
        (start, end)
        for place, (start, end) in gaps.items()
        if text[start:end] != beside[slice(*theirs.get(place, (0, 0)))]
    )


def signs(text: str) -> str:
    """Return white space as signs; a long run is counted."""
    shown = "".join(SIGNS.get(char, f"\\u{{{ord(char):04X}}}") for char in text[:_FOLD])
    return shown if len(text) <= _FOLD else f"{shown}⟨×{len(text):,}⟩"


def marked(text: str, spans: Spans) -> str:
    """Return a line with signs in these places."""
    found, at = "", 0
    for start, end in spans:
        found += text[at:start] + signs(text[start:end])
        at = end
    return found + text[at:]


@dataclass(frozen=True, slots=True)
class Marks:
    """Marks in lines, by the ids of their DiffLines; `alone` counts lines that change in white space alone."""

    spans: Mapping[int, Spans]
    alone: int

    def of(self, change: DiffLine) -> Spans:
        """Return the marks for this line."""
        return self.spans.get(id(change), ())


def marks(changes: Sequence[DiffLine]) -> Marks:
    """Return the marks for a diff. An added or removed blank line among others isn't a change of white space alone, but
    its white space is marked."""
    found: dict[int, Spans] = {}
    alone = 0
    for group in groups(changes):
        blank, more = 0, False
        for before, after in pairs(group):
            if before is not None and after is not None:
                spans = differing(before.text, after.text)
                more |= spans is None
                if spans is not None:
                    found[id(before)], found[id(after)] = spans
                    alone += 2
            elif (one := before or after) is not None and not one.text.strip():
                blank += 1
                if one.text:
                    found[id(one)] = ((0, len(one.text)),)
            else:
                more = True
        alone += 0 if more else blank
    return Marks(found, alone)


def note(changes: Sequence[DiffLine], found: Marks) -> str:
    """Describe them; empty if there are none."""
    if not found.alone:
        return ""
    number = sum(change.sign in "+-" for change in changes)
    if found.alone == number:
        return f"only white space changed ({LEGEND})"
    return f"{found.alone:,} of {number:,} changed lines: only white space ({LEGEND})"


def in_diff(text: str) -> tuple[str, str]:
    """Return a diff with its white-space changes marked, and their description; fences around it stay."""
    reader, lines = DiffReader(), text.split("\n")
    changes = [reader.line(line) for line in lines]
    found = marks(changes)
    for at, change in enumerate(changes):
        if spans := found.of(change):
            lines[at] = change.sign + marked(change.text, spans)
    return "\n".join(lines), note(changes, found)
