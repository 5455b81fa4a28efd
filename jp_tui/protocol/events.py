"""Events of the engine. Past tense; facts are never dropped, deltas may merge under pressure."""

from __future__ import annotations

from dataclasses import field
from typing import Annotated, Any, Literal

from jp_tui.conversation.text import Foreign
from jp_tui.protocol.base import Model, OneOf
from jp_tui.protocol.changes import ChangesRead as ChangesRead
from jp_tui.protocol.changes import ChangesUndone as ChangesUndone
from jp_tui.protocol.compaction import Compacted as Compacted
from jp_tui.protocol.compaction import WindowLearned as WindowLearned
from jp_tui.protocol.composing import ComposingEvent
from jp_tui.protocol.composing import FilesFound as FilesFound
from jp_tui.protocol.composing import ImageChecked as ImageChecked
from jp_tui.protocol.composing import QueueChanged as QueueChanged
from jp_tui.protocol.composing import QueueTaken as QueueTaken
from jp_tui.protocol.composing import ShellEnded as ShellEnded
from jp_tui.protocol.composing import ShellOutput as ShellOutput
from jp_tui.protocol.context import ContextRead as ContextRead
from jp_tui.protocol.library import ConversationChanged as ConversationChanged
from jp_tui.protocol.library import ConversationForked as ConversationForked
from jp_tui.protocol.library import ConversationsFound as ConversationsFound
from jp_tui.protocol.library import ConversationsImported as ConversationsImported
from jp_tui.protocol.library import LibraryProgress as LibraryProgress
from jp_tui.protocol.mcp import McpLogin as McpLogin
from jp_tui.protocol.mcp import McpRead as McpRead
from jp_tui.protocol.mcp import ServerPromptFilled as ServerPromptFilled
from jp_tui.protocol.mcp import ServerPromptRead as ServerPromptRead
from jp_tui.protocol.mode import ApprovalModeSet as ApprovalModeSet
from jp_tui.protocol.models import ModelsListed as ModelsListed
from jp_tui.protocol.outside import AgentsRead as AgentsRead
from jp_tui.protocol.outside import OutsideAsked as OutsideAsked
from jp_tui.protocol.outside import OutsideFormSettled as OutsideFormSettled
from jp_tui.protocol.outside import OutsideSettled as OutsideSettled
from jp_tui.protocol.own_commands import OwnCommandsRead as OwnCommandsRead
from jp_tui.protocol.people import Approvals, ClaimSettled, PeopleListed
from jp_tui.protocol.plan import PlanFound as PlanFound
from jp_tui.protocol.plan import PlanModeSet as PlanModeSet
from jp_tui.protocol.rules import RulesRead as RulesRead
from jp_tui.protocol.settings import SettingsRead as SettingsRead
from jp_tui.protocol.setup import ModelTested as ModelTested
from jp_tui.protocol.setup import SetupFound as SetupFound
from jp_tui.protocol.setup import SetupSaved as SetupSaved
from jp_tui.protocol.store import AnswerHeld as AnswerHeld
from jp_tui.protocol.store import DraftsFound as DraftsFound
from jp_tui.protocol.store import StoreEvent
from jp_tui.protocol.store import StoreState as StoreState
from jp_tui.protocol.trust import TrustRead as TrustRead
from jp_tui.protocol.usage import ModelSwitched as ModelSwitched
from jp_tui.protocol.usage import UsageRead as UsageRead
from jp_tui.protocol.values import (
    AgentInfo,
    CallEnd,
    CallState,
    ConversationInfo,
    EventSpan,
    InquiryInfo,
    LedgerEntry,
    PromptRequest,
    ReviewerFigures,
    StoredEvent,
    TurnError,
    UsageTotals,
    WaitingInfo,
)
from jp_tui.protocol.worker import ScheduleBegan as ScheduleBegan


