"""The app's actions that open a page over the workspace. A page is imported when it is opened, never before (T23).

A page speaks with the engine itself (`screens/overlay.py`); nothing else of it is known here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from textual.app import App

    from jp_tui.ui.screens.settings import SettingsPage

    _Part = App[None]
else:
    _Part = object


class Pages(_Part):
    """A part of the app."""

    _wear: Callable[[str], bool]

    def action_settings(self) -> None:
        from jp_tui.ui.screens.settings import SettingsPage

        if not any(isinstance(one, SettingsPage) for one in self.screen_stack):
            self.push_screen(SettingsPage())

    def action_trust(self) -> None:
        from jp_tui.ui.screens.trust import TrustPage

        if not any(isinstance(one, TrustPage) for one in self.screen_stack):
            self.push_screen(TrustPage())

    def on_settings_page_wear(self, event: SettingsPage.Wear) -> None:
        event.stop()
        self._wear(event.theme)
