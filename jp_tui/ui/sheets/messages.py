"""Messages of a sheet to the dock, and keys that both know. Light: the dock is there before any sheet is loaded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from textual.message import Message

from jp_tui.conversation.strict_json import Json
from jp_tui.protocol.values import PromptRequest, Response
from jp_tui.view.questions.drafts import Draft

READING = {"ctrl+d": "read(1)", "ctrl+u": "read(-1)", "shift+down": "step(1)", "shift+up": "step(-1)"}
"""Keys that only scroll the context: they work before the sheet accepts an answer."""

PAGING = {"pagedown": "read(1)", "pageup": "read(-1)"}
"""Keys of the conversation, which are free while a sheet has the whole screen."""
NEW_LINE = frozenset({"ctrl+j", "shift+enter", "alt+enter", "shift+\r", "newline"})
"""The names that terminals have for the key that begins a line."""


@dataclass
class SheetOutcome(Message):
    """The one outcome of a sheet."""

    prompt: PromptRequest
    response: Response = field(repr=False)  # it may hold a secret


@dataclass
class SheetDraftChanged(Message):
    """The unsent input changed."""

    prompt: PromptRequest
    draft: Draft


@dataclass
class EditorRequested(Message):
    """The user wants to write in an editor of their own (Ctrl+G); `replace` takes the edited text."""

    text: str = field(repr=False)
    replace: Callable[[str], None]


@dataclass
class CopyRequested(Message):
    """The user wants this text of the question on the clipboard; `what` is its name."""

    text: str
    what: str


@dataclass
class ValidationRequested(Message):
    """Ask whether a value fits the question's schema. The result carries the same `revision`."""

    prompt: PromptRequest
    revision: int
    value: Json = field(repr=False)


@dataclass
class SideQuestionAsked(Message):
    """The user asks a model about the question, which stays open (E30)."""

    prompt: PromptRequest
    text: str


@dataclass
class SideQuestionForwarded(Message):
    """Side questions and replies are sent to the model with the results; with `send` false they are not."""

    prompt: PromptRequest
    send: bool


@dataclass
class HandOverRequested(Message):
    """The user wants to hand the question over to another person or group."""

    prompt: PromptRequest


@dataclass
class LayoutChanged(Message):
    """Parts need other heights, or another widget has the keys."""


class PieceClicked(Message):
    """A piece of the answer or of its context was clicked; a subclass says which one."""
