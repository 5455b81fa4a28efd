"""What a transcript consists of: immutable blocks, the same for a live and a reloaded conversation.

Values only: foreign text is kept as Foreign, words and numbers of ours as they are. How a block looks is a face's
business; how events become blocks is `reducer.py`'s. A block's `key` tells it from all others on show, its `place`
is its order: the number of its event, then its order among the blocks of that event.
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
"""The place of what is not in the log yet: after every event."""

Place = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Placed:
    key: str
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class User(_Placed):
    """What the user said, as typed; `aside` when it tells what was said aside about questions (E30)."""

    text: Foreign
    aside: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Header(_Placed):
    """Who speaks from here on; `ms` is how long the turn took, once that is known."""

    model: Foreign = NOTHING
    ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TextBlock(_Placed):
    """Text of the assistant, Markdown. While `growing` its text is only with the painter."""

    text: Foreign = NOTHING
    growing: bool = False
    incomplete: bool = False
    greeting: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasoningBlock(_Placed):
    """Reasoning of the assistant, plain text."""

    text: Foreign = NOTHING
    growing: bool = False
    incomplete: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Data(_Placed):
    """A structured answer of the assistant as JSON text."""

    text: Foreign


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolBlock(_Placed):
    """A tool call with its questions and its result. A `dialogue` is shown as question and answer only (R160).

    `title` is what it is about; `arguments` (name, value) pairs for who wants to see them, `edited` those that ran
    in their place; `problem` why it never ran; `end` and `ms` are known once it is completed. `form` stands for all of
    `asked` where several questions were asked in one call, `reply` is what was said instead of an answer (R179),
    `asides` what was said aside (E30).
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


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionBlock(_Placed):
    """A question whose call is not known here."""

    asked: InquiryView


@dataclass(frozen=True, slots=True, kw_only=True)
class Resumed(_Placed):
    """From here on a turn goes on that was cut off (R207)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending(_Placed):
    """How a turn ended when it did not simply end: what happened, the server's words, what to do."""

    how: Literal["failed", "interrupted", "deferred"]
    message: Foreign = NOTHING
    detail: Foreign = NOTHING
    advice: Foreign = NOTHING


@dataclass(frozen=True, slots=True, kw_only=True)
class Note(_Placed):
    """A line of ours about a turn: what it did, or what was taken back of it; foreign names are neutral in it."""

    about: Literal["turn", "undone", "context"]
    text: Foreign


@dataclass(frozen=True, slots=True, kw_only=True)
class Odd(_Placed):
    """An event of a kind that this version does not know, or that cannot be read (R51, R56)."""

    name: Foreign
    problem: Foreign = NOTHING


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryBlock(_Placed):
    """A wait before something is tried again; it is gone when the wait is over."""

    text: Foreign


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
    | Odd
    | RetryBlock
)


def live_key(part: str) -> str:
    """The key of a part that is not in the log yet; no event's key looks like it."""
    return f"p:{part}"


def gap(before: Block | None, block: Block) -> int:
    """Blank rows before a block: none after its header or between the lines of tools, else one."""
    if isinstance(before, Header):
        return 0
    if isinstance(before, ToolBlock) and isinstance(block, ToolBlock):
        return int(before.dialogue or block.dialogue)
    return 1
