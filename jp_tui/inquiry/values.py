"""What goes into the machine: rules, what a turn remembers, its state, and the inputs. Data only; see `steps.py`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

from jp_tui.conversation.events import Responder, SourceKind
from jp_tui.conversation.strict_json import Json, JsonObject
from jp_tui.questions.types import FormView, Question, Taken
from jp_tui.questions.types import Given as Given
from jp_tui.questions.validate import NO_VERDICTS, Verdicts

Target = Literal["user", "assistant", "assistant_with_escalation"]
Policy = Literal["unset", "auto", "defaults", "deny", "defer"]
AskMode = Literal["ask", "edit"]
PERMISSION = "__permission__"
"""The question id under which a permission prompt counts its attempts and is remembered (R39)."""
DELIVERY = "__delivery__"
REVIEW = "__review__"


@dataclass(frozen=True, slots=True)
class Rule:
    """What the user set for one question of one tool (R33); `place` says where, for `w` and error texts.

    `slot` is the key under which the static answer stands, when that is not the question's own id (R171, M3);
    `overrides` what differs for the assistant that answers (R31).
    """

    target: Target = "user"
    has_answer: bool = False
    answer: Json = field(default=None, repr=False)  # perhaps of a secret
    prompt_label: str | None = None
    exclusive: bool | None = None
    place: str = ""
    slot: str = ""
    deadline_secs: int | None = None
    overrides: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Held:
    """Something a turn remembers: an answer, or for `question` PERMISSION a decision (true: run, false: skip).

    `since` is the time it was given (R58), `uses` how often it has answered since, `text` one line of what was asked.
    """

    tool: str
    question: str
    value: Json
    text: str = ""
    since: str = ""
    uses: int = 0


@dataclass(frozen=True, slots=True)
class Ledger:
    """What a turn remembers (R39, R40): answers and, apart from them, permissions by `<tool>.<question>`; attempts
    by (call, question). `refused` are the targets that somebody said no to, with words that say who (R247);
    `rejections` how often one intent was, by `<tool>.<question>` and its targets."""

    answers: Mapping[str, Held] = field(default_factory=lambda: MappingProxyType({}))
    permissions: Mapping[str, Held] = field(default_factory=lambda: MappingProxyType({}))
    attempts: Mapping[tuple[str, str], int] = field(default_factory=lambda: MappingProxyType({}))
    refused: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    rejections: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a reviewer said before it was asked once more with the assistant's intent."""

    model: str
    reason: str
    ms: int | None = None


@dataclass(frozen=True, slots=True)
class Escalation:
    """Why a question reaches the human after all (R150, R154, R155): the reviewer's verdict, or why it had none.

    `cause` is more of why there is none (`failed` then): what it was to see was too long for it, or the human took it
    over (R156). `before` are its earlier verdicts, `saw` says what it was shown, in words.
    """

    model: str
    reason: str
    failed: bool = False
    ms: int | None = None
    cause: Literal["", "too_long", "taken_over"] = ""
    before: tuple[Verdict, ...] = ()
    saw: str = ""


@dataclass(frozen=True, slots=True)
class Open:
    """A question with its recorded request, which somebody is to answer: the human, or a reviewer.

    `text` is what stands above the context when a reviewer was asked before: M12, or that it could not decide (R155).
    """

    inquiry: str
    call: str
    question: Question
    digest: str
    source: SourceKind
    human_only: bool
    rule: Rule = Rule()
    policy: Policy = "unset"
    escalation: Escalation | None = None
    text: str = ""
    form: FormView | None = None
    back: str = ""  # the question that Back goes to; none when that is empty
    prefill: tuple[Json, ...] = field(default=(), repr=False)  # the answer it had before Back (R176); of no secret
    undo: tuple[str, ...] = ()  # the questions whose answers `u` would bring back, in order, Back's target first (E23)
    policy_place: str = ""  # where the policy is set
    intent: str = ""  # what the assistant said it wants, for a second look
    before: tuple[Verdict, ...] = ()  # what the reviewer said at the first


@dataclass(frozen=True, slots=True)
class OpenPermission:
    """A call that waits for leave to run (R86). `edit`: its arguments are to be edited first (run mode `edit`)."""

    inquiry: str
    call: str
    digest: str
    edit: bool = False


@dataclass(frozen=True, slots=True)
class OpenDelivery:
    """A result that waits for leave to be delivered (R93). `edit`: it is to be edited first."""

    inquiry: str
    call: str
    digest: str
    edit: bool = False


@dataclass(frozen=True, slots=True)
class OpenReview:
    """A form whose questions are all answered, which the human may look over before it counts (R182b)."""

    inquiry: str
    call: str
    digest: str
    form: FormView
    source: SourceKind = "assistant"


Waiting = Open | OpenPermission | OpenDelivery | OpenReview


