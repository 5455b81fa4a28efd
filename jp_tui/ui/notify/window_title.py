"""The terminal window's title: what waits, the conversation, the workspace; put back when the screen is left (E50).

Titles are foreign text spliced into a terminal sequence: every control character is gone, whatever it was (R197).
"""

from __future__ import annotations

import os
from collections.abc import Callable

from jp_tui.conversation.neutral import neutralise
from jp_tui.conversation.text import Foreign
from jp_tui.view.activity.status import Status

_SAVE, _RESTORE = "\x1b[22;0t", "\x1b]0;\x07\x1b[23;0t"
"""Emptied first: a terminal that keeps no titles goes back to its own."""
_MOST = 120


class WindowTitle:
    """`write` goes to the terminal; nothing is written when nothing changed."""

    def __init__(self, *, write: Callable[[str], None]) -> None:
        self._write = write
        self._shown = ""
        self._saved = False
        self._away = False

    def show(self, status: Status) -> None:
        title = worded(status)
        if title != self._shown:
            self._shown = title
            self._put()

    def _put(self) -> None:
        if not self._away:
            save = "" if self._saved else _SAVE
            self._saved = True
            self._write(f"{save}\x1b]0;{self._shown}\x07")

    def repeat(self) -> None:
        """The terminal may have missed it."""
        if self._shown:
            self._put()

    def restore(self) -> None:
        """The screen is left: the title from before is back, until `again`."""
        self._away = True
        if self._saved:
            self._saved = False
            self._write(_RESTORE)

    def again(self) -> None:
        """The screen was taken again, by whomever it was left: what stands there now is what to come back to."""
        self._away = self._saved = False
        self.repeat()


def worded(status: Status) -> str:
    """`(2) Fix the build - acme - jp`, printable characters only."""
    folder = os.path.basename(status.workspace.rstrip("/"))
    waiting = f"({len(status.waiting)}) " if status.waiting else ""
    parts = [neutralise(Foreign(part), "line") for part in (status.title.raw, folder)]
    said = waiting + " - ".join([part for part in parts if part] + ["jp"])
    return "".join(char for char in said if char.isprintable())[:_MOST]
