"""Interface of a wire: a request becomes bytes, bytes become deltas. No I/O; `http.py` transports them.

Also the assembly of one response, shared by the wires. A call is delivered only from a complete message with closed
blocks and a strict JSON object; nothing is repaired (traps.md T20).
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Protocol

from jp_tui.conversation.model import (
    Call,
    CallRefused,
    Delta,
    Finished,
    Message,
    ModelError,
    ModelRequest,
    Part,
    PartEnded,
    PartGrew,
    PartKind,
    PartOpened,
    ReasoningPart,
    StopReason,
    TextPart,
    Usage,
)
from jp_tui.conversation.strict_json import Json, JsonObject, JsonProblem, dump, parse_object
from jp_tui.providers.sse import EVENT_STREAM
from jp_tui.settings.wires import Auth

MAX_PARTS = 1000
MAX_UNREAD, MAX_NAME = 5, 40
"""Kinds of unknown parts that are named, and characters of each name."""
_CUT: dict[StopReason, str] = {
    "length": "the call was cut off: the reply reached its token limit",
    "window": "the call was cut off: the reply reached the end of the model's context window",
    "refused": "the reply was stopped by the provider's filter inside the call",
}


class Decoder(Protocol):
    """Decodes one response. `done` is true after Finished; no more data is needed."""

    @property
    def done(self) -> bool: ...

    def feed(self, data: bytes) -> list[Delta]:
        """Return the deltas that these bytes complete. Raises ModelError."""

    def end(self) -> list[Delta]:
        """Handle the clean end of the stream. Raises ModelError('cut') if the message isn't complete."""


class Wire(Protocol):
    """One API: the addresses of its requests and its model list (surface.md S20b), and their content. What most APIs
    have in common is the default."""

    media: str = EVENT_STREAM
    """Media type of a streamed reply."""
    base_suffixes: tuple[str, ...] = ()
    """Suffixes that a base URL may already have, though the paths begin with them."""
    list_path: str = "/models"
    """Path appended for the list of models."""
    auth: Auth = "bearer"
    """Way to send a key, unless the endpoint says otherwise."""
    headers: Mapping[str, str] = MappingProxyType({})
    """Headers of every request, apart from the key's."""

    def path(self, model: str) -> str:
        """Return the path appended to the base URL for a request to `model`, with its query."""

    def list_query(self, after: str) -> str:
        """Return the query of a part of the list, from `after` on (see `CataloguePage`); "" for none."""
        return ""

    def listed(self, item: JsonObject) -> JsonObject | None:
        """Return an entry of the list with its id as requests name it; None for a model that can't be asked."""
        return item

    def body(self, request: ModelRequest) -> JsonObject: ...

    def decoder(self, request: ModelRequest) -> Decoder: ...

    def amended(self, request: ModelRequest, refusal: str) -> ModelRequest | None:
        """Return the request to repeat after the server refused it (400) with this text; None if the refusal is final.

        What a server doesn't support at all is remembered while the program runs.
        """
        return None


class ServerError(Exception):
    """Error object inside a stream; the driver converts it to a message."""

    def __init__(self, error: JsonObject) -> None:
        super().__init__("an error inside the stream")
        self.error = error


def error_in(value: Json) -> JsonObject | None:
    """Return the error under `error`, as an object; None if there is none."""
    found = value.get("error") if isinstance(value, dict) else None
    if isinstance(found, dict) and found:
        return found
    return {"message": found} if isinstance(found, str) and found else None


def broken(what: str) -> ModelError:
    """Return the error for a server that violated its protocol."""
    return ModelError(
        "server",
        f"The server's reply is invalid: {what}.",
        "Try again. If it happens again, check the configured `wire`.",
        transient=True,
    )


def cut(what: str = "The reply ended before it was complete.") -> ModelError:
    return ModelError(
        "cut",
        what,
        "Try again. The received part is kept and marked incomplete.",
        transient=True,
    )


def text(value: Json, key: str) -> str:
    """Return the text at `key`, or ""."""
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, str) else ""


def table(value: Json, key: str) -> JsonObject:
    """Return the object at `key`, or an empty one."""
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}


def count(value: Json, key: str) -> int:
    """Return the count at `key`, or 0."""
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, int) and not isinstance(found, bool) and 0 <= found < 1 << 53 else 0


def without_reasoning(request: ModelRequest, refused: Container[int] | None = None) -> ModelRequest | None:
    """Return the request without reasoning and without what came with other parts, or without those whose `marks` are
    in `refused` only; None if it has neither."""
    messages = tuple(
        replace(message, parts=kept)
        for message in request.messages
        if (kept := tuple(left for part in message.parts if (left := _bare(part, refused)) is not None))
    )
    return None if messages == request.messages else replace(request, messages=messages)


def _bare(part: Part, refused: Container[int] | None) -> Part | None:
    if not isinstance(part, ReasoningPart | TextPart | Call):
        return part
    if refused is not None and (not part.opaque or mark(part.opaque) not in refused):
        return part
    if isinstance(part, ReasoningPart):
        return None
    return replace(part, opaque={}) if part.opaque else part


def mark(opaque: JsonObject) -> int:
    """Return what tells signatures and the like apart, while the program runs."""
    return hash(dump(opaque))


def marks(request: ModelRequest) -> set[int]:
    """Return the marks of everything that came with parts of earlier replies."""
    parts = (part for message in request.messages for part in message.parts)
    return {mark(part.opaque) for part in parts if isinstance(part, ReasoningPart | TextPart | Call) and part.opaque}


