"""Values that messages carry: stored events, spans, prompts, calls, responses to a prompt."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from jp_tui.conversation.text import Foreign
from jp_tui.protocol.base import Model, Wire
from jp_tui.questions.types import FormView, Question

CallState = Literal[
    "receiving_arguments", "queued", "awaiting_permission", "running",
    "awaiting_input", "awaiting_assistant", "awaiting_result_edit", "completed",
]  # fmt: skip
CallEnd = Literal["ok", "error", "declined", "cancelled", "skipped"]
Control = Literal["remember", "back", "reply", "end_turn", "cancel", "edit"]
PromptKind = Literal["question", "permission", "delivery", "review"]


class StoredEvent(Model):
    """An event as it stands in the log (inquiries.md R44-R58) with its number and turn (both from 1)."""

    seq: int
    turn: int
    event: Wire


class EventSpan(Model):
    """One row per 256 events: enough to estimate a height at any width (HOUSE "The way of a page")."""

    first: int
    last: int
    events: int
    characters: int
    lines: int


class AgentInfo(Model):
    """A sub-agent: its own `conversation`, the one it works for, with the call and turn there that started it, and for
    what. `task` is one line of at most 200 characters: the whole of it is the conversation's first message."""

    conversation: str
    parent: str
    call: str
    turn: int
    name: Foreign = Foreign("")
    task: Foreign = Foreign("")
    model: str = ""


class Verdict(Model):
    """An earlier no of a reviewer."""

    model: str
    reason: Foreign
    ms: int | None = None


class Escalation(Model):
    """Why the human sees a question that a reviewer was to answer (R150, R154): its verdict, or why it `failed`.

    `cause`: too long to be shown to it whole, or taken over by the human (R156). `before` are the verdicts before it
    was told the assistant's intent, oldest first; `saw` says what it was shown.
    """

    model: str
    reason: Foreign
    failed: bool = False
    ms: int | None = None
    cause: Literal["", "too_long", "taken_over"] = ""
    before: tuple[Verdict, ...] = ()
    saw: str = ""


class PromptRequest(Model):
    """A question for the human (R189), or a decision about a call (R42): `kind` tells which.

    For `permission` and `delivery` the `question` holds no words (they are a face's: M34, M35); `arguments` is the
    call's JSON object, indented, `rendered` how the tool's own formatter shows it, `result` what would be delivered.
    `edit_first`: run or result mode `edit`, the prompt opens in the editor. `tool_kind` is M34's word.
    `form` is the whole form that the question is one of, or that is reviewed; `back`, `prefill`, `undo` as in the
    machine (R176, E23). `deadline_secs` counts from `asked_at` (R243).
    `agent`: a sub-agent asks (E4), or one of its tools, by `source`; where `conversation` is its parent, the question
    was handed on (R220, Z8, with `source_name` as it is recorded). Without `preselect` a face offers no answer that
    Enter alone would give (Z11).
    """

    kind: PromptKind = "question"
    arguments: Foreign = Foreign("")
    rendered: Foreign = Foreign("")
    result: Foreign = Foreign("")
    is_error: bool = False
    edit_first: bool = False
    tool_kind: Literal["built-in", "local", "mcp"] = "built-in"
    server: str = ""
    escalation: Escalation | None = None
    deadline_secs: int | None = None
    form: FormView | None = None
    back: str = ""
    prefill: tuple[Any, ...] = ()
    undo: tuple[str, ...] = ()
    agent: AgentInfo | None = None

    conversation: str
    inquiry: str
    call: str
    tool: str
    turn: int
    digest: str
    source: Literal["tool", "assistant", "user", "other"]
    source_name: str = ""
    label: str | None = None
    question: Question
    subject: Foreign = Foreign("")
    human_only: bool = False
    progress: tuple[int, int] | None = None
    controls: frozenset[Control] = frozenset()
    remember_covers: str = ""
    preselect: bool = True
    why: str = ""
    asked_at: str = ""


