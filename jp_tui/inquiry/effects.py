"""What comes out of the machine: facts to record and effects to carry out, in order. Data only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from jp_tui.conversation.events import InquiryRequest, InquiryResponse
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.inquiry.values import Input, OpenDelivery, OpenPermission, OpenQuestion, OpenReview
from jp_tui.questions.types import GivenAnswer

How = Literal["answered", "redacted", "cancelled", "withdrawn"]


@dataclass(frozen=True, slots=True)
class Record:
    """A fact for the log, durable before any later step is taken (R205)."""

    event: InquiryRequest | InquiryResponse


@dataclass(frozen=True, slots=True)
class AskHuman:
    """Put the question to the human; `why` says which rule led here (E42)."""

    open: OpenQuestion
    label: str | None
    remember: bool
    why: str


@dataclass(frozen=True, slots=True)
class AskPermission:
    """Ask the human for leave to run a call."""

    open: OpenPermission
    why: str


@dataclass(frozen=True, slots=True)
class AskDelivery:
    """Ask the human for leave to deliver a result."""

    open: OpenDelivery
    why: str


@dataclass(frozen=True, slots=True)
class AskReview:
    """Show a whole form before it counts; `back` as in Open."""

    open: OpenReview
    back: str = ""


@dataclass(frozen=True, slots=True)
class AskReviewer:
    """Ask a reviewing model (rows 5, 6, 11); ReviewerAnswered or ReviewerFailed comes back. `intent`: once more, told
    what the assistant wants with it and what it said itself before (`open.intent`, `open.before`)."""

    open: OpenQuestion
    why: str
    intent: bool = False


@dataclass(frozen=True, slots=True)
class RelayAnswer:
    """Hand on what the human did to the machine of the sub-agent that asks this (R220); `given` has its id there."""

    open: OpenQuestion | OpenReview
    given: Input


@dataclass(frozen=True, slots=True)
class RunAgain:
    """Execute the tool again with all answers so far (R97), with the words that came instead (R179), or, when
    `arguments` is set, from the start with edited arguments (R97b)."""

    call: str
    answers: Mapping[str, GivenAnswer]
    replied: bool = False
    reply: str | None = None
    arguments: JsonObject | None = None
    reviewed: bool = False


@dataclass(frozen=True, slots=True)
class Permit:
    """The call may run, with `arguments` in place of its own when that is set. `decision` as in Complete."""

    call: str
    arguments: JsonObject | None
    decision: JsonObject


@dataclass(frozen=True, slots=True)
class Deliver:
    """The result goes to the model, as `text` when that is set. `decision` as in Complete."""

    call: str
    text: str | None
    decision: JsonObject


@dataclass(frozen=True, slots=True)
class Complete:
    """The call is over without running again: this is what the model reads.

    `decision` says who decided at a permission or result prompt, for the record beside the response:
    `{"choice": "run"|"skip"|"deliver"|"edit"|"cancel", "by": "user"|"remembered"|"policy", "remember"?: true,
    "reason"?: text, "via"?: …, "ms"?: n}`; empty where no such prompt was.
    """

    call: str
    content: str
    is_error: bool
    decision: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Settled:
    """A question no longer waits; tell whoever shows it. `by`: the responder's kind, "policy", or empty."""

    inquiry: str
    how: How
    by: str


@dataclass(frozen=True, slots=True)
class Refuse:
    """An answer that cannot be taken. `gone`: the question does not wait any more, `by` settled it when known."""

    inquiry: str
    reason: str
    gone: bool
    by: str = ""


@dataclass(frozen=True, slots=True)
class LedgerChanged:
    """What is remembered has changed."""


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
    | LedgerChanged
    | StopTurn
    | Defer
)
