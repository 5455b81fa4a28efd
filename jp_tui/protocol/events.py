"""What the engine reports. Past tense; facts are never dropped, deltas may merge under pressure."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from jp_tui.conversation.text import Foreign
from jp_tui.protocol.base import Model
from jp_tui.protocol.changes import ChangesRead as ChangesRead
from jp_tui.protocol.changes import ChangesUndone as ChangesUndone
from jp_tui.protocol.compaction import Compacted as Compacted
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
from jp_tui.protocol.models import ModelsListed as ModelsListed
from jp_tui.protocol.plan import PlanModeSet as PlanModeSet
from jp_tui.protocol.settings import SettingsRead as SettingsRead
from jp_tui.protocol.setup import ModelTested as ModelTested
from jp_tui.protocol.setup import SetupFound as SetupFound
from jp_tui.protocol.setup import SetupSaved as SetupSaved
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


class ConversationOpened(Model):
    """A conversation with its last page. `held_by` says in words who writes it when it is not us.

    `greeting` is what a scripted model says before anybody spoke; shown like any text of the assistant. `agent`: it is
    the conversation of a sub-agent. `window` is the model's context in tokens, where known.
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
    drafts: dict[str, str] = Field(default_factory=dict)
    agent: AgentInfo | None = None


class TitleChanged(Model):
    """A conversation has another title; the first is its first line, once something was said."""

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
    """A turn runs; `resumed` when it was cut off before and goes on (R207)."""

    type: Literal["turn_started"] = "turn_started"
    conversation: str
    turn: int
    model: str
    resumed: bool = False


class TurnPhase(Model):
    """What the turn does now, for the status line and the interrupt menu; `retry_in` seconds with `retrying`."""

    type: Literal["turn_phase"] = "turn_phase"
    conversation: str
    turn: int
    phase: Literal["waiting_for_model", "streaming", "tools", "retrying", "compacting"]
    detail: str = ""
    retry_in: float | None = None


class Retrying(Model):
    """Something beside the turn's own model waits before its next try (Z21): a reviewer, a sub-agent, a side question.
    `id` is the inquiry, or the sub-agent's conversation; `name` the model or the sub-agent. Seconds `retry_in`; without
    them the wait is over. The turn's own waits come as TurnPhase."""

    type: Literal["retrying"] = "retrying"
    conversation: str
    id: str
    who: Literal["reviewer", "agent", "aside"]
    name: Foreign = Foreign("")
    detail: str = ""
    retry_in: float | None = None


class TurnCompleted(Model):
    """The turn is over. `returned` is the user's text given back to the composer when nothing came of it."""

    type: Literal["turn_completed"] = "turn_completed"
    conversation: str
    turn: int
    outcome: Literal["done", "failed", "deferred", "interrupted"]
    usage: UsageTotals = UsageTotals()
    ms: int = 0
    error: TurnError | None = None
    returned: str = ""


class CallChanged(Model):
    """A tool call changed its state (R96). `title` is what it is about; `ms` since it began to run. `agent` is the
    sub-agent that it runs, once there is one; `said` the last line of what it writes while it runs."""

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
    said: Foreign = Field(default=Foreign(""), repr=False)


class QuestionAsked(Model):
    """A question waits for the human; several may (R99). The face shows one at a time, oldest first. `draft` is what
    was typed to it before, in a run that is over or at another face (E24)."""

    type: Literal["question_asked"] = "question_asked"
    conversation: str
    prompt: PromptRequest
    draft: str = Field(default="", repr=False)


class QuestionSettled(Model):
    """A question no longer waits: `how` it ended, `by` whom."""

    type: Literal["question_settled"] = "question_settled"
    conversation: str
    inquiry: str
    how: Literal["answered", "redacted", "cancelled", "withdrawn"]
    by: str = ""


class AnswerRefused(Model):
    """An answer that could not be taken: not valid, stale, or already answered. The question stays if it lives."""

    type: Literal["answer_refused"] = "answer_refused"
    conversation: str
    inquiry: str
    reason: str
    gone: bool = False
    by: str = ""


class AnswerChecked(Model):
    """The verdict on exactly the value of that CheckAnswer; none when it fits. A problem is (JSON pointer, words)."""

    type: Literal["answer_checked"] = "answer_checked"
    conversation: str
    inquiry: str
    revision: int
    problems: tuple[tuple[str, str], ...] = ()


