"""Events of a conversation and their stored forms (inquiries.md R16-R25, R48-R58).

Frozen values with `wire()`; `read_event` decodes them. An unknown event is kept verbatim (R56), as is every unknown key
of a known one (R25, R209): `extra` is written back and never read. `turn_outcome` is jp-tui's own: how a turn ended, so
that a reloaded conversation shows what the live one showed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from jp_tui.conversation.strict_json import Json, JsonObject

ChatKind = Literal["message", "reasoning", "data"]
Ending = Literal["done", "failed", "deferred", "interrupted"]
SourceKind = Literal["tool", "assistant", "user", "other", "outside"]
ResponderKind = Literal["user", "assistant", "static", "remembered", "default", "system"]
Trigger = Literal["user", "window", "overflow"]
Method = Literal["summary", "trimmed"]
CancelReason = Literal[
    "user", "backend_error", "no_prompt_backend", "assistant_routing_denied", "invalid_static_answer",
    "invalid_approvals",
    "user_back", "user_reply", "user_edit", "user_decline", "secret_refused", "timed_out", "client gone",
    "withdrawn",
]  # fmt: skip
"""Reasons of R22, R23 and Z9 that the program produces; a stored reason may be any text, kept verbatim (R22, R24)."""


class EventProblem(ValueError):
    """Unreadable stored event; it is kept raw and reported (R51)."""


@dataclass(frozen=True, slots=True)
class Source:
    """Source of a question; never taken from configuration or a tool's output (R17, R18)."""

    kind: SourceKind
    name: str = ""
    extra: JsonObject = field(default_factory=dict, kw_only=True)

    def wire(self) -> JsonObject:
        named: JsonObject = {"name": self.name} if self.kind in ("tool", "other", "outside") else {}
        return {"source": self.kind, **named, **self.extra}


@dataclass(frozen=True, slots=True)
class Responder:
    """Author of an answer (R25): user, assistant (with model and token counts), static, remembered or default; `system`
    if jp-tui itself closed the inquiry (Z9). In a shared store a user is `who`, a role of its server, on `machine`,
    `on_behalf` of another who is away; `offer` is the number of the offer through which the answer came, if another
    role than the conversation's writer gave it (store.md D13, D17)."""

    kind: ResponderKind
    model: str = ""
    escalated: bool = False
    via: str = ""
    ms: int | None = None
    usage: JsonObject = field(default_factory=dict)
    who: str = ""
    machine: str = ""
    on_behalf: str = ""
    offer: int = 0
    extra: JsonObject = field(default_factory=dict, kw_only=True)

    def wire(self) -> JsonObject:
        found: JsonObject = {"kind": self.kind}
        for key, value in (
            ("model", self.model), ("escalated", self.escalated), ("via", self.via), ("who", self.who),
            ("machine", self.machine), ("for", self.on_behalf), ("offer", self.offer),
        ):  # fmt: skip
            if value:
                found[key] = value
        if self.ms is not None:
            found["ms"] = self.ms
        if self.usage:
            found["usage"] = self.usage
        return {**found, **self.extra}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stamped:
    timestamp: str = ""
    metadata: JsonObject = field(default_factory=dict)
    extra: JsonObject = field(default_factory=dict)

    def _wire(self, kind: str, body: JsonObject) -> JsonObject:
        head: JsonObject = {"timestamp": self.timestamp, "type": kind, **body}
        told: JsonObject = {"metadata": self.metadata} if self.metadata else {}
        return {**head, **told, **self.extra}


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnStart(_Stamped):
    """First event of a turn."""

    def wire(self) -> JsonObject:
        return self._wire("turn_start", {})


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest(_Stamped):
    """User's message."""

    content: str

    def wire(self) -> JsonObject:
        return self._wire("chat_request", {"content": self.content})


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatResponse(_Stamped):
    """One part of the model's response; `metadata.incomplete` is true if it was truncated."""

    kind: ChatKind
    content: Json

    def wire(self) -> JsonObject:
        return self._wire("chat_response", {self.kind: self.content})


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCallRequest(_Stamped):
    """Tool call of the model, arguments exactly as sent; old `tool_answers` beside them are never used (R239)."""

    id: str
    name: str
    arguments: JsonObject

    def wire(self) -> JsonObject:
        return self._wire("tool_call_request", {"id": self.id, "name": self.name, "arguments": self.arguments})


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCallResponse(_Stamped):
    """Result of a tool call, exactly one (R57); `metadata.ms` is its duration."""

    id: str
    content: str
    is_error: bool = False

    def wire(self) -> JsonObject:
        return self._wire("tool_call_response", {"id": self.id, "content": self.content, "is_error": self.is_error})


@dataclass(frozen=True, slots=True, kw_only=True)
class InquiryRequest(_Stamped):
    """Question sent to someone; `question` is the recorded form of R20, made by `questions.wire`."""

    id: str
    source: Source
    question: JsonObject

    def wire(self) -> JsonObject:
        return self._wire("inquiry_request", {"id": self.id, "source": self.source.wire(), "question": self.question})


@dataclass(frozen=True, slots=True, kw_only=True)
class InquiryAnswered(_Stamped):
    """Answer; `explanation` is the responder's own text, stored as `reason` (R21, C13).

    `extra` may contain `parts` (R251) and `approved_by` (store.md D15).
    """

    id: str
    answer: Json
    explanation: str | None = None
    responder: Responder | None = None

    def wire(self) -> JsonObject:
        body: JsonObject = {"outcome": "answered", "id": self.id, "answer": self.answer}
        if self.explanation is not None:
            body["reason"] = self.explanation
        if self.responder is not None:
            body["responder"] = self.responder.wire()
        return self._wire("inquiry_response", body)


