"""What an `@` in the composer does to its keys: a list of the workspace's files, one of them chosen, Tab writes it.

A part of `Composer`, which has the text. It lists no file: it says which letters are meant, and is told.
"""

from __future__ import annotations

from dataclasses import dataclass

from textual.message import Message
from textual.widgets.text_area import Location

from jp_tui.ui.composer.slash_completion import Slash
from jp_tui.view.composer.mentions import answers, being_written, mention


class Mention(Slash):
    """The list that opens above the composer while a file is being named."""

    _files: tuple[str, ...] = ()
    _file_at = 0
    _naming: tuple[Location, str] | None = None
    _put_off: Location | None = None
    _revision = 0

    @dataclass
    class FilesWanted(Message):
        """Which files may be meant by this? `files_found` is to be told, with the same revision."""

        query: str
        revision: int

    @dataclass
    class FilesShown(Message):
        """What may be meant, and which of it Tab takes; `open` false closes the list."""

        paths: tuple[str, ...]
        chosen: int
        open: bool

    @property
    def naming(self) -> bool:
        """Whether a file is being named."""
        return self._naming is not None

    @property
    def files(self) -> tuple[str, ...]:
        """What the list holds of what is meant now."""
        if self._naming is None:
            return ()
        return tuple(one for one in self._files if answers(self._naming[1], one))

    @property
    def listing(self) -> bool:
        """Whether a list is open that Tab and Enter take something from."""
        return bool(self.files or self.suggested)

    def files_found(self, revision: int, paths: tuple[str, ...]) -> None:
        """What the engine found; what it found for letters of before is let go."""
        if revision == self._revision and self._naming is not None:
            self._files, self._file_at = paths, min(self._file_at, max(len(paths) - 1, 0))
            self._show_files()

    def suggest(self) -> None:
        super().suggest()
        self.look_for_files()

    def look_for_files(self) -> None:
        """The text or the place in it changed."""
        row, column = self.cursor_location
        found = being_written(self.document.get_line(row)[:column]) if self.selection.is_empty else None
        was = self._naming
        if found is None or self.read_only:
            self._naming, self._put_off = None, None
        elif (row, found[0]) == self._put_off:
            self._naming = None
        else:
            self._naming = (row, found[0]), found[1]
        if self._naming == was:
            return
        self._file_at = 0
        if self._naming is not None:
            self._revision += 1
            self.post_message(self.FilesWanted(self._naming[1], self._revision))
            if was is None:
                self._files = ()
        self._show_files()

    def _show_files(self) -> None:
        shown = self.files
        self.post_message(self.FilesShown(shown, min(self._file_at, max(len(shown) - 1, 0)), self.naming))
        self.refresh_bindings()

    def choose(self, step: int) -> bool:
        found = self.files
        if not found:
            return super().choose(step)
        self._file_at = (self._file_at + step) % len(found)
        self._show_files()
        return True

    def name_file(self, path: str = "") -> bool:
        """Write the path that is marked, or this one; whether there was one. A folder goes on with what is in it."""
        found = self.files
        if self._naming is None or not (found or path):
            return False
        path = path or found[min(self._file_at, len(found) - 1)]
        written = mention(path)
        written = written.removesuffix('"') if path.endswith("/") else f"{written} "
        if not self.read_only:
            self.replace(written, self._naming[0], self.cursor_location, maintain_selection_offset=False)
        self.want_image(path, mention(path))
        return True

    def want_image(self, path: str, written: str) -> None:
        """What was written may be an image."""

    def action_complete(self) -> None:
        if not self.name_file():
            super().action_complete()

    def action_put_away(self) -> None:
        if self._naming is not None:
            self._put_off = self._naming[0]
            self.look_for_files()
        else:
            super().action_put_away()
