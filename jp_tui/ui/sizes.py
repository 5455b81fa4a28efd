"""The app's side of the terminal's size: what is used of it, and what is shown where it is too small or too large."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import events
from textual.geometry import Size

from jp_tui.guardian import MOST
from jp_tui.ui.screens.small import TooSmall, too_large, too_small
from jp_tui.ui.terminal import workspace_driver

if TYPE_CHECKING:
    from textual.app import App

    from jp_tui.ui.bridge import Bridge
    from jp_tui.ui.screens.workspace import WorkspaceScreen

    _Part = App[None]
else:
    _Part = object


class Sized(_Part):
    """A part of the app."""

    _bridge: Bridge
    _main: WorkspaceScreen
    _larger: tuple[int, int] | None = None

    @property
    def size(self) -> Size:
        """What is used of the terminal: Textual takes it from the console, which knows no bounds."""
        width, height = super().size
        return Size(min(width, MOST[0]), min(height, MOST[1]))

    def on_resize(self, event: events.Resize) -> None:
        """Too small is a screen of its own over whatever there is, and goes away by itself."""
        small = next((one for one in self.screen_stack if isinstance(one, TooSmall)), None)
        if too_small(*event.size):
            if small is None:
                self.push_screen(TooSmall())
        elif small is not None:
            small.dismiss(None)
        self.tell_size()

    def tell_size(self) -> None:
        """Of a terminal that is larger than is used, once for each size (Z27)."""
        driver = workspace_driver(self)
        larger = driver.larger if driver is not None else None
        if larger != self._larger and self._bridge.started:
            self._larger = larger
            if larger is not None:
                self._main.note(too_large(*larger))
