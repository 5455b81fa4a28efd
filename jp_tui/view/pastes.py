"""A paste of any size, folded to one short mark in the composer and whole again when it is sent. Pure.

An editor that wraps and paints a megabyte holds the loop for seconds (traps.md T4); a mark costs nothing. A mark
is atomic: whoever edits asks `spans` and takes it whole or not at all.
"""

from __future__ import annotations

import re

LINE, SIZE, LINES = 2_000, 8_000, 100
"""A paste with more in one line, in all, or of lines is folded."""
ROOM = 64_000
"""Characters that the editor itself holds; beyond them every paste longer than a line is folded."""

_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_MARK = re.compile(r"\[pasted (\d+): [\d,]+ lines?, [\d,]+ characters\]")


def cleaned(text: str) -> str:
    """Line ends as LF; other controls are gone, nobody types them and no prompt needs them."""
    return _CONTROLS.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


class Pastes:
    """The folded pastes of one run, by number."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def folded(self, text: str, room: int = ROOM) -> str:
        """The text itself, or a mark that stands for it when it is too much for an editor."""
        lines = text.split("\n")
        small = len(text) <= SIZE and len(lines) <= LINES and max(map(len, lines)) <= LINE
        if small and (len(text) <= room or len(text) <= 80):
            return text
        plural = "" if len(lines) == 1 else "s"
        mark = f"[pasted {len(self._texts) + 1}: {len(lines):,} line{plural}, {len(text):,} characters]"
        self._texts[mark] = text
        return mark

    def whole(self, text: str) -> str:
        """The text with every mark of ours replaced by what it stands for; what is pasted is not looked at again."""
        return _MARK.sub(lambda mark: self._texts.get(mark.group(), mark.group()), text)

    def spans(self, line: str) -> list[tuple[int, int]]:
        """Where marks of ours stand in a line, from and to."""
        return [match.span() for match in _MARK.finditer(line) if match.group() in self._texts]
