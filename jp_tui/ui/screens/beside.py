"""The activity beside the conversation, or over it where there is no room (E61). A part of `WorkspaceScreen`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jp_tui.ui.composer.composer import Composer
from jp_tui.ui.sidebar.sidebar import Sidebar

if TYPE_CHECKING:
    from textual.screen import Screen

    _Part = Screen[None]
else:
    _Part = object

WIDE = 100
"""Columns from which on the activity has room beside the conversation."""


class Beside(_Part):
    """The screen's side of the sidebar."""

    _beside = True
    _over = False

    @property
    def beside(self) -> bool:
        """Whether it stands beside the conversation wherever there is room."""
        return self._beside

    def action_sidebar(self) -> None:
        if self.size.width < WIDE:
            self._over = not self._over
        else:
            self._beside = not self._beside
        self._place_sidebar(self.size.width)

    action_close_sidebar = action_sidebar

    def _place_sidebar(self, width: int) -> None:
        """Beside the conversation where there is room; over it, and only when asked for, where there is none."""
        sidebar = self.query_one(Sidebar)
        narrow = width < WIDE
        self._over &= narrow
        sidebar.set_class(narrow, "-over")
        shown = self._over if narrow else self._beside
        if sidebar.has_focus and not shown:
            self.set_focus(self.query_one(Composer))
        sidebar.display = shown
        self.refresh_bindings()
