"""The composer's vi mode: passes keys to `view/composer/vi.py` and applies the resulting steps to the text (S55)."""

from __future__ import annotations

from typing import Protocol

from textual.widgets.text_area import Location

from jp_tui.view.composer.vi import ViKeys, ViStep


class ViText(Protocol):
    """The part of the composer that vi mode uses."""

    @property
    def text(self) -> str: ...

    @property
    def cursor_location(self) -> Location: ...

    def write(self, text: str, start: Location, end: Location) -> None: ...

    def put_cursor(self, location: Location) -> None: ...

    def undo(self) -> None: ...

    def redo(self) -> None: ...

    def action_older(self) -> None: ...

    def action_newer(self) -> None: ...


class ViMode:
    """Insert and normal mode of one text."""

    def __init__(self, text: ViText) -> None:
        self._text = text
        self._keys = ViKeys()

    @property
    def inserting(self) -> bool:
        """True in insert mode, in which every key is the composer's."""
        return self._keys.inserting

    def insert(self) -> None:
        """Go to insert mode."""
        self._keys.insert()

    def leave_insert(self) -> None:
        """Go to normal mode."""
        self._do(self._keys.leave_insert(self._text.text, self._index()))

    def press(self, key: str, character: str | None) -> bool:
        """Take a key in normal mode. Return False for one that is the composer's or the screen's in any mode."""
        if key == "escape":
            if not self._keys.pending:
                return False
        elif key == "ctrl+r":
            character = key
        elif character is None or not character.isprintable() or key.startswith(("alt+", "ctrl+")):
            return False
        self._do(self._keys.press("escape" if key == "escape" else str(character), self._text.text, self._index()))
        return True

    def _do(self, step: ViStep) -> None:
        match step.act:
            case "undo":
                self._text.undo()
            case "redo":
                self._text.redo()
            case "older":
                self._text.action_older()
            case "newer":
                self._text.action_newer()
            case _:
                if step.span is not None:
                    self._text.write(step.text, self._location(step.span[0]), self._location(step.span[1]))
                if step.cursor >= 0:
                    self._text.put_cursor(self._location(step.cursor))

    def _index(self) -> int:
        row, column = self._text.cursor_location
        return sum(len(line) + 1 for line in self._text.text.split("\n")[:row]) + column

    def _location(self, index: int) -> Location:
        before = self._text.text[: max(index, 0)]
        return before.count("\n"), len(before) - (before.rfind("\n") + 1)
