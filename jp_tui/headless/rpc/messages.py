"""Params and results of every method as models (surface S30, inquiries.md R240-R242).

Protocol models are used where they fit, so that a client gets the same data as the screen. Input is parsed strictly: an
unknown field is refused with its place, not ignored. The docstrings of the models are published by `jp-tui rpc
--schema`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_serializer

from jp_tui.conversation.strict_json import Json, JsonObject
from jp_tui.conversation.text import Foreign
from jp_tui.headless.rpc.wire import PARAMS, RpcError
from jp_tui.protocol.base import Wire
from jp_tui.protocol.context import ContextPart
from jp_tui.protocol.values import (
    ChosenRule,
    Control,
    ConversationInfo,
    PartsTaken,
    PromptRequest,
    TurnError,
    UsageTotals,
)

PROTOCOL_VERSION = 1
SECRET = "secret"
MOST_LISTED = 1000

P = TypeVar("P", bound=BaseModel)


class RpcModel(BaseModel):
    """A record of the protocol: frozen, and unknown fields are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class Params(BaseModel):
    """What a client gives by name."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, defer_build=True)


class Empty(RpcModel):
    """Nothing."""


class InitializeParams(BaseModel):
    """What the client can do: with `secret` it may be asked for secrets. More that it says of itself is not read."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True, defer_build=True)

    capabilities: list[str] = Field(default_factory=list)


class Server(RpcModel):
    name: str
    version: str


class Initialized(RpcModel):
    protocol_version: int
    server: Server


class NewParams(Params):
    """A folder to work in and a model as provider/model; without them those that `jp-tui rpc` was started with."""

    workspace: str | None = None
    model: str | None = None


class SessionOpened(RpcModel):
    """A session that takes prompts."""

    session_id: str
    workspace: str
    model: str


class ResumeParams(Params):
    """A conversation by its id or a unique beginning of it. With `after` its events after that number come first, as
    notifications: 0 for all of them."""

    session_id: str
    after: int | None = Field(default=None, ge=0)


class SessionResumed(RpcModel):
    """A conversation that goes on, in the folder it was begun in. `last_seq` is the number of its last event;
    `held_by` says who else writes it: then one can only look on."""

    session_id: str
    title: Foreign
    workspace: str
    model: str
    turns: int
    last_seq: int
    held_by: str = ""


class ListParams(Params):
    """The latest `limit` conversations, of one folder or of all."""

    workspace: str | None = None
    limit: int = Field(default=200, ge=1, le=MOST_LISTED)


class SessionInfo(RpcModel):
    """A conversation in the list; times are UTC in the form of the log."""

    session_id: str
    title: Foreign
    workspace: str
    model: str
    created: str
    updated: str
    events: int
    turns: int


def session_info(one: ConversationInfo) -> SessionInfo:
    """A row of the list."""
    known = {name: getattr(one, name) for name in SessionInfo.model_fields if name != "session_id"}
    return SessionInfo(session_id=one.id, **known)


class SessionsListed(RpcModel):
    """The latest first."""

    sessions: tuple[SessionInfo, ...]


class PromptParams(Params):
    """Something to say to the model."""

    session_id: str
    prompt: str


class PromptEnded(RpcModel):
    """How the turn ended, and its tokens. Every event of it was told before. `error` says why it failed."""

    outcome: Literal["done", "failed", "deferred", "interrupted"]
    usage: UsageTotals
    error: TurnError | None = None


class CancelParams(Params):
    """The session whose turn is to stop; what waits for an answer in it is cancelled."""

    session_id: str


class ContextParams(Params):
    """The session whose next request is to be described."""

    session_id: str


class SessionContext(RpcModel):
    """What the next request of a session would hold; `tokens` is the sum of what is sent (K12)."""

    parts: tuple[ContextPart, ...]
    tokens: int
    window: int | None = None
    compact_at: int | None = None
    model: str


class SessionCancelled(RpcModel):
    """Whether a turn ran. `session/prompt` answers when it has ended."""

    cancelled: bool


class CompactParams(Params):
    """Summarise the older messages of a session for the model, with a `focus`; or `undo` the last compaction."""

    session_id: str
    focus: str = ""
    undo: bool = False


class SessionCompacted(RpcModel):
    """`event` as it is stored, null where nothing was done; `message` says why not. While a turn runs, it is done
    between two of its cycles: `waits`."""

    event: Wire | None = None
    message: str = ""
    waits: bool = False


class SessionEvent(RpcModel):
    """An event of the log, durable, as it is stored: with `seq`, which only grows, and `conversation`. `closes` names
    the streamed part that has become this event. What its sub-agents do comes with their own `conversation`."""

    session_id: str
    event: Wire
    closes: str = ""


class SessionDelta(RpcModel):
    """More of a streamed part. `call` and `tool` are set for the arguments of a tool call; `dropped`: the part is gone
    without an event. Deltas of one part may come joined, and what they held comes whole in the event."""

    session_id: str
    conversation: str
    part: str
    kind: Literal["message", "reasoning", "tool", ""] = ""
    text: Foreign = Foreign("")
    turn: int = 0
    call: str = ""
    tool: str = ""
    dropped: bool = False


