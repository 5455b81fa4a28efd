"""The app takes over from its guardian: what was typed before it was there, then the keys, then the screen.

A part of the app. Until its first whole frame is painted nothing of it is shown (`driver.py` holds it), so that the
skeleton gives way to it in one write and no typed text is ever gone from the screen (designs.md A.4, A.5).
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

    from jp_tui.ui.first_look import Keys
    from jp_tui.ui.screens.workspace import WorkspaceScreen

    _Part = App[None]
else:
    _Part = object


_LATER = 1.0
"""Seconds after which the look is kept: the start is over then, or somebody chose a theme."""


@dataclass(frozen=True, slots=True)
class Keep:
    """`theme` is the one that the command line named, if it did."""

    theme: str = ""


class Arriving(_Part):
    """The app's side of the hand-over."""

    _main: WorkspaceScreen
    _arrived = False
    _first_keys: Keys | None = None
    _typed_ahead: tuple[str, int] | None = None
    """What was typed before a driver took over that isn't ours."""
    can_start: Callable[[], bool] = staticmethod(lambda: True)
    """Asked once the first frame is painted: whether there can be an engine. If not, the app ends with 2, and whoever
    said so says why."""
    keeps_look: Keep | None = None
    """How the first frame is kept for the next start; None where it is not."""

    def chosen_driver(self) -> type[Driver] | None:
        """Our driver; None for Textual's. That one takes no terminal from a guardian, so it is taken here."""
        if (found := driver_class()) is None:
            text, cursor, _ = guardian.take_keys()
            self._typed_ahead = text, cursor
            guardian.screen_up(aside=False)  # Textual draws on stderr
            guardian.return_environment()
        return found

    def post_display_hook(self) -> None:
        """Called by Textual after each frame."""
        if not self._arrived:
            self._arrive()

    def _arrive(self) -> None:
        """The first whole frame is painted: take the keys, and show it with all that was typed in it."""
        if not self.is_running:
            return
        driver = workspace_driver(self)
        if driver is None or not driver.holding:
            self._arrived = True
            if self._typed_ahead is not None:
                (text, cursor), later = self._typed_ahead, self._main.composer.text
                self._main.composer.typed_ahead(text[:cursor] + later + text[cursor:], cursor + len(later))
            return
        if not driver.framed(self.size.height):
            return
        self._arrived = True
        if not self._main.composer.busy:  # a prompt on the command line makes them others
            self._first_keys = self._main.query_one(KeyBar).parts()
        self.set_timer(_LATER, self.keep_look)
        self.theme_changed_signal.subscribe(self, lambda _: self.set_timer(_LATER, self.keep_look))
        text, cursor, rest = guardian.take_keys()
        if self._main.composer.typed_ahead(text, cursor):
            driver.forget_frames()
            self.refresh()
            self.call_after_refresh(driver.let_go, rest)
        else:
            driver.let_go(rest)

    def keep_look(self) -> None:
        """The next start begins with how it looks now."""
        if self.keeps_look is None or not self._arrived:
            return
        from jp_tui.ui.first_look import keep, look_of

        if (look := look_of(self._main, self._first_keys)) is not None:
            keep(look, self.keeps_look.theme if self.keeps_look.theme == self.theme else "")
