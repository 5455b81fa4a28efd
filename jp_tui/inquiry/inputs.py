"""Inputs of the machine: what a call asks, what the user sends, what a reviewer returns. Data only; outputs are in
`effects.py`. Other modules import this one as `values`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from jp_tui.conversation.events import InquiryAssigned, InquiryResponse, InquiryVote, SourceKind
from jp_tui.conversation.strict_json import Json, JsonObject
from jp_tui.inquiry.people import Addressed, Answerer, People, Vote
from jp_tui.inquiry.state import (
    AskMode,
    GivenAnswer,
    Insists,
    Last,
    OpenQuestion,
    OpenReview,
    Policy,
    Recorded,
    Rejected,
    Rule,
    Ruled,
)
from jp_tui.questions.answer_kind import NO_VERDICTS, Verdicts
from jp_tui.questions.types import FormView, Question, Taken

# --- inputs: what a call raises ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CallStarted:
    """A tool call begins to run, or runs again from the start without answers (restart). `identity` as in `repeats`."""

    call: str
    tool: str
    identity: str = ""


@dataclass(frozen=True, slots=True)
class CallResumed:
    """An unfinished turn runs this call again (R237). `attempts` by question id, as recorded; `answers`, `discarded`,
    `unasked`, `last` and `declined` as in `replay.ReplayedState`."""

    call: str
    tool: str
    answers: Mapping[str, GivenAnswer]
    attempts: Mapping[str, int]
    recorded: tuple[Recorded, ...]
    discarded: tuple[tuple[str, GivenAnswer], ...] = ()
    unasked: frozenset[str] = frozenset()
    last: Last | None = None
    identity: str = ""
    declined: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class QuestionRaised:
    """A tool returned needs_input. `verdicts` cover the static answer and the default of a schema question.
    `policy_place` is FILE:LINE of the policy if a file set it. `intent` is the assistant's text beside the call.
    `ruled` is what approval rules say, where it is yes. `people` is everyone of a shared store, None in one of one
    person; `asker` is the role that asks."""

    call: str
    question: Question
    source: SourceKind
    rule: Rule = field(default_factory=Rule)
    policy: Policy = "unset"
    verdicts: Verdicts = field(default_factory=lambda: NO_VERDICTS)
    form: FormView | None = None
    policy_place: str = ""
    intent: str = ""
    ruled: Ruled | None = None
    people: People | None = None
    asker: str = ""


@dataclass(frozen=True, slots=True)
class TurnResumed:
    """An unfinished turn resumes. Carries its refusals as in Ledger, decoded from the log by
    `refusals_replay.turn_resumed`. Precedes the turn's calls."""

    refused: Mapping[str, str]
    rejections: Mapping[str, int]
    rejected: Mapping[str, Rejected] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PermissionWanted:
    """A tool with run mode `ask` or `edit` is called (R85). `digest` covers the arguments as shown; `place` is
    FILE:LINE of the mode if a file set it. `floor` lists refused targets in the arguments: only a person may then
    permit the call (R247). `exact` is a digest of what a remembered decision covers: a call with another one isn't
    covered (Z16). `text` is its line in the ledger. `insists`: a rule requires a person, so no policy allows it; with
    `always` no remembered yes does either, and none is kept (AR9). `why`: why rules ask. `covers`: what a remembered
    decision covers, in words."""

    call: str
    tool: str
    mode: AskMode
    digest: str
    policy: Policy = "unset"
    place: str = ""
    floor: tuple[str, ...] = ()
    exact: str = ""
    text: str = ""
    insists: Insists = ""
    why: str = ""
    covers: str = ""


@dataclass(frozen=True, slots=True)
class DeliveryWanted:
    """A result of a tool with result mode `ask` or `edit` (R93). `digest` covers the result as shown, `place` as in
    PermissionWanted."""

    call: str
    tool: str
    mode: AskMode
    digest: str
    policy: Policy = "unset"
    place: str = ""


@dataclass(frozen=True, slots=True)
class ReviewWanted:
    """A form is complete (R182b). `digest` covers the answers as shown. Without a client the form is submitted."""

    call: str
    digest: str
    form: FormView
    source: SourceKind = "assistant"


