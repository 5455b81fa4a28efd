"""Values that messages carry: stored events, spans, prompts, calls, responses to a prompt."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from jp_tui.conversation.text import Foreign
from jp_tui.protocol.base import Model, Wire
from jp_tui.questions.types import Question

CallState = Literal[
    "receiving_arguments", "queued", "awaiting_permission", "running",
    "awaiting_input", "awaiting_assistant", "awaiting_result_edit", "completed",
]  # fmt: skip
CallEnd = Literal["ok", "error", "cancelled", "skipped"]
Control = Literal["remember", "back", "reply", "end_turn", "cancel"]


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


class PromptRequest(Model):
    """A question for the human (R189). `asker` is ours to say, `task` and the question are foreign."""

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
    why: str = ""
    asked_at: str = ""


class Answered(Model):
    """The human's answer; `remember` only where the prompt allows it; `note` is R182's."""

    kind: Literal["answered"] = "answered"
    value: Any = None
    remember: bool = False
    note: str = ""


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


Response = Annotated[Answered | Cancelled | Replied | EndTurn, Field(discriminator="kind")]


class ConversationInfo(Model):
    """A row of the list of conversations; times are UTC in the form of R58."""

    id: str
    title: Foreign
    workspace: str
    model: str
    created: str
    updated: str
    events: int
    turns: int


class UsageTotals(Model):
    """Token counts; `context` the size of the last request."""

    input: int = 0
    output: int = 0
    cached: int = 0
    reasoning: int = 0
    context: int = 0


class TurnError(Model):
    """Why a turn failed: what happened, the server's own words, what to do (surface S1, issue "Bad input")."""

    kind: str
    message: str
    advice: str = ""
    detail: Foreign = Foreign("")
