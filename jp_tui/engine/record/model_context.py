"""Convert the log to the model's messages, the only place that does (inquiries.md R59, R204).

An allow-list passes chat and tool-call events, undone changes, the environment of a turn and nested instructions
(context.md K2, K10); everything else, unknown or internal, stays hidden. Repairs apply to this view, never to the log:
roles alternate, a user message is first, and each call has exactly one result at the head of the next message, because
servers refuse anything else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Literal

from jp_tui.conversation import events as ev
from jp_tui.conversation.images import ATTACHED as ATTACHED
from jp_tui.conversation.images import pictures as pictures
from jp_tui.conversation.model import Call, Message, Part, Picture, ReasoningPart, Result, TextPart
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.engine.record.context_facts import ENVIRONMENT, INSTRUCTIONS
from jp_tui.engine.record.overlay import NONE, StandingOverlay, head
from jp_tui.engine.record.shortening import limit_of, trimmed, within

REPAIRED = "Tool call was interrupted."
"""M36."""
UNDONE = "changes_undone"
"""Kind of an event about undone or restored file changes (issue 8, 7)."""
RESOURCE = "resource"
"""Type of a resource of an MCP server among them (mcp.md P48)."""
UNSENT = "[an image was sent here that servers do not take: too large, broken or of another kind]"
IMAGES = ("image/png", "image/jpeg", "image/gif", "image/webp")
LARGEST = 5 * 1024 * 1024
"""Characters of an image as base64; an imported log may have larger ones."""
_BASE64 = re.compile(r"[A-Za-z0-9+/]+={0,2}")
UNSEEN = "[an image was sent here, which this model does not take]"
EMPTY = "(an empty message)"
"""Placeholder for a blank prompt of an imported log: servers refuse blank text."""

Role = Literal["user", "assistant"]
Turned = tuple[int, ev.Event]
Shorten = Callable[[int, str, str], str]
"""A result as it is sent, by the number of its event, its call's id and its content."""
Standing = Callable[[str], tuple[str, bool]]
"""Returns the content of a call's result, by id, and True for an error."""


def is_void_turn(turn: Sequence[ev.Event]) -> bool:
    """True for a turn that failed before any output of the model, or was discarded: its prompt was returned to the
    composer."""
    last = next((event for event in reversed(turn) if isinstance(event, ev.TurnOutcome)), None)
    if last is None or last.outcome in ("done", "deferred") or has_model_output(turn):
        return False
    return last.outcome == "failed" or last.metadata.get("discarded") is True


def has_model_output(turn: Iterable[ev.Event]) -> bool:
    """True if the log has output of the model."""
    return any(isinstance(event, ev.ChatResponse | ev.ToolCallRequest) and not discarded(event) for event in turn)


def discarded(event: ev.ChatResponse | ev.ToolCallRequest) -> bool:
    """True if it was interrupted and requested again: users see it in the log, models don't."""
    return event.metadata.get("discarded") is True


def undone(event: ev.Event) -> str:
    """Return the model's text about undone changes; empty for any other event."""
    raw = event.raw if isinstance(event, ev.Unknown) else {}
    told = raw.get("told") if raw.get("type") == UNDONE else None
    return told if isinstance(told, str) else ""


def environment(event: ev.Unknown) -> str:
    """Return the text before the user's message of its turn (K10); empty for any other event."""
    text = event.raw.get("text") if event.raw.get("type") == ENVIRONMENT else None
    return text if isinstance(text, str) else ""


def instructions(event: ev.Unknown) -> tuple[str, str] | None:
    """A call, and what is appended to its result as the model sees it (K2); None for any other event."""
    raw = event.raw
    call, text = raw.get("call"), raw.get("text")
    if raw.get("type") != INSTRUCTIONS or not isinstance(call, str) or not isinstance(text, str):
        return None
    return call, text


def resources(metadata: JsonObject) -> Iterable[str]:
    """Return the resources of a user message as the model gets them."""
    kept = metadata.get(ATTACHED)
    for one in kept if isinstance(kept, list) else ():
        if isinstance(one, dict) and one.get("type") == RESOURCE:
            name, text = one.get("name"), one.get("text")
            if isinstance(name, str) and isinstance(text, str):
                yield f"The resource @{name}, which the user attached:\n\n{text}"


