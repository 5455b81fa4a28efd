"""A text field of a sheet: grows with its text, keeps everything, submits nothing (asking.md E14, E24).

Each key goes through the dock's gate before the field gets it, at once, so that no key is meant for one and handled by
the other (traps.md T5). A large paste is shown as one unbreakable mark and comes out whole (T4). The field never
selects its text when it gets the focus, and gets the focus only from the sheet.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from textual import events
from textual.actions import parse
from textual.binding import BindingsMap
from textual.content import Content
from textual.dom import DOMNode
from textual.message import Message
from textual.signal import Signal
from textual.strip import Strip
from textual.widgets import TextArea
from textual.widgets.text_area import Edit, EditResult

from jp_tui.ui.sheets.messages import NEW_LINE, LayoutChanged
from jp_tui.ui.widgets.editing import EDITING
from jp_tui.view.composer.pastes import ROOM, Pastes, Span, cleaned

_MOVES = {"up": "cursor_up", "down": "cursor_down", "pageup": "cursor_page_up", "pagedown": "cursor_page_down"}
_EDITS = {key: binding.action for key, binding in BindingsMap(EDITING)} | _MOVES


class InputGate(Protocol):
    """The filter between the keyboard and a sheet: it handles each event first."""

    def key(self, event: events.Key) -> bool:
        """Handle a key. Return True if it is used up."""
        ...

    def paste(self, event: events.Paste) -> bool:
        """Handle a paste. Return True if it is used up."""
        ...

    def pressed(self, event: events.MouseDown) -> None:
        """Note a mouse button that goes down, before the click that it begins."""
        ...

    def click(self) -> bool:
        """Return True if the click that is being handled may do anything."""
        ...


class Field(TextArea, inherit_bindings=False):
    """One text, edited in place."""

    BINDINGS = [*EDITING]
    DEFAULT_CSS = """
    Field { height: 1; width: 1fr; border: none; padding: 0 1; background: $surface; scrollbar-size-vertical: 1;
        background-tint: $foreground 4%;
        &:focus { border: none; background-tint: $foreground 9%; }
        & .text-area--cursor-line { background: transparent; }
        & .text-area--placeholder { color: $muted-foreground; }
    }
    """

    @dataclass
    class Edited(Message):
        """The text changed."""

        field: Field

    @dataclass
    class Clicked(Message):
        """The user wants to write here; only the sheet gives the focus."""

        field: Field

    def __init__(self, *, gate: InputGate, hint: Content, id: str | None = None) -> None:
        super().__init__(id=id, soft_wrap=True, highlight_cursor_line=False, placeholder=hint, max_checkpoints=200)
        self._gate = gate
        self._pastes = Pastes()
        self.can_focus = False
        self.cursor_blink = False  # an idle workspace sends nothing (T24)
        self.match_cursor_bracket = False  # searches the whole text at every step
        self._signals: tuple[Signal[Any], ...] = ()

    def on_mount(self) -> None:
        self._signals = self.app.theme_changed_signal, self.screen.text_selection_started_signal

    def on_unmount(self) -> None:
        """Leave the signals: each keeps its subscribers in memory until it is published."""
        for signal in self._signals:
            signal.unsubscribe(self)

    def watch(self, obj: DOMNode, attribute_name: str, callback: Callable[..., Any], init: bool = True) -> None:
        """Follow the app's theme by its signal, which a closed field can leave. Watchers of an attribute stay in memory
        until it changes."""
        if obj is self.app and attribute_name == "theme":
            self.app.theme_changed_signal.subscribe(self, lambda _: callback())
        else:
            super().watch(obj, attribute_name, callback, init)

    @property
    def value(self) -> str:
        """The whole text, with every large paste in its place."""
        return self._pastes.whole(self.text)

    @property
    def places(self) -> tuple[Span, ...]:
        """The places in the whole text where something large was pasted."""
        return self._pastes.places(self.text)

    def put(self, text: str) -> None:
        """Replace the whole text, the cursor after it."""
        self.load_text(self._pastes.again(cleaned(text)))
        self.move_cursor(self.document.end)

    def restore(self, text: str, places: Sequence[Span]) -> None:
        """Replace the whole text with a stored one; the pastes at those places are folded again."""
        self.put("" if places else text)
        if places:
            self.load_text(self._pastes.again(cleaned(text), places))
            self.move_cursor(self.document.end)

    def insert_text(self, text: str) -> None:
        """Insert a text at the cursor, in place of the selection: a paste, or keys that came in one piece."""
        found = self.replace(self._pastes.folded(cleaned(text), ROOM - len(self.text)), *self.selection)
        self.move_cursor(found.end_location)

    def height_at(self, width: int) -> int:
        """Return the rows that the text takes."""
        return max(self.wrapped_document.height, 1)

    @property
    def on_first_row(self) -> bool:
        """True if ↑ has nowhere to go in the text."""
        return self.wrapped_document.location_to_offset(self.cursor_location).y == 0

    async def _on_key(self, event: events.Key) -> None:
        event.prevent_default()
        if self._gate.key(event):
            event.stop()
        else:
            self.edit_with(event)

    def edit_with(self, event: events.Key) -> None:
        """Edit with a key at once: Textual's detour through the app would mix up a fast typist's keys."""
        if event.key in NEW_LINE:
            self.replace("\n", *self.selection, maintain_selection_offset=False)
        elif event.is_printable and event.character:
            self.replace(event.character, *self.selection, maintain_selection_offset=False)
        elif event.key in ("pageup", "pagedown") and self.virtual_size.height <= self.size.height:
            return  # the conversation above scrolls (E1)
        elif event.key in _EDITS:
            _, name, parameters = parse(_EDITS[event.key])
            getattr(self, f"action_{name}")(*parameters)
        else:
            return
        event.stop()

    async def _on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()
        if not self._gate.paste(event):
            self.insert_text(event.text)

    def edit(self, edit: Edit) -> EditResult:
        """Change the text: an edit that would cut a mark affects all of it, one inside it goes after it."""
        start, end = self._pastes.around(self.document.get_line, *sorted((edit.from_location, edit.to_location)))
        return super().edit(Edit(edit.text, start, end, edit.maintain_selection_offset))

    def render_line(self, y: int) -> Strip:
        return super().render_line(y) if self.content_size.width else Strip.blank(0)  # Textual's wraps to no width

    def on_resize(self) -> None:
        self.refresh()  # it was painted at the new width before its text was wrapped to it
        self.post_message(LayoutChanged())  # at another width the text has other rows

    def on_click(self, event: events.Click) -> None:
        event.stop()
        self.post_message(self.Clicked(self))

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        event.stop()
        self.post_message(self.Edited(self))

    def on_text_area_selection_changed(self, event: TextArea.SelectionChanged) -> None:
        event.stop()
