"""A list of themes: the highlighted one is applied to the whole screen as a preview (issue 3, "Themes").

Esc restores the previous theme, Enter keeps the new one. Writes no setting: the app does.
"""

from __future__ import annotations

from collections.abc import Callable

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from jp_tui.ui.keys.bindings import words
from jp_tui.ui.screens.vi import VI, break_key, half_a_page, next_row, to_edge
from jp_tui.ui.text import ours


class ThemePicker(ModalScreen[str | None], inherit_bindings=False):
    """A list at the right; returns the chosen name, or None."""

    BINDINGS = [
        Binding("escape,q", "dismiss(None)", "cancel", id="themes.back", tooltip="Cancel and keep the previous theme"),
        Binding("j", "move(1)", "down", show=False, id="themes.down", tooltip="Go to the next row"),
        Binding("k", "move(-1)", "up", show=False, id="themes.up", tooltip="Go to the previous row"),
        break_key("themes", "cancel"),
        *VI,
    ]

    DEFAULT_CSS = """
    ThemePicker {
        align: right middle; background: transparent;
        Vertical {
            width: 36; height: auto; max-height: 80%; margin: 0 2; padding: 0 1; background: $sheet-background;
            border: round $sheet-border; border-title-style: bold; border-subtitle-color: $muted-foreground;
        }
        OptionList, OptionList:focus {
            height: auto; max-height: 100%; border: none; padding: 0; background: $sheet-background;
        }
    }
    """

    def __init__(self, *, names: list[str], current: str, wear: Callable[[str], bool]) -> None:
        """`wear` applies a theme and returns True if it could."""
        super().__init__()
        self._wear = wear
        self._names = names
        self._current = current

    def compose(self) -> ComposeResult:
        with Vertical() as box:
            box.border_title = ours("Theme")
            box.border_subtitle = ours("Enter keeps · Esc cancels")
            yield OptionList(*(Option(words(name)) for name in self._names))

    def on_mount(self) -> None:
        options = self.query_one(OptionList)
        options.highlighted = self._names.index(self._current) if self._current in self._names else 0
        options.focus()

    @on(OptionList.OptionHighlighted)
    def _highlighted(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        self._wear(self._names[event.option_index])

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.dismiss(self._names[event.option_index])

    action_edge, action_half, action_move = to_edge, half_a_page, next_row
