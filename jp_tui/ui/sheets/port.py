"""The interface of a sheet for its parts, as a protocol: no part imports `Sheet`.

`area.py` adds the parts that an answer area may use as well.
"""

from __future__ import annotations

from typing import Literal, Protocol

from textual.content import Content
from textual.message import Message

from jp_tui.protocol.values import PromptRequest, Response
from jp_tui.ui.sheets.field import Field, InputGate
from jp_tui.ui.sheets.keys import KeyPress

Mode = Literal["answer", "write", "menu"]
"""The receiver of the keys: the answer, a text field, the menu of Esc."""


class SheetPort(Protocol):
    """A sheet as its parts see it."""

    @property
    def prompt(self) -> PromptRequest:
        """The question, or the decision about a call."""
        ...

    @property
    def gate(self) -> InputGate:
        """The first handler of every key, paste and click."""
        ...

    @property
    def press(self) -> KeyPress:
        """The key or click that is being handled."""
        ...

    @property
    def mode(self) -> Mode: ...

    @property
    def writing(self) -> Field | None:
        """The field that has the keys."""
        ...

    @property
    def armed(self) -> bool:
        """True if keys answer."""
        ...

    @property
    def unsent(self) -> bool:
        """True if its answer waits for the store (store.md D12)."""

    @property
    def done(self) -> bool:
        """True once the outcome is posted."""
        ...

    @property
    def may_send(self) -> bool:
        """True if the message of the key or click at hand may be sent."""
        ...

    def answer(self, response: Response) -> None:
        """Post the outcome, unless the key or click at hand may not answer."""
        ...

    def show_notice(self, notice: Content) -> None:
        """Show a notice above the keys; an empty one removes it."""
        ...

    def show(self) -> None:
        """Update the display after a change of state."""
        ...

    def turn(self, mode: Mode) -> None:
        """Change the receiver of the keys."""
        ...

    def write(self, field: Field) -> None:
        """Give a field the keys."""
        ...

    def stop_writing(self) -> None:
        """Take the keys from the field; its text stays."""
        ...

    def post_message(self, message: Message) -> bool: ...