@dataclass(frozen=True, slots=True, kw_only=True)
class InquiryCancelled(_Stamped):
    """No answer; `reason` is a CancelReason, or an unknown one that was read and is kept verbatim."""

    id: str
    reason: str = "user"
    responder: Responder | None = None

    def wire(self) -> JsonObject:
        body: JsonObject = {"outcome": "cancelled", "id": self.id, "reason": self.reason}
        if self.responder is not None:
            body["responder"] = self.responder.wire()
        return self._wire("inquiry_response", body)


@dataclass(frozen=True, slots=True, kw_only=True)
class InquiryRedacted(_Stamped):
    """Answered with a secret: the answer is neither loaded nor written, even if one was read (R202)."""

    id: str

    def wire(self) -> JsonObject:
        return self._wire("inquiry_response", {"outcome": "redacted", "id": self.id})


@dataclass(frozen=True, slots=True, kw_only=True)
class InquiryVote(_Stamped):
    """«jp-tui's own»: one of several approvals of a question, before the one that settles it (store.md D15). The
    request has no response yet. `metadata.digest` is that of what was shown."""

    id: str
    vote: bool
    explanation: str | None = None
    responder: Responder | None = None

    def wire(self) -> JsonObject:
        body: JsonObject = {"id": self.id, "vote": self.vote}
        if self.explanation is not None:
            body["reason"] = self.explanation
        if self.responder is not None:
            body["responder"] = self.responder.wire()
        return self._wire("inquiry_vote", body)


@dataclass(frozen=True, slots=True, kw_only=True)
class InquiryAssigned(_Stamped):
    """«jp-tui's own»: a question was handed over from one addressee to another (store.md D16), empty for the owner;
    `responder` is who did it."""

    id: str
    sender: str
    to: str
    responder: Responder | None = None

    def wire(self) -> JsonObject:
        body: JsonObject = {"id": self.id, "from": self.sender, "to": self.to}
        if self.responder is not None:
            body["responder"] = self.responder.wire()
        return self._wire("inquiry_assigned", body)


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnOutcome(_Stamped):
    """«jp-tui's own»: how a turn ended. `error` is {kind, message, advice, detail}; `usage` token counts; `ms` wall
    time."""

    outcome: Ending
    model: str = ""
    usage: JsonObject = field(default_factory=dict)
    ms: int = 0
    error: JsonObject | None = None

    def wire(self) -> JsonObject:
        body: JsonObject = {"outcome": self.outcome, "model": self.model, "usage": self.usage, "ms": self.ms}
        if self.error is not None:
            body["error"] = self.error
        return self._wire("turn_outcome", body)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigDelta(_Stamped):
    """Settings change, effective from here on (R67); `delta` nested as in a file. Preserved (R208)."""

    delta: JsonObject

    def wire(self) -> JsonObject:
        return self._wire("config_delta", {"delta": self.delta})


@dataclass(frozen=True, slots=True, kw_only=True)
class Compaction(_Stamped):
    """«ours»: providers see `summary` and what is carried instead of the events up to `through` (context.md K22).

    `record` are the lines of K25, `plan`, `files` and `said` (the user's messages) what is carried beside them,
    `before` and `after` tokens, `messages` how many parts of messages were compacted. `trimmed` without an `error` left
    nothing out: it shortened long results up to `through` (K26).
    """

    trigger: Trigger
    method: Method
    through: int
    summary: str = ""
    record: tuple[str, ...] = ()
    plan: tuple[JsonObject, ...] = ()
    files: tuple[str, ...] = ()
    said: tuple[str, ...] = ()
    before: int = 0
    after: int = 0
    messages: int = 0
    focus: str = ""
    model: str = ""
    error: str = ""
    usage: JsonObject = field(default_factory=dict)

    @property
    def leaves_out(self) -> bool:
        """True if messages are left out, and not only long results shortened."""
        return self.method == "summary" or bool(self.error)

    def wire(self) -> JsonObject:
        body: JsonObject = {"trigger": self.trigger, "method": self.method, "through": self.through}
        for key, text in (("focus", self.focus), ("model", self.model), ("summary", self.summary)):
            if text:
                body[key] = text
        body["record"] = list(self.record)
        body["carried"] = {"plan": list(self.plan), "files": list(self.files), "said": list(self.said)}
        body |= {"before": self.before, "after": self.after, "messages": self.messages}
        if self.error:
            body["error"] = self.error
        if self.usage:
            body["usage"] = self.usage
        return self._wire("compaction", body)


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionUndone(_Stamped):
    """«ours»: the compaction with this number holds no longer (context.md K23)."""

    compaction: int

    def wire(self) -> JsonObject:
        return self._wire("compaction_undone", {"compaction": self.compaction})


@dataclass(frozen=True, slots=True)
class Unknown:
    """Event of an unknown kind, or an unreadable one; kept verbatim (R51, R56)."""

    raw: JsonObject
    problem: str = ""

    @property
    def timestamp(self) -> str:
        found = self.raw.get("timestamp")
        return found if isinstance(found, str) else ""

    @property
    def metadata(self) -> JsonObject:
        found = self.raw.get("metadata")
        return found if isinstance(found, dict) else {}

    def wire(self) -> JsonObject:
        return self.raw


InquiryResponse = InquiryAnswered | InquiryCancelled | InquiryRedacted
InquiryFact = InquiryRequest | InquiryResponse | InquiryVote | InquiryAssigned
Event = (
    TurnStart
    | ChatRequest
    | ChatResponse
    | ToolCallRequest
    | ToolCallResponse
    | InquiryRequest
    | InquiryAnswered
    | InquiryCancelled
    | InquiryRedacted
    | InquiryVote
    | InquiryAssigned
    | TurnOutcome
    | ConfigDelta
    | Compaction
    | CompactionUndone
    | Unknown
)