@dataclass(frozen=True, slots=True)
class RelayWanted:
    """The sub-agent in conversation `agent`, started by this call, or one of its tools (Z8) asks the user something
    (R220). `ask` is the item of its own machine; the other fields are the label, the rule that applied, Back's target
    and whether the answer may be remembered there; `tool` is the tool it called."""

    call: str
    agent: str
    ask: OpenQuestion | OpenReview
    tool: str
    label: str | None = None
    why: str = ""
    back: str = ""
    remember: bool = False


@dataclass(frozen=True, slots=True)
class RelayClosed:
    """A sub-agent's machine closed the item with id `asks`. `response` is the recorded one, None for a review; `how`
    and `by` as in Settled."""

    call: str
    asks: str
    how: Literal["answered", "redacted", "cancelled", "withdrawn"]
    by: str
    response: InquiryResponse | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class RelayPeople:
    """At a sub-agent's machine the item with id `asks` was approved by one more person, or handed over: `event` is what
    it recorded, None if nothing changed. `asked`, `votes` and `why` are as they are now (store.md D15, D16)."""

    call: str
    asks: str
    asked: Addressed
    votes: tuple[Vote, ...]
    event: InquiryVote | InquiryAssigned | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class CallFailed:
    """The tool of this call ended in an error of its own."""

    call: str


@dataclass(frozen=True, slots=True)
class CallGone:
    """The call ended or was cancelled; its open question is withdrawn (R118)."""

    call: str


# --- inputs: sent by the user or a client ----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class HumanAnswered:
    """The user answered. `remember` applies to the rest of the turn; `via` names a client other than the screen (R25);
    `ms` is the time since it was asked; `at` is the time of the answer (R58); `verdicts` cover the value of a schema
    question; `taken` lists the accepted parts (R251). `wanted` are scope and lifetime of the rules that the answer
    makes, `rules` their ids once they are made (AR21). `by` is who answers in a shared store."""

    inquiry: str
    digest: str
    value: Json = field(repr=False)  # may be a secret
    remember: bool = False
    note: str = ""
    via: str = ""
    ms: int | None = None
    at: str = ""
    verdicts: Verdicts = field(default_factory=lambda: NO_VERDICTS)
    taken: Taken | None = None
    wanted: tuple[str, str] | None = None
    rules: tuple[str, ...] = ()
    by: Answerer | None = None


@dataclass(frozen=True, slots=True)
class HumanAssigned:
    """A person hands the question over to `to` (store.md D16)."""

    inquiry: str
    digest: str
    to: str
    by: Answerer
    via: str = ""


@dataclass(frozen=True, slots=True)
class EditsAccepted:
    """The user accepted a plan with its changes: `apply_changes` of these tools is answered yes until the turn ends
    (K42); `since` is when (R58)."""

    tools: tuple[str, ...]
    since: str = ""


@dataclass(frozen=True, slots=True)
class HumanCancelled:
    """The user cancelled the question (R210); at a result prompt M20 follows. `declined`: a server reads a no (mcp.md
    P42). `by` as in HumanAnswered."""

    inquiry: str
    digest: str
    declined: bool = False
    by: Answerer | None = None


@dataclass(frozen=True, slots=True)
class HumanReplied:
    """The user replied with a message instead of an answer (R179, R182)."""

    inquiry: str
    digest: str
    text: str | None


@dataclass(frozen=True, slots=True)
class HumanEndedTurn:
    """The user ended the turn, from a question or with two Ctrl+C (R180). An empty inquiry means from anywhere."""

    inquiry: str = ""
    digest: str = ""


@dataclass(frozen=True, slots=True)
class HumanEdited:
    """The arguments were edited: at a permission prompt the call runs with them (R87), at a tool's own question it
    runs again from the start (R97b)."""

    inquiry: str
    digest: str
    arguments: JsonObject
    via: str = ""
    ms: int | None = None


