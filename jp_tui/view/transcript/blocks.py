"""Blocks of a transcript: immutable, the same for live and reloaded conversations.

Values only: untrusted text is Foreign. Front ends paint them; `reducer.py` creates them from events. A block's `key`
identifies it among all visible ones, its `place` is its order: the number of its event, then its position among that
event's blocks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from jp_tui.conversation.text import Foreign
from jp_tui.protocol.values import CallEnd, CallState
from jp_tui.view.questions.approval_text import Decision
from jp_tui.view.questions.forms import QuestionForm
from jp_tui.view.questions.inquiry import NOTHING, InquiryView
from jp_tui.view.questions.side_questions import SideExchangeView

LIVE = 2**53
"""Place of what isn't in the log yet: after every event."""

Place = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Placed:
    key: str
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class User(_Placed):
    """User's message as it was sent; `aside` if it contains side questions (E30). `command`: the own command that it
    is, as typed (context.md K50)."""

    text: Foreign
    aside: bool = False
    command: Foreign = NOTHING


@dataclass(frozen=True, slots=True, kw_only=True)
class Header(_Placed):
    """Speaker of the following blocks; `ms` is the turn's duration, once known."""

    model: Foreign = NOTHING
    ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TextBlock(_Placed):
    """Assistant's text, Markdown. While `growing` only the painter has its text."""

    text: Foreign = NOTHING
    growing: bool = False
    incomplete: bool = False
    greeting: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasoningBlock(_Placed):
    """Assistant's reasoning, plain text."""

    text: Foreign = NOTHING
    growing: bool = False
    incomplete: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Data(_Placed):
    """Structured answer of the assistant as JSON text."""

    text: Foreign


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolBlock(_Placed):
    """Tool call with its questions and its result.

    A `dialogue` is shown as question and answer only (R160). `title` is its subject; `arguments` are (name, value)
    pairs, `edited` those that ran instead; `problem` is why it never ran; `end` and `ms` are set once it is complete.
    `form` replaces all of `asked` if one call asked several questions, `reply` is the reply instead of an answer
    (R179), `asides` are side questions (E30). `in_sheet`: it is one line while its question is open as a sheet
    (Z14).
    """

    call: str
    name: Foreign
    title: Foreign = NOTHING
    state: CallState = "queued"
    end: CallEnd | None = None
    ms: int | None = None
    arguments: tuple[tuple[Foreign, Foreign], ...] = ()
    output: Foreign = NOTHING
    asked: tuple[InquiryView, ...] = ()
    decided: tuple[Decision, ...] = ()
    edited: tuple[tuple[Foreign, Foreign], ...] = ()
    dialogue: bool = False
    form: QuestionForm | None = None
    reply: Foreign = NOTHING
    asides: tuple[SideExchangeView, ...] = ()
    problem: Foreign = NOTHING
    in_sheet: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionBlock(_Placed):
    """Question without a known call."""

    asked: InquiryView


@dataclass(frozen=True, slots=True, kw_only=True)
class Resumed(_Placed):
    """Point where an unfinished turn resumed (R207)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending(_Placed):
    """Abnormal end of a turn: what happened, the server's message, advice."""

    how: Literal["failed", "interrupted", "deferred"]
    message: Foreign = NOTHING
    detail: Foreign = NOTHING
    advice: Foreign = NOTHING


@dataclass(frozen=True, slots=True, kw_only=True)
class Note(_Placed):
    """jp-tui's line about a turn: what it did, or what was undone; untrusted names in it are neutralised."""

    about: Literal["turn", "undone", "context"]
    text: Foreign


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionBlock(_Placed):
    """From here on models see something else for what stands above (context.md K22): a line, `details` unfolded, and
    `failed` where that is not what was wanted."""

    text: Foreign
    details: Foreign = NOTHING
    failed: Foreign = NOTHING


@dataclass(frozen=True, slots=True, kw_only=True)
class Odd(_Placed):
    """Event of an unknown kind, or an unreadable one (R51, R56)."""

    name: Foreign
    problem: Foreign = NOTHING


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryBlock(_Placed):
    """Wait before a retry, or for a `silent` model; removed at its end."""

    text: Foreign
    silent: bool = False


Block = (
    User
    | Header
    | TextBlock
    | ReasoningBlock
    | Data
    | ToolBlock
    | QuestionBlock
    | Resumed
    | Ending
    | Note
    | CompactionBlock
    | Odd
    | RetryBlock
)


def live_key(part: str) -> str:
    """Return the key of a part that isn't in the log yet; unlike any event's key."""
    return f"p:{part}"


def gap(before: Block | None, block: Block) -> int:
    """Return the blank rows before a block: none after its header or between tool lines, else one."""
    if isinstance(before, Header):
        return 0
    if isinstance(before, ToolBlock) and isinstance(block, ToolBlock):
        return int(before.dialogue or block.dialogue)
    return 1
