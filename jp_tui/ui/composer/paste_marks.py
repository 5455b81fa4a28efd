"""Marks in the composer for content that is too long to edit there: pastes, command output, images (traps.md T4).

A mark is deleted and replaced as a whole, is sent as the text that it represents, and can be unfolded where there is
room. `view/composer/pastes.py` keeps that text; this knows where marks are in the text area.
"""

from __future__ import annotations

from textual.widgets import TextArea
from textual.widgets.text_area import Edit, Location

from jp_tui.view.composer.pastes import ROOM, Pastes, cleaned, decode_folds, encode_folds


class PasteMarks:
    """The marks in the text of `area`."""

    def __init__(self, area: TextArea) -> None:
        self._area = area
        self._pastes = Pastes()
        self._at_cursor = False

    @property
    def whole_text(self) -> str:
        """The text, with pastes in full."""
        return self._pastes.whole(self._area.text)

    @property
    def image_paths(self) -> tuple[str, ...]:
        """The paths of the images that the text has marks for."""
        return tuple(self._pastes.files(self._area.text).values())

    @property
    def folds(self) -> str:
        """The marks as they are saved beside the text in full; empty if there are none."""
        text = self._area.text
        return encode_folds(self.whole_text, self._pastes.places(text), self._pastes.files(text))

    @property
    def at_cursor(self) -> bool:
        """True if the cursor is at a mark that can be unfolded, as of the last `cursor_moved`."""
        return self._at_cursor

    def cursor_moved(self) -> bool:
        """Look for a mark at the cursor. Return True if `at_cursor` changed."""
        before, self._at_cursor = self._at_cursor, self._span_at_cursor() is not None
        return self._at_cursor != before

    def know_images(self, text: str, paths: tuple[str, ...]) -> None:
        """Learn the images of a message that returns to the composer."""
        self._pastes.know_in(text, paths)

    def marked(self, text: str, folds: str) -> str:
        """Return a text in full with the marks that were saved beside it."""
        places, files = decode_folds(text, folds)
        self._pastes.know(files)
        return self._pastes.again(text, places)

    def folded(self, text: str) -> str:
        """Return a paste, or its mark if it is too long beside the text already there."""
        return self._pastes.folded(text, ROOM - len(self._area.text))

    def output(self, text: str) -> str:
        """Return the mark for the output of a command."""
        return self._pastes.mark(cleaned(text), "output")

    def image(self, path: str, size: int) -> str:
        """Return the mark for an image."""
        return self._pastes.image(path, size)

    def replace_by_image(self, written: str, path: str, size: int) -> None:
        """Replace the first place where a path is written by the mark of its image."""
        document = self._area.document
        for at in range(document.line_count):
            if (found := document.get_line(at).find(written)) >= 0:
                mark, end = self.image(path, size), found + len(written)
                self._area.edit(Edit(mark, (at, found), (at, end), maintain_selection_offset=True))
                return

    def to_unfold(self) -> tuple[str | None, Location, Location] | None:
        """Return the text of the mark at the cursor with the range of the mark; None without a mark.

        The text is None if it is too long for the text area.
        """
        if (found := self._span_at_cursor()) is None:
            return None
        row, (start, end) = self._area.cursor_location[0], found
        mark = self._area.document.get_line(row)[start:end]
        whole = self._pastes.files(mark).get(mark) or self._pastes.whole(mark)
        fits = len(whole) <= ROOM - len(self._area.text) and max(map(len, whole.split("\n"))) <= ROOM // 8
        return whole if fits else None, (row, start), (row, end)

    def around(self, start: Location, end: Location) -> tuple[Location, Location]:
        """Widen a range so that it has each mark whole or not at all; a cursor inside a mark goes after it."""
        return self._pastes.around(self._area.document.get_line, start, end)

    def _span_at_cursor(self) -> tuple[int, int] | None:
        row, column = self._area.cursor_location
        spans = self._pastes.spans(self._area.document.get_line(row))
        return next(((left, right) for left, right in spans if left <= column <= right), None)
