"""The terminal window's title: open questions, conversation, workspace. Restored when the screen is left (E50).

A title is untrusted text in a terminal sequence, so every control character is removed (R197).
"""

from __future__ import annotations

import os
from collections.abc import Callable

from jp_tui.conversation.neutral import neutralise
from jp_tui.conversation.text import Foreign
from jp_tui.view.activity.status import Status

_SAVE, _RESTORE = "\x1b[22;0t", "\x1b]0;\x07\x1b[23;0t"
"""The title is emptied first: a terminal that can't save titles then shows its own."""
_MOST = 120
"""Characters of a title."""


class WindowTitle:
    """Writes the title when it changes. `write` goes to the terminal."""

    def __init__(self, *, write: Callable[[str], None]) -> None:
        self._write = write
        self._shown = ""
        self._saved = False
        self._away = False

    def show(self, status: Status) -> None:
        title = title_text(status)
        if title != self._shown:
            self._shown = title
            self._write_title()

    def _write_title(self) -> None:
        if not self._away:
            save = "" if self._saved else _SAVE
            self._saved = True
            self._write(f"{save}\x1b]0;{self._shown}\x07")

    def repeat(self) -> None:
        """Write the title again: the terminal may have missed it."""
        if self._shown:
            self._write_title()

    def restore(self) -> None:
        """Restore the title from before, until `again`. For when the screen is left."""
        self._away = True
        if self._saved:
            self._saved = False
            self._write(_RESTORE)

    def again(self) -> None:
        """Show the title again after the screen was left. The title that the window has now is saved to be restored."""
        self._away = self._saved = False
        self.repeat()


def title_text(status: Status) -> str:
    """Return `(2) Fix the build - acme - jp`, printable characters only."""
    folder = os.path.basename(status.workspace.rstrip("/"))
    yours = len(status.waiting) - status.others
    waiting = f"({yours}) " if yours else ""
    parts = [neutralise(Foreign(part), "line") for part in (status.title.raw, folder)]
    title = waiting + " - ".join([part for part in parts if part] + ["jp"])
    return "".join(char for char in title if char.isprintable())[:_MOST]
