"""Pastes of any size: folded to a short mark in the composer, whole when sent. Pure.

An editor that wraps and paints a megabyte blocks the loop for seconds (traps.md T4); a mark doesn't. A mark is atomic:
editors ask `spans` and delete it whole or not at all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from jp_tui.conversation.patterns import later

Name = Literal["pasted", "output"]
Span = tuple[int, int]
"""first character and length"""
Place = tuple[int, int]
"""A line and a column in it."""
LAST = 300
"""Characters of a last line that stays visible."""
LINE, SIZE, LINES = 2_000, 8_000, 100
"""A paste is folded if it has a longer line, more characters or more lines."""
ROOM = 64_000
"""Characters in the editor itself; beyond that, every paste longer than a line is folded."""

_CONTROLS = later("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_PLAIN_CONTROLS = bytes({*range(32), 127} - set(b"\t\n"))
_MARK = later(r"\[(?:(?:pasted|output) \d+: [\d,]+ lines?, [\d,]+ characters|image \d+: [^\[\]\n]{1,80})\]")


def cleaned(text: str) -> str:
    """Normalize line ends to LF and remove control characters, which no prompt needs."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if text.isascii():  # a quarter of the time; defaults of megabytes are cleaned too
        return text.encode("ascii").translate(None, _PLAIN_CONTROLS).decode("ascii")
    return _CONTROLS.sub("", text)


class Pastes:
    """Folded pastes of one run, by number."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        self._files: dict[str, str] = {}

    def folded(self, text: str, room: int = ROOM) -> str:
        """Return the text, or a mark in its place if it is too large for an editor."""
        lines = text.split("\n")
        small = len(text) <= SIZE and len(lines) <= LINES and max(map(len, lines)) <= LINE
        if small and (len(text) <= room or len(text) <= 80):
            return text
        return self.mark(text)

    def mark(self, text: str, name: Name = "pasted") -> str:
        """Return a mark for this text."""
        lines = text.count("\n") + 1
        plural = "" if lines == 1 else "s"
        mark = f"[{name} {self._next}: {lines:,} line{plural}, {len(text):,} characters]"
        self._texts[mark] = text
        return mark

    @property
    def _next(self) -> int:
        return len(self._texts) + len(self._files) + 1

    def image(self, path: str, size: int) -> str:
        """Return a mark for an attached image; it is part of the sent text, too."""
        name = "".join(one for one in path.rpartition("/")[2] if one.isprintable() and one not in "[]")[-40:]
        mark = f"[image {self._next}: {name or 'unnamed'}, {max(size // 1000, 1):,} kB]"
        self._files[mark] = path
        return mark

    def files(self, text: str) -> dict[str, str]:
        """Return the images that a text refers to: mark to path, in order."""
        found = (match.group() for match in _MARK.finditer(text))
        return {mark: self._files[mark] for mark in found if mark in self._files}

    def know(self, files: Mapping[str, str]) -> None:
        """Register images of an earlier run."""
        self._files.update(files)

    def know_in(self, text: str, paths: Sequence[str]) -> None:
        """Register the images of a restored message, in the order of their marks."""
        marks = [match.group() for match in _MARK.finditer(text) if match.group().startswith("[image ")]
        self.know(dict(zip(marks, paths, strict=False)))

    def again(self, text: str, places: Sequence[Span] = ()) -> str:
        """Fold a text of an earlier run again: the pastes at those places, in order.

        Without known places, a text too large for an editor keeps its last line visible, because a typed addition would
        be there. Invalid places and small texts aren't folded.
        """
        shown, at = "", 0
        for start, size in places:
            if at <= start and size > 0 and start + size <= len(text):
                shown += text[at:start] + self.folded(text[start : start + size], 0)
                at = start + size
        if at:
            rest = text[at:]
            return shown + (self.folded(rest) if len(rest) > SIZE else rest)
        if len(text) <= SIZE and max(map(len, text.split("\n"))) <= 2 * LINE:
            return text  # may have been typed
        end = text.rfind("\n") + 1
        if (mark := self.folded(text)) == text or not end or len(text) - end > LAST:
            return mark
        return self.folded(text[:end], 0) + text[end:]

    def places(self, text: str) -> tuple[Span, ...]:
        """Return where pastes are in the whole text: first character and length."""
        found, grown = list[Span](), 0
        for match in _MARK.finditer(text):
            size = len(self._texts.get(match.group(), ""))
            if size:
                found.append((match.start() + grown, size))
                grown += size - len(match.group())
        return tuple(found)

    def whole(self, text: str) -> str:
        """Replace every mark by its content; pasted text isn't expanded again."""
        return _MARK.sub(lambda mark: self._texts.get(mark.group(), mark.group()), text)

    def spans(self, line: str) -> list[tuple[int, int]]:
        """Return where marks are in a line, from and to."""
        return [
            match.span()
            for match in _MARK.finditer(line)
            if match.group() in self._texts or match.group() in self._files
        ]

    def around(self, line_at: Callable[[int], str], start: Place, end: Place) -> tuple[Place, Place]:
        """Widen a range of a text so that it has each mark whole or not at all; a cursor inside a mark goes after it.
        `line_at` returns a line by its number."""
        for row in {start[0], end[0]}:
            for left, right in self.spans(line_at(row)):
                inside_start = start[0] == row and left < start[1] < right
                inside_end = end[0] == row and left < end[1] < right
                if start == end and inside_start:
                    return (row, right), (row, right)
                start = (row, left) if inside_start else start
                end = (row, right) if inside_end else end
        return start, end


def encode_folds(text: str, places: Sequence[Span], files: Mapping[str, str]) -> str:
    """Encode a text's folded parts and attachments for storage; empty if there are none."""
    if not places and not files:
        return ""
    import json  # not needed for the first frame

    return json.dumps({"size": len(text), "places": list(places), "files": dict(files)})


def decode_folds(text: str, folds: str) -> tuple[tuple[Span, ...], dict[str, str]]:
    """Decode the stored places and files; if they belong to another text, only the files, which are named in it."""
    import json

    try:
        found = json.loads(folds)
        places = tuple((int(start), int(size)) for start, size in found["places"])
        files = {str(mark): str(path) for mark, path in found.get("files", {}).items()}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return (), {}
    return (places if found.get("size") == len(text) else ()), files
