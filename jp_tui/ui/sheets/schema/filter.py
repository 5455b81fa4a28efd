"""`/` in a long choice of a form: only values with these letters, as in a list of options (issue 5; asking.md "Keys").

The filter belongs to one choice and goes with it: when another part of the form is visited, or the choice is folded,
all values are there again. It changes nothing in the document.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.binding import Binding

from jp_tui.ui.sheets.areas.options import HINT_FILTER
from jp_tui.ui.sheets.field import Field
from jp_tui.ui.sheets.key_line import Hint
from jp_tui.ui.sheets.messages import LayoutChanged
from jp_tui.ui.text import ours
from jp_tui.view.schema.lines import Line
from jp_tui.view.wording import questions as w

if TYPE_CHECKING:
    from jp_tui.ui.sheets.schema.area import SchemaArea

FILTERING = [
    Binding("slash", "filter", "Filter", id="sheet.filter", tooltip="Show only values with these letters"),
]
"""The key of the filter."""


def _long(line: Line | None) -> bool:
    return line is not None and line.role in ("head", "option") and len(line.shape.choices) > 1


class FormFilter:
    """The filter of a form's long choices."""

    def __init__(self, area: SchemaArea) -> None:
        self._area = area
        self.field = Field(gate=area.sheet.gate, hint=ours(w.FILTER_HINT), id="filter")
        self.field.display = False

    @property
    def active(self) -> bool:
        """Whether letters are typed into it."""
        return self._area.sheet.writing is self.field

    def shown(self) -> None:
        """Show the field while it is in use; empty it when its choice was left."""
        area = self._area
        if not self.active and self.field.text and not area.filling.letters:
            self.field.put("")
        in_use = self.active or bool(self.field.text)
        self.field.display = area.sheet.mode != "menu" and area.faces.face == "form" and in_use

    def action_filter(self) -> None:
        """Take letters for the choice under the cursor; a folded one opens."""
        area, line = self._area, self._area.filling.line
        if area.form.in_form and line is not None and _long(line):
            if line.role == "head" and not line.unfolded:
                area.filling.fold(line.path, True)
            if area.filling.narrowed != line.path:
                area.filling.narrow(line.path, "")
            area.sheet.write(self.field)
            area.fields.again()

    def action_editor(self) -> None:
        if not self.active:
            self._area.sheet.action_editor()

    def action_leave(self) -> None:
        """Show all values again, when Esc leaves the filter."""
        if self.active:
            self.field.put("")
            self._area.filling.narrow(self._area.filling.narrowed, "")
        self._area.sheet.action_leave()

    def key(self, key: str) -> bool:
        """Handle a key while letters are typed. Return True if it moved the cursor in the list."""
        area = self._area
        if key not in ("up", "down"):
            return False
        place = area.filling.cursor + (-1 if key == "up" else 1)
        if 0 <= place < len(area.filling.lines) and area.filling.lines[place].role == "option":
            area.filling.go(place)
            area.fields.again()
            area.show_state()
        return True

    def submit(self) -> None:
        """Give the keys to the list; a second Enter chooses."""
        none = self._area.filling.found == 0
        self._area.sheet.stop_writing()
        self._area.fields.again()
        if none:
            self._area.sheet.say(ours(w.NO_MATCH))

    def edited(self) -> None:
        """Show only the values with the letters."""
        area = self._area
        if self.active:
            area.filling.narrow(area.filling.narrowed, self.field.text)
            area.fields.again()
            area.show_state()
            area.sheet.post_message(LayoutChanged())

    def with_hint(self, hints: list[Hint]) -> list[Hint]:
        """Name the filter's key among those of the line under the cursor, where the list is long."""
        line = self._area.filling.line
        if line is None or not _long(line) or len(line.shape.choices) < HINT_FILTER:
            return hints
        return [*hints[:1], Hint("/", "filter", "filter", keep=True), *hints[1:]]

    def hints(self) -> list[Hint]:
        """The keys that work while letters are typed."""
        return [
            Hint("↑↓", "move", "move(1)"), Hint("enter", "to the list", "accept", keep=True),
            Hint("esc", "all", "leave", keep=True),
        ]  # fmt: skip
