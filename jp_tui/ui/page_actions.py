"""The app's actions that open a page over the workspace. A page is imported when it is opened, never before (T23).

A page speaks with the engine itself (`screens/overlay.py`); nothing else of it is known here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from jp_tui.ui import themes
from jp_tui.ui.text import ours

if TYPE_CHECKING:
    from textual.app import App

    from jp_tui.ui.bridge import Bridge
    from jp_tui.ui.screens.library import Library
    from jp_tui.ui.screens.settings import SettingsPage
    from jp_tui.ui.screens.workspace import WorkspaceScreen

    _Part = App[None]
else:
    _Part = object


class Pages(_Part):
    """A part of the app."""

    _wear: Callable[[str], bool]
    _theme_files: Mapping[str, str]
    _bridge: Bridge
    _main: WorkspaceScreen
    _go_to: Callable[[str], None]
    wall: Callable[[], float]

    def action_settings(self) -> None:
        from jp_tui.ui.screens.settings import SettingsPage

        if not any(isinstance(one, SettingsPage) for one in self.screen_stack):
            self.push_screen(SettingsPage(tuple(themes.choices(self._theme_files))))

    def action_trust(self) -> None:
        from jp_tui.ui.screens.trust import TrustPage

        if not any(isinstance(one, TrustPage) for one in self.screen_stack):
            self.push_screen(TrustPage())

    def action_model(self, name: str = "") -> None:
        """The model of that name from the next turn on, or a list of them."""
        from jp_tui.protocol.commands import SwitchModel
        from jp_tui.ui.screens.models import Models

        if name:
            self._bridge.send(SwitchModel(conversation=self._main.conversation, model=name))
        elif not any(isinstance(one, Models) for one in self.screen_stack):
            self.push_screen(Models(self._main.conversation, self._main.model))

    def action_usage(self) -> None:
        from jp_tui.ui.screens.usage import Usage

        if not self._main.conversation:
            self._main.say(ours("There is no conversation yet"))
        elif not any(isinstance(one, Usage) for one in self.screen_stack):
            self.push_screen(Usage(self._main.conversation))

    def action_conversations(self) -> None:
        from jp_tui.ui.screens.library import Library

        if not any(isinstance(one, Library) for one in self.screen_stack):
            workspace, home = self._main.place
            page = Library(workspace=workspace, home=home, here=self._main.conversation, wall=self.wall)
            self.push_screen(page)

    def on_library_chosen(self, event: Library.Chosen) -> None:
        event.stop()
        self.pop_screen()
        self._go_to(event.conversation)

    def on_settings_page_wear(self, event: SettingsPage.Wear) -> None:
        event.stop()
        self._wear(event.theme)
