"""Sub-agents of the turn as the sidebar nests them: each with its own activity under the call that runs it (E4, R244).

Pure: an event of a sub-agent's conversation updates its activity, whatever else is shown. Sub-agents have none of their
own (R224).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from jp_tui.conversation.ids import read_timestamp
from jp_tui.conversation.text import Foreign
from jp_tui.protocol import events as ev
from jp_tui.protocol.values import AgentInfo, CallEnd
from jp_tui.view.activity.activity import Activity, applied
from jp_tui.view.wording.amounts import age


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """Sub-agent seen in this run of the program; `over` after its call ended, `end` says how."""

    info: AgentInfo
    activity: Activity = field(default_factory=Activity)
    over: bool = False
    end: CallEnd | None = None

    @property
    def reviewed(self) -> tuple[str, ...]:
        """Return its inquiries that a reviewing model is deciding, oldest first."""
        calls = (call for call in self.activity.calls if call.state == "awaiting_assistant")
        return tuple(one.id for call in calls for one in call.inquiries if one.how == "open" and one.reviewer)


ASKING = ("awaiting_input", "awaiting_permission", "awaiting_result_edit")
"""States of a call that waits for the user; a sub-agent's own question is shown as its parent's (R222)."""

_ENDS = {"error": ("✗", "failed"), "cancelled": ("⊘", "cancelled")}


def agent_state(one: Agent) -> tuple[str, str, bool]:
    """Return its state: a sign, a word, and True if it waits for the user."""
    if one.over:
        return *_ENDS.get(one.end or "ok", ("✓", "done")), False
    if one.activity.waits or any(call.state in ASKING for call in one.activity.calls):
        return "◐", "waiting for you", True
    return "▸", "works", False


_DOING = {
    "works": ("▸", "works", False),
    "waits": ("◐", "waiting for you", True),
    "idle": ("○", "idle", False),
    "open": ("○", "open", False),
}
WAYS = {"ask": "", "hook": "hooks", "mcp": "MCP", "acp": "ACP"}
"""Connections of a program; a question of `jp-tui ask` is nothing more."""


def doing_state(doing: str) -> tuple[str, str, bool]:
    """Return what a conversation or a program does, as `agent_state`."""
    return _DOING[doing]


def waited(since: str, wall: float) -> str:
    """Return since when it does that, as an age at `wall` seconds since 1970; empty if unknown."""
    try:
        return age(max(wall - read_timestamp(since).timestamp(), 0.0))
    except ValueError:
        return ""


def asking(agents: Iterable[Agent]) -> frozenset[tuple[int, str]]:
    """Return the calls, by turn and id, whose sub-agents wait for the user."""
    return frozenset((one.info.turn, one.info.call) for one in agents if agent_state(one)[2])


@dataclass(frozen=True, slots=True)
class AgentTree:
    """All sub-agents, by conversation, in the order they began."""

    by: Mapping[str, Agent] = field(default_factory=dict)

    @property
    def known(self) -> tuple[Agent, ...]:
        """Return all of them."""
        return tuple(self.by.values())

    def of(self, conversation: str) -> Agent | None:
        """Return the sub-agent of this conversation."""
        return self.by.get(conversation)

    def parent(self, conversation: str) -> str:
        """Return the parent conversation; empty if this isn't a sub-agent's."""
        found = self.of(conversation)
        return found.info.parent if found is not None else ""

    def under(self, parent: str, call: str) -> Agent | None:
        """Return the sub-agent that a call runs; the latest, if ids repeat."""
        found = [one for one in self.by.values() if (one.info.parent, one.info.call) == (parent, call)]
        return found[-1] if found else None

    def of_parent(self, parent: str) -> tuple[Agent, ...]:
        """Return a conversation's sub-agents in the order they began. Those of one turn with the same name and task are
        numbered, so that lists distinguish them."""
        return _numbered([one for one in self.by.values() if one.info.parent == parent])

    def apply(self, event: ev.Event, now: float) -> AgentTree:
        """Apply an event of any conversation; return the same object if it concerns no sub-agent."""
        if isinstance(event, ev.CallChanged) and event.agent is not None:
            return self._began(event.agent, over=event.state == "completed", end=event.end)
        known = self.of(getattr(event, "conversation", ""))
        if known is None or isinstance(event, ev.ConversationOpened):
            return self
        activity = applied(known.activity, event, now)
        return self if activity is known.activity else self._with(replace(known, activity=activity))

    def _began(self, info: AgentInfo, *, over: bool, end: CallEnd | None) -> AgentTree:
        before = self.of(info.conversation)
        activity = before.activity if before is not None else Activity()
        made = Agent(info=info, activity=activity, over=over, end=end)
        return self if made == before else self._with(made)

    def _with(self, agent: Agent) -> AgentTree:
        own = agent.info.conversation
        if own in self.by:
            return AgentTree({**self.by, own: agent})
        return AgentTree({**{name: _past(one, agent.info) for name, one in self.by.items()}, own: agent})


def _numbered(agents: list[Agent]) -> tuple[Agent, ...]:
    alike = Counter(map(_called, agents))
    counted = Counter[tuple[int, str, str]]()
    for at, one in enumerate(agents):
        if alike[(called := _called(one))] > 1:
            counted[called] += 1
            name = Foreign(f"{one.info.name.raw or 'agent'} {counted[called]}")
            agents[at] = replace(one, info=one.info.model_copy(update={"name": name}))
    return tuple(agents)


def _called(one: Agent) -> tuple[int, str, str]:
    return one.info.turn, one.info.name.raw, one.info.task.raw


def _past(one: Agent, new: AgentInfo) -> Agent:
    """Reduce a sub-agent of an earlier turn to what lists show; its questions are in its conversation."""
    if not one.over or one.info.parent != new.parent or one.info.turn >= new.turn:
        return one
    if not any(call.inquiries or call.decided for call in one.activity.calls):
        return one
    calls = tuple(replace(call, inquiries=(), decided=()) for call in one.activity.calls)
    return replace(one, activity=replace(one.activity, calls=calls, loose=()))
