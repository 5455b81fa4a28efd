"""Completion of file names after an `@`: the files that the letters may mean, and which of them is highlighted.

The engine lists files: the letters are sent as a request, and it returns the matches. Has no widget of its own.
"""

from __future__ import annotations

from collections.abc import Callable

from textual.widgets import TextArea
from textual.widgets.text_area import Location

from jp_tui.ui.composer.requests import CompleteFile, ShowFiles
from jp_tui.view.composer.mentions import answers, being_written, mention


class FileCompletion:
    """Completes the name at the cursor of `area`, which keeps the text. `send` takes requests."""

    def __init__(self, area: TextArea, send: Callable[[CompleteFile | ShowFiles], None]) -> None:
        self._area, self._send = area, send
        self._found: tuple[str, ...] = ()
        self._at = 0
        self._name: tuple[Location, str] | None = None
        self._dismissed: Location | None = None
        self._revision = 0

    @property
    def open(self) -> bool:
        """True while a file is being named."""
        return self._name is not None

    @property
    def files(self) -> tuple[str, ...]:
        """The paths found so far that fit the letters at the cursor."""
        if self._name is None:
            return ()
        return tuple(one for one in self._found if answers(self._name[1], one))

    def found(self, revision: int, paths: tuple[str, ...]) -> None:
        """Set the engine's matches; results for earlier letters are dropped."""
        if revision == self._revision and self._name is not None:
            self._found, self._at = paths, min(self._at, max(len(paths) - 1, 0))
            self._show()

    def text_or_cursor_changed(self) -> None:
        """Begin, continue or end naming a file."""
        row, column = self._area.cursor_location
        written = being_written(self._area.document.get_line(row)[:column]) if self._area.selection.is_empty else None
        before = self._name
        if written is None or self._area.read_only:
            self._name, self._dismissed = None, None
        elif (row, written[0]) == self._dismissed:
            self._name = None
        else:
            self._name = (row, written[0]), written[1]
        if self._name == before:
            return
        self._at = 0
        if self._name is not None:
            self._revision += 1
            self._send(CompleteFile(self._name[1], self._revision))
            if before is None:
                self._found = ()
        self._show()

    def _show(self) -> None:
        shown = self.files
        self._send(ShowFiles(shown, min(self._at, max(len(shown) - 1, 0)), self.open))
        self._area.refresh_bindings()

    def step(self, step: int) -> bool:
        """Move the highlight. Return False if there is no list."""
        if not (found := self.files):
            return False
        self._at = (self._at + step) % len(found)
        self._show()
        return True

    def write(self, path: str = "") -> str:
        """Write the highlighted path, or this one, and return it; empty if there is none.

        After a folder, or the name of an MCP server, the list continues with its content.
        """
        found = self.files
        if self._name is None or not (found or path):
            return ""
        path = path or found[min(self._at, len(found) - 1)]
        written = mention(path)
        goes_on = path.endswith("/") or path.find(":") == len(path) - 1  # a folder, or a server's name
        written = written.removesuffix('"') if goes_on else f"{written} "
        if not self._area.read_only:
            start = self._name[0]
            self._area.replace(written, start, self._area.cursor_location, maintain_selection_offset=False)
        return path

    def dismiss(self) -> bool:
        """Close the list for this name. Return False if no file is being named."""
        if self._name is None:
            return False
        self._dismissed = self._name[0]
        self.text_or_cursor_changed()
        return True
