"""The app's side of the first frame: it takes the keys and the screen over, and keeps its look for the next start.

Nothing of the app is shown until its first whole frame is painted (`driver/first_frame.py` holds it back), so that it
replaces the early frame in one write and no typed text ever disappears from the screen (designs.md A.4, A.5). If the
last screen of the resumed conversation is shown, the app waits with that until the conversation itself is painted.
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

    from jp_tui.first_frame.last_screen import PaintedScreen
    from jp_tui.ui.capture import Keys
    from jp_tui.ui.driver.first_frame import FirstFrame
    from jp_tui.ui.screens.workspace import WorkspaceScreen

_LATER = 1.0
"""Seconds after which the look is saved: the start is over then, or the user chose a theme."""
_PATIENCE = 3.0
"""Seconds after the app's first frame for which a last screen may be shown in place of the conversation. Keys that the
early screen doesn't know wait for it."""


@dataclass(frozen=True, slots=True)
class Keep:
    """Settings for saving the next start's first frame: `theme` is the one named on the command line ("" for none, None
    if the look isn't saved), `screen` saves the last screen."""

    theme: str | None
    screen: Callable[[PaintedScreen], None]


class Handover:
    """Takes the keys and the screen from the guardian, once for an app. `main` gives its screen."""

    def __init__(self, app: App[None], main: Callable[[], WorkspaceScreen]) -> None:
        self._app, self._main = app, main
        self._framed = self._over = False
        self._impatient = False
        self._first_keys: Keys | None = None
        self._typed_ahead: tuple[str, int] | None = None
        self._screen_kept = False
        self.keeps: Keep | None = None
        """None if nothing is saved for the next start."""

    def driver_class(self) -> type[Driver] | None:
        """Return jp-tui's driver; None for Textual's own.

        Textual's can't take the terminal from the guardian, so it is taken here, with the keys typed before.
        """
        if (found := driver_class()) is None:
            text, cursor, _ = guardian.take_keys()
            self._typed_ahead = text, cursor
            guardian.screen_up(aside=False)  # Textual draws on stderr
            guardian.return_environment()
        return found

    def painted(self) -> None:
        """Take over if the frame that was just painted is the one to be shown first."""
        if self._over or not self._app.is_running:
            return
        driver = workspace_driver(self._app)
        if driver is None or not driver.first_frame.held:
            self._over = True
            if self._typed_ahead is not None:
                (text, cursor), later = self._typed_ahead, self._main().composer.text
                self._main().composer.typed_ahead(text[:cursor] + later + text[cursor:], cursor + len(later))
            return
        frame = driver.first_frame
        if not self._framed and not self._first_frame(frame):
            return
        if not guardian.last_screen_shown() or self._impatient or self._main().conversation_shown:
            self._take_over(frame)

    def _first_frame(self, frame: FirstFrame) -> bool:
        """True if the app's own first frame is painted, whether or not it is shown."""
        self._framed = frame.is_complete(self._app.size.height)
        if self._framed:
            if not self._main().composer.busy:  # a prompt on the command line changes the keys
                self._first_keys = self._main().query_one(KeyBar).parts()
            if guardian.last_screen_shown():
                self._app.set_timer(_PATIENCE, self._wait_no_longer)
        return self._framed

    def _wait_no_longer(self) -> None:
        self._impatient = True
        self.painted()

    def _take_over(self, frame: FirstFrame) -> None:
        """Take the keys, and show the whole frame with everything that was typed in it."""
        self._over = True
        self._app.set_timer(_LATER, self.keep_look)
        self._app.theme_changed_signal.subscribe(self._app, lambda _: self._app.set_timer(_LATER, self.keep_look))
        text, cursor, rest = guardian.take_keys()
        typed = self._main().composer.typed_ahead(text, cursor)
        if typed or guardian.last_screen_shown():  # the frames so far are out of date, or show no conversation
            frame.drop_frames()
            self._app.refresh()
            self._app.call_after_refresh(frame.release, rest)
        else:
            frame.release(rest)

    def keep_look(self) -> None:
        """Save the look for the next start's frame."""
        if self.keeps is None or self.keeps.theme is None or not self._over:
            return
        from jp_tui.ui.capture import keep, look_of

        if (look := look_of(self._main(), self._first_keys)) is not None:
            keep(look, self.keeps.theme if self.keeps.theme == self._app.theme else "")

    def keep_screen(self) -> None:
        """Save the last screen of the conversation, once, when the workspace is left."""
        if self.keeps is None or not self._over or self._screen_kept:
            return
        self._screen_kept = True
        from jp_tui.ui.capture import last_screen_of

        if (shown := last_screen_of(self._main())) is not None:
            self.keeps.screen(shown)
