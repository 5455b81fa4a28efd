"""A list of names to choose one from, over any screen; returns the name, or None when cancelled.

It lists the given names and writes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from jp_tui.conversation.text import Foreign
from jp_tui.ui.screens.listing import Rows
from jp_tui.ui.screens.vi import VI, break_key, half_a_page, next_row, to_edge
from jp_tui.ui.text import foreign, join, ours
from jp_tui.ui.widgets.footer import KeyBar


class Choosing(ModalScreen[str | None], inherit_bindings=False):
    """`names` with the current one marked and highlighted."""

    BINDINGS = [
        Binding("enter", "choose", "select", id="choosing.take", tooltip="Select the highlighted entry"),
        Binding("j", "move(1)", "down", show=False, id="choosing.down", tooltip="Go to the next row"),
        Binding("k", "move(-1)", "up", show=False, id="choosing.up", tooltip="Go to the previous row"),
        Binding("escape,q", "dismiss(None)", "cancel", id="choosing.back", tooltip="Cancel and change nothing"),
        break_key("choosing", "cancel"),
        *VI,
    ]
    DEFAULT_CSS = """
    Choosing {
        align: center middle; background: $background 60%;
        Vertical {
            width: 60; max-width: 100%; height: auto; max-height: 80%; padding: 0 1; background: $sheet-background;
            border: round $sheet-border; border-title-style: bold;
        }
        OptionList, OptionList:focus {
            height: auto; max-height: 60vh; border: none; padding: 0; background: $sheet-background;
            text-wrap: nowrap; text-overflow: ellipsis; background-tint: $foreground 0%;
            & > .option-list--option-highlighted { background: $primary 8%; color: $foreground; text-style: none; }
            &:ansi > .option-list--option-highlighted { background: transparent; }
        }
        KeyBar { background: $sheet-background; width: 100%; height: auto; }
    }
    """

    def __init__(self, title: str, names: Sequence[str], current: str) -> None:
        super().__init__()
        self._title, self._names, self._current = Foreign(title), list(names), current
        self._marked = -1

    def compose(self) -> ComposeResult:
        with Vertical() as box:
            box.border_title = foreign(self._title, mode="line", limit=50)
            yield Rows(*(Option(_row(name, name == self._current)) for name in self._names))
            yield KeyBar(speaks_for_itself=lambda node: False)

    def on_mount(self) -> None:
        options = self.query_one(OptionList)
        options.highlighted = self._names.index(self._current) if self._current in self._names else 0
        options.focus()

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        options = event.option_list
        for at, marked in ((self._marked, False), (event.option_index, True)):
            if at >= 0:
                name = self._names[at]
                options.replace_option_prompt_at_index(at, _row(name, name == self._current, marked))
        self._marked = event.option_index

    action_edge, action_half, action_move = to_edge, half_a_page, next_row

    def action_choose(self) -> None:
        at = self.query_one(OptionList).highlighted
        if at is not None:
            self.dismiss(self._names[at])

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.dismiss(self._names[event.option_index])


def _row(name: str, current: bool, marked: bool = False) -> Content:
    """Return a row with a sign in front of the highlighted name, so that the meaning doesn't depend on a colour
    (E60)."""
    sign = ours("❯ ", style="bold $primary") if marked else ours("  ")
    mark = ours("● ", style="$primary") if current else ours("  ")
    return join(sign, mark, foreign(Foreign(name), mode="line", limit=50))
