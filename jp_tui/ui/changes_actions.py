"""The app's side of `/diff` and `/undo`: the page is opened, a diff is copied, a file goes to the user's editor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jp_tui.ui.clipboard import Clipping
from jp_tui.ui.text import ours

if TYPE_CHECKING:
    from jp_tui.ui.screens.changes import Changes
    from jp_tui.ui.screens.workspace import WorkspaceScreen


class Changing(Clipping):
    """A part of the app."""

    _main: WorkspaceScreen

    def action_diff(self, argument: str = "") -> None:
        self._changes(argument, undo=False)

    def action_undo_changes(self, argument: str = "") -> None:
        self._changes(argument, undo=True)

    def _changes(self, argument: str, *, undo: bool) -> None:
        from jp_tui.ui.screens.changes import Changes

        if not self._main.conversation:
            self._main.say(ours("There is no conversation yet"))
        elif argument not in ("", "all"):
            self._main.say(ours("only `all` may stand behind it: all turns of this conversation"))
        elif not isinstance(self.screen, Changes):
            scope = "conversation" if argument == "all" else "turn"
            self.push_screen(Changes(self._main.conversation, scope=scope, undo=undo))  # type: ignore[arg-type]

    def on_changes_copy(self, event: Changes.Copy) -> None:
        event.stop()
        self.copied(event.text, "the diff")

    def on_changes_edit(self, event: Changes.Edit) -> None:
        from jp_tui.ui.external_editor import opened_outside
        from jp_tui.ui.screens.changes import Changes

        event.stop()
        wrong = ""
        try:
            opened_outside(self, event.file)
        except OSError as error:
            wrong = f"The editor could not be used: {error}"
        if isinstance(self.screen, Changes):
            self.screen.edited(wrong)