def sendable(shown: Picture) -> bool:
    """True if servers accept it. A refused image would make every later request fail."""
    size = len(shown.data)
    return shown.media in IMAGES and size <= LARGEST and size % 4 == 0 and bool(_BASE64.fullmatch(shown.data))


def without_pictures(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Replace images by text for a model that doesn't accept them."""
    return tuple(
        Message(one.role, tuple(TextPart(UNSEEN) if isinstance(part, Picture) else part for part in one.parts))
        for one in messages
    )


class _Turn:
    """Messages of one turn while its events pass; calls are paired within it only (R204)."""

    def __init__(self, provider: str, shorten: Shorten) -> None:
        self._provider, self._shorten = provider, shorten
        self.told: list[tuple[Role, list[Part]]] = []
        self._names: dict[str, str] = {}
        self.begins = 0
        """Index of the turn's own parts in its first message."""

    def add(self, seq: int, event: ev.Event) -> None:
        match event:
            case ev.ChatRequest(content=text, metadata=extra):
                for shown in pictures(extra):
                    self._add_part("user", shown if sendable(shown) else TextPart(UNSENT))
                for said in resources(extra):
                    self._add_part("user", TextPart(said))
                self._add_part("user", TextPart(text if text.strip() else EMPTY))
            case ev.Unknown() if environment(event):
                if self.told and self.told[0][0] == "user":
                    self.told[0][1].insert(self.begins, TextPart(environment(event)))
            case _ if not self.told:
                pass  # R204: a turn begins with its user message; anything before it is dropped
            case ev.ChatResponse() if discarded(event):
                pass
            case ev.ChatResponse(kind="message", content=str() as text, metadata=extra) if text.strip():
                self._add_part("assistant", TextPart(text, self._opaque(extra)))
            case ev.ChatResponse(kind="reasoning", content=str() as text, metadata=extra):
                # Only the wire that produced it can read it: signatures are bound to a provider.
                if extra.get("incomplete") is not True and extra.get("provider") == self._provider:
                    self._add_part("assistant", ReasoningPart(text, self._opaque(extra)))
            case ev.ToolCallRequest(id=id_, name=name, arguments=arguments, metadata=extra):
                if id_ not in self._names:
                    self._add_part("assistant", Call(id_, name, arguments, self._opaque(extra)))
                    self._names[id_] = name
            case ev.Unknown() if undone(event):
                self._add_part("user", TextPart(undone(event)))
            case ev.Unknown() if (nested := instructions(event)) is not None:
                self._appended(*nested)
            case ev.ToolCallResponse(id=id_, content=content, is_error=failed, metadata=extra):
                if (asked := self._names.pop(id_, None)) is not None:
                    self._add("user", Result(id_, asked, self._shorten(seq, id_, content), failed))
                    for shown in pictures(extra):  # of a server (mcp.md P24); behind the results of its cycle
                        self._add("user", shown if sendable(shown) else TextPart(UNSENT))
            case _:
                pass

    def _opaque(self, metadata: JsonObject) -> JsonObject:
        """Return the opaque data of this provider's part; another provider's is never sent (W6)."""
        opaque = metadata.get("opaque") if metadata.get("provider") == self._provider else None
        return opaque if isinstance(opaque, dict) else {}

    def _add_part(self, role: Role, part: Part) -> None:
        """Answer calls without a result before anything else is said."""
        if role == "user" or self.told[-1][0] == "user":
            self.repair()
        self._add(role, part)

    def _add(self, role: Role, part: Part) -> None:
        if not self.told or self.told[-1][0] != role:
            self.told.append((role, []))
        self.told[-1][1].append(part)

    def _appended(self, call: str, text: str) -> None:
        """Append instructions of a folder that a call named to its result (K2)."""
        for _, parts in reversed(self.told):
            for at, part in enumerate(parts):
                if isinstance(part, Result) and part.id == call:
                    parts[at] = replace(part, content=part.content + text)
                    return

    def repair(self, standing: Standing | None = None) -> None:
        """Add M36 for every call that is still open, or the text from `standing`."""
        for id_, name in self._names.items():
            content, failed = (REPAIRED, True) if standing is None else standing(id_)
            self._add("user", Result(id_, name, content, failed))
        self._names.clear()


def _whole(role: Role, parts: list[Part]) -> list[Part]:
    """Put results first; servers refuse reasoning at the end of a message."""
    if role == "user":
        return sorted(parts, key=lambda part: not isinstance(part, Result))
    while parts and isinstance(parts[-1], ReasoningPart):
        parts = parts[:-1]
    return parts


class History:
    """Messages for the model `provider/name` so far, grown event by event; finished turns are cached.

    With an overlay its message stands first, and only events after its `through` are to be added, behind the user's
    words of a turn that was compacted within. `window` in tokens bounds each result, where it is known (K26).
    """

    def __init__(self, model: str, overlay: StandingOverlay = NONE, window: int | None = None) -> None:
        self._provider = model.partition("/")[0]
        self._limit, self._overlay = limit_of(window), overlay
        self._head = TextPart(head(overlay.base)) if overlay.base is not None else None
        self._past: list[Message] = []
        self._now: list[tuple[int, ev.Event]] = []
        self._turn = -1

    def add(self, turn: int, event: ev.Event, seq: int = 0) -> None:
        """Add the next event of the log; `seq` is its number."""
        if turn != self._turn:
            self._fold(self._past)
            self._turn, self._now = turn, []
        self._now.append((seq, event))

    def messages(self, standing: Standing | None = None) -> tuple[Message, ...]:
        """Return the messages for the next request; while calls run, `standing` supplies their results."""
        found = list(self._past)
        self._fold(found, standing)
        return tuple(found)

    def _shorten(self, seq: int, call: str, content: str) -> str:
        if 0 < seq <= self._overlay.trimmed:
            content = trimmed(call, content)
        return within(call, content, self._limit)

    def _fold(self, told: list[Message], standing: Standing | None = None) -> None:
        """Add the current turn; neighbours of one role become one message."""
        made = _Turn(self._provider, self._shorten)
        if self._head is not None and not told:
            made.told.append(("user", [self._head]))
            made.begins = 1
        inside = bool(self._now) and self._now[0][0] <= self._overlay.through and self._head is not None
        nothing = not inside and is_void_turn([event for _, event in self._now])
        for seq, event in self._now:
            if not nothing:
                made.add(seq, event)
            elif words := undone(event):
                made.told.append(("user", [TextPart(words)]))
        made.repair(standing)
        for role, parts in made.told:
            if not (whole := _whole(role, parts)):
                continue
            if told and told[-1].role == role:
                whole = _whole(role, [*told.pop().parts, *whole])
            told.append(Message(role, tuple(whole)))


def messages(events: Iterable[Turned], model: str) -> tuple[Message, ...]:
    """Return the messages for `model` from these events with their turns."""
    history = History(model)
    for turn, event in events:
        history.add(turn, event)
    return history.messages()


def messages_of(
    events: Sequence[tuple[int, int, ev.Event]], model: str, overlay: StandingOverlay = NONE, window: int | None = None
) -> tuple[Message, ...]:
    """The messages that a log, as (number, turn, event), becomes with what is compacted of it."""
    history = History(model, overlay, window)
    for seq, turn, event in events_to_send(events, overlay.through):
        history.add(turn, event, seq)
    return history.messages()


def events_to_send(events: Sequence[tuple[int, int, ev.Event]], through: int) -> Iterable[tuple[int, int, ev.Event]]:
    """Those after `through`, behind the user's words of the turn in which it lies, if more of that turn follows."""
    later = [one for one in events if one[0] > through]
    if through and later:
        turn = later[0][1]
        own = (one for one in events if one[1] == turn and one[0] <= through and isinstance(one[2], ev.ChatRequest))
        if (asked := next(iter(own), None)) is not None:
            yield asked
    yield from later
