"""What the machine knows: rules, what a turn remembers, what waits, the calls. Data only.

Others import it as `values`, which also has what goes in (`inputs.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

from jp_tui.conversation.events import Responder, SourceKind
from jp_tui.conversation.strict_json import Json, JsonObject
from jp_tui.questions.types import FormView, Question
from jp_tui.questions.types import GivenAnswer as GivenAnswer

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
    `overrides` what differs for the assistant that answers (R31); `key` the setting that made the target, when the
    question has none of its own (R72).
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
    key: str = ""


@dataclass(frozen=True, slots=True)
class RememberedAnswer:
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
class Rejected:
    """How often identical calls were rejected in this turn; `by_user`: never by anybody but the user (Z17)."""

    times: int = 0
    by_user: bool = True


@dataclass(frozen=True, slots=True)
class Ledger:
    """What a turn remembers (R39, R40): answers and, apart from them, permissions by `<tool>.<question>`, with
    `#<digest>` behind it where only the same is covered (Z16); attempts by (call, question). `refused` are the targets
    that somebody said no to, with words that say who (R247); `rejections` how often one intent was, by
    `refusals.intent`; `rejected` counts identical calls, by `repeats.identity`."""

    answers: Mapping[str, RememberedAnswer] = field(default_factory=lambda: MappingProxyType({}))
    permissions: Mapping[str, RememberedAnswer] = field(default_factory=lambda: MappingProxyType({}))
    attempts: Mapping[tuple[str, str], int] = field(default_factory=lambda: MappingProxyType({}))
    refused: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    rejections: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    rejected: Mapping[str, Rejected] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class EarlierVerdict:
    """What a reviewer said before it was asked once more with the assistant's intent."""

    model: str
    reason: str
    ms: int | None = None


@dataclass(frozen=True, slots=True)
class EscalationCause:
    """Why a question reaches the human after all (R150, R154, R155): the reviewer's verdict, or why it had none.

    `cause` is more of why there is none (`failed` then): what it was to see was too long for it, or the human took it
    over (R156). `before` are its earlier verdicts, `saw` says what it was shown, in words.
    """

    model: str
    reason: str
    failed: bool = False
    ms: int | None = None
    cause: Literal["", "too_long", "taken_over"] = ""
    before: tuple[EarlierVerdict, ...] = ()
    saw: str = ""


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A question with its recorded request, which somebody is to answer: the human, or a reviewer.

    `text` is what stands above the context when a reviewer was asked before: M12, or that it could not decide (R155).
    `asks` is its id at the machine of the sub-agent that asks it, which decides about it (R220).
    """

    inquiry: str
    call: str
    question: Question
    digest: str
    source: SourceKind
    human_only: bool
    rule: Rule = Rule()
    policy: Policy = "unset"
    escalation: EscalationCause | None = None
    text: str = ""
    form: FormView | None = None
    back: str = ""  # the question that Back goes to; none when that is empty
    prefill: tuple[Json, ...] = field(default=(), repr=False)  # the answer it had before Back (R176); of no secret
    undo: tuple[str, ...] = ()  # the questions whose answers `u` would bring back, in order, Back's target first (E23)
    policy_place: str = ""  # where the policy is set
    intent: str = ""  # what the assistant said it wants, for a second look
    before: tuple[EarlierVerdict, ...] = ()  # what the reviewer said at the first
    refused: str = ""  # why only a person may answer, when something that it would change was refused in this turn
    asks: str = ""
    asked_as: SourceKind | None = None  # its source at the sub-agent that asks it (R222, Z8)


@dataclass(frozen=True, slots=True)
class OpenPermission:
    """A call that waits for leave to run (R86). `edit`: its arguments are to be edited first (run mode `edit`); `floor`
    as in PermissionWanted: leave for this call only; `exact` and `text`, too."""

    inquiry: str
    call: str
    digest: str
    edit: bool = False
    floor: tuple[str, ...] = ()
    exact: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class OpenDelivery:
    """A result that waits for leave to be delivered (R93). `edit`: it is to be edited first."""

    inquiry: str
    call: str
    digest: str
    edit: bool = False


@dataclass(frozen=True, slots=True)
class OpenReview:
    """A form whose questions are all answered, which the human may look over before it counts (R182b); `asks` as in
    Open."""

    inquiry: str
    call: str
    digest: str
    form: FormView
    source: SourceKind = "assistant"
    asks: str = ""


Waiting = OpenQuestion | OpenPermission | OpenDelivery | OpenReview


@dataclass(frozen=True, slots=True)
class Recorded:
    """A request of a turn that was cut off, still without a response (R237); `escalation` when a reviewer had spoken
    before it (R153, R207), `before` when it was asked once more; `asks` as in Open."""

    inquiry: str
    question: str
    digest: str
    escalation: EscalationCause | None = None
    before: tuple[EarlierVerdict, ...] = ()
    asks: str = ""


@dataclass(frozen=True, slots=True)
class Last:
    """The last inquiry of a call that was answered (R41, R140), which says how its error is told (R141-R143).

    `overruled` when it was escalated before; `rejects` when it is the no to a boolean question; `intent` is its key in
    Ledger.rejections, when a tool asked; `comments` are what the human said beside parts, each with the part's title
    (R251). A secret's value is never here.
    """

    question: str
    value: Json
    reason: str
    who: Responder
    overruled: bool = False
    rejects: bool = False
    intent: str = ""
    comments: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Work:
    """An executing call: its answers in the order they were given, how often the same question was answered in a row,
    the requests of an earlier run that it may take up again, and its last answered inquiry. `unasked` are questions
    whose answer is not the human's own first word: a setting's, a default, a reviewer's (R172, R176). `alone` counts
    the answers that came without a person since the human was last asked something. `identity` as in `repeats`."""

    tool: str
    identity: str = ""
    answers: Mapping[str, GivenAnswer] = field(default_factory=lambda: MappingProxyType({}))
    streak: tuple[str, int] = ("", 0)
    alone: int = 0
    recorded: tuple[Recorded, ...] = ()
    last: Last | None = None
    discarded: tuple[tuple[str, GivenAnswer], ...] = ()  # by Back, in order, the target first (R177)
    unasked: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class State:
    """Everything the machine knows. `client`: a face that can ask is attached (R146); without `secrets` not for one
    (R241). `handler`: the assistant's questions go through the parent of this sub-agent (R218). `most`: R98's limit.

    `waiting` is the human's queue, oldest first; `reviewed` what a reviewer is asked now. `settled` says who settled
    an inquiry of this turn, for whoever comes too late; `gone`: the client went away, so that whatever a person has to
    decide stays open (Z9); `deferred` are requests that are left open (R230).
    """

    client: bool
    secrets: bool = True
    handler: bool = False
    most: int = 20
    on_failure: Literal["ask", "fail"] = "ask"
    retry_with_intent: bool = False
    ledger: Ledger = Ledger()
    calls: Mapping[str, Work] = field(default_factory=lambda: MappingProxyType({}))
    waiting: tuple[Waiting, ...] = ()
    reviewed: tuple[OpenQuestion, ...] = ()
    settled: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    deferred: Mapping[str, OpenQuestion] = field(default_factory=lambda: MappingProxyType({}))
    gone: bool = False
