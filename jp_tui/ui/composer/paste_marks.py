"""Marks in the composer that stand for what is too long to be edited there: pastes, output of commands (traps.md T4).

A part of `Composer`. A mark goes as a whole, is sent as what it stands for, and can be unfolded where there is room.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from textual.binding import Binding
from textual.content import Content
from textual.message import Message
from textual.widgets.text_area import Edit, EditResult, Location, Selection

from jp_tui.ui.keys import words
from jp_tui.ui.text import ours
from jp_tui.view.composer.mentions import image_path, is_image
from jp_tui.view.composer.pastes import ROOM, Pastes, beside, cleaned, kept

if TYPE_CHECKING:
    from textual.widgets import TextArea

    _Part = TextArea
else:
    _Part = object

CHIPS = [
    Binding("alt+v", "paste_image", "image", show=False, id="composer.paste_image", tooltip="The one on the clipboard"),
    Binding("alt+o", "unfold", "unfold", id="composer.unfold", tooltip="The mark at the cursor becomes its text"),
]


class Chips(_Part):
    """The composer's text, with what its marks stand for."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._pastes = Pastes()

    @property
    def written(self) -> str:
        """What is written, pastes in full."""
        return self._pastes.whole(self.text)

    @property
    def attachments(self) -> tuple[str, ...]:
        """Paths of the images that go along."""
        return tuple(self._pastes.files(self.text).values())

    @dataclass
    class ImageWanted(Message):
        """Is this an image that can go along? `image_checked` is to be told; `written` is how it stands in the text.
        An empty path means the one on the clipboard."""

        path: str
        written: str

    def action_paste_image(self) -> None:
        if not self.read_only:
            self.post_message(self.ImageWanted("", ""))

    def want_image(self, path: str, written: str) -> None:
        """What was written just now may be one."""
        if is_image(path):
            self.post_message(self.ImageWanted(path, written))

    def image_checked(self, written: str, path: str, size: int, problem: str) -> None:
        """It goes along, and a mark says so instead of its path; or it does not, and why."""
        if problem:
            self._refuse(words(problem))
            return
        if not written:
            self.write(f"{self._pastes.image(path, size)} ", *self.selection)
            return
        for at in range(self.document.line_count):
            if (found := self.document.get_line(at).find(written)) >= 0:
                mark, end = self._pastes.image(path, size), found + len(written)
                self.edit(Edit(mark, (at, found), (at, end), maintain_selection_offset=True))
                return

    def know_images(self, text: str, paths: tuple[str, ...]) -> None:
        """The images of a message that comes back."""
        self._pastes.know_in(text, paths)

    @property
    def folds(self) -> str:
        """What is folded of what is written, to be kept beside it; empty when nothing is."""
        return kept(self.written, self._pastes.places(self.text), self._pastes.files(self.text))

    marked = False
    """Whether the cursor stands at a mark that can be unfolded."""

    def look_for_mark(self) -> None:
        """The cursor moved."""
        was, self.marked = self.marked, self._at_mark() is not None
        if self.marked != was:
            self.refresh_bindings()

    def _at_mark(self) -> tuple[int, int] | None:
        row, column = self.cursor_location
        spans = self._pastes.spans(self.document.get_line(row))
        return next(((left, right) for left, right in spans if left <= column <= right), None)

    def action_unfold(self) -> None:
        """The text itself instead of the mark, if an editor can hold it."""
        if (found := self._at_mark()) is None or self.read_only:
            return
        row, text = self.cursor_location[0], self.document.get_line(self.cursor_location[0])[slice(*found)]
        whole = self._pastes.files(text).get(text) or self._pastes.whole(text)
        if len(whole) > ROOM - len(self.text) or max(map(len, whole.split("\n"))) > ROOM // 8:
            self._refuse(ours("too long to unfold here · Ctrl+G opens it in your editor"))
        else:
            super().replace(whole, (row, found[0]), (row, found[1]), maintain_selection_offset=False)

    def _refuse(self, why: Content) -> None:
        """Say at the border why nothing happened."""
        raise NotImplementedError

    def put(self, text: str, folds: str = "") -> None:
        """This text instead of what is written, the cursor at its end; `folds` as they were kept beside it."""
        text = cleaned(text)
        places, files = beside(text, folds)
        self._pastes.know(files)
        self.load_text(self._pastes.again(text, places))
        self.move_cursor(self.document.end)

    def put_before(self, text: str, folds: str = "") -> None:
        """This text in front of what is written already."""
        if text and self.text:
            self.put(f"{text}\n{self.written}")
        elif text:
            self.put(text, folds)

    def add_output(self, text: str) -> None:
        """What a command said, as a mark in what is written."""
        if not self.read_only and text:
            self.write(self._pastes.mark(cleaned(text), "output"), *self.selection)

    def _enter(self, text: str) -> None:
        if not self.read_only and text:
            self.write(self._pastes.folded(text, ROOM - len(self.text)), *self.selection)
            self.want_image(image_path(text), text.strip())

    def write(self, text: str, start: Location, end: Location) -> None:
        """Replace a range as if `text` was typed there. Nothing happens while the text is read-only."""
        if not self.read_only:
            self.replace(text, start, end, maintain_selection_offset=False)

    def replace(
        self, insert: str, start: Location, end: Location, *, maintain_selection_offset: bool = True
    ) -> EditResult:
        """As TextArea's. What keys replace (their cursor moves along) holds each mark as a whole."""
        if not maintain_selection_offset:
            start, end = self._around_marks(*sorted((start, end)))
        return super().replace(insert, start, end, maintain_selection_offset=maintain_selection_offset)

    def delete(self, start: Location, end: Location, *, maintain_selection_offset: bool = True) -> EditResult:
        """As TextArea's, and `replace`."""
        if not maintain_selection_offset:
            start, end = self._around_marks(*sorted((start, end)))
        return super().delete(start, end, maintain_selection_offset=maintain_selection_offset)

    def _around_marks(self, start: Location, end: Location) -> tuple[Location, Location]:
        """A range that holds a pasted mark whole or not at all; a mere cursor inside one goes behind it."""
        for row in {start[0], end[0]}:
            for left, right in self._pastes.spans(self.document.get_line(row)):
                inside_start = start[0] == row and left < start[1] < right
                inside_end = end[0] == row and left < end[1] < right
                if start == end and inside_start:
                    return (row, right), (row, right)
                start = (row, left) if inside_start else start
                end = (row, right) if inside_end else end
        return start, end

    def undo(self) -> None:
        """Textual measures the shorter text with the cursor still behind its end, and breaks: so it is moved first."""
        was, before = self.selection, self.text
        self.selection = Selection.cursor((0, 0))
        super().undo()
        if self.text == before:
            self.selection = was

    def redo(self) -> None:
        was, before = self.selection, self.text
        self.selection = Selection.cursor((0, 0))
        super().redo()
        if self.text == before:
            self.selection = was
