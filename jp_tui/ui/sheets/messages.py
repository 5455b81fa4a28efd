"""What a sheet tells the dock, and the keys that both know. Light: the dock is there before any sheet is loaded."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from textual.message import Message

if TYPE_CHECKING:
    from jp_tui.conversation.strict_json import Json
    from jp_tui.protocol.values import PromptRequest, Response
    from jp_tui.ui.sheets.field import Field
    from jp_tui.view.questions.drafts import Draft

READING = {"ctrl+d": "read(1)", "ctrl+u": "read(-1)", "shift+down": "step(1)", "shift+up": "step(-1)"}
"""Keys that only scroll what is asked about: they work before the sheet listens."""

PAGING = {"pagedown": "read(1)", "pageup": "read(-1)"}
"""The conversation's keys, which are free while a sheet has the whole screen."""
NEW_LINE = frozenset({"ctrl+j", "shift+enter", "alt+enter", "shift+\r", "newline"})
"""One act, as many names as terminals have for it."""


@dataclass
class SheetOutcome(Message):
    """The one outcome of a sheet."""

    prompt: PromptRequest
    response: Response = field(repr=False)  # it may hold a secret


@dataclass
class SheetDraftChanged(Message):
    """What is typed and not sent."""

    prompt: PromptRequest
    draft: Draft


@dataclass
class EditorRequested(Message):
    """The user wants to write in an editor of their own (Ctrl+G)."""

    field: Field


@dataclass
class ValidationRequested(Message):
    """Does this value fit the question's schema? The verdict comes back with the same `revision`."""

    prompt: PromptRequest
    revision: int
    value: Json = field(repr=False)


@dataclass
class SideQuestionAsked(Message):
    """The user asks something about the question, aside (E30)."""

    prompt: PromptRequest
    text: str


@dataclass
class SideQuestionForwarded(Message):
    """What was said aside goes along with the results, or not after all."""

    prompt: PromptRequest
    send: bool


@dataclass
class LayoutChanged(Message):
    """The parts need other heights, or the keys another widget."""


class PieceClicked(Message):
    """A piece of the answer or of its context was clicked; views say by a subclass which one."""

    may_act = False
    """Whether the click may do anything: set by the sheet before the answer gets it (E11)."""
