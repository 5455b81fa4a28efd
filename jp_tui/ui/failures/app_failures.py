"""Failures of what runs beside the app's own messages: asyncio tasks and callbacks, threads, the painter (Z27).

Each kind of failure writes one redacted report and one line; everything else goes on. What fails in the app's own
message loop is not here: it ends the app (`crash.py`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from jp_tui.link.strays import Strays
from jp_tui.system.faults import Seen
from jp_tui.ui.failures.crash_report import report_file, short_words
from jp_tui.view.wording.failures import words


class Background:
    """`later` is the app's `call_later`, which any thread may call (it posts a message); `say` shows two texts; `state`
    is where reports go."""

    def __init__(self, later: Callable[..., bool], say: Callable[[str, str], None], state: Path) -> None:
        self._later, self._say, self._state = later, say, state
        self._seen = Seen()

    def watch(self) -> None:
        """Report what fails in the running loop, from now on."""
        Strays(self.failed).watch(asyncio.get_running_loop())

    def failed_in_thread(self, error: BaseException) -> None:
        """Called in the thread that failed."""
        if isinstance(error, Exception):
            self._later(self.failed, error)

    def failed(self, error: Exception) -> None:
        """Write the report and say so, once for each kind."""
        if self._seen.new(error):
            self._say(*words(short_words(error), report_file(error, self._state)))
