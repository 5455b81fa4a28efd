"""Failures while the app runs: one that ends it, and those in tasks, callbacks, threads and the painter (T7, Z27).

An unhandled exception of the app's own messages ends the app with status 1, a short message and a redacted report. Any
other failure writes one report and one notice for each kind, and the app continues.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from textual.app import App

from jp_tui import guardian
from jp_tui.link.strays import Strays
from jp_tui.system.faults import SeenFailures
from jp_tui.ui import textual_patches
from jp_tui.ui.failures.crash_report import report_file, short_message, short_words
from jp_tui.ui.textual_patches.crashes import close_failed, take_exit_texts
from jp_tui.view.wording.failures import words

_GO_ON = "Your conversation is saved. Run `jp-tui -c` to resume it."


class EngineBroke(Exception):
    """A bug in the engine. The message is the engine's redacted report."""


class AppFailures:
    """Handles the failures of one app, which calls the methods from its methods of similar names.

    `state` is the folder for reports; `note(message, advice)` shows a notice.
    """

    def __init__(self, app: App[Any], state: Path, note: Callable[[str, str], None]) -> None:
        self._app, self._state, self._note = app, state, note
        self._seen = SeenFailures()
        self.crashed = False
        """True after the first unhandled exception. Failures while the app closes follow from that one."""

    # -- an exception that ends the app

    def crash(self, error: Exception) -> None:
        """End the app, for `App._handle_exception`: with Textual's bookkeeping, but without its output.

        Where the bookkeeping has another shape, the app ends by `App.exit`.
        """
        first, self.crashed = not self.crashed, True
        if first:
            guardian.last_word(f"{short_message(error, self._state)}\n{_GO_ON}", error=True)
        if textual_patches.applied("crashes"):
            close_failed(self._app, error if first else None)
        else:
            self._app.exit(return_code=1)

    def panic(self, *renderables: object) -> None:
        """End the app, for `App.panic`, which Textual calls for failures outside its message loop."""
        error = sys.exception()
        text = " ".join(one for one in renderables if isinstance(one, str))
        self.crash(error if isinstance(error, Exception) else RuntimeError(text or "Textual panicked"))

    def hold_exit_message(self) -> None:
        """Give the message of `App.exit` to the guardian, which prints it once the terminal is restored."""
        texts = take_exit_texts(self._app)
        if texts and not self.crashed:
            guardian.last_word(texts[0])

    def status(self, return_code: int) -> int:
        """Return the status to exit with: 1 after a failure."""
        return 1 if self.crashed else return_code

    # -- failures beside the app's messages

    def watch(self) -> None:
        """Report failures in the running event loop from now on."""
        Strays(self.report).watch(asyncio.get_running_loop())

    def report_from_thread(self, error: BaseException) -> None:
        """Report the exception of a thread. Called in that thread."""
        if isinstance(error, Exception):
            self._app.call_later(self.report, error)

    def report(self, error: Exception) -> None:
        """Write a report and show a notice, once for each kind of failure."""
        if self._seen.new(error):
            self._note(*words(short_words(error), report_file(error, self._state)))
