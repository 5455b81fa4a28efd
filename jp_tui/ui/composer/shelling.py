"""What a `!` in the composer does: a command of the user's own, its panel's keys, its output as part of a message.

A part of `Composer`. It runs nothing and sends nothing: what a command said goes along only when the user adds it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.binding import Binding
from textual.message import Message
from textual.reactive import reactive

from jp_tui.view.composer.shell import line_of

if TYPE_CHECKING:
    from textual.widgets import TextArea

    _Part = TextArea
else:
    _Part = object

SHELLING = [
    Binding("alt+a", "add_output", "add output", id="composer.add_output", tooltip="To the message being written"),
    Binding("escape", "end_shell", "end command", id="composer.end_shell", tooltip="End it, or close its panel"),
]


class Shelling(_Part):
    """The composer's side of the panel."""

    shell: reactive[str] = reactive("")
    """`runs`, `ended`, or empty while there is no panel."""

    @dataclass
    class ShellWanted(Message):
        """Run this."""

        line: str

    class ShellLeft(Message):
        """End the command that runs, or close the panel of one that ended."""

    class OutputWanted(Message):
        """What the command said is to be part of the message."""

    def watch_shell(self, shell: str) -> None:
        self.refresh_bindings()

    def shell_wanted(self, text: str) -> bool | None:
        """Whether a text that was entered is a command, which is said; None when it is an empty one."""
        line = line_of(text)
        if line:
            self.post_message(self.ShellWanted(line))
        return None if line == "" else line is not None

    def action_add_output(self) -> None:
        self.post_message(self.OutputWanted())

    def action_end_shell(self) -> None:
        self.post_message(self.ShellLeft())
