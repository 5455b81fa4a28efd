"""Give the terminal to the user's own editor (asking.md, Ctrl+G), and restore it in any case.

`App.suspend` isn't used: it refuses where no shell could continue a stopped program, which an editor doesn't need. The
app is blocked while the editor has the screen. The engine continues in its own thread.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from typing import Any, TypeVar

from textual.app import App, SuspendNotSupported

from jp_tui.ui.driver.choice import workspace_driver

T = TypeVar("T")


def edited_outside(app: App[Any], text: str) -> str:
    """Edit `text` and return it. Raises OSError with the reason if there is no editor or no text."""
    from jp_tui.system.editor import edited  # loaded at the first Ctrl+G

    return _lent(app, lambda: edited(text))


def opened_outside(app: App[Any], path: str) -> None:
    """Edit an existing file. Raises OSError with the reason."""
    from jp_tui.system.editor import opened

    _lent(app, lambda: opened(path))


def _lent(app: App[Any], work: Callable[[], T]) -> T:
    """Return what `work` returns, which has the terminal."""
    driver = workspace_driver(app)
    if driver is None:
        return _suspended(app, work)
    app.app_suspend_signal.publish(app)
    driver.suspend_application_mode()
    try:
        with driver.no_automatic_restart(), redirect_stdout(sys.__stdout__), redirect_stderr(sys.__stderr__):
            return work()
    finally:
        driver.resume_application_mode()
        app.app_resume_signal.publish(app)
        app.refresh(layout=True)


def _suspended(app: App[Any], work: Callable[[], T]) -> T:
    """The same with another driver than jp-tui's."""
    try:
        with app.suspend():
            return work()
    except SuspendNotSupported as error:
        raise OSError("no terminal is available") from error
