"""A text field of a sheet: grows with what is in it, keeps everything, submits nothing (asking.md E14, E24).

Each key goes through the dock's gate before the field sees it, in the same breath, so that no key can be meant for
one and heard by the other (traps.md T5). A large paste stands as one unbreakable mark and comes out whole (T4).
It never selects what is in it when it gets the focus.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Protocol

from textual import events
from textual.binding import BindingsMap
from textual.content import Content
from textual.message import Message
from textual.widgets import TextArea
from textual.widgets.text_area import Edit, EditResult, Location

LARGE = 8_192
"""Characters from which a paste stands as a mark: a wrapped line of a megabyte takes a second a key."""

_NEW_LINE = frozenset({"shift+enter", "alt+enter", "ctrl+j", "shift+\r", "alt+ctrl+j"})
_EDITS = {key: binding.action for key, binding in BindingsMap(TextArea.BINDINGS)}


class Gate(Protocol):
    """What stands between the keyboard and a sheet: the dock."""

    def key(self, event: events.Key) -> bool:
        """Hear a key first; says whether it is used up."""
        ...

    def paste(self, event: events.Paste) -> bool:
        """Hear a paste first; says whether it is used up."""
        ...

    def click(self) -> bool:
        """Whether the click that is being handled may do anything."""
        ...


class Field(TextArea):
    """One text, edited in place."""

    DEFAULT_CSS = """
    Field { height: 1; width: 1fr; border: none; padding: 0 1; background: $surface-lighten-1;
        scrollbar-size-vertical: 1; background-tint: $foreground 3%;
        &:focus { border: none; background-tint: $foreground 8%; }
        & .text-area--cursor-line { background: transparent; }
    }
    """

    @dataclass
    class Edited(Message):
        """The text changed."""

        field: Field

        @property
        def control(self) -> Field:
            return self.field

    @dataclass
    class Clicked(Message):
        """The user wants to write here; only the sheet gives the focus."""

        field: Field

    def __init__(self, *, gate: Gate, hint: Content, id: str | None = None) -> None:
        super().__init__(
            id=id, soft_wrap=True, tab_behavior="focus", show_line_numbers=False, highlight_cursor_line=False,
            placeholder=hint,
        )  # fmt: skip
        self._gate = gate
        self._parked: dict[str, str] = {}
        self.can_focus = False
        self.cursor_blink = False  # an idle workspace sends nothing (T24)

    @property
    def value(self) -> str:
        """The whole text, with every large paste in its place."""
        text = self.text
        for mark, parked in self._parked.items():
            text = text.replace(mark, parked)
        return text

    def put(self, text: str) -> None:
        """Replace the whole text, the cursor behind it."""
        self._parked.clear()
        self.load_text(self._shortened(text))
        self.move_cursor(self.document.end)

    def height_at(self, width: int) -> int:
        """Rows that the text takes."""
        return max(self.wrapped_document.height, 1)

    @property
    def on_first_row(self) -> bool:
        """Whether ↑ has nowhere to go in the text."""
        return self.get_cursor_up_location() == self.cursor_location or self.cursor_location[0] == 0

    async def _on_key(self, event: events.Key) -> None:
        if self._gate.key(event):
            event.stop()
            event.prevent_default()
            return
        await self.take(event)

    async def take(self, event: events.Key) -> None:
        """Edit with a key. Done here and now: Textual's way round over the app would mix up a fast typist's keys."""
        if event.key in _NEW_LINE:
            self.replace("\n", *self.selection, maintain_selection_offset=False)
        elif event.is_printable and event.character:
            self.replace(event.character, *self.selection, maintain_selection_offset=False)
        elif event.key in ("pageup", "pagedown") and self.virtual_size.height <= self.size.height:
            return  # the conversation above scrolls (E1)
        elif event.key in _EDITS:
            await self.run_action(_EDITS[event.key])
        else:
            return
        event.stop()
        event.prevent_default()

    async def _on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()
        if not self._gate.paste(event):
            self.paste(event.text)

    def paste(self, text: str) -> None:
        """Put in a text that was pasted, or heard in one piece."""
        found = self.replace(self._shortened(text), *self.selection, maintain_selection_offset=False)
        self.move_cursor(found.end_location)

    def _shortened(self, text: str) -> str:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        if len(text) < LARGE:
            return text
        lines = text.count("\n") + 1
        mark = f"⟦pasted text {len(self._parked) + 1}: {len(text):,} characters, {lines:,} lines⟧"
        self._parked[mark] = text
        return mark

    def edit(self, edit: Edit) -> EditResult:
        """Any change of the text; one that would cut a mark takes all of it, one inside it goes behind it."""
        start, end = sorted((edit.from_location, edit.to_location))
        inserts = start == end
        for mark in self._parked:
            first, last = self._place(mark)
            if first is None or last is None:
                continue
            if inserts and first < start < last:
                start = end = last
            elif not inserts and start < last and end > first:
                start, end = min(start, first), max(end, last)
        return super().edit(Edit(edit.text, start, end, edit.maintain_selection_offset))

    def _place(self, mark: str) -> tuple[Location | None, Location | None]:
        for row, line in enumerate(self.document.lines):
            found = re.search(re.escape(mark), line)
            if found:
                return (row, found.start()), (row, found.end())
        return None, None

    def on_click(self, event: events.Click) -> None:
        event.stop()
        self.post_message(self.Clicked(self))

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        event.stop()
        self.post_message(self.Edited(self))
