"""The terminal window's title: what waits, the conversation, the workspace; put back when we leave (E50).

Titles are foreign text spliced into a terminal sequence: every control character is gone, whatever it was (R197).
"""

from __future__ import annotations

import os
from collections.abc import Callable

from jp_tui.conversation.neutral import neutralise
from jp_tui.conversation.text import Foreign
from jp_tui.view.status import Status

_SAVE, _RESTORE = "\x1b[22;0t", "\x1b[23;0t"
_MOST = 120


class WindowTitle:
    """`write` goes to the terminal; nothing is written when nothing changed."""

    def __init__(self, *, write: Callable[[str], None]) -> None:
        self._write = write
        self._shown: str | None = None

    def show(self, status: Status) -> None:
        title = worded(status)
        if title != self._shown:
            save = _SAVE if self._shown is None else ""
            self._shown = title
            self._write(f"{save}\x1b]0;{title}\x07")

    def restore(self) -> None:
        if self._shown is not None:
            self._shown = None
            self._write(_RESTORE)


def worded(status: Status) -> str:
    """`(2) Fix the build - acme - jp`, printable characters only."""
    folder = os.path.basename(status.workspace.rstrip("/"))
    waiting = f"({len(status.waiting)}) " if status.waiting else ""
    parts = [neutralise(Foreign(part), "line") for part in (status.title.raw, folder)]
    said = waiting + " - ".join([part for part in parts if part] + ["jp"])
    return "".join(char for char in said if char.isprintable())[:_MOST]
