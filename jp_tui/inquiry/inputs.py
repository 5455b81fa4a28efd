"""What goes into the machine: what a call raises, what the human sends, what a reviewer says. Data only; what comes out
is in `steps.py`. Others import it as `values`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from jp_tui.conversation.events import InquiryResponse, SourceKind
from jp_tui.conversation.strict_json import Json, JsonObject
from jp_tui.inquiry.state import AskMode, GivenAnswer, Last, OpenQuestion, OpenReview, Policy, Recorded, Rejected, Rule
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
    """A call of a turn that was cut off is executed again (R237). `attempts` by question id, as recorded; `answers`,
    `discarded`, `unasked` and `last` as `rebuilt.ReplayedState` reads them from the record."""

    call: str
    tool: str
    answers: Mapping[str, GivenAnswer]
    attempts: Mapping[str, int]
    recorded: tuple[Recorded, ...]
    discarded: tuple[tuple[str, GivenAnswer], ...] = ()
    unasked: frozenset[str] = frozenset()
    last: Last | None = None
    identity: str = ""


@dataclass(frozen=True, slots=True)
class QuestionRaised:
    """A tool returned needs_input. `verdicts` cover the static answer and the default of a schema question;
    `policy_place` is FILE:LINE of the policy, when a file set it; `intent` what the assistant said beside the call."""

    call: str
    question: Question
    source: SourceKind
    rule: Rule = field(default_factory=Rule)
    policy: Policy = "unset"
    verdicts: Verdicts = field(default_factory=lambda: NO_VERDICTS)
    form: FormView | None = None
    policy_place: str = ""
    intent: str = ""


@dataclass(frozen=True, slots=True)
class TurnResumed:
    """A turn that was cut off goes on: what was refused in it, as in Ledger, read from the record by
    `refusals_read.turn_resumed`. Comes before its calls."""

    refused: Mapping[str, str]
    rejections: Mapping[str, int]
    rejected: Mapping[str, Rejected] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PermissionWanted:
    """A call of a tool with run mode `ask` or `edit` (R85). `digest` is of the arguments as they are shown, `place`
    FILE:LINE of the mode, when a file set it. `floor` are refused targets that its arguments name: whatever the mode,
    only a person lets it run (R247). `exact` is a digest of everything that is shown, for a tool that takes a command:
    a remembered decision covers only a call that shows the same (Z16); `text` is its one line for the ledger."""

    call: str
    tool: str
    mode: AskMode
    digest: str
    policy: Policy = "unset"
    place: str = ""
    floor: tuple[str, ...] = ()
    exact: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class DeliveryWanted:
    """A result of a tool with result mode `ask` or `edit` (R93). `digest` is of the result as it is shown, `place` as
    in PermissionWanted."""

    call: str
    tool: str
    mode: AskMode
    digest: str
    policy: Policy = "unset"
    place: str = ""


@dataclass(frozen=True, slots=True)
class ReviewWanted:
    """A form is complete (R182b). `digest` is of the answers as they are shown; without a client it finishes."""

    call: str
    digest: str
    form: FormView
    source: SourceKind = "assistant"


@dataclass(frozen=True, slots=True)
class RelayWanted:
    """The sub-agent in the conversation `agent`, which this call runs, asks the human something (R220), or one of its
    tools does (Z8): `ask` as it stands at its own machine, with the label, the rule that led there, where Back goes and
    whether the answer may be remembered there; `tool` is the one it called."""

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
    """A sub-agent's machine has settled what it asked under the id `asks`; `response` is what it recorded, None for a
    review, `how` and `by` are its Settled's."""

    call: str
    asks: str
    how: Literal["answered", "redacted", "cancelled", "withdrawn"]
    by: str
    response: InquiryResponse | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class CallFailed:
    """The tool of this call ended in an error of its own."""

    call: str


@dataclass(frozen=True, slots=True)
class CallGone:
    """The call ended or was called off; a question of it that still waits is withdrawn (R118)."""

    call: str


# --- inputs: what the human, or whoever answers for them, sends -------------------------------------------


@dataclass(frozen=True, slots=True)
class HumanAnswered:
    """`remember` for the rest of the turn; `via` another face than the screen (R25); `ms` since it was asked; `at`
    the time (R58); `verdicts` cover the value of a schema question; `taken` says which parts (R251)."""

    inquiry: str
    digest: str
    value: Json = field(repr=False)  # perhaps of a secret
    remember: bool = False
    note: str = ""
    via: str = ""
    ms: int | None = None
    at: str = ""
    verdicts: Verdicts = field(default_factory=lambda: NO_VERDICTS)
    taken: Taken | None = None


@dataclass(frozen=True, slots=True)
class HumanCancelled:
    """Left without an answer (R210); at a result prompt M20."""

    inquiry: str
    digest: str


@dataclass(frozen=True, slots=True)
class HumanReplied:
    """Answered in words instead (R179, R182)."""

    inquiry: str
    digest: str
    text: str | None


@dataclass(frozen=True, slots=True)
class HumanEndedTurn:
    """End Turn, from a question or by two Ctrl-C (R180); an empty inquiry means from anywhere."""

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
    """A decision at a permission prompt (R86): run or skip, once or for the turn, a skip with its reason."""

    inquiry: str
    digest: str
    run: bool
    remember: bool = False
    reason: str | None = None
    via: str = ""
    ms: int | None = None
    at: str = ""


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
    """What Back took away comes back (E23, R177), as long as nothing was submitted since."""

    inquiry: str
    digest: str


@dataclass(frozen=True, slots=True)
class HumanSubmitted:
    """The review is done: the form counts (R182b)."""

    inquiry: str
    digest: str


@dataclass(frozen=True, slots=True)
class HumanUnanswered:
    """A client that was to ask has no answer: it said so with an `error` (R242), or, without one, none that fits came
    of it (R241) or it went away."""

    inquiry: str
    digest: str
    error: str = ""


@dataclass(frozen=True, slots=True)
class HumanTookOver:
    """The human decides what a reviewer is deciding (R156): the `model` that was at it, since `ms`, and what was
    `heard` of its reason so far."""

    inquiry: str
    model: str = ""
    heard: str = ""
    ms: int | None = None


@dataclass(frozen=True, slots=True)
class HumanSpoke:
    """The user sent the model a message while the turn runs."""


@dataclass(frozen=True, slots=True)
class ClientLeft:
    """The client went away, or its input ended; it answered nothing (Z9)."""


@dataclass(frozen=True, slots=True)
class DeadlinePassed:
    """The user's own time limit for this question is over (R243)."""

    inquiry: str


@dataclass(frozen=True, slots=True)
class Revoked:
    """The user takes back what is remembered under this key of the ledger (E43, R236)."""

    key: str


# --- inputs: what a reviewer says -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ReviewerAnswered:
    """A verdict (R119); `reason` empty when there was none. `verdicts` as for a human; `usage` are tokens and, where
    prices are known, `cost_usd`; `saw` says in words what it was shown."""

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
    """No verdict, and why (R137). `too_long`: it could not be shown all of what is asked, so nobody asked it (R247).
    `advice` is what people can do about it; no model reads it."""

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
    | CallFailed
    | CallGone
    | HumanAnswered
    | HumanCancelled
    | HumanReplied
    | HumanEndedTurn
    | HumanEdited
    | HumanPermitted
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
