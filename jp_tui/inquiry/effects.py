"""Outputs of the machine: facts to record and effects to carry out, in order. Data only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from jp_tui.conversation.events import InquiryFact
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.inquiry.values import Input, OpenDelivery, OpenPermission, OpenQuestion, OpenReview
from jp_tui.questions.types import GivenAnswer, QuestionEnd

How = Literal["answered", "redacted", "cancelled", "withdrawn"]


@dataclass(frozen=True, slots=True)
class Record:
    """Fact for the log, durable before any later step runs (R205)."""

    event: InquiryFact


@dataclass(frozen=True, slots=True)
class AskHuman:
    """Ask the user; `why` names the rule that applied (E42)."""

    open: OpenQuestion
    label: str | None
    remember: bool
    why: str


@dataclass(frozen=True, slots=True)
class AskPermission:
    """Ask the user for permission to run a call."""

    open: OpenPermission
    why: str


@dataclass(frozen=True, slots=True)
class AskDelivery:
    """Ask the user for permission to deliver a result."""

    open: OpenDelivery
    why: str


@dataclass(frozen=True, slots=True)
class AskReview:
    """Show a whole form before it counts; `back` as in Open."""

    open: OpenReview
    back: str = ""


@dataclass(frozen=True, slots=True)
class AskReviewer:
    """Ask a reviewing model (rows 5, 6, 11). ReviewerAnswered or ReviewerFailed follows. `intent` is set on a second
    request: what the assistant wants and the reviewer's first verdict (`open.intent`, `open.before`)."""

    open: OpenQuestion
    why: str
    intent: bool = False


@dataclass(frozen=True, slots=True)
class RelayAnswer:
    """Forward the user's input to the machine of the sub-agent that asks (R220). `given` uses that machine's id."""

    open: OpenQuestion | OpenReview
    given: Input


@dataclass(frozen=True, slots=True)
class RunAgain:
    """Run the tool again with all answers so far (R97), with the user's reply instead of an answer (R179), or, if
    `arguments` is set, from the start with edited arguments (R97b). `ended`: the question of a call that stays open
    ended without an answer, with `reply` if the user wrote one (mcp.md P42)."""

    call: str
    answers: Mapping[str, GivenAnswer]
    replied: bool = False
    reply: str | None = None
    arguments: JsonObject | None = None
    reviewed: bool = False
    ended: QuestionEnd = ""


@dataclass(frozen=True, slots=True)
class Permit:
    """Run the call, with `arguments` in place of its own when set. `decision` as in Complete."""

    call: str
    arguments: JsonObject | None
    decision: JsonObject


@dataclass(frozen=True, slots=True)
class Deliver:
    """Send the result to the model, as `text` when set. `decision` as in Complete."""

    call: str
    text: str | None
    decision: JsonObject


@dataclass(frozen=True, slots=True)
class Complete:
    """End the call without another run; the model reads `content`.

    `decision` records who decided at a permission or result prompt: `{"choice": "run"|"skip"|"deliver"|"edit"|"cancel",
    "by": "user"|"remembered"|"policy", "remember"?: true, "reason"?: text, "via"?: …, "ms"?: n}`. It is empty if there
    was no such prompt.
    """

    call: str
    content: str
    is_error: bool
    decision: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Settled:
    """Report that a question closed. `by`: the responder's kind, "policy", or empty."""

    inquiry: str
    how: How
    by: str


@dataclass(frozen=True, slots=True)
class Refuse:
    """Reject an input. `gone`: the question is closed; `by` names who closed it, if known. `not_yours`: other people
    are asked."""

    inquiry: str
    reason: str
    gone: bool
    by: str = ""
    not_yours: bool = False


@dataclass(frozen=True, slots=True)
class PeopleChanged:
    """Report that an open question was approved by one more person, or handed over (store.md D15, D16). `why` is its
    new reason, empty if that stays."""

    open: OpenQuestion
    why: str = ""


@dataclass(frozen=True, slots=True)
class LedgerChanged:
    """Report that the remembered answers changed."""


@dataclass(frozen=True, slots=True)
class StopTurn:
    """End the turn at once (R180)."""


@dataclass(frozen=True, slots=True)
class Defer:
    """Leave the request unanswered and end the run after the other calls (R230)."""

    call: str


Step = (
    Record
    | AskHuman
    | AskPermission
    | AskDelivery
    | AskReview
    | AskReviewer
    | RelayAnswer
    | RunAgain
    | Permit
    | Deliver
    | Complete
    | Settled
    | Refuse
    | PeopleChanged
    | LedgerChanged
    | StopTurn
    | Defer
)
