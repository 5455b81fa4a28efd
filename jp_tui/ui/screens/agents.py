"""The page of agents: sub-agents of the open conversation, other open conversations, and programs of other
makers (issue 7, E4; intake.md N24). Enter opens a conversation, or the inbox for a program that waits.

The page updates while it is open. It starts and stops nothing.
"""

from __future__ import annotations

from textual import on
from textual.binding import Binding
from textual.content import Content
from textual.widgets import OptionList

from jp_tui.conversation.text import Foreign
from jp_tui.protocol.events import AgentsRead, Event, Refused
from jp_tui.protocol.outside import ReadAgents, WorkingConversation, WorkingProgram
from jp_tui.ui.keys.bindings import words as literal
from jp_tui.ui.pages import Host
from jp_tui.ui.screens.listing import Item, Listing, Rows
from jp_tui.ui.screens.overlay import CommandWanted
from jp_tui.ui.text import blank, foreign, join, ours, styled
from jp_tui.view.activity.agents import WAYS, Agent, agent_state, doing_state, waited
from jp_tui.view.questions.inbox_lines import short
from jp_tui.view.questions.prompt_line import program_asks, says

FOLLOWS = 1.0
"""Seconds between two updates of the sub-agents' progress."""
READS = 3
"""Updates between two readings of the rest."""
EMPTY = "No agents here: no sub-agents, no other open conversation, and no other program that works with jp-tui."
_QUIET = "$muted-foreground"
_LISTING = ("listing.down", "listing.up", "listing.break")


def open_page(host: Host, argument: str) -> Agents | None:
    """Open the list, or the conversation of the only sub-agent; from a sub-agent's conversation, open its parent's.
    With `all`, open the list in any case."""
    agents = host.main.agents
    if argument.strip() == "all":
        return Agents(host)
    if parent := host.main.parent_conversation:
        host.go_to(parent)
    elif len(agents) == 1:
        host.go_to(agents[0].info.conversation)
    else:
        return Agents(host)
    return None


class Agents(Listing, inherit_bindings=False):
    """Sub-agents in the order they began, then conversations, then programs, those that wait first."""

    BINDINGS = [
        Binding("enter", "choose", "open", id="agents.open", tooltip="Open the conversation, or the inbox"),
        Binding("escape,q,f3", "dismiss(None)", "close", id="agents.close", tooltip="Close this page"),
        *(one for one in Listing.BINDINGS if isinstance(one, Binding) and one.id in _LISTING),
    ]
    title_words = "Agents"
    rows = Rows

    def __init__(self, host: Host) -> None:
        super().__init__()
        self._host = host
        self._read: AgentsRead | None = None
        self._shown: tuple[Item, ...] | None = None
        self._updates = 0
        self._waiting: set[str] = set()

    def on_mount(self) -> None:
        self.set_interval(FOLLOWS, self._update)

    @on(Listing.Again)
    def _again(self, event: Listing.Again) -> None:
        event.stop()
        self.post_message(CommandWanted(ReadAgents()))
        self.paint()

    def _update(self) -> None:
        self._updates += 1
        if self._updates % READS == 0:
            self.post_message(CommandWanted(ReadAgents()))
        self.paint()

    def handle(self, event: Event) -> None:
        """Take the list, or why there is none."""
        match event:
            case AgentsRead():
                self._read = event
                self.paint()
            case Refused(message=message):
                self.show_message(ours("{message}", message=foreign(Foreign(message), mode="line")))
            case _:
                pass

    def paint(self) -> None:
        """Update the rows."""
        main, read = self._host.main, self._read or AgentsRead()
        items = [_sub_agent(one) for one in main.agents]
        known = {main.conversation, *(one.key for one in items)}
        items += [_conversation(one) for one in read.conversations if one.conversation not in known]
        wall = self._host.wall()
        programs = {_key(one): one for one in read.programs}
        self._waiting = {key for key, one in programs.items() if one.doing == "waits"}
        items += [_program(key, one, wall) for key, one in programs.items()]
        items += [_worker(read.worker)] if read.worker else []
        if tuple(items) != self._shown and (items or self._read is not None):
            self._shown = tuple(items)
            self.show(items, ours(EMPTY))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Enable only the keys that do something now (E5)."""
        if action == "choose":
            return self.chosen is not None and (_is_ours(self.chosen.key) or self.chosen.key in self._waiting)
        return True

    def action_choose(self) -> None:
        chosen = self.chosen
        if chosen is None:
            return
        if _is_ours(chosen.key):
            self.dismiss(None)
            self._host.go_to(chosen.key)
        elif chosen.key in self._waiting:
            app = self.app
            self.dismiss(None)
            app.action_open("inbox")  # type: ignore[attr-defined]  # the workspace's app

    @on(OptionList.OptionSelected)
    def _selected(self) -> None:
        self.action_choose()


def _key(one: WorkingProgram) -> str:
    return f"\n{one.asker.host}\n{one.asker.pid}\n{one.asker.started}\n{one.way}\n{one.claimed.session}"


def _is_ours(key: str) -> bool:
    """True for the key of a conversation."""
    return not key.startswith("\n")


def _worker(described: str) -> Item:
    """Return the row of the worker that serves this folder."""
    whole = foreign(Foreign(described), mode="line")
    what = ours("resumes turns of this folder once they are answered", style=_QUIET)
    return _row("\nworker", doing_state("idle"), [ours("Worker", style="bold"), styled(whole, _QUIET)], [what], whole)


def _row(key: str, state: tuple[str, str, bool], first: list[Content], second: list[Content], detail: Content) -> Item:
    sign, doing, waits = state
    look = "$waiting-foreground" if waits else _QUIET
    head = join(styled(literal(sign), f"bold {look}"), *first, sep=ours(" "))
    below = join(styled(literal(doing), look), *second, sep=ours(" · ", style=_QUIET))
    return Item(key, (head, below), detail)


def _sub_agent(one: Agent) -> Item:
    name = foreign(one.info.name or Foreign("agent"), mode="line", style="bold", limit=24)
    task = foreign(one.info.task, mode="line")
    number = len(one.activity.calls)
    calls = ours("{n} calls", style=_QUIET, n=number) if number != 1 else ours("1 call", style=_QUIET)
    return _row(one.info.conversation, agent_state(one), [name, blank(), task], [calls], task or blank())


def _conversation(one: WorkingConversation) -> Item:
    title = foreign(one.title or Foreign("conversation"), mode="line", style="bold")
    where = ours("conversation here", style=_QUIET)
    if one.held_by:
        holder = foreign(Foreign(short(one.held_by)), mode="line", limit=40)
        where = styled(ours("conversation in {who}", who=holder), _QUIET)
    return _row(one.conversation, doing_state(one.doing), [title], [where], foreign(one.title, mode="line"))


def _program(key: str, one: WorkingProgram, wall: float) -> Item:
    name = foreign(Foreign(one.asker.program), mode="line", style="bold", limit=40)
    folder = foreign(Foreign(one.asker.folder), mode="line", limit=40)
    parts = [folder] if folder else []
    parts += [literal(words) for words in (WAYS[one.way], waited(one.since, wall)) if words]
    if one.open > 1:
        parts.append(ours("{n} questions", n=one.open))
    whole = foreign(Foreign(program_asks(one.asker, one.claimed)), mode="line")
    claim = says(one.claimed)
    first = [name] if not claim else [name, styled(ours("“{said}”", said=foreign(Foreign(claim), mode="line")), _QUIET)]
    return _row(key, doing_state(one.doing), first, [styled(part, _QUIET) for part in parts], whole)
