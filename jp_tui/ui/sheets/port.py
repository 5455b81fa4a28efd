"""What the parts of a sheet may ask of the sheet they belong to, as a port: no part imports `Sheet`.

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
"""What the keys are for: the answer, a text field, the menu of Esc."""


class SheetPort(Protocol):
    """A sheet as its parts see it."""

    @property
    def prompt(self) -> PromptRequest:
        """The question, or the decision about a call."""
        ...

    @property
    def gate(self) -> InputGate:
        """Where every key, paste and click goes first."""
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
    def done(self) -> bool:
        """True once the outcome is posted."""
        ...

    @property
    def may_send(self) -> bool:
        """True if what the key or click at hand sends may leave."""
        ...

    def answer(self, response: Response) -> None:
        """Post the outcome, unless the key or click at hand may not answer."""
        ...

    def say(self, notice: Content) -> None:
        """Show a notice above the keys; an empty one removes it."""
        ...

    def show(self) -> None:
        """Update what is visible after a change of state."""
        ...

    def turn(self, mode: Mode) -> None:
        """Change what the keys are for."""
        ...

    def write(self, field: Field) -> None:
        """Give a field the keys."""
        ...

    def stop_writing(self) -> None:
        """Take the keys from the field; its text stays."""
        ...

    def post_message(self, message: Message) -> bool: ...
