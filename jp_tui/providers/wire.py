"""What a wire is: a request becomes bytes, bytes become deltas. No I/O; the driver in `http.py` carries them.

Also what the wires share: one response being put together. A call is handed on only from a complete message
with closed blocks and a strict JSON object; nothing is ever repaired (traps.md T20).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from jp_tui.conversation.model import (
    Call,
    CallRefused,
    Delta,
    Finished,
    ModelError,
    ModelRequest,
    PartEnded,
    PartGrew,
    PartKind,
    PartOpened,
    StopReason,
    Usage,
)
from jp_tui.conversation.strict_json import Json, JsonObject, JsonProblem, parse_object

MAX_PARTS = 1000
MAX_UNREAD, MAX_NAME = 5, 40
"""Kinds of unknown parts that are named, and characters of each name."""
_CUT: dict[StopReason, str] = {
    "length": "the call was cut off: the reply reached its token limit",
    "window": "the call was cut off: the reply reached the end of the model's context window",
    "refused": "the reply was stopped by the provider's filter inside the call",
}


class Decoder(Protocol):
    """Decodes one response. `done` is true once Finished was handed out; then nothing more is needed."""

    @property
    def done(self) -> bool: ...

    def feed(self, data: bytes) -> list[Delta]:
        """Deltas that these bytes complete. Raises ModelError."""

    def end(self) -> list[Delta]:
        """The stream ended cleanly. Raises ModelError('cut') when the message is not complete."""


class Wire(Protocol):
    """One API: where its requests and its list of models are (surface.md S20b), and what they say."""

    @property
    def path(self) -> str:
        """What is appended to the base URL."""

    @property
    def list_path(self) -> str:
        """What is appended for the list of models."""

    @property
    def base_suffix(self) -> str:
        """What a base URL may end with, though `path` begins with it; "" is nothing."""

    def list_query(self, after: str) -> str:
        """The query of a part of the list, from the model `after` on; "" for none."""

    def headers(self, key: str | None) -> dict[str, str]: ...

    def body(self, request: ModelRequest) -> JsonObject: ...

    def decoder(self, request: ModelRequest) -> Decoder: ...


class ServerError(Exception):
    """An error object that came inside a stream; the driver puts it into words."""

    def __init__(self, error: JsonObject) -> None:
        super().__init__("an error inside the stream")
        self.error = error


def error_in(value: Json) -> JsonObject | None:
    """The error that an object carries under `error`, as an object; None without one."""
    found = value.get("error") if isinstance(value, dict) else None
    if isinstance(found, dict) and found:
        return found
    return {"message": found} if isinstance(found, str) and found else None


def broken(what: str) -> ModelError:
    """The server broke its own protocol."""
    return ModelError(
        "server",
        f"The server's reply could not be understood: {what}.",
        "Try again. If it stays so, the server does not speak the wire it is configured for (`wire`).",
        transient=True,
    )


def cut(what: str = "The reply broke off before it was complete.") -> ModelError:
    return ModelError(
        "cut",
        what,
        "Try again; what had arrived is kept and marked incomplete.",
        transient=True,
    )


def text(value: Json, key: str) -> str:
    """The text at `key`, or an empty one when there is none."""
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, str) else ""


def table(value: Json, key: str) -> JsonObject:
    """The object at `key`, or an empty one."""
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}


def count(value: Json, key: str) -> int:
    """The count at `key`, or 0."""
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, int) and not isinstance(found, bool) and 0 <= found < 1 << 53 else 0


def used_ids(request: ModelRequest) -> set[str]:
    """The ids of the calls that stand in the request."""
    return {part.id for message in request.messages for part in message.parts if isinstance(part, Call)}


@dataclass(slots=True)
class PartInProgress:
    """A part under way; it has an index once it was opened. `sent` is the id as the server sent it."""

    kind: PartKind
    id: str = ""
    name: str = ""
    sent: str = ""
    index: int | None = None
    raw: list[str] = field(default_factory=list)
    closed: bool = False


class ResponseBuilder:
    """One response being put together, the same for every wire."""

    def __init__(self, used: set[str]) -> None:
        self._used = used
        self._calls: list[PartInProgress] = []
        self._texts: list[PartInProgress] = []
        self._opened = 0
        self._last: PartInProgress | None = None  # the part that was begun or grew last
        self._unread: dict[str, None] = {}

    def start(self, kind: PartKind, id_: str = "", name: str = "") -> PartInProgress:
        """A new part. A call gets an id of its own where the server gave none or one that is taken (R29)."""
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

    def pass_over(self, kind: str) -> None:
        """A part of a kind that we do not know came, and is not shown."""
        if len(self._unread) < MAX_UNREAD:
            self._unread[kind[:MAX_NAME] or "without a kind"] = None

    def open(self, part: PartInProgress) -> list[Delta]:
        """The part begins to show, with what was held back until its name was known."""
        if part.index is not None:
            return []
        part.index = self._opened
        self._opened += 1
        opened, held = PartOpened(part.index, part.kind, part.id, part.name), "".join(part.raw)
        return [opened, PartGrew(part.index, held)] if held else [opened]

    def grow(self, part: PartInProgress, more: str) -> list[Delta]:
        """More text; an empty piece opens nothing. A call that grows is open again until it is closed again."""
        if not more:
            return []
        opened = self.open(part)
        part.closed, self._last = False, part
        if part.kind == "tool":
            part.raw.append(more)
        return [*opened, PartGrew(part.index or 0, more)]

    def close(self, part: PartInProgress, opaque: JsonObject | None = None) -> list[Delta]:
        """The part is whole. Text ends here; a call waits for the end of the message."""
        if part.closed:
            return []
        part.closed = True
        if part.kind == "tool" or (part.index is None and not opaque):
            return []
        return [*self.open(part), PartEnded(part.index or 0, opaque=opaque or {})]

    def finish(self, reason: StopReason, usage: Usage, *, garbled: bool = False) -> list[Delta]:
        """The message is complete: verdicts on the calls in their order, then Finished."""
        found = [delta for part in self._texts if part.index is not None for delta in self.close(part)]
        for part in self._calls:
            found += [*self.open(part), self._verdict(part, reason)]
        if reason in ("end", "tools"):
            reason = "tools" if self._calls else "end"
        return [*found, Finished(reason, usage, garbled, tuple(self._unread))]

    def _verdict(self, part: PartInProgress, reason: StopReason) -> Delta:
        """Servers close a block even when they cut it, so the last one of a cut reply is never trusted."""
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
        return PartEnded(index, arguments=arguments)