@dataclass(frozen=True, slots=True)
class HumanPermitted:
    """A decision at a permission prompt (R86): run or skip, once or for the turn, a skip with its reason. `wanted` and
    `rules` as in HumanAnswered."""

    inquiry: str
    digest: str
    run: bool
    remember: bool = False
    reason: str | None = None
    via: str = ""
    ms: int | None = None
    at: str = ""
    wanted: tuple[str, str] | None = None
    rules: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RuleDecided:
    """Rules made by an answer decide a waiting prompt as well (AR21, R252): `run` or not, by these rules; `told` is the
    model's text for a call that may not run (M49)."""

    inquiry: str
    run: bool
    rules: tuple[str, ...] = ()
    told: str = ""


@dataclass(frozen=True, slots=True)
class HumanDelivered:
    """A decision at a result prompt (R93). `text` is the edited result, None for the original."""

    inquiry: str
    digest: str
    deliver: bool
    text: str | None = None
    via: str = ""
    ms: int | None = None


@dataclass(frozen=True, slots=True)
class HumanWentBack:
    """Back (R176-R178): to the answered question `to`, or, when that is empty, to the last one before."""

    inquiry: str
    digest: str
    to: str = ""


@dataclass(frozen=True, slots=True)
class HumanRestored:
    """Restore what Back discarded (E23, R177), if nothing was submitted since."""

    inquiry: str
    digest: str


@dataclass(frozen=True, slots=True)
class HumanSubmitted:
    """The review is done: the form is submitted (R182b)."""

    inquiry: str
    digest: str


@dataclass(frozen=True, slots=True)
class HumanUnanswered:
    """A client couldn't answer: it reported an `error` (R242), or, without one, sent no fitting answer (R241) or
    left."""

    inquiry: str
    digest: str
    error: str = ""


@dataclass(frozen=True, slots=True)
class HumanTookOver:
    """The user takes over a review (R156): `model` was reviewing since `ms`; `heard` is its reason as streamed so
    far."""

    inquiry: str
    model: str = ""
    heard: str = ""
    ms: int | None = None


@dataclass(frozen=True, slots=True)
class HumanSpoke:
    """The user sent the model a message while the turn runs."""


@dataclass(frozen=True, slots=True)
class ClientLeft:
    """The client left or its input ended, without an answer (Z9)."""


@dataclass(frozen=True, slots=True)
class DeadlinePassed:
    """The user's own time limit for this question is over (R243)."""

    inquiry: str


@dataclass(frozen=True, slots=True)
class Revoked:
    """The user revokes the ledger entry with this key (E43, R236)."""

    key: str


# --- inputs: returned by a reviewer ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ReviewerAnswered:
    """A verdict (R119); `reason` may be empty. `verdicts` as for a user's answer; `usage` are tokens and, if prices are
    known, `cost_usd`; `saw` describes what the reviewer was shown."""

    inquiry: str
    value: Json
    reason: str
    model: str
    ms: int | None = None
    usage: JsonObject = field(default_factory=dict)
    verdicts: Verdicts = field(default_factory=lambda: NO_VERDICTS)
    saw: str = ""


@dataclass(frozen=True, slots=True)
class ReviewerFailed:
    """No verdict, and the cause (R137). `too_long`: the request exceeded the model's context, so no model was asked
    (R247). `advice` is for the user; no model reads it."""

    inquiry: str
    error: str
    model: str = ""
    ms: int | None = None
    kind: Literal["failed", "too_long"] = "failed"
    usage: JsonObject = field(default_factory=dict)
    saw: str = ""
    advice: str = ""


Input = (
    CallStarted
    | CallResumed
    | TurnResumed
    | QuestionRaised
    | PermissionWanted
    | DeliveryWanted
    | ReviewWanted
    | RelayWanted
    | RelayClosed
    | RelayPeople
    | CallFailed
    | CallGone
    | HumanAnswered
    | HumanAssigned
    | EditsAccepted
    | HumanCancelled
    | HumanReplied
    | HumanEndedTurn
    | HumanEdited
    | HumanPermitted
    | RuleDecided
    | HumanDelivered
    | HumanWentBack
    | HumanRestored
    | HumanSubmitted
    | HumanUnanswered
    | HumanTookOver
    | HumanSpoke
    | ClientLeft
    | DeadlinePassed
    | Revoked
    | ReviewerAnswered
    | ReviewerFailed
)
