"""Close an app after an unhandled exception without Textual's traceback, which shows local variables, keys included."""

from __future__ import annotations

from typing import Any

from textual.app import App

from jp_tui.ui.textual_patches.shape import takes, uses


def check() -> None:
    """Raise Unfit if Textual keeps track of exceptions in another way than `close_failed` does."""
    takes(App, "_handle_exception", "self", "error")
    uses(App, "_handle_exception", "_return_code", "_exception", "_exception_event")
    takes(App, "_print_error_renderables", "self")
    uses(App, "_print_error_renderables", "_exit_renderables")
    takes(App, "_close_messages_no_wait", "self")


def close_failed(app: App[Any], error: Exception | None) -> None:
    """Close the app with status 1. `error` is kept as Textual keeps it: its test pilot raises it."""
    app._return_code = 1
    if error is not None:
        app._exception = error
        app._exception_event.set()
    app._close_messages_no_wait()


def take_exit_texts(app: App[Any]) -> list[str]:
    """Return the texts that Textual would print after the app ended, and empty its list."""
    kept = getattr(app, "_exit_renderables", [])
    texts = [one for one in kept if isinstance(one, str)]
    kept.clear()
    return texts
