"""Take over keys and screen from the guardian once the app's first whole frame is painted.

Until then nothing of the app is shown (`driver/first_frame.py` holds it back), so that the guardian's frame is replaced
in one write and no typed text ever disappears from the screen (designs.md A.4, A.5).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jp_tui import guardian
from jp_tui.ui.driver.choice import driver_class, workspace_driver
from jp_tui.ui.widgets.footer import KeyBar

if TYPE_CHECKING:
    from textual.app import App
    from textual.driver import Driver

    from jp_tui.ui.capture import Keys
    from jp_tui.ui.screens.workspace import WorkspaceScreen

_LATER = 1.0
"""Seconds after which the look is kept: the start is over then, or the user chose a theme."""


@dataclass(frozen=True, slots=True)
class Keep:
    """How the look of the first frame is kept for the next start. `theme` is the one named on the command line."""

    theme: str = ""


class Handover:
    """Takes the keys and the screen from the guardian, once for an app. `main` gives its screen."""

    def __init__(self, app: App[None], main: Callable[[], WorkspaceScreen]) -> None:
        self._app, self._main = app, main
        self._over = False
        self._first_keys: Keys | None = None
        self._typed_ahead: tuple[str, int] | None = None
        self.keeps: Keep | None = None
        """None if nothing is kept for the next start."""

    def driver_class(self) -> type[Driver] | None:
        """Return jp-tui's driver; None for Textual's own.

        That one can't take the terminal from the guardian, so it is taken here, with what was typed before.
        """
        if (found := driver_class()) is None:
            text, cursor, _ = guardian.take_keys()
            self._typed_ahead = text, cursor
            guardian.screen_up(aside=False)  # Textual draws on stderr
            guardian.return_environment()
        return found

    def painted(self) -> None:
        """Take over if the frame that was just painted is the first whole one, with all that was typed."""
        if self._over or not self._app.is_running:
            return
        driver, composer = workspace_driver(self._app), self._main().composer
        if driver is None or not driver.first_frame.held:
            self._over = True
            if self._typed_ahead is not None:
                (text, cursor), later = self._typed_ahead, composer.text
                composer.typed_ahead(text[:cursor] + later + text[cursor:], cursor + len(later))
            return
        frame = driver.first_frame
        if not frame.is_complete(self._app.size.height):
            return
        self._over = True
        if not composer.busy:  # a prompt on the command line changes the keys
            self._first_keys = self._main().query_one(KeyBar).parts()
        self._app.set_timer(_LATER, self.keep_look)
        self._app.theme_changed_signal.subscribe(self._app, lambda _: self._app.set_timer(_LATER, self.keep_look))
        text, cursor, rest = guardian.take_keys()
        if composer.typed_ahead(text, cursor):
            frame.drop_frames()
            self._app.refresh()
            self._app.call_after_refresh(frame.release, rest)
        else:
            frame.release(rest)

    def keep_look(self) -> None:
        """Keep the look for the next start's frame."""
        if self.keeps is None or not self._over:
            return
        from jp_tui.ui.capture import keep, look_of

        if (look := look_of(self._main(), self._first_keys)) is not None:
            keep(look, self.keeps.theme if self.keeps.theme == self._app.theme else "")