class PartsTaken(Model):
    """Which parts of what is approved were accepted, and comments by part (R251)."""

    accepted: tuple[str, ...]
    comments: dict[str, str] = Field(default_factory=dict)


class Answered(Model):
    """The human's answer; `remember` only where the prompt allows it; `note` is R182's."""

    kind: Literal["answered"] = "answered"
    value: Any = Field(default=None, repr=False)  # it may be a secret
    remember: bool = False
    note: str = ""
    parts: PartsTaken | None = None


class Cancelled(Model):
    """The human leaves a tool's question without an answer (R210)."""

    kind: Literal["cancelled"] = "cancelled"


class Replied(Model):
    """The human answers in words instead (R179, M47); the text may be absent for `ask_user`."""

    kind: Literal["replied"] = "replied"
    text: str | None = None


class EndTurn(Model):
    """The human ends the turn (R180)."""

    kind: Literal["end_turn"] = "end_turn"


class Edited(Model):
    """The arguments were edited (R87, R97b): always a JSON object."""

    kind: Literal["edited"] = "edited"
    arguments: dict[str, Any]


class WentBack(Model):
    """Back to an answered question (R176); an empty `to` means the last one before."""

    kind: Literal["went_back"] = "went_back"
    to: str = ""


class Restored(Model):
    """Bring back what Back took away (E23)."""

    kind: Literal["restored"] = "restored"


class Submitted(Model):
    """The review is done (R182b)."""

    kind: Literal["submitted"] = "submitted"


class Unanswered(Model):
    """The face that was to ask has no answer: its client replied with an `error` (R242), or came to none that fits or
    went away (R241). No human does this."""

    kind: Literal["unanswered"] = "unanswered"
    error: str = ""


class Permitted(Model):
    """A decision at a permission prompt (R86); `reason` only with a skip. A cancelled edit is a skip with the reason
    "Edit cancelled" (R87)."""

    kind: Literal["permitted"] = "permitted"
    run: bool
    remember: bool = False
    reason: str | None = None


class Delivered(Model):
    """A decision at a result prompt (R93); `text` the edited result, None for the original."""

    kind: Literal["delivered"] = "delivered"
    deliver: bool
    text: str | None = None


Response = Annotated[
    Answered
    | Cancelled
    | Replied
    | EndTurn
    | Edited
    | Permitted
    | Delivered
    | WentBack
    | Restored
    | Submitted
    | Unanswered,
    Field(discriminator="kind"),
]


class InquiryInfo(Model):
    """One exchange on record (surface S6). `question` and `response` are the stored forms, `response` None while it
    is open; `tool`, `call` and `why` as far as they are known; `digest` what an answer must be given to. `waits`: an
    answer would still be taken; one without a response whose turn is over, or that cannot be paired, waits for none.
    `agent`: a sub-agent asks, or one of its tools; `asked_as` is the source that the question has there."""

    conversation: str
    id: str
    turn: int
    source: str
    source_name: str = ""
    asked_as: str = ""
    tool: str = ""
    call: str = ""
    question: Wire
    digest: str
    asked_at: str
    answered_at: str = ""
    response: Wire | None = None
    why: str = ""
    waits: bool = False
    agent: AgentInfo | None = None


class WaitingInfo(Model):
    """Something that waits for the human (E51). `here`: it waits in this engine, its prompt came as QuestionAsked, and
    AnswerQuestion is taken; else it stands on record only, `question` is its stored form, OfferAnswer takes an answer
    and CarryOn asks it here, unless another process holds the conversation: `held_by` says in words which. `text` is
    one line of it, `since` a time (R58), `why` the rule that brought it to the human, of what stands on record. What
    has the same `kind`, `tool` and `digest` is identical."""

    conversation: str
    title: Foreign
    inquiry: str
    kind: PromptKind = "question"
    tool: str = ""
    source: str = ""
    label: str | None = None
    text: Foreign
    digest: str
    since: str
    here: bool = False
    held_by: str = ""
    agent: AgentInfo | None = None
    question: Wire | None = None
    why: str = ""