class ConversationOpened(Model):
    """A conversation with its last page of events. `held_by` names the process that writes it if that is another one.

    `greeting` is a scripted model's first message, shown like any text of the assistant. `agent`: it is the
    conversation of a sub-agent. `window` is the model's context in tokens, if known.
    """

    type: Literal["conversation_opened"] = "conversation_opened"
    conversation: str
    title: Foreign
    workspace: str
    model: str
    new: bool
    held_by: str = ""
    greeting: Foreign | None = None
    page: tuple[StoredEvent, ...] = ()
    spans: tuple[EventSpan, ...] = ()
    last_seq: int = 0
    turns: int = 0
    usage: UsageTotals = UsageTotals()
    window: int | None = None
    drafts: dict[str, str] = field(default_factory=dict)
    agent: AgentInfo | None = None


class TitleChanged(Model):
    """A conversation has another title; the first one is the first line of its first message."""

    type: Literal["title_changed"] = "title_changed"
    conversation: str
    title: Foreign


class EventsRead(Model):
    """The events asked for with ReadEvents, in order, without gaps."""

    type: Literal["events_read"] = "events_read"
    conversation: str
    around: int
    events: tuple[StoredEvent, ...]


class EventAppended(Model):
    """A fact: durable in the log. `closes` names the streamed part that became this event."""

    type: Literal["event_appended"] = "event_appended"
    conversation: str
    stored: StoredEvent
    closes: str = ""


class PartDelta(Model):
    """More of a streamed part. `part` is unique in the conversation; for tool arguments `call` and `tool` are set."""

    type: Literal["part_delta"] = "part_delta"
    conversation: str
    turn: int
    part: str
    kind: Literal["message", "reasoning", "tool"]
    text: Foreign
    call: str = ""
    tool: str = ""


class PartDropped(Model):
    """A streamed part is gone without an event (aborted, or retried from the start)."""

    type: Literal["part_dropped"] = "part_dropped"
    conversation: str
    part: str


class TurnStarted(Model):
    """A turn runs; `resumed` when it was unfinished before (R207)."""

    type: Literal["turn_started"] = "turn_started"
    conversation: str
    turn: int
    model: str
    resumed: bool = False


class TurnPhase(Model):
    """The state of the turn, for the status line and the interrupt menu; `retry_in` seconds with `retrying`; `detail`
    names the MCP servers with `starting_servers`."""

    type: Literal["turn_phase"] = "turn_phase"
    conversation: str
    turn: int
    phase: Literal["waiting_for_model", "streaming", "tools", "retrying", "compacting", "starting_servers"]
    detail: str = ""
    retry_in: float | None = None


class Retrying(Model):
    """A request other than the turn's own waits before its next try (Z21): a reviewer's, a sub-agent's, a side
    question's. `id` is the inquiry, or the sub-agent's conversation; `name` the model or the sub-agent. `retry_in` is
    in seconds; None ends the wait. The turn's own waits come as TurnPhase."""

    type: Literal["retrying"] = "retrying"
    conversation: str
    id: str
    who: Literal["reviewer", "agent", "aside"]
    name: Foreign = Foreign("")
    detail: str = ""
    retry_in: float | None = None


class TurnCompleted(Model):
    """The turn is over. `returned` is the user's text for the composer if the turn ended without a result."""

    type: Literal["turn_completed"] = "turn_completed"
    conversation: str
    turn: int
    outcome: Literal["done", "failed", "deferred", "interrupted"]
    usage: UsageTotals = UsageTotals()
    ms: int = 0
    error: TurnError | None = None
    returned: str = ""


class CallChanged(Model):
    """A tool call changed its state (R96). `title` is its subject; `ms` the time since it began to run. `agent` is the
    sub-agent that it runs, once there is one; `said` the last line of the sub-agent's text while it runs."""

    type: Literal["call_changed"] = "call_changed"
    conversation: str
    turn: int
    call: str
    tool: str
    state: CallState
    title: Foreign = Foreign("")
    hidden: bool = False
    end: CallEnd | None = None
    ms: int | None = None
    agent: AgentInfo | None = None
    said: Foreign = field(default=Foreign(""), repr=False)


class QuestionAsked(Model):
    """A question waits for the user; several may (R99). The front end shows one at a time, oldest first. `draft` is the
    text typed for it in an earlier run or in another front end (E24)."""

    type: Literal["question_asked"] = "question_asked"
    conversation: str
    prompt: PromptRequest
    draft: str = field(default="", repr=False)


