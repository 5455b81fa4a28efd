"""The line of the keys that work now, each of them a button (asking.md E5, E60).

Lays hints out over as many rows as they need and reports a click by the hint's action.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import LiteralString

from textual import events
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from jp_tui.ui.keys.bindings import users, words
from jp_tui.ui.text import join, ours, styled

_GAP = " · "
_KEY, _NOTE = "$text-accent", "italic $text-warning"


@dataclass(frozen=True, slots=True)
class Hint:
    """A key and its effect; `action` is the action of a click on it.

    `keep`: in little room, others are left out first.
    """

    key: LiteralString
    """As people write it: `Ctrl+F`, `Esc`, `r`."""
    words: LiteralString
    action: str
    keep: bool = False


def _least(hints: list[Hint]) -> int:
    """Return which hint is left out first. Esc is last: it opens the menu, which has the omitted hints."""
    ways = [at for at, hint in enumerate(hints) if not hint.keep]
    ways = ways or [at for at, hint in enumerate(hints) if hint.action != "leave"]
    return ways[-1] if ways else 0


class KeyLine(Widget):
    """The keys that work now, in one or more rows."""

    DEFAULT_CSS = """
    KeyLine { height: auto; width: 1fr; color: $text-muted; }
    """
    ALLOW_SELECT = False
    _pressed: Hint | None = None  # the hint on which the button went down

    note: reactive[Content | None] = reactive(None, layout=True)
    """A text before the keys."""
    most: reactive[int] = reactive(9, layout=True)
    """Rows that it may take; what does not fit is left out from the end."""
    hints: reactive[tuple[Hint, ...]] = reactive((), layout=True)
    """The hints, most important first."""
    count: reactive[int] = reactive(5, layout=True)
    """Hints that it shows at most: the others are in the menu of Esc and on the page of keys."""
    coming: reactive[tuple[Hint, ...]] = reactive((), layout=True)
    """The hints that follow soon: their rows are kept free, so that nothing moves then."""

    @dataclass
    class Pressed(Message):
        """A hint was clicked."""

        action: str

    def rows(self, width: int, hints: Sequence[Hint] | None = None) -> list[list[tuple[int, int, Hint]]]:
        """Return the hints, or others in their place, as rows of (first cell, end cell, hint) within a width."""
        hints = list(self.hints if hints is None else hints)
        rows = self._broken(hints, width)
        while (len(rows) > self.most or len(hints) > self.count) and len(hints) > 1:
            hints.pop(_least(hints))
            rows = self._broken(hints, width)
        return rows

    def _broken(self, hints: list[Hint], width: int) -> list[list[tuple[int, int, Hint]]]:
        rows: list[list[tuple[int, int, Hint]]] = [[]]
        at = self.note.cell_length if self.note else 0
        for hint in hints:
            size = len(self.key_of(hint)) + 1 + len(hint.words)
            if at and at + len(_GAP) + size > width:
                rows.append([])
                at = 0
            start = at + len(_GAP) if at else 0
            rows[-1].append((start, start + size, hint))
            at = start + size
        return rows

    def key_of(self, hint: Hint) -> str:
        """Return the key of a hint, the user's own where there is one."""
        return (users(self, hint.action) if self.is_attached else "") or hint.key

    def height_at(self, width: int) -> int:
        """Return the rows that the hints take, or will take."""
        return max(len(self.rows(width)), len(self.rows(width, self.coming)) if self.coming else 0)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return self.height_at(width)

    def render(self) -> Content:
        lines = []
        for place, row in enumerate(self.rows(self.size.width)):
            parts = [
                ours("{key} {does}", key=styled(words(self.key_of(hint)), _KEY), does=ours(hint.words))
                for *_, hint in row
            ]
            noted = [styled(self.note, _NOTE)] if self.note and place == 0 else []
            lines.append(join(*noted, *parts, sep=ours(_GAP, "dim")))
        return join(*lines, sep=ours("\n"))

    def _hint_at(self, x: int, y: int) -> Hint | None:
        rows = self.rows(self.size.width)
        shown = rows[y] if 0 <= y < len(rows) else []
        return next((hint for start, end, hint in shown if start <= x < end), None)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        self._pressed = self._hint_at(event.x, event.y)

    def on_click(self, event: events.Click) -> None:
        """Report a click on a hint, unless it began on another (E11)."""
        event.stop()
        hint = self._hint_at(event.x, event.y)
        if hint is not None and self._pressed is not None and hint.action == self._pressed.action:
            self.post_message(self.Pressed(hint.action))
