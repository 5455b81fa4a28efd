"""Values that messages carry: stored events, spans, prompts, calls, responses to a prompt."""

from __future__ import annotations

from dataclasses import field
from typing import Annotated, Any, Literal

from jp_tui.conversation.text import Foreign
from jp_tui.protocol.base import Model, OneOf, Wire
from jp_tui.protocol.outside import Asker, Claimed
from jp_tui.protocol.people import Approvals
from jp_tui.questions.types import FormView, Question

CallState = Literal[
    "receiving_arguments", "queued", "awaiting_permission", "running",
    "awaiting_input", "awaiting_assistant", "awaiting_result_edit", "completed",
]  # fmt: skip
CallEnd = Literal["ok", "error", "declined", "cancelled", "skipped"]
Control = Literal["remember", "back", "reply", "end_turn", "cancel", "decline", "edit"]
PromptKind = Literal["question", "permission", "delivery", "review"]


class StoredEvent(Model):
    """An event of the log (inquiries.md R44-R58) with its number and turn (both from 1)."""

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
    """A sub-agent: its own `conversation`, its parent's, with the call and turn there that started it, and its task.
    `task` is one line of at most 200 characters; the conversation's first message has all of it."""

    conversation: str
    parent: str
    call: str
    turn: int
    name: Foreign = Foreign("")
    task: Foreign = Foreign("")
    model: str = ""


class Verdict(Model):
    """An earlier rejection by a reviewer."""

    model: str
    reason: Foreign
    ms: int | None = None


class Escalation(Model):
    """The reason why the user gets a question meant for a reviewer (R150, R154): its verdict, or why it `failed`.

    `cause`: too long to be shown to it whole, or taken over by the user (R156). `before` are the verdicts before it got
    the assistant's intent, oldest first; `saw` is what it was shown.
    """

    model: str
    reason: Foreign
    failed: bool = False
    ms: int | None = None
    cause: Literal["", "too_long", "taken_over"] = ""
    before: tuple[Verdict, ...] = ()
    saw: str = ""


class RuleCoverage(Model):
    """Of the last calls of a tool that the user was asked about in this folder, `of` at most 20: how many a scope
    matches, and how many of those were refused (AR19)."""

    matched: int = 0
    refused: int = 0
    of: int = 0


RuleLifetime = Literal["turn", "conversation", "folder"]


class RuleOffer(Model):
    """A scope of the rules that an answer may make (AR18, AR20): `scope` names it in this prompt, `label` is its
    subject. `rules` are allow rules as tables of `rules.toml` (AR2) without ids; a no makes them deny. `width` orders
    scopes from narrow to wide."""

    scope: str
    label: Foreign
    rules: tuple[dict[str, Any], ...]
    lifetimes: tuple[RuleLifetime, ...]
    covered: RuleCoverage = RuleCoverage()
    width: int = 0


class ChosenRule(Model):
    """The rules that an answer makes: a scope that the prompt offers, and how long they last."""

    scope: str
    lifetime: RuleLifetime = "turn"


