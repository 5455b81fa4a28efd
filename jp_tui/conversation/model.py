"""Requests to a model and its responses, the same for every wire.

Requests are values, deltas are values; bytes belong to `providers`. Only chat and tool events ever become messages
(inquiries.md R59); the engine builds them in one place.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, get_args

from jp_tui.conversation.strict_json import JsonObject

PartKind = Literal["message", "reasoning", "tool"]
StopReason = Literal["end", "tools", "length", "window", "refused", "paused", "other"]
"""`window`: the server says that the model's context window ended the reply."""


@dataclass(frozen=True, slots=True)
class TextPart:
    """Text of a user or of the assistant; `opaque` is what a wire needs to send it back."""

    text: str
    opaque: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ReasoningPart:
    """Reasoning of the assistant; `opaque` is what a wire needs to send it back (a signature)."""

    text: str
    opaque: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Call:
    """Complete tool call, arguments one strict JSON object; `opaque` is what a wire needs to send it back."""

    id: str
    name: str
    arguments: JsonObject
    opaque: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Result:
    """Result of a tool call."""

    id: str
    name: str
    content: str
    is_error: bool


@dataclass(frozen=True, slots=True)
class Picture:
    """Image attached by the user; `data` is base64 of the type `media`, `name` its file's."""

    media: str
    data: str = field(repr=False)
    name: str = ""


Part = TextPart | ReasoningPart | Call | Result | Picture


@dataclass(frozen=True, slots=True)
class Message:
    """One message; tool results are in user messages, wires move them where their API wants them."""

    role: Literal["user", "assistant"]
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """Tool as a model sees it; `parameters` is a JSON-schema object (inquiries.md R80)."""

    name: str
    description: str
    parameters: JsonObject


EffortLevel = Literal["low", "medium", "high"]
EffortChoice = Literal["default", "low", "medium", "high"]
"""Effort as a user sets it; with `default` nothing is sent."""
EFFORTS: tuple[EffortChoice, ...] = get_args(EffortChoice)
EffortForm = Literal["level", "budget", "switch"]
EffortSupport = EffortForm | Literal["none"]
BUDGETS: dict[EffortLevel, int] = {"low": 4_096, "medium": 16_384, "high": 32_768}
"""Tokens of thought for models that take a number (wires.md W8)."""


@dataclass(frozen=True, slots=True)
class Effort:
    """Requested amount of thinking, and its form for the model: a level, tokens, or on and off."""

    level: EffortLevel
    form: EffortForm = "level"

    @property
    def tokens(self) -> int:
        return BUDGETS[self.level]


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One request.

    `model` is the part after the first `/` of provider/model (surface.md S20b). `output` is the JSON Schema for the
    whole reply, requested natively; a wire without support sends none, and the caller forces a tool instead (R124,
    R129). `cache` is how long a provider may keep the prompt (R68: `off`, `short`, `long` or a duration), `cache_at`
    the index of the last message worth keeping, None for the last of all (R134). `conversation` is an id shared by all
    requests of a conversation, for servers that cache by one; it may be empty. `effort` None sends nothing about it.
    `inquiry` is `tool.question` of a question for a model; only scripted models read it.
    """

    model: str
    messages: tuple[Message, ...]
    system: str = ""
    tools: tuple[ToolSpec, ...] = ()
    tool_choice: str = "auto"  # auto, none, required or a tool's name
    max_tokens: int | None = None
    temperature: float | None = None
    output: JsonObject | None = None
    cache: str = "short"
    cache_at: int | None = None
    conversation: str = ""
    effort: Effort | None = None
    inquiry: str = ""
    extra: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Usage:
    """Token counts of one response; `cached` is the part of `input` read from a cache."""

    input: int = 0
    output: int = 0
    cached: int = 0
    reasoning: int = 0

    def wire(self) -> JsonObject:
        return {
            "input": self.input,
            "output": self.output,
            "cached": self.cached,
            "reasoning": self.reasoning,
        }

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.input + other.input,
            self.output + other.output,
            self.cached + other.cached,
            self.reasoning + other.reasoning,
        )


@dataclass(frozen=True, slots=True)
class PartOpened:
    """Start of a part; `index` numbers parts within the response. For a tool `id` and `name` are known."""

    index: int
    kind: PartKind
    id: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class PartGrew:
    """More of a part: text, reasoning, or a piece of a tool's arguments as raw JSON text."""

    index: int
    text: str


@dataclass(frozen=True, slots=True)
class PartEnded:
    """End of a part. A tool has its parsed `arguments`; `opaque` is what its wire needs to send it back."""

    index: int
    arguments: JsonObject | None = None
    opaque: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CallRefused:
    """Tool call that must not run (T20): it was truncated, or its arguments aren't a strict JSON object (`misread`)."""

    index: int
    id: str
    name: str
    raw: str
    problem: str
    misread: bool = False


@dataclass(frozen=True, slots=True)
class Finished:
    """End of the response. A stream without it was truncated. `garbled`: some bytes weren't UTF-8 and became U+FFFD.
    `unread` are unknown kinds of parts, by the server's names."""

    reason: StopReason
    usage: Usage = Usage()
    garbled: bool = False
    unread: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ReasoningLeftOut:
    """The server refused reasoning of earlier replies, so the request was sent again without it (wires.md W6). Comes
    before any part."""


Delta = PartOpened | PartGrew | PartEnded | CallRefused | ReasoningLeftOut | Finished
ErrorKind = Literal[
    "no_credentials",
    "unauthorised",
    "forbidden",
    "unknown_model",
    "rate_limited",
    "overloaded",
    "bad_request",
    "too_long",
    "server",
    "refused",
    "unreachable",
    "stalled",
    "cut",
    "not_json",
    "too_large",
    "cancelled",
    "other",
]


class ModelError(Exception):
    """Failed request: what happened (`message`; `detail` is the server's message), what to do (`advice`).

    `retry_after` in seconds if the server gave it; `transient` if a retry may help. `cause` is the message without the
    server's waiting time, for a line that shows the time of the retry. `window` is the
    model's context in tokens, if the server gave it.
    """

    def __init__(
        self,
        kind: ErrorKind,
        message: str,
        advice: str = "",
        *,
        detail: str = "",
        status: int | None = None,
        retry_after: float | None = None,
        transient: bool = False,
        cause: str = "",
        window: int | None = None,
    ) -> None:
        super().__init__(message)
        self.kind: ErrorKind = kind
        self.cause = cause or message
        self.message, self.advice, self.detail = message, advice, detail
        self.status, self.retry_after, self.transient = status, retry_after, transient
        self.window = window