class Inquiry(PromptRequest):
    """The whole prompt, as a face with a screen gets it. `id` names it to other processes, `waiting` is how many of
    this session wait, this one too."""

    id: str
    waiting: int

    @field_serializer("controls")
    def _sorted(self, controls: frozenset[Control]) -> list[str]:
        return sorted(controls)


class AskParams(RpcModel):
    """A question for a person: show `question`, which holds all that must be seen; answer with one of `choices`, or,
    where there are none, with text. The rest is optional: `inquiry` for clients that can show more, `problem` why the
    last answer did not fit (it stands in `question`, too)."""

    session_id: str
    question: str
    choices: tuple[str, ...]
    inquiry: Inquiry | None = None
    problem: str = ""


class AskResult(BaseModel):
    """The answer. `answer` is enough; the others are for clients that know the `inquiry`.

    `value` is the typed answer and wins over `answer`: for leave to run a tool true, false or an object of edited
    arguments; for leave to deliver a result true, false or the edited text. `control` does something else than answer;
    with `reply` the words are in `answer`. `note`, `remember` and `parts` go along with an answer where the inquiry
    allows it; `rule` names one of its `scopes`, and how long the rule lasts that the answer makes.
    Other fields are not looked at.
    """

    model_config = ConfigDict(frozen=True, extra="ignore", defer_build=True)

    answer: str | None = None
    value: Any = None
    control: Literal["back", "reply", "end_turn", "cancel", "decline"] | None = None
    note: str = ""
    remember: bool = False
    parts: PartsTaken | None = None
    rule: ChosenRule | None = None


class AskSettled(RpcModel):
    """A question that was asked needs no answer any more: `how` it ended, `by` whom. The request's id is
    `request_id`; an answer to it comes too late."""

    session_id: str
    request_id: str
    inquiry: str
    how: Literal["answered", "redacted", "cancelled", "withdrawn"]
    by: str = ""


class Method(NamedTuple):
    """A request or notification; `sender` is who sends it."""

    sender: Literal["client", "server"]
    what: str
    params: type[BaseModel]
    result: type[BaseModel] | None = None


INITIALIZE, NEW, RESUME, LIST = "initialize", "session/new", "session/resume", "session/list"
COMPACT = "session/compact"
PROMPT, CANCEL, CONTEXT, ASK = "session/prompt", "session/cancel", "session/context", "client/ask_user"
EVENT, DELTA, SETTLED = "session/event", "session/delta", "client/ask_user_settled"

METHODS: Mapping[str, Method] = {
    INITIALIZE: Method(
        "client", "The first request. Its capabilities apply from then on.", InitializeParams, Initialized
    ),
    NEW: Method("client", "Start a conversation.", NewParams, SessionOpened),
    RESUME: Method(
        "client", "Resume a conversation. An unfinished turn resumes immediately.", ResumeParams, SessionResumed
    ),
    LIST: Method("client", "List conversations.", ListParams, SessionsListed),
    PROMPT: Method(
        "client", "Send a prompt to the model. The reply comes when the turn has ended.", PromptParams, PromptEnded
    ),
    CANCEL: Method(
        "client", "Interrupt what runs in a session. May be sent as a notification.", CancelParams, SessionCancelled
    ),
    COMPACT: Method(
        "client",
        "Summarise older messages for the model, or undo that.",
        CompactParams,
        SessionCompacted,
    ),
    CONTEXT: Method(
        "client", "What goes to the model, part by part, with sizes. Nothing is sent.", ContextParams, SessionContext
    ),
    ASK: Method("server", "Ask the user. Replies may come in any order, without a time limit.", AskParams, AskResult),
    EVENT: Method("server", "A durable event.", SessionEvent),
    DELTA: Method("server", "A streamed part.", SessionDelta),
    SETTLED: Method("server", "A question no longer needs an answer.", AskSettled),
}
"""Every method there is; those without a result are notifications."""


def read_params(model: type[P], given: Json) -> P:
    """Parse a client's params. Raises RpcError with the place of every problem."""
    if not isinstance(given, dict):
        raise RpcError(PARAMS, "`params` must be an object.")
    try:
        return model.model_validate(given)
    except ValidationError as problem:
        found = [(_where(one["loc"]), one["msg"]) for one in problem.errors(include_url=False, include_input=False)]
    raise bad_params(*found)


def bad_params(*problems: tuple[str, str]) -> RpcError:
    """-32602 with each problem and the JSON pointer of its place within the params."""
    words = "; ".join(f"{where}: {what}" for where, what in problems)
    return RpcError(PARAMS, words, {"problems": [{"where": where, "problem": what} for where, what in problems]})


def _where(path: tuple[int | str, ...]) -> str:
    return "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in path) or "/"


def wire(model: BaseModel) -> JsonObject:
    """A model as JSON, without its own fields that are null."""
    return {key: value for key, value in model.model_dump(mode="json").items() if value is not None}
