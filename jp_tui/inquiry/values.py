"""What goes into the machine and what comes out: state, inputs, facts and effects. Data only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

from jp_tui.conversation.events import InquiryRequest, InquiryResponse, SourceKind
from jp_tui.conversation.strict_json import Json
from jp_tui.questions.types import Given as Given
from jp_tui.questions.types import Question

Target = Literal["user", "assistant", "assistant_with_escalation"]
Policy = Literal["unset", "auto", "defaults", "deny", "defer"]


@dataclass(frozen=True, slots=True)
class Rule:
    """What the user set for one question of one tool (R33); `place` says where, for `w` and error texts."""

    target: Target = "user"
    has_answer: bool = False
    answer: Json = None
    prompt_label: str | None = None
    exclusive: bool | None = None
    place: str = ""


@dataclass(frozen=True, slots=True)
class Ledger:
    """What a turn remembers (R39, R40): answers by `<tool>.<question>`, attempts by (call, question)."""

    answers: Mapping[str, Json] = field(default_factory=lambda: MappingProxyType({}))
    attempts: Mapping[tuple[str, str], int] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class Open:
    """A question that waits for the human."""

    inquiry: str
    call: str
    question: Question
    digest: str
    source: SourceKind
    human_only: bool


@dataclass(frozen=True, slots=True)
class Work:
    """An executing call: its answers in the order they were given, and how often the same question came."""

    tool: str
    answers: Mapping[str, Given] = field(default_factory=lambda: MappingProxyType({}))
    streak: tuple[str, int] = ("", 0)


@dataclass(frozen=True, slots=True)
class State:
    """Everything the machine knows. `client`: a face that can ask is attached (R146). `most`: R98's limit."""

    client: bool
    most: int = 20
    ledger: Ledger = Ledger()
    calls: Mapping[str, Work] = field(default_factory=lambda: MappingProxyType({}))
    waiting: tuple[Open, ...] = ()


# --- inputs -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CallStarted:
    """A tool call begins to run, or runs again from the start without answers (restart)."""

    call: str
    tool: str


@dataclass(frozen=True, slots=True)
class QuestionRaised:
    """A tool returned needs_input."""

    call: str
    question: Question
    source: SourceKind
    rule: Rule = Rule()
    policy: Policy = "unset"


@dataclass(frozen=True, slots=True)
class HumanAnswered:
    """`remember` for the rest of the turn; `via` another face than the screen (R25); `ms` since it was asked."""

    inquiry: str
    digest: str
    value: Json
    remember: bool = False
    note: str = ""
    via: str = ""
    ms: int | None = None


@dataclass(frozen=True, slots=True)
class HumanCancelled:
    """Left without an answer (R210)."""

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
class CallGone:
    """The call ended or was called off; a question of it that still waits is withdrawn (R118)."""

    call: str


Input = CallStarted | QuestionRaised | HumanAnswered | HumanCancelled | HumanReplied | HumanEndedTurn | CallGone

# --- outputs ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Record:
    """A fact for the log, durable before any later step is taken (R205)."""

    event: InquiryRequest | InquiryResponse


@dataclass(frozen=True, slots=True)
class AskHuman:
    """Put the question to the human; `why` says which rule led here (E42)."""

    open: Open
    label: str | None
    remember: bool
    why: str


@dataclass(frozen=True, slots=True)
class RunAgain:
    """Execute the tool again with all answers so far (R97), or with the words that came instead (R179)."""

    call: str
    answers: Mapping[str, Given]
    replied: bool = False
    reply: str | None = None


@dataclass(frozen=True, slots=True)
class Complete:
    """The call is over without running again: this is what the model reads."""

    call: str
    content: str
    is_error: bool


@dataclass(frozen=True, slots=True)
class Settled:
    """A question no longer waits; tell whoever shows it."""

    inquiry: str
    how: Literal["answered", "redacted", "cancelled", "withdrawn"]
    by: str


@dataclass(frozen=True, slots=True)
class Refuse:
    """An answer that cannot be taken; `gone` when the question does not wait any more."""

    inquiry: str
    reason: str
    gone: bool


@dataclass(frozen=True, slots=True)
class EndTurn:
    """End the turn at once (R180)."""


@dataclass(frozen=True, slots=True)
class Defer:
    """Leave the request unanswered and end the run after the other calls (R230)."""

    call: str


Step = Record | AskHuman | RunAgain | Complete | Settled | Refuse | EndTurn | Defer
