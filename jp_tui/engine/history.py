"""From the log to what a model is told: the one place where events become messages (inquiries.md R59, R204).

Only chat and tool-call events pass (an allow-list); everything unknown or internal stays hidden. Repair happens
here, on the view that is sent, never in the log: orphan responses go, unanswered calls get M36.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from jp_tui.conversation import events as ev
from jp_tui.conversation.model import Call, Message, Part, Result, Said, Thought

REPAIRED = "Tool call was interrupted."
"""M36."""

Role = Literal["user", "assistant"]
Turned = tuple[int, ev.Event]


def _turns(events: Iterable[Turned]) -> Iterable[list[ev.Event]]:
    number, found = -1, list[ev.Event]()
    for turn, event in events:
        if turn != number and found:
            yield found
            found = []
        number = turn
        found.append(event)
    if found:
        yield found


def _came_to_nothing(turn: Sequence[ev.Event]) -> bool:
    """A turn that failed before the model said anything, or was discarded: its prompt was given back."""
    last = turn[-1]
    if not isinstance(last, ev.TurnOutcome) or last.outcome in ("done", "deferred"):
        return False
    if last.metadata.get("discarded") is True:
        return True
    spoke = any(isinstance(event, ev.ChatResponse | ev.ToolCallRequest) for event in turn)
    return last.outcome == "failed" and not spoke


def _part(event: ev.Event, model: str, names: dict[str, str], asked: set[str]) -> tuple[Role, Part] | None:
    match event:
        case ev.ChatRequest(content=text):
            return "user", Said(text)
        case ev.ChatResponse(kind="message", content=str() as text) if text.strip():
            return "assistant", Said(text)
        case ev.ChatResponse(kind="reasoning", content=str() as text, metadata=extra):
            # Only the wire that made it can read it back: signatures are bound to a provider.
            if extra.get("incomplete") is True or extra.get("provider") != model.partition("/")[0]:
                return None
            opaque = extra.get("opaque")
            return "assistant", Thought(text, opaque if isinstance(opaque, dict) else {})
        case ev.ToolCallRequest(id=id_, name=name, arguments=arguments) if id_ not in asked:
            names[id_] = name
            asked.add(id_)
            return "assistant", Call(id_, name, arguments)
        case ev.ToolCallResponse(id=id_, content=content, is_error=failed) if id_ in asked:
            asked.discard(id_)
            return "user", Result(id_, names[id_], content, failed)
        case _:
            return None


def _turn_parts(turn: Sequence[ev.Event], model: str) -> list[tuple[Role, Part]]:
    """The parts of one turn in order; pairing never crosses a turn (R204)."""
    found: list[tuple[Role, Part]] = []
    names: dict[str, str] = {}
    asked: set[str] = set()

    def repair() -> None:
        found.extend(("user", Result(id_, names[id_], REPAIRED, True)) for id_ in names if id_ in asked)
        asked.clear()

    for event in turn:
        if isinstance(event, ev.ChatRequest | ev.ChatResponse) and asked and found and found[-1][0] == "user":
            repair()
        if (part := _part(event, model, names, asked)) is not None:
            found.append(part)
    repair()
    return found


def messages(events: Iterable[Turned], model: str) -> tuple[Message, ...]:
    """The messages for the next request to `model` (provider/model), roles alternating, a user's first."""
    found: list[tuple[Role, list[Part]]] = []
    for turn in _turns(events):
        if _came_to_nothing(turn):
            continue
        for role, part in _turn_parts(turn, model):
            if not found and role == "assistant":
                continue
            if found and found[-1][0] == role:
                found[-1][1].append(part)
            else:
                found.append((role, [part]))
    return tuple(Message(role, tuple(parts)) for role, parts in found)