class QuestionSettled(Model):
    """A question is closed: `how` it ended, `by` whom."""

    type: Literal["question_settled"] = "question_settled"
    conversation: str
    inquiry: str
    how: Literal["answered", "redacted", "cancelled", "withdrawn"]
    by: str = ""


class PromptChanged(Model):
    """An open question was approved by one more person, claimed, or handed over (store.md D15, D16). The fields as in
    PromptRequest; an empty `why` leaves it as it was."""

    type: Literal["prompt_changed"] = "prompt_changed"
    conversation: str
    inquiry: str
    to: str = ""
    claimed_by: str = ""
    approvals: Approvals | None = None
    yours: bool = True
    why: str = ""


class AnswerRefused(Model):
    """An answer was not accepted: invalid, stale, or already answered. The question stays open if it still can."""

    type: Literal["answer_refused"] = "answer_refused"
    conversation: str
    inquiry: str
    reason: str
    gone: bool = False
    by: str = ""


class AnswerChecked(Model):
    """The result for exactly the value of that CheckAnswer; no problems when it is valid. A problem is (JSON pointer,
    message)."""

    type: Literal["answer_checked"] = "answer_checked"
    conversation: str
    inquiry: str
    revision: int
    problems: tuple[tuple[str, str], ...] = ()


class OfferSettled(Model):
    """The result of an OfferAnswer: accepted and durable, already answered `by` another, invalid, no open question with
    that id, several match (`candidates` as CONVERSATION/ID), or its holder did not react. `message` is for people.
    `outside`: another program waits for it. `worker` describes the worker that resumes an accepted answer's turn, empty
    where there is none (store.md D21). `counted`: it is one of several `approvals` that are needed; `not_yours`: other
    people are asked; `claimed`: another person looks at it, `by` (store.md D15, D16)."""

    type: Literal["offer_settled"] = "offer_settled"
    status: Literal[
        "accepted",
        "answered",
        "invalid",
        "stale",
        "unknown",
        "ambiguous",
        "no_reaction",
        "counted",
        "not_yours",
        "claimed",
    ]
    inquiry: str
    conversation: str = ""
    by: str = ""
    message: str = ""
    candidates: tuple[str, ...] = ()
    outside: bool = False
    worker: str = ""
    approvals: Approvals | None = None


class InquiriesListed(Model):
    type: Literal["inquiries_listed"] = "inquiries_listed"
    inquiries: tuple[InquiryInfo, ...]


class WaitingListed(Model):
    """All that waits for the user in this workspace, from every tool, agent and conversation, oldest first (E51). Sent
    a few times a second at most. `arrive`: how a question of another program is shown when it comes (N6)."""

    type: Literal["waiting_listed"] = "waiting_listed"
    waiting: tuple[WaitingInfo, ...]
    arrive: Literal["peek", "sheet", "inbox"] = "peek"


class LedgerRead(Model):
    """All answers and permissions remembered in this conversation now (E43)."""

    type: Literal["ledger_read"] = "ledger_read"
    conversation: str
    entries: tuple[LedgerEntry, ...]


class AsideDelta(Model):
    """More of a model's reply to a side question (E30); it grows until AsideEnded."""

    type: Literal["aside_delta"] = "aside_delta"
    conversation: str
    inquiry: str
    text: Foreign


class AsideEnded(Model):
    """A side question is over; `error` if it failed (kind `cancelled`: the question was closed meanwhile). By then the
    log has the exchange as an `inquiry_aside` event."""

    type: Literal["aside_ended"] = "aside_ended"
    conversation: str
    inquiry: str
    error: TurnError | None = None


class ReviewStarted(Model):
    """A reviewing model gets a question (R139) until QuestionSettled. `again`: now with the assistant's intent."""

    type: Literal["review_started"] = "review_started"
    conversation: str
    turn: int
    call: str
    inquiry: str
    tool: str
    model: str
    again: bool = False
    at: str = ""


class ReviewDelta(Model):
    """More of a reviewer's output while it decides (E40): its thoughts, or the reason of the verdict, unescaped.
    `fresh`: the output starts again, and replaces all earlier deltas of this inquiry."""

    type: Literal["review_delta"] = "review_delta"
    conversation: str
    inquiry: str
    kind: Literal["thought", "reason"]
    text: Foreign
    fresh: bool = False


