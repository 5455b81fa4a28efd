"""Ctrl+R in the composer: a search through what was typed before, filtered as one types (issue 8, 3).

A part of `Composer`, whose keys it takes while it is open, so that none is lost or overtaken. Enter writes what is
marked, to be changed or sent; Esc leaves what was there as it was.
"""

from __future__ import annotations

from dataclasses import dataclass

from textual import events
from textual.binding import Binding
from textual.message import Message

from jp_tui.ui.composer.file_completion import Mention
from jp_tui.view.composer.history import Recall, found

RECALLING = [
    Binding("ctrl+r", "recall", "search history", show=False, id="composer.recall", tooltip="What was typed before"),
    Binding(
        "enter", "take_found", "take it", id="composer.take_found", tooltip="What is marked, to be changed or sent"
    ),
    Binding("escape", "end_recall", "as before", id="composer.end_recall", tooltip="What was there stays as it was"),
]


class Recalling(Mention):
    """The search that opens above the composer."""

    _recall = Recall()
    _sought: str | None = None
    _sought_at = 0

    @dataclass
    class Sought(Message):
        """What is looked for, None when nothing is, what was found, and which of it Enter takes."""

        query: str | None
        texts: tuple[str, ...]
        chosen: int

    @property
    def recalling(self) -> bool:
        """Whether a search is open."""
        return self._sought is not None

    def _seek(self, query: str | None, at: int = 0) -> None:
        self._sought = query
        texts = () if query is None else found(self._recall.texts, query)
        self._sought_at = max(min(at, len(texts) - 1), 0)
        self.post_message(self.Sought(query, texts, self._sought_at))
        self.refresh_bindings()

    def action_recall(self) -> None:
        """Open it; once more marks what is older."""
        if not self.read_only:
            self._seek(self._sought or "", self._sought_at + 1 if self.recalling else 0)

    def action_end_recall(self) -> None:
        self._seek(None)

    def action_take_found(self, at: int | None = None) -> None:
        texts = found(self._recall.texts, self._sought or "")
        if self.recalling and texts:
            self.put(texts[self._sought_at if at is None else at])
            self._seek(None)

    def put(self, text: str) -> None:
        """This text instead of what is written."""
        raise NotImplementedError

    def sought_key(self, event: events.Key) -> None:
        """A key while it is open; what means nothing here is let go."""
        query = self._sought or ""
        match event.key:
            case "enter" | "tab":
                self.action_take_found()
            case "escape" | "ctrl+g":
                self.action_end_recall()
            case "ctrl+r" | "down" | "ctrl+n":
                self._seek(query, self._sought_at + 1)
            case "ctrl+s" | "up" | "ctrl+p":
                self._seek(query, self._sought_at - 1)
            case "backspace":
                self._seek(query[:-1])
            case "ctrl+u" | "ctrl+w":
                self._seek("" if event.key == "ctrl+u" else query.rstrip().rpartition(" ")[0])
            case _ if event.is_printable and event.character:
                self._seek(query + event.character)

    def sought_paste(self, text: str) -> None:
        """A paste while it is open: its first line."""
        self._seek((self._sought or "") + text.partition("\n")[0][:200])
