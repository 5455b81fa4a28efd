"""The app's side of the first-run page: it is opened, and the workspace goes on with what was chosen there."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from textual.app import App

    from jp_tui.ui.bridge import Bridge
    from jp_tui.ui.screens.setup import SetupPage
    from jp_tui.ui.screens.workspace import WorkspaceScreen

    _Part = App[None]
else:
    _Part = object


class FirstRun(_Part):
    """A part of the app."""

    _bridge: Bridge
    _main: WorkspaceScreen

    def action_setup(self) -> None:
        from jp_tui.ui.screens.setup import SetupPage

        if not any(isinstance(one, SetupPage) for one in self.screen_stack):
            self.push_screen(SetupPage())

    def on_setup_page_saved(self, event: SetupPage.Saved) -> None:
        """The new model at once, in a conversation of its own."""
        from jp_tui.protocol.commands import OpenConversation

        event.stop()
        self._main.drafts.flush()
        self._bridge.send(OpenConversation(which="new"))