class ReviewersRead(Model):
    """The trust figures, most asked first."""

    type: Literal["reviewers_read"] = "reviewers_read"
    reviewers: tuple[ReviewerFigures, ...]


class ConversationsListed(Model):
    type: Literal["conversations_listed"] = "conversations_listed"
    conversations: tuple[ConversationInfo, ...]


class ConversationRead(Model):
    """A range of a conversation's events; `more` when there are events after it."""

    type: Literal["conversation_read"] = "conversation_read"
    info: ConversationInfo
    events: tuple[StoredEvent, ...]
    more: bool


class HistoryRead(Model):
    type: Literal["history_read"] = "history_read"
    texts: tuple[str, ...]


class SettingChanged(Model):
    type: Literal["setting_changed"] = "setting_changed"
    key: str
    value: Any = None
    file: str = ""


class Refused(Model):
    """A command that could not be carried out: why, and what to do. `pending`: inquiries that need an answer first,
    with no client to give it (surface S1: exit code 3). `storage`: the store failed, not the command (exit code 1).
    `code` is a program's form of the reason why a turn is not resumed, or why an own command can't be used."""

    type: Literal["refused"] = "refused"
    command: str
    message: str
    advice: str = ""
    conversation: str = ""
    pending: tuple[str, ...] = ()
    code: Literal["", "nothing_to_resume", "waits_for_user", "command_refused"] = ""
    storage: bool = False


class UserNotice(Model):
    """Something that the user must know, while nothing failed: the store was damaged and repaired, or moved away and
    written again; an MCP server can't be used, or its tools changed."""

    type: Literal["user_notice"] = "user_notice"
    message: str
    advice: str = ""


class StorageFailed(Model):
    """The log cannot be written; nothing more is shown as done until it can."""

    type: Literal["storage_failed"] = "storage_failed"
    message: str
    advice: str = ""


class BackgroundFailed(Model):
    """A bug in a background task; everything else continues (Z27). `file` is the redacted report, empty if none could
    be written."""

    type: Literal["background_failed"] = "background_failed"
    message: str
    file: str = ""


class EngineFailed(Model):
    """A bug in the engine; the front end reports it and ends with status 1. `report` is a redacted traceback."""

    type: Literal["engine_failed"] = "engine_failed"
    message: str
    report: str


class Stopped(Model):
    """The engine has stopped and the log is closed."""

    type: Literal["stopped"] = "stopped"


Event = Annotated[
    ConversationOpened
    | TitleChanged
    | EventsRead
    | EventAppended
    | PartDelta
    | PartDropped
    | TurnStarted
    | TurnPhase
    | Retrying
    | TurnCompleted
    | CallChanged
    | QuestionAsked
    | QuestionSettled
    | PromptChanged
    | ClaimSettled
    | PeopleListed
    | AnswerRefused
    | AnswerChecked
    | OfferSettled
    | AgentsRead
    | OutsideAsked
    | OutsideFormSettled
    | OutsideSettled
    | InquiriesListed
    | WaitingListed
    | LedgerRead
    | AsideDelta
    | AsideEnded
    | ReviewStarted
    | ReviewDelta
    | ReviewersRead
    | ChangesRead
    | ChangesUndone
    | ConversationsListed
    | ConversationRead
    | HistoryRead
    | SettingChanged
    | SettingsRead
    | TrustRead
    | RulesRead
    | McpRead
    | McpLogin
    | ServerPromptRead
    | ServerPromptFilled
    | Compacted
    | WindowLearned
    | ModelSwitched
    | UsageRead
    | ContextRead
    | PlanModeSet
    | PlanFound
    | OwnCommandsRead
    | ApprovalModeSet
    | ModelsListed
    | SetupFound
    | ModelTested
    | SetupSaved
    | ConversationChanged
    | ConversationForked
    | ConversationsFound
    | ConversationsImported
    | LibraryProgress
    | ComposingEvent
    | Refused
    | UserNotice
    | StoreEvent
    | ScheduleBegan
    | StorageFailed
    | BackgroundFailed
    | EngineFailed
    | Stopped,
    OneOf("type"),
]
