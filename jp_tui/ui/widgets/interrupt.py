"""The interrupt menu, where the composer was (inquiries.md R211, R215, M44).

Shows the choices of `view/interrupt.py` and posts the one that was taken; Esc is Continue. A choice that goes with
words opens a line for them, kept when the highlight moves on. It knows no turn and sends nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, OptionList
from textual.widgets.option_list import Option

from jp_tui.ui.keys import words
from jp_tui.ui.text import join, ours, styled
from jp_tui.view.interrupt import CONTINUE, TITLE, Choice

LABELS = 26
"""Cells of the widest label, so that the descriptions stand in a column."""


class InterruptMenu(Vertical):
    """Four numbered choices, and a line for words where one needs them."""

    BINDINGS = [
        Binding("escape", "back", "continue", id="interrupt.back", tooltip="Nothing happened; the turn goes on"),
        Binding("up,k", "move(-1)", "up", show=False, id="interrupt.up", tooltip="The choice above"),
        Binding("down,j", "move(1)", "down", show=False, id="interrupt.down", tooltip="The choice below"),
        Binding("tab,shift+tab", "stay", show=False, id="interrupt.stay"),
        *(
            Binding(str(n), f"pick({n})", f"choice {n}", show=False, id=f"interrupt.{n}", tooltip="Take it at once")
            for n in range(1, 5)
        ),
    ]

    DEFAULT_CSS = """
    InterruptMenu {
        height: auto; background: $sheet-background; border: round $warning; padding: 0 1;
        border-title-color: $waiting-foreground; border-title-style: bold; border-subtitle-color: $muted-foreground;
        OptionList { height: auto; border: none; background: $sheet-background; padding: 0; max-height: 8; }
        Input { display: none; border: none; height: 1; padding: 0 1; background: $background; margin: 1 0 0 0; }
        &.-words Input { display: block; }
    }
    """

    @dataclass
    class Chosen(Message):
        """This was chosen, with these words where it takes some."""

        choice: Choice
        text: str = ""

    def __init__(self, *, choices: tuple[Choice, ...], id: str | None = None) -> None:
        super().__init__(id=id)
        self._choices = choices
        self.border_title = ours("{title}", title=words(TITLE))  # type: ignore[assignment]

    def compose(self) -> ComposeResult:
        rows = [Option(_row(number, choice)) for number, choice in enumerate(self._choices, 1)]
        yield OptionList(*rows)
        field = Input(placeholder="", select_on_focus=False)
        field.cursor_blink = False
        yield field

    def on_mount(self) -> None:
        self.query_one(OptionList).highlighted = 0
        self.take_focus()
        self._hint()

    @property
    def words(self) -> str:
        """What was written and not sent."""
        return self.query_one(Input).value

    @words.setter
    def words(self, text: str) -> None:
        self.query_one(Input).value = text

    def take_focus(self) -> None:
        """The focus to the list, or to the words."""
        self.screen.set_focus(self.query_one(Input if self.has_class("-words") else OptionList))

    def _hint(self) -> None:
        writing = self.has_class("-words")
        text = ours("Enter sends · Esc back") if writing else ours("1-4 or ↑ ↓ and Enter · Esc continues")
        self.border_subtitle = text  # type: ignore[assignment]

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self._take(self._choices[event.option_index])

    @on(Input.Submitted)
    def _worded(self, event: Input.Submitted) -> None:
        event.stop()
        choice = self._choices[self.query_one(OptionList).highlighted or 0]
        if event.value.strip():
            self.post_message(self.Chosen(choice, event.value))

    def _take(self, choice: Choice) -> None:
        if not choice.words:
            self.post_message(self.Chosen(choice))
            return
        self.add_class("-words")
        self.take_focus()
        self._hint()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """While words are written, the keys of the list are characters."""
        return not (self.has_class("-words") and action in ("move", "pick"))

    def action_move(self, step: int) -> None:
        options = self.query_one(OptionList)
        options.highlighted = ((options.highlighted or 0) + step) % len(self._choices)

    def action_pick(self, number: int) -> None:
        self.query_one(OptionList).highlighted = number - 1
        self._take(self._choices[number - 1])

    def action_stay(self) -> None:
        """Tab leads nowhere: the menu is all there is until it is answered."""

    def action_back(self) -> None:
        """Out of the words first, their text kept; then Continue."""
        if self.has_class("-words"):
            self.remove_class("-words")
            self.take_focus()
            self._hint()
        else:
            self.post_message(self.Chosen(CONTINUE))

    def on_paste(self, event: events.Paste) -> None:
        event.stop()


def _row(number: int, choice: Choice) -> Content:
    label = styled(words(choice.label.ljust(LABELS)), "bold")
    return join(
        styled(words(f"{number}  "), "$muted-foreground"), label, styled(words(choice.does), "$muted-foreground")
    )