class OfferSettled(Model):
    """What became of an OfferAnswer: taken and durable, already answered `by` somebody, not valid, nothing waits under
    that id, several match (`candidates` as CONVERSATION/ID), or its holder did not react. `message` is for people."""

    type: Literal["offer_settled"] = "offer_settled"
    status: Literal["accepted", "answered", "invalid", "stale", "unknown", "ambiguous", "no_reaction"]
    inquiry: str
    conversation: str = ""
    by: str = ""
    message: str = ""
    candidates: tuple[str, ...] = ()


class InquiriesListed(Model):
    type: Literal["inquiries_listed"] = "inquiries_listed"
    inquiries: tuple[InquiryInfo, ...]


class WaitingListed(Model):
    """All that waits for the human in this workspace, from every tool, agent and conversation, the oldest first (E51).
    A few times a second at most."""

    type: Literal["waiting_listed"] = "waiting_listed"
    waiting: tuple[WaitingInfo, ...]


class LedgerRead(Model):
    """All that is remembered or allowed in this conversation now (E43)."""

    type: Literal["ledger_read"] = "ledger_read"
    conversation: str
    entries: tuple[LedgerEntry, ...]


class AsideDelta(Model):
    """More of what a model says aside about a question (E30); it grows until AsideEnded."""

    type: Literal["aside_delta"] = "aside_delta"
    conversation: str
    inquiry: str
    text: Foreign


class AsideEnded(Model):
    """A side question is over; with `error` when it broke off (kind `cancelled`: the question was settled meanwhile).
    What was said is an `inquiry_aside` event of the log by then."""

    type: Literal["aside_ended"] = "aside_ended"
    conversation: str
    inquiry: str
    error: TurnError | None = None


class ReviewStarted(Model):
    """A reviewing model is asked (R139); QuestionSettled says that it no longer is. `again`: told the intent, too."""

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
    """More of what a reviewer says while it decides (E40): its thoughts, or the reason of the verdict, unescaped.
    `fresh`: it begins anew, what was heard of this inquiry before does not count."""

    type: Literal["review_delta"] = "review_delta"
    conversation: str
    inquiry: str
    kind: Literal["thought", "reason"]
    text: Foreign
    fresh: bool = False


class ReviewersRead(Model):
    """The trust figures, the most asked first."""

    type: Literal["reviewers_read"] = "reviewers_read"
    reviewers: tuple[ReviewerFigures, ...]


class ConversationsListed(Model):
    type: Literal["conversations_listed"] = "conversations_listed"
    conversations: tuple[ConversationInfo, ...]


class ConversationRead(Model):
    """A stretch of a conversation; `more` when there are events after it."""

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
    """A command that could not be carried out: why, and what to do. `pending`: inquiries that wait for an answer first,
    which nobody here can give (surface S1: exit code 3). `storage`: the store failed, not the command (exit code 1).
    `code` tells a program why a turn is not resumed."""

    type: Literal["refused"] = "refused"
    command: str
    message: str
    advice: str = ""
    conversation: str = ""
    pending: tuple[str, ...] = ()
    code: Literal["", "nothing_to_resume", "waits_for_user"] = ""
    storage: bool = False


class StorageNotice(Model):
    """Something happened to the store that the user must know, and nothing failed: it was damaged and repaired, or
    taken away and written again."""

    type: Literal["storage_notice"] = "storage_notice"
    message: str
    advice: str = ""


class StorageFailed(Model):
    """The log cannot be written; nothing more is shown as done until it can."""

    type: Literal["storage_failed"] = "storage_failed"
    message: str
    advice: str = ""


class BackgroundFailed(Model):
    """A bug in a background task; everything else goes on (Z27). `file` is the redacted report, empty where none could
    be written."""

    type: Literal["background_failed"] = "background_failed"
    message: str
    file: str = ""


class EngineFailed(Model):
    """A bug in the engine; the face ends with status 1 after saying so. `report` is a redacted traceback."""

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
    | AnswerRefused
    | AnswerChecked
    | OfferSettled
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
    | Compacted
    | ModelSwitched
    | UsageRead
    | ContextRead
    | PlanModeSet
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
    | StorageNotice
    | StorageFailed
    | BackgroundFailed
    | EngineFailed
    | Stopped,
    Field(discriminator="type"),
]
