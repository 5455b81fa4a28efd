"""What lies over the workspace and speaks with the engine itself: it says which commands it wants sent, and hears what
the engine says for lists while it is on top.

The app carries both ways and knows no overlay by name: each has a line in `ui/pages.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.message import Message

if TYPE_CHECKING:
    from textual.widget import Widget

    from jp_tui.protocol.commands import Command
    from jp_tui.protocol.events import Event

    _Part = Widget
else:
    _Part = object  # no widget itself: the style sheet of a class is that of its first base that is one


class Overlay(_Part):
    """A part of a screen class, named before the kind of screen: `class Library(Overlay, Listing)`. One that is a
    Listing takes its Again itself."""

    @dataclass
    class Wants(Message):
        """This command is to go to the engine."""

        command: Command

    def wants(self, command: Command) -> None:
        """Send it."""
        self.post_message(self.Wants(command))

    def hear(self, event: Event) -> None:
        """What the engine says: what was asked for, or Refused with why."""
        raise NotImplementedError
