"""State of the machine: rules, remembered answers, open items, calls.

Data only. Other modules import it as `values`, together with the inputs (`inputs.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

from jp_tui.conversation.events import Responder, SourceKind
from jp_tui.conversation.strict_json import Json, JsonObject
from jp_tui.inquiry.people import ANYONE, OWNER, Addressed, Vote, WantedPeople
from jp_tui.questions.types import FormView, Question
from jp_tui.questions.types import GivenAnswer as GivenAnswer

Target = Literal["user", "assistant", "assistant_with_escalation"]
Policy = Literal["unset", "auto", "defaults", "deny", "defer"]
AskMode = Literal["ask", "edit"]
Insists = Literal["", "rule", "always"]
PERMISSION = "__permission__"
"""Question id under which a permission prompt counts attempts and is remembered (R39)."""
DELIVERY = "__delivery__"
REVIEW = "__review__"


@dataclass(frozen=True, slots=True)
class Rule:
    """User's settings for one question of one tool (R33).

    `place` names their origin, for `w` and error texts. `slot` is the key of the static answer if it isn't the
    question's own id (R171, M3). `overrides` are settings for the reviewing assistant (R31). `key` is the setting that
    chose the target if the question has none of its own (R72). `people` is which people answer (store.md D14).
    """

    target: Target = "user"
    has_answer: bool = False
    answer: Json = field(default=None, repr=False)  # may be a secret
    prompt_label: str | None = None
    exclusive: bool | None = None
    place: str = ""
    slot: str = ""
    deadline_secs: int | None = None
    overrides: JsonObject = field(default_factory=dict)
    key: str = ""
    people: WantedPeople = ANYONE


@dataclass(frozen=True, slots=True)
class RememberedAnswer:
    """Entry that a turn remembers: an answer, or for `question` PERMISSION a decision (true: run, false: skip).

    `since` is the time it was given (R58), `uses` how often it has answered since, `text` one line of the question.
    """

    tool: str
    question: str
    value: Json
    text: str = ""
    since: str = ""
    uses: int = 0


@dataclass(frozen=True, slots=True)
class Ruled:
    """Yes of approval rules to a change of files: by `rules`, or, with none, by the `mode` (AR3, AR30), or by the
    setting `run` at `setting`. `why` is a sentence. For another program's tool also a no, whose `reason` that program's
    model reads (N3)."""

    why: str
    rules: tuple[str, ...] = ()
    mode: str = ""
    value: bool = True
    reason: str = ""
    setting: str = ""


@dataclass(frozen=True, slots=True)
class Rejected:
    """Count of rejected identical calls in this turn. `by_user`: all of them by the user (Z17)."""

    times: int = 0
    by_user: bool = True


@dataclass(frozen=True, slots=True)
class Ledger:
    """Memory of a turn (R39, R40): answers and, separately, permissions by `<tool>.<question>`, followed by `#<digest>`
    if only identical content is covered (Z16); attempts by (call, question). `refused` maps refused targets to a text
    that names who refused (R247). `rejections` counts per intent (`refusals.intent`), `rejected` per identical call
    (`repeats.identity`)."""

    answers: Mapping[str, RememberedAnswer] = field(default_factory=lambda: MappingProxyType({}))
    permissions: Mapping[str, RememberedAnswer] = field(default_factory=lambda: MappingProxyType({}))
    attempts: Mapping[tuple[str, str], int] = field(default_factory=lambda: MappingProxyType({}))
    refused: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    rejections: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    rejected: Mapping[str, Rejected] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class EarlierVerdict:
    """Reviewer's verdict before it was asked again with the assistant's intent."""

    model: str
    reason: str
    ms: int | None = None


@dataclass(frozen=True, slots=True)
class EscalationCause:
    """Reason why a question reaches the user after a review (R150, R154, R155): the verdict, or why there is none.

    `cause` details a missing verdict (with `failed`): the request was too long, or the user took over (R156). `before`
    are earlier verdicts, `saw` describes what the reviewer was shown.
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
    """Question with its recorded request, waiting for the user or a reviewer.

    `text` is shown above the context after a review: M12, or that there was no verdict (R155). `asks` is its id at the
    machine of the sub-agent that asks and decides about it (R220). `asked` is which people are asked, `votes` are the
    approvals that count so far (store.md D14, D15).
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
    back: str = ""  # the question that Back goes to; empty if there is none
    prefill: tuple[Json, ...] = field(default=(), repr=False)  # its answer before Back (R176); never a secret
    undo: tuple[str, ...] = ()  # the questions whose answers `u` would restore, in order, Back's target first (E23)
    policy_place: str = ""  # where the policy is set
    intent: str = ""  # the assistant's stated intent, for a second review
    before: tuple[EarlierVerdict, ...] = ()  # the reviewer's earlier verdicts
    refused: str = ""  # why only a person may answer, if one of its targets was refused in this turn
    asks: str = ""
    asked_as: SourceKind | None = None  # its source at the sub-agent that asks it (R222, Z8)
    asked: Addressed = OWNER
    votes: tuple[Vote, ...] = ()


@dataclass(frozen=True, slots=True)
class OpenPermission:
    """Call that waits for permission to run (R86). `edit`: edit its arguments first (run mode `edit`). `floor` as in
    PermissionWanted: permission covers this call only. So are `exact`, `text` and `insists`."""

    inquiry: str
    call: str
    digest: str
    edit: bool = False
    floor: tuple[str, ...] = ()
    exact: str = ""
    text: str = ""
    insists: Insists = ""
    covers: str = ""


@dataclass(frozen=True, slots=True)
class OpenDelivery:
    """Result that waits for permission to be delivered (R93). `edit`: edit it first."""

    inquiry: str
    call: str
    digest: str
    edit: bool = False


@dataclass(frozen=True, slots=True)
class OpenReview:
    """Completed form that the user may review before it is submitted (R182b); `asks` as in OpenQuestion."""

    inquiry: str
    call: str
    digest: str
    form: FormView
    source: SourceKind = "assistant"
    asks: str = ""


Waiting = OpenQuestion | OpenPermission | OpenDelivery | OpenReview


@dataclass(frozen=True, slots=True)
class Recorded:
    """Unanswered request of an unfinished turn (R237). `escalation` is set if a reviewer had answered (R153, R207),
    `before` if it was asked twice; `asks`, `asked` and `votes` as in OpenQuestion."""

    inquiry: str
    question: str
    digest: str
    escalation: EscalationCause | None = None
    before: tuple[EarlierVerdict, ...] = ()
    asks: str = ""
    asked: Addressed = OWNER
    votes: tuple[Vote, ...] = ()


@dataclass(frozen=True, slots=True)
class Last:
    """Last answered inquiry of a call (R41, R140); it determines the text of the call's error (R141-R143).

    `overruled`: it was escalated before. `rejects`: it is the no to a boolean question. `intent` is its key in
    Ledger.rejections, if a tool asked. `comments` are the user's comments on parts, each with the part's title (R251).
    Never contains a secret.
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
    """Executing call: its answers in order, how often the same question was answered in a row, open requests of an
    earlier run, and its last answered inquiry. `unasked` are questions that a setting, a default or a reviewer answered
    (R172, R176). `alone` counts answers without a person since the user was last asked. `identity` as in `repeats`."""

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
    """Complete state of the machine.

    `client`: a front end that can ask is attached (R146); without `secrets` it can't ask for one (R241). `handler`: the
    assistant's questions go through this sub-agent's parent (R218). `most`: R98's limit. `waiting` is the user's queue,
    oldest first; `reviewed` are questions at a reviewer. `settled` maps closed inquiries of this turn to who closed
    them, for late inputs. `gone`: the client left, so everything a person must decide stays open (Z9). `deferred` are
    requests that stay open (R230).
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
