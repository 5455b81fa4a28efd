"""Take over keys and screen from the guardian once the app's first whole frame is painted.

Until then nothing of the app is shown (`driver/first_frame.py` holds it back), so that the guardian's frame is replaced
in one write and no typed text ever disappears from the screen (designs.md A.4, A.5).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from jp_tui import guardian
from jp_tui.ui.driver.choice import driver_class, workspace_driver
from jp_tui.ui.widgets.footer import KeyBar

if TYPE_CHECKING:
    from textual.app import App
    from textual.driver import Driver

    from jp_tui.ui.first_look import Keys
    from jp_tui.ui.screens.workspace import WorkspaceScreen

_CAPTURE_DELAY = 1.0
"""Seconds after which the frame is saved: the start is over then, or a theme was chosen."""


@dataclass(frozen=True, slots=True)
class SaveFirstFrame:
    """Save how the screen looks for the next start. `theme` is the one that the command line named, if any."""

    theme: str = ""


@dataclass(frozen=True, slots=True)
class TypedText:
    """Text that was typed before the app read keys, with the cursor's place in it."""

    text: str
    cursor: int


def choose_driver() -> tuple[type[Driver] | None, TypedText | None]:
    """Return the driver class for the app, and what was typed if the class is None, for Textual's own driver.

    Textual's driver can't take the terminal from the guardian, so it is taken here.
    """
    if (found := driver_class()) is not None:
        return found, None
    text, cursor, _ = guardian.take_keys()
    guardian.screen_up(aside=False)  # Textual draws on stderr
    guardian.return_environment()
    return None, TypedText(text, cursor)


class Handover:
    """The hand-over to one app. `typed` comes from `choose_driver`; `save` is None if no frame is saved."""

    def __init__(
        self, app: App[Any], main: WorkspaceScreen, typed: TypedText | None, save: SaveFirstFrame | None
    ) -> None:
        self._app, self._main, self._typed, self._save = app, main, typed, save
        self._done = False
        self._first_keys: Keys | None = None

    def frame_painted(self) -> None:
        """Hand over if this is the first whole frame: take the keys, and show it with all that was typed."""
        if self._done or not self._app.is_running:
            return
        driver, composer = workspace_driver(self._app), self._main.composer
        if driver is None or not driver.first_frame.held:
            self._done = True
            if self._typed is not None:
                text, cursor, later = self._typed.text, self._typed.cursor, composer.text
                composer.typed_ahead(text[:cursor] + later + text[cursor:], cursor + len(later))
            return
        frame = driver.first_frame
        if not frame.is_complete(self._app.size.height):
            return
        self._done = True
        if not composer.busy:  # with a prompt on the command line other keys are shown
            self._first_keys = self._main.query_one(KeyBar).parts()
        self._app.set_timer(_CAPTURE_DELAY, self.save_frame)
        self._app.theme_changed_signal.subscribe(
            self._app, lambda _: self._app.set_timer(_CAPTURE_DELAY, self.save_frame)
        )
        text, cursor, rest = guardian.take_keys()
        if composer.typed_ahead(text, cursor):
            frame.drop_frames()
            self._app.refresh()
            self._app.call_after_refresh(frame.release, rest)
        else:
            frame.release(rest)

    def save_frame(self) -> None:
        """Save how the screen looks now, for the next start."""
        if self._save is None or not self._done:
            return
        from jp_tui.ui.first_look import keep, look_of

        if (look := look_of(self._main, self._first_keys)) is not None:
            keep(look, self._save.theme if self._save.theme == self._app.theme else "")