class LedgerEntry(Model):
    """Something that is remembered or allowed (E43). `key` names it to RevokeEntry; `scope` `turn` or `settings`.

    `kind`: a remembered answer, a remembered permission, a pinned answer, or a tool that runs without being asked.
    `since` is a time (R58) for a turn's, `place` FILE:LINE for a setting's; `value` what is answered.
    """

    key: str
    kind: Literal["answer", "permission", "pinned", "unattended"]
    scope: Literal["turn", "settings"]
    tool: str
    question: str = ""
    text: Foreign = Foreign("")
    value: Any = None
    since: str = ""
    place: str = ""
    uses: int = 0
    revocable: bool = True


class PolicyChange(Model):
    """A change of the configuration that the figures suggest: `key` to `value`, and why in words."""

    key: str
    value: Any
    words: str


class ReviewerFigures(Model):
    """What became of the questions of one tool that one model was asked, from the record of all conversations.

    `asked` counts attempts. Of boolean questions `approved` and `rejected`; `answered` of all others; `failed` without
    a verdict; `taken_over` by the human before there was one. `reasons_missing` counts rejections that came without a
    reason (Z5). `overturned` and `upheld` are rejections that a human
    decided afterwards. Latencies in milliseconds, None when none is known; `cost_usd` None when no price was known.
    `outcomes` are the latest, oldest first: `a`pproved, `r`ejected, `o`verturned, `f`ailed, `t`aken over, `n` answered.
    """

    tool: str
    question: str
    model: str
    asked: int = 0
    approved: int = 0
    rejected: int = 0
    reasons_missing: int = 0
    answered: int = 0
    failed: int = 0
    taken_over: int = 0
    overturned: int = 0
    upheld: int = 0
    p50_ms: int | None = None
    p95_ms: int | None = None
    input: int = 0
    output: int = 0
    cost_usd: float | None = None
    first: str = ""
    last: str = ""
    outcomes: str = ""
    suggests: PolicyChange | None = None


class ConversationInfo(Model):
    """A row of the list of conversations; times are UTC in the form of R58. `parent` is set for a sub-agent's.

    `deleted` is when it was, and empty for all others. `forked_from` is the conversation it was begun from, with the
    events up to number `forked_at`; `imported_from` its id in jp. `titled`: who made the title.
    """

    id: str
    title: Foreign
    workspace: str
    model: str
    created: str
    updated: str
    events: int
    turns: int
    parent: str = ""
    archived: bool = False
    deleted: str = ""
    forked_from: str = ""
    forked_at: int = 0
    imported_from: str = ""
    titled: Literal["first_line", "model", "user"] = "first_line"


class UsageTotals(Model):
    """Token counts; `context` the size of the last request; `cost_usd` US dollars, None where no price is known."""

    input: int = 0
    output: int = 0
    cached: int = 0
    reasoning: int = 0
    context: int = 0
    cost_usd: float | None = None

    def plus(self, more: UsageTotals) -> UsageTotals:
        """Both together; `context` is the later one's."""
        costs = [one.cost_usd for one in (self, more) if one.cost_usd is not None]
        return UsageTotals(
            input=self.input + more.input,
            output=self.output + more.output,
            cached=self.cached + more.cached,
            reasoning=self.reasoning + more.reasoning,
            context=more.context or self.context,
            cost_usd=round(sum(costs), 9) if costs else None,
        )

    def counts(self) -> dict[str, Any]:
        """As it is stored and printed: a cost that is not known is left out."""
        return self.model_dump(exclude_none=True)


class TurnError(Model):
    """Why a turn failed: what happened, the server's own words, what to do (surface S1, issue "Bad input")."""

    kind: str
    message: str
    advice: str = ""
    detail: Foreign = Foreign("")