@dataclass(frozen=True, slots=True)
class Recorded:
    """A request of a turn that was cut off, still without a response (R237); `escalation` when a reviewer had spoken
    before it (R153, R207)."""

    inquiry: str
    question: str
    digest: str
    escalation: Escalation | None = None


@dataclass(frozen=True, slots=True)
class Last:
    """The last inquiry of a call that was answered (R41, R140), which says how its error is told (R141-R143).

    `overruled` when it was escalated before. A secret's value is never here.
    """

    question: str
    value: Json
    reason: str
    who: Responder
    overruled: bool = False


@dataclass(frozen=True, slots=True)
class Work:
    """An executing call: its answers in the order they were given, how often the same question was answered in a row,
    the requests of an earlier run that it may take up again, and its last answered inquiry. `unasked` are questions
    whose answer is not the human's own first word: a setting's, a default, a reviewer's (R172, R176). `alone` counts
    the answers that came without a person since the human was last asked something."""

    tool: str
    answers: Mapping[str, Given] = field(default_factory=lambda: MappingProxyType({}))
    streak: tuple[str, int] = ("", 0)
    alone: int = 0
    recorded: tuple[Recorded, ...] = ()
    last: Last | None = None
    discarded: tuple[tuple[str, Given], ...] = ()  # by Back, in order, the target first (R177)
    unasked: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class State:
    """Everything the machine knows. `client`: a face that can ask is attached (R146). `most`: R98's limit.

    `waiting` is the human's queue, oldest first; `reviewed` what a reviewer is asked now. `settled` says who settled
    an inquiry of this turn, for whoever comes too late; `deferred` the call of each request that is left open (R230).
    """

    client: bool
    most: int = 20
    on_failure: Literal["ask", "fail"] = "ask"
    retry_with_intent: bool = False
    ledger: Ledger = Ledger()
    calls: Mapping[str, Work] = field(default_factory=lambda: MappingProxyType({}))
    waiting: tuple[Waiting, ...] = ()
    reviewed: tuple[Open, ...] = ()
    settled: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    deferred: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


# --- inputs: what a call raises ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CallStarted:
    """A tool call begins to run, or runs again from the start without answers (restart)."""

    call: str
    tool: str


@dataclass(frozen=True, slots=True)
class CallResumed:
    """A call of a turn that was cut off is executed again (R237). `attempts` by question id, as recorded; `answers`,
    `discarded` and `unasked` as `rebuilt.Rebuilt` reads them from the record."""

    call: str
    tool: str
    answers: Mapping[str, Given]
    attempts: Mapping[str, int]
    recorded: tuple[Recorded, ...]
    discarded: tuple[tuple[str, Given], ...] = ()
    unasked: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class QuestionRaised:
    """A tool returned needs_input. `verdicts` cover the static answer and the default of a schema question;
    `policy_place` is FILE:LINE of the policy, when a file set it; `intent` what the assistant said beside the call."""

    call: str
    question: Question
    source: SourceKind
    rule: Rule = Rule()
    policy: Policy = "unset"
    verdicts: Verdicts = field(default_factory=lambda: NO_VERDICTS)
    form: FormView | None = None
    policy_place: str = ""
    intent: str = ""


@dataclass(frozen=True, slots=True)
class TurnResumed:
    """A turn that was cut off goes on: what was refused in it, as in Ledger. Comes before its calls."""

    refused: Mapping[str, str]
    rejections: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class PermissionWanted:
    """A call of a tool with run mode `ask` or `edit` (R85). `digest` is of the arguments as they are shown, `place`
    FILE:LINE of the mode, when a file set it. `floor` are refused targets that its arguments name: whatever the mode,
    only a person lets it run (R247)."""

    call: str
    tool: str
    mode: AskMode
    digest: str
    policy: Policy = "unset"
    place: str = ""
    floor: tuple[str, ...] = ()


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
class HumanTookOver:
    """The human decides what a reviewer is deciding (R156): the `model` that was at it, since `ms`, and what was
    `heard` of its reason so far."""

    inquiry: str
    model: str = ""
    heard: str = ""
    ms: int | None = None


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
    """No verdict, and why (R137). `too_long`: it could not be shown all of what is asked, so nobody asked it (R247)."""

    inquiry: str
    error: str
    model: str = ""
    ms: int | None = None
    kind: Literal["failed", "too_long"] = "failed"
    usage: JsonObject = field(default_factory=dict)
    saw: str = ""


Input = (
    CallStarted
    | CallResumed
    | TurnResumed
    | QuestionRaised
    | PermissionWanted
    | DeliveryWanted
    | ReviewWanted
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
    | HumanTookOver
    | DeadlinePassed
    | Revoked
    | ReviewerAnswered
    | ReviewerFailed
)
