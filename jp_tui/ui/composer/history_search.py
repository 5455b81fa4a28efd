"""Search through earlier messages in the composer (Ctrl+R), filtered as the user types.

While it is open it takes every key of the composer, so that none is lost or overtaken. Enter puts the highlighted text
into the composer; Esc leaves the composer as it was.
"""

from __future__ import annotations

from collections.abc import Callable

from textual import events

from jp_tui.ui.composer.requests import ShowHistory
from jp_tui.view.composer.history import search_history


class HistorySearch:
    """The search text and which result is highlighted.

    `texts` returns earlier messages, newest last; `put` writes one into the composer; `send` takes requests.
    """

    def __init__(
        self, *, texts: Callable[[], tuple[str, ...]], put: Callable[[str], None], send: Callable[[ShowHistory], None]
    ) -> None:
        self._texts, self._put, self._send = texts, put, send
        self._query: str | None = None
        self._at = 0

    @property
    def open(self) -> bool:
        """True while the search has the keys."""
        return self._query is not None

    def _search(self, query: str | None, at: int = 0) -> None:
        self._query = query
        texts = () if query is None else search_history(self._texts(), query)
        self._at = max(min(at, len(texts) - 1), 0)
        self._send(ShowHistory(query, texts, self._at))

    def start(self) -> None:
        """Open the search; if it is open, go to the next older result."""
        self._search(self._query or "", self._at + 1 if self.open else 0)

    def close(self) -> None:
        """Close the search; the composer stays as it was."""
        self._search(None)

    def take(self, at: int | None = None) -> None:
        """Put the highlighted result, or that one, into the composer and close the search."""
        texts = search_history(self._texts(), self._query or "")
        if self.open and texts:
            self._put(texts[self._at if at is None else at])
            self._search(None)

    def key(self, event: events.Key) -> None:
        """Handle a key; one that means nothing here is dropped."""
        query = self._query or ""
        match event.key:
            case "enter" | "tab":
                self.take()
            case "escape" | "ctrl+g":
                self.close()
            case "ctrl+r" | "down" | "ctrl+n":
                self._search(query, self._at + 1)
            case "ctrl+s" | "up" | "ctrl+p":
                self._search(query, self._at - 1)
            case "backspace":
                self._search(query[:-1])
            case "ctrl+u" | "ctrl+w":
                self._search("" if event.key == "ctrl+u" else query.rstrip().rpartition(" ")[0])
            case _ if event.is_printable and event.character:
                self._search(query + event.character)

    def paste(self, text: str) -> None:
        """Add the first line of a paste to the search text."""
        self._search((self._query or "") + text.partition("\n")[0][:200])
