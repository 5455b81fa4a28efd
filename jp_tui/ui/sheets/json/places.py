"""Find the places of a document's parts in its JSON text, to go there and to mark mistakes. Pure.

Only the paths looked for are walked, the rest is skipped whole: a large text takes milliseconds (traps.md T4). For
invalid JSON it returns the places before the mistake.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from jp_tui.view.schema.edit import Path

_BLANK = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder(strict=False)


def places(text: str, paths: Iterable[Path]) -> dict[Path, tuple[int, int]]:
    """Return line and column, from 1, of the key or entry at each path; if missing, of its nearest parent."""
    asked = list(paths)
    walk = _Walk(text, asked)
    found = {}
    for path in asked:
        at = next((walk.spots[path[:end]] for end in range(len(path), -1, -1) if path[:end] in walk.spots), None)
        if at is not None:
            found[path] = (text.count("\n", 0, at) + 1, at - (text.rfind("\n", 0, at) + 1) + 1)
    return found


class _Walk:
    """A pass through a text, to where each of some paths begins."""

    def __init__(self, text: str, paths: list[Path]) -> None:
        self._text = text
        self._around = {path[:end] for path in paths for end in range(len(path))}
        self._wanted = self._around | set(paths)
        self.spots: dict[Path, int] = {}
        if paths:
            try:
                begins = self._blank(0)
                self._value(begins, (), begins)
            except (ValueError, IndexError, RecursionError):
                pass  # a mistake in the text: the places before it were found

    def _blank(self, at: int) -> int:
        found = _BLANK.match(self._text, at)
        return found.end() if found else at

    def _value(self, at: int, path: Path, begins: int) -> int:
        """Note a value that begins at `at` (its key at `begins`). Return where it ends."""
        self.spots.setdefault(path, begins)
        if path not in self._around or self._text[at] not in "{[":
            return self._skipped(at)
        closes, count = "}" if self._text[at] == "{" else "]", 0
        at = self._blank(at + 1)
        while self._text[at] != closes:
            key_at = at
            step: str | int = count
            if closes == "}":
                step, at = self._key(at)
                at = self._blank(self._blank(at) + 1)
            inner = (*path, step)
            at = self._blank(self._value(at, inner, key_at) if inner in self._wanted else self._skipped(at))
            count += 1
            if self._text[at] == ",":
                at = self._blank(at + 1)
        return at + 1

    def _skipped(self, at: int) -> int:
        return int(_DECODER.raw_decode(self._text, at)[1])

    def _key(self, at: int) -> tuple[str, int]:
        found, end = _DECODER.raw_decode(self._text, at)
        if not isinstance(found, str):
            raise ValueError("a key that isn't text")
        return found, end
