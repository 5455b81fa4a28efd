"""The protocol between a page over the workspace and the engine: commands from the page, events to it.

The app passes both on and knows no page by name: each has a line in `ui/pages.py`.
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

    def handle(self, event: Event) -> None:
        """Handle an event: the requested one, or Refused with the reason."""
