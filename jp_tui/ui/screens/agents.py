"""The sub-agents of the conversation in sight: who, for what, how far; Enter opens one's conversation (issue 7, E4).

It shows what is known when it is opened. It starts and stops nobody.
"""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from jp_tui.conversation.text import Foreign
from jp_tui.ui.screens.listing import Rows
from jp_tui.ui.text import foreign, join, ours
from jp_tui.ui.widgets.footer import KeyBar
from jp_tui.view.agents import Agent

ASKING = ("awaiting_input", "awaiting_permission", "awaiting_result_edit")
"""States of a call that waits for the human; what a sub-agent asks itself is shown as its parent's (R222)."""


class Agents(ModalScreen[str | None], inherit_bindings=False):
    """Answers with the id of the conversation that was chosen."""

    BINDINGS = [
        Binding("enter", "choose", "open", id="agents.open", tooltip="Its conversation, live"),
        Binding("j", "move(1)", "down", show=False, id="agents.down", tooltip="The next one"),
        Binding("k", "move(-1)", "up", show=False, id="agents.up", tooltip="The one before"),
        Binding("escape,q,f3", "dismiss(None)", "close", id="agents.close", tooltip="Back to where you were"),
        Binding("ctrl+c", "app.break", "close; twice leaves", show=False, id="agents.break"),
    ]
    DEFAULT_CSS = """
    Agents {
        align: center middle; background: $background 60%;
        & > Vertical {
            width: 100%; max-width: 100; height: auto; max-height: 100%; padding: 0 1; background: $sheet-background;
            border: round $sheet-border; border-title-style: bold;
        }
        OptionList, OptionList:focus {
            height: auto; max-height: 60vh; border: none; padding: 0; background: $sheet-background;
            text-wrap: nowrap; text-overflow: ellipsis; background-tint: $foreground 0%;
            & > .option-list--option-highlighted { background: $primary 8%; color: $foreground; text-style: none; }
            &:ansi > .option-list--option-highlighted { background: transparent; text-style: reverse; }
        }
        KeyBar { background: $sheet-background; width: 100%; height: auto; }
    }
    """

    def __init__(self, agents: Sequence[Agent]) -> None:
        super().__init__()
        self._agents = list(agents)

    def compose(self) -> ComposeResult:
        with Vertical() as box:
            box.border_title = ours("Sub-agents")
            yield Rows(*(Option(_row(one)) for one in self._agents))
            yield KeyBar(speaks_for_itself=lambda node: False)

    def on_mount(self) -> None:
        self.query_one(OptionList).focus()

    def action_move(self, step: int) -> None:
        options = self.query_one(OptionList)
        options.highlighted = ((options.highlighted or 0) + step) % len(self._agents)

    def action_choose(self) -> None:
        at = self.query_one(OptionList).highlighted
        if at is not None:
            self.dismiss(self._agents[at].info.conversation)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.dismiss(self._agents[event.option_index].info.conversation)


def _row(one: Agent) -> Content:
    calls = len(one.activity.calls)
    number = f"{calls} calls" if calls != 1 else "1 call"
    asks = one.activity.waiting or any(call.state in ASKING for call in one.activity.calls)
    state = "done" if one.over else "waits for you" if asks else "works"
    return join(
        foreign(one.info.name or Foreign("agent"), mode="line", style="bold", limit=24),
        foreign(Foreign(f"{state} · {number}"), mode="line", style="$muted-foreground"),
        foreign(one.info.task, mode="line", limit=70),
        sep=ours("  "),
    )