class PromptRequest(Model):
    """A question for the user (R189), or a decision about a call (R42), by `kind`.

    For `permission` and `delivery` the `question` has no words (the front end has them: M34, M35); `arguments` is the
    call's JSON object, indented, `rendered` the text of the tool's own formatter, `result` the result to deliver.
    `edit_first`: run or result mode `edit`, the prompt opens in the editor. `tool_kind` is M34's word. `form` is the
    whole form that the question is one of, or that is reviewed; `back`, `prefill`, `undo` as in the machine (R176,
    E23). `deadline_secs` counts from `asked_at` (R243). `agent`: a sub-agent asks (E4), or one of its tools, by
    `source`; if `conversation` is its parent, the question was handed on (R220, Z8, with `source_name` as it is
    recorded). `unfolds`: one of another program opens when it comes (N6).
    Without `preselect` a front end offers no answer that Enter alone would give (Z11). `scopes`
    are the rules that the answer may make, the best first: `remember` makes that one until the turn ends (AR20).
    In a shared store `to` is the person or `role:GROUP` asked, empty for the conversation's owner, `claimed_by` who
    else looks at it, `approvals` those of several people. Not `yours`: it waits for others, and can be withdrawn here,
    but not answered (store.md D14-D16).
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
    source: Literal["tool", "assistant", "user", "other", "outside"]
    source_name: str = ""
    label: str | None = None
    question: Question
    subject: Foreign = Foreign("")
    human_only: bool = False
    progress: tuple[int, int] | None = None
    controls: frozenset[Control] = frozenset()
    remember_covers: str = ""
    scopes: tuple[RuleOffer, ...] = ()
    preselect: bool = True
    unfolds: bool = False
    why: str = ""
    asked_at: str = ""
    to: str = ""
    claimed_by: str = ""
    approvals: Approvals | None = None
    yours: bool = True


class PartsTaken(Model):
    """The accepted parts of a change, and comments by part (R251)."""

    accepted: tuple[str, ...]
    comments: dict[str, str] = field(default_factory=dict)


class Answered(Model):
    """The user's answer; `remember` only where the prompt allows it, `rule` only what it offers; `note` is R182's."""

    kind: Literal["answered"] = "answered"
    value: Any = field(default=None, repr=False)  # it may be a secret
    remember: bool = False
    note: str = ""
    parts: PartsTaken | None = None
    rule: ChosenRule | None = None


class Cancelled(Model):
    """The user leaves a tool's question without an answer (R210). `declined`: it is a no to the server that asks
    (mcp.md P42)."""

    kind: Literal["cancelled"] = "cancelled"
    declined: bool = False


class Replied(Model):
    """The user replies in free text instead (R179, M47); the text may be absent for `ask_user`."""

    kind: Literal["replied"] = "replied"
    text: str | None = None


class EndTurn(Model):
    """The user ends the turn (R180)."""

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
    """Restore the answers that Back removed (E23)."""

    kind: Literal["restored"] = "restored"


class Submitted(Model):
    """The review is done (R182b)."""

    kind: Literal["submitted"] = "submitted"


class Unanswered(Model):
    """A front end without an answer: its client replied with an `error` (R242), gave no valid answer or disconnected
    (R241). A user never sends this."""

    kind: Literal["unanswered"] = "unanswered"
    error: str = ""


class Permitted(Model):
    """A decision at a permission prompt (R86); `reason` only with a skip. A cancelled edit is a skip with the reason
    "Edit cancelled" (R87)."""

    kind: Literal["permitted"] = "permitted"
    run: bool
    remember: bool = False
    reason: str | None = None
    rule: ChosenRule | None = None


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
    OneOf("kind"),
]


class InquiryInfo(Model):
    """One exchange in the log (surface S6). `question` and `response` are the stored forms, `response` None while it is
    open; `tool`, `call` and `why` if known; `digest` is the one that an answer must name. `waits`: an answer would
    still be accepted, so the turn isn't over and the call can be paired. `agent`: a sub-agent asks, or one of its
    tools; `asked_as` is the source of the question there. `asker`: the process outside that asks, `claimed`: what it
    says of itself (N4); `covers`: what a remembered answer covers in its session, in words, empty where none may be
    (N3); `scopes`: the rules that its answer may make, a lifetime of a `conversation` is that session's; `arguments` of
    the call, where it may be edited. `owner`, `machine` and `workspace` are its conversation's; `to`, `approvals` and
    `yours` as in PromptRequest, `claimed_by` is who looks at it (store.md D19)."""

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
    asker: Asker | None = None
    covers: str = ""
    scopes: tuple[RuleOffer, ...] = ()
    arguments: Wire | None = None
    claimed: Claimed = Claimed()
    owner: str = ""
    machine: str = ""
    workspace: str = ""
    to: str = ""
    claimed_by: str = ""
    approvals: Approvals | None = None
    yours: bool = True


class WaitingInfo(Model):
    """Something that waits for the user (E51). `here`: it waits in this engine, was sent as QuestionAsked, and
    AnswerQuestion answers it; else it is in the log only, `question` is its stored form, OfferAnswer answers it and
    CarryOn asks it here, unless another process holds the conversation, named by `held_by`. `text` is one line of it,
    `since` a time (R58), `why` the rule that routed it to the user, for one in the log. Entries with the same `kind`,
    `tool` and `digest` are identical. `asker`: a process outside asks, and OfferAnswer answers it,
    `claimed`: what it says of itself (N4); `folder`: where, if it isn't this workspace: then CarryOn doesn't ask it
    here; `covers`, `scopes` and `arguments` as in InquiryInfo; `machine`: the machine on which its conversation began,
    if it is another (D1), `owner` whose conversation it is, if it is another's. `to`, `claimed_by`, `approvals` and
    `yours` as in PromptRequest; `share`: it is addressed to you, or to a group of yours, or you asked it of others
    (store.md D19)."""

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
    asker: Asker | None = None
    claimed: Claimed = Claimed()
    folder: str = ""
    covers: str = ""
    scopes: tuple[RuleOffer, ...] = ()
    arguments: Wire | None = None
    machine: str = ""
    owner: str = ""
    to: str = ""
    claimed_by: str = ""
    approvals: Approvals | None = None
    yours: bool = True
    share: Literal["mine", "roles", "asked"] = "mine"


class LedgerEntry(Model):
    """An answer or permission that is remembered (E43). `key` names it to RevokeEntry; `scope` `turn`, `settings` or
    `rules`.

    `kind`: a remembered answer, a remembered permission, a pinned answer, a tool that runs without asking, or an
    approval rule, with its subject as `text` and its effect as `value`. `since` is a time (R58) for a turn's and a
    rule's, `place` FILE:LINE for a setting's and a rule's; `value` is the answer otherwise.
    """

    key: str
    kind: Literal["answer", "permission", "pinned", "unattended", "rule"]
    scope: Literal["turn", "settings", "rules"]
    tool: str
    question: str = ""
    text: Foreign = Foreign("")
    value: Any = None
    since: str = ""
    place: str = ""
    uses: int = 0
    revocable: bool = True


class PolicyChange(Model):
    """A change of the configuration that the figures suggest: `key` to `value`, and the reason as text."""

    key: str
    value: Any
    words: str


class ReviewerFigures(Model):
    """The results of one model's reviews of one tool's questions, from the logs of all conversations.

    `asked` counts attempts. Of boolean questions `approved` and `rejected`; `answered` of all others; `failed` without
    a verdict; `taken_over` by the user before there was one. `reasons_missing` counts rejections without a reason (Z5).
    `overturned` and `upheld` are rejections that a user decided afterwards. Latencies in milliseconds, None if none is
    known; `cost_usd` None if the price is unknown. `outcomes` are the latest, oldest first: `a`pproved, `r`ejected,
    `o`verturned, `f`ailed, `t`aken over, `n` answered.
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

    `deleted` is the time of deletion, empty for all others. `forked_from` is the conversation that it was forked from,
    with the events up to number `forked_at`; `imported_from` its id in jp. `titled`: who made the title; `machine`:
    where it was begun, in a store that several machines share.
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
    machine: str = ""


class UsageTotals(Model):
    """Token counts; `context` the size of the last request; `cost_usd` US dollars, None if the price is unknown."""

    input: int = 0
    output: int = 0
    cached: int = 0
    reasoning: int = 0
    context: int = 0
    cost_usd: float | None = None

    def plus(self, more: UsageTotals) -> UsageTotals:
        """Return the sum; `context` is the later one's."""
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
        """Return the stored and printed form; an unknown cost is left out."""
        return {name: value for name, value in vars(self).items() if value is not None}


class TurnError(Model):
    """Error of a failed turn: what happened, the server's own message, what to do (surface S1, issue "Bad input")."""

    kind: str
    message: str
    advice: str = ""
    detail: Foreign = Foreign("")
