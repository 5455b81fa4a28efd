"""Sub-agents in the log: the start event, and the record in its own conversation.

An `agent_started` event names the call and the conversation before anything happens there, so that both are found after
a kill (inquiries.md R237). No provider reads it (R59). Reads and creates values only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from jp_tui.conversation import events as ev
from jp_tui.conversation.outcomes import Failure, Success
from jp_tui.conversation.reading import read_event
from jp_tui.conversation.strict_json import Json, JsonObject
from jp_tui.conversation.text import Foreign
from jp_tui.engine.record.errors import turn_error
from jp_tui.engine.record.event_codec import stored_event
from jp_tui.inquiry.on_subagent import ASKS
from jp_tui.journal.port import ConversationRow, JournalReading
from jp_tui.protocol.values import AgentInfo

KIND = "agent_started"
AGENT = "agent"
"""Metadata of a child's turn that its parent began, and of a response in the parent."""
LINE = 200
BEGINS = 8
"""Events at the start of a conversation that are searched for its origin."""


def line(task: str) -> Foreign:
    """Return the whole task in one line."""
    whole = " ".join(task.split())
    return Foreign(whole if len(whole) <= LINE else f"{whole[: LINE - 1]}…")


def written(agent: AgentInfo) -> JsonObject:
    """Return the agent in the form of an event."""
    return agent.model_dump(mode="json")


def read(found: Json) -> AgentInfo | None:
    """Decode the agent of an event; None for anything else."""
    if not isinstance(found, dict):
        return None
    try:
        return AgentInfo.model_validate({name: found[name] for name in AgentInfo.model_fields if name in found})
    except ValueError:
        return None


def started(agent: AgentInfo, at: str) -> ev.Unknown:
    """Return the event for a sub-agent that is about to start."""
    return ev.Unknown({"timestamp": at, "type": KIND, "id": agent.call, AGENT: written(agent)})


def running(turn: Iterable[ev.Event]) -> dict[str, AgentInfo]:
    """Return the sub-agents of a turn's calls without a response, by call; the latest of a restarted one."""
    found: dict[str, AgentInfo] = {}
    for event in turn:
        match event:
            case ev.ToolCallRequest(id=id_) | ev.ToolCallResponse(id=id_):
                found.pop(id_, None)
            case ev.Unknown(raw=raw) if raw.get("type") == KIND and (agent := read(raw.get(AGENT))) is not None:
                found[agent.call] = agent
            case _:
                pass
    return found


def own(events: Iterable[ev.Event]) -> tuple[AgentInfo | None, tuple[str, ...] | None]:
    """Return the conversation's sub-agent, and its tools if they aren't all; read from its start."""
    for event in events:
        if isinstance(event, ev.TurnStart) and (agent := read(about := event.metadata.get(AGENT))) is not None:
            names = about.get("tools") if isinstance(about, dict) else None
            return agent, tuple(map(str, names)) if isinstance(names, list) else None
    return None, None


def about(journal: JournalReading, conversation: str) -> AgentInfo | None:
    """Return the conversation's sub-agent; None if it isn't one's. Raises JournalError."""
    agent, _ = own(read_event(stored_event(one).event) for one in journal.read(conversation, 0, BEGINS))
    return agent


class AskerIndex:
    """Finds the sub-agent that asks a recorded question; each conversation is read once. `rows` are known already."""

    def __init__(self, journal: JournalReading, rows: Mapping[str, ConversationRow] | None = None) -> None:
        self._journal, self._rows = journal, rows or {}
        self._own: dict[str, AgentInfo | None] = {}

    def asking(self, conversation: str, request: ev.InquiryRequest) -> AgentInfo | None:
        """Return the sub-agent whose tool asks there, or whose question its parent relayed (R222)."""
        handed = request.metadata.get(AGENT)
        return self._of(handed if isinstance(handed, str) else conversation)

    def _of(self, conversation: str) -> AgentInfo | None:
        if conversation not in self._own:
            row = self._rows.get(conversation) or self._journal.conversation(conversation)
            works = row is not None and row.parent is not None  # a copy of one has no parent
            self._own[conversation] = about(self._journal, conversation) if works else None
        return self._own[conversation]


def answered(parent: Iterable[ev.Event], agent: str, waits: Iterable[ev.InquiryRequest]) -> list[ev.InquiryResponse]:
    """Return the responses that are only in the parent's turn, to what a sub-agent still `waits` for: another process
    answered there while neither was open (S12)."""
    names: dict[str, str] = {}
    found: dict[str, ev.InquiryResponse] = {}
    for event in parent:
        if isinstance(event, ev.InquiryRequest) and event.metadata.get(AGENT) == agent:
            names[event.id] = str(event.metadata.get(ASKS))
        elif isinstance(event, ev.InquiryAnswered | ev.InquiryCancelled | ev.InquiryRedacted) and event.id in names:
            found[names[event.id]] = event
    asked = [request.id for request in waits]
    return [replace(found[id_], id=id_, timestamp="", metadata={}) for id_ in asked if id_ in found]


def last_message(turn: Sequence[ev.Event]) -> str:
    """Return the last message of a turn: all text after the last result."""
    said: list[str] = []
    for event in turn:
        if isinstance(event, ev.ToolCallRequest | ev.ToolCallResponse):
            said = []
        elif isinstance(event, ev.ChatResponse) and event.kind == "message" and isinstance(event.content, str):
            said.append(event.content)
    return "\n\n".join(part for part in said if part.strip())


def result(turn: Sequence[ev.Event]) -> Success | Failure:
    """Return what the parent's model reads about a sub-agent with this last turn."""
    end = next((event for event in reversed(turn) if isinstance(event, ev.TurnOutcome)), None)
    said = last_message(turn)
    if end is not None and end.outcome == "done":
        return Success(said) if said else Failure("The sub-agent ended without saying anything.")
    words = "The sub-agent was stopped before it came to an end."
    if end is not None and end.outcome == "failed":
        error = turn_error(end.error)
        words = f"The sub-agent failed: {error.message if error is not None else 'it is not known why'}"
    return Failure(f"{words}\n\nWhat it said last:\n\n{said}" if said else words)
