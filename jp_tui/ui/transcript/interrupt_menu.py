"""The interrupt menu, in place of the composer, in the look of a sheet (inquiries.md R211, R215, M44).

Shows the choices of `view/questions/interrupt_menu.py` and posts the user's choice; Esc is Continue. For a choice that
needs a text, the menu becomes one line over the composer, where the user writes it.
"""

from __future__ import annotations

from dataclasses import dataclass

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.message import Message
from textual.reactive import reactive
from textual.widgets import Static

from jp_tui.ui.keys.bindings import words
from jp_tui.ui.sheets.choice_list import ChoiceList, ChoiceRow
from jp_tui.ui.text import ours
from jp_tui.ui.textual_patches.private import own_bindings
from jp_tui.view.questions.interrupt_menu import CONTINUE, TITLE, InterruptChoice


class InterruptMenu(Vertical, can_focus=True):
    """Four numbered choices. Gets every key until one is chosen."""

    BINDINGS = [
        Binding("enter", "take", "select", id="interrupt.take", tooltip="Select the highlighted choice"),
        Binding("escape", "go_on", "continue", id="interrupt.continue", tooltip="Continue the turn"),
        Binding("up,k,ctrl+p", "move(-1)", "up", show=False, id="interrupt.up", tooltip="Go to the previous choice"),
        Binding("down,j,ctrl+n", "move(1)", "down", show=False, id="interrupt.down", tooltip="Go to the next choice"),
        *(
            Binding(str(n), f"pick({n})", f"choice {n}", show=False, id=f"interrupt.{n}", tooltip="Select it directly")
            for n in range(1, 5)
        ),
    ]

    DEFAULT_CSS = """
    InterruptMenu {
        height: auto; padding: 0 1; background: $surface; border: round $warning;
        border-title-color: $warning; border-title-style: bold; border-subtitle-color: $text-muted;
        & > Static { display: none; height: auto; color: $text-muted; }
        &.-words { & > Static { display: block; } & > ChoiceList { display: none; } }
    }
    """

    wording: reactive[InterruptChoice | None] = reactive(None, init=False)
    """The choice whose text is being written in the composer."""

    @dataclass
    class Chosen(Message):
        """The user's choice."""

        choice: InterruptChoice

    def __init__(self, *, choices: tuple[InterruptChoice, ...], id: str | None = None) -> None:
        super().__init__(id=id)
        self._choices = choices
        self.border_title = words(TITLE)
        self.border_subtitle = ours("1-4 or ↑ ↓ Enter · Esc continues")

    def compose(self) -> ComposeResult:
        rows = [
            ChoiceRow(str(n), words(choice.label), key=words(str(n)), detail=words(choice.does))
            for n, choice in enumerate(self._choices, 1)
        ]
        yield ChoiceList(*rows, cursor=0)
        yield Static()

    def watch_wording(self, choice: InterruptChoice | None) -> None:
        self.set_class(choice is not None, "-words")
        self.border_title = words(TITLE if choice is None else choice.label)
        self.border_subtitle = (
            ours("1-4 or ↑ ↓ Enter · Esc continues") if choice is None else ours("Enter sends · Esc back to the menu")
        )
        if choice is not None:
            self.query_one(Static).update(ours("Type below: {does}", does=words(choice.does)))

    def action_take(self) -> None:
        self.post_message(self.Chosen(self._choices[self.query_one(ChoiceList).cursor or 0]))

    def action_go_on(self) -> None:
        self.post_message(self.Chosen(CONTINUE))

    def action_move(self, step: int) -> None:
        self.query_one(ChoiceList).move(step)

    def action_pick(self, number: int) -> None:
        self.query_one(ChoiceList).to(number - 1)
        self.action_take()

    @on(ChoiceList.Picked)
    def _picked(self, event: ChoiceList.Picked) -> None:
        event.stop()
        self.action_pick(int(event.id))

    def on_key(self, event: events.Key) -> None:
        """Drop keys that aren't the menu's: they weren't meant for the draft either."""
        if event.is_printable or event.key in ("tab", "shift+tab"):
            known = own_bindings(self).key_to_bindings.get(event.key)
            if not known:
                event.stop()

    def on_paste(self, event: events.Paste) -> None:
        event.stop()