def turn_start(messages: Sequence[Message]) -> int:
    """Return the index of the message that began the running turn: the last one with text of the user."""
    return max(
        (
            at
            for at, one in enumerate(messages)
            if one.role == "user" and any(isinstance(p, TextPart) for p in one.parts)
        ),
        default=0,
    )


def used_ids(request: ModelRequest) -> set[str]:
    """Return the ids of the calls in the request."""
    return {part.id for message in request.messages for part in message.parts if isinstance(part, Call)}


@dataclass(slots=True)
class PartInProgress:
    """Unfinished part; it has an index once opened. `sent` is the server's id."""

    kind: PartKind
    id: str = ""
    name: str = ""
    sent: str = ""
    index: int | None = None
    raw: list[str] = field(default_factory=list)
    closed: bool = False
    opaque: JsonObject = field(default_factory=dict)


class ResponseBuilder:
    """Assembles one response, for every wire."""

    def __init__(self, used: set[str]) -> None:
        self._used = used
        self._calls: list[PartInProgress] = []
        self._texts: list[PartInProgress] = []
        self._opened = 0
        self._last: PartInProgress | None = None  # the part that started or grew last
        self._unread: dict[str, None] = {}
        self._growing: PartInProgress | None = None
        self._came: JsonObject = {}  # what goes with the growing part at its end

    @property
    def growing(self) -> PartInProgress | None:
        """The part that grows, on wires where the beginning of another part ends it."""
        return self._growing

    def switch(self, part: PartInProgress | None = None, opaque: JsonObject | None = None) -> list[Delta]:
        """Let `part` grow from here on. The one before is whole; `opaque` came with it."""
        before, came = self._growing, opaque or self._came
        self._growing, self._came = part, {}
        return self.close(before, came) if before is not None else []

    def text(self, kind: PartKind, piece: str, opaque: JsonObject | None = None) -> list[Delta]:
        """Add text to the growing part, or to a new one of that kind. An empty piece begins nothing."""
        if not piece:
            return []
        found: list[Delta] = []
        part = self._growing
        if part is None or part.kind != kind:
            part = self.start(kind)
            found = self.switch(part)
        self._came = opaque or {}
        return [*found, *self.grow(part, piece)]

    def start(self, kind: PartKind, id_: str = "", name: str = "") -> PartInProgress:
        """Start a part. A call gets a new id if the server sent none or a used one (R29)."""
        if len(self._calls) + len(self._texts) >= MAX_PARTS:
            raise broken(f"more than {MAX_PARTS} parts")
        if kind == "tool":
            number = len(self._used) + 1
            own = id_
            while not own or own in self._used:
                own, number = f"{id_ or 'call'}_{number}", number + 1
            self._used.add(own)
            part = PartInProgress(kind, own, name, sent=id_)
        else:
            part = PartInProgress(kind)
        (self._calls if kind == "tool" else self._texts).append(part)
        self._last = part
        return part

    def skip_part(self, kind: str) -> None:
        """Skip a part of an unknown kind."""
        if len(self._unread) < MAX_UNREAD:
            self._unread[kind[:MAX_NAME] or "without a kind"] = None

    def open(self, part: PartInProgress) -> list[Delta]:
        """Show the part, with the text held until its name was known."""
        if part.index is not None:
            return []
        part.index = self._opened
        self._opened += 1
        opened, held = PartOpened(part.index, part.kind, part.id, part.name), "".join(part.raw)
        return [opened, PartGrew(part.index, held)] if held else [opened]

    def grow(self, part: PartInProgress, more: str) -> list[Delta]:
        """Add text; an empty piece opens nothing. A closed call that grows is open again."""
        if not more:
            return []
        opened = self.open(part) if part.index is None else []
        part.closed, self._last = False, part
        if part.kind == "tool":
            part.raw.append(more)
        opened.append(PartGrew(part.index or 0, more))
        return opened

    def close(self, part: PartInProgress, opaque: JsonObject | None = None) -> list[Delta]:
        """Close the part. Text ends here; a call waits for the end of the message."""
        if part.closed:
            return []
        part.closed = True
        part.opaque |= opaque or {}
        if part.kind == "tool" or (part.index is None and not opaque):
            return []
        return [*self.open(part), PartEnded(part.index or 0, opaque=opaque or {})]

    def finish(self, reason: StopReason, usage: Usage, *, garbled: bool = False) -> list[Delta]:
        """Complete the message: check the calls in order, then yield Finished."""
        found = [delta for part in self._texts if part.index is not None for delta in self.close(part)]
        for part in self._calls:
            found += [*self.open(part), self._verdict(part, reason)]
        if reason in ("end", "tools"):
            reason = "tools" if self._calls else "end"
        return [*found, Finished(reason, usage, garbled, tuple(self._unread))]

    def _verdict(self, part: PartInProgress, reason: StopReason) -> Delta:
        """Check a call. Servers close a block even if they truncate it, so the last one of a truncated reply isn't
        trusted."""
        raw, index, arguments, misread = "".join(part.raw), part.index or 0, JsonObject(), False
        if reason not in ("end", "tools") and part is self._last:
            problem = _CUT.get(reason, "the reply ended before the call was known to be whole")
        elif not part.closed:
            problem = "the call was not closed"
        elif not part.name:
            problem = "the call names no tool"
        else:
            try:
                arguments, problem = parse_object(raw) if raw.strip() else {}, ""
            except JsonProblem as refused:
                problem, misread = f"the arguments are not one JSON object: {refused.message}", True
        if problem:
            return CallRefused(index, part.id, part.name, raw, problem, misread)
        return PartEnded(index, arguments=arguments, opaque=part.opaque)
