"""How a page over the workspace speaks with the engine: the commands that it wants sent, the events that it handles.

The app carries both ways and knows no page by name: each has a line in `ui/pages.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from textual.message import Message

if TYPE_CHECKING:
    from jp_tui.protocol.commands import Command
    from jp_tui.protocol.events import Event


@dataclass
class CommandWanted(Message):
    """A page wants this command to go to the engine."""

    command: Command


@runtime_checkable
class Overlay(Protocol):
    """A page that handles events of the engine while it is on top."""

    def hear(self, event: Event) -> None:
        """Handle an event: what was asked for, or Refused with the reason."""
