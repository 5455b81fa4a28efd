"""The sub-agents of the conversation in sight: who, for what, how far; Enter opens one's conversation (issue 7, E4).

It follows what happens while it is open. It starts and stops nobody.
"""

from __future__ import annotations

from textual import on
from textual.binding import Binding
from textual.content import Content
from textual.widgets import OptionList

from jp_tui.conversation.text import Foreign
from jp_tui.ui.keys.bindings import words as literal
from jp_tui.ui.pages import Host
from jp_tui.ui.screens.listing import Item, Listing, Rows
from jp_tui.ui.text import blank, foreign, join, ours, styled
from jp_tui.view.activity.agents import Agent, agent_state

FOLLOWS = 1.0
"""Seconds after which it looks again at how far they are."""
EMPTY = "No sub-agents here."
_QUIET = "$muted-foreground"
_LISTING = ("listing.down", "listing.up", "listing.break")


def open_page(host: Host, _: str) -> Agents | Content | None:
    """Open a sub-agent's conversation; from there, back to the one that it works for."""
    agents = host.main.agents
    if parent := host.main.parent_conversation:
        host.go_to(parent)
    elif not agents:
        return ours("No sub-agents here")
    elif len(agents) == 1:
        host.go_to(agents[0].info.conversation)
    else:
        return Agents(host)
    return None


class Agents(Listing, inherit_bindings=False):
    """Those that work or worked for the conversation, in the order they began."""

    BINDINGS = [
        Binding("enter", "choose", "open", id="agents.open", tooltip="Open its conversation"),
        Binding("escape,q,f3", "dismiss(None)", "close", id="agents.close", tooltip="Close this page"),
        *(one for one in Listing.BINDINGS if isinstance(one, Binding) and one.id in _LISTING),
    ]
    title_words = "Sub-agents"
    rows = Rows

    def __init__(self, host: Host) -> None:
        super().__init__()
        self._host = host
        self._shown: tuple[Item, ...] | None = None

    def on_mount(self) -> None:
        self.set_interval(FOLLOWS, self.paint)

    @on(Listing.Again)
    def _again(self, event: Listing.Again) -> None:
        event.stop()
        self.paint()

    def paint(self) -> None:
        """How far they are by now."""
        items = tuple(map(_item, self._host.main.agents))
        if items != self._shown:
            self._shown = items
            self.show(items, ours(EMPTY))

    def action_choose(self) -> None:
        if self.chosen is not None:
            self.dismiss(None)
            self._host.go_to(self.chosen.key)

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.action_choose()


def _item(one: Agent) -> Item:
    sign, state, waits = agent_state(one)
    look = "$waiting-foreground" if waits else _QUIET
    name = foreign(one.info.name or Foreign("agent"), mode="line", style="bold", limit=24)
    task = foreign(one.info.task, mode="line")
    number = len(one.activity.calls)
    calls = ours("{n} calls", style=_QUIET, n=number) if number != 1 else ours("1 call", style=_QUIET)
    parts = [styled(literal(state), look), calls]
    first = join(styled(literal(sign), f"bold {look}"), name, blank(), task, sep=ours(" "))
    return Item(one.info.conversation, (first, join(*parts, sep=ours(" · ", style=_QUIET))), task or blank())
