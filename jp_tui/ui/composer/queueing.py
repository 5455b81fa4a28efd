"""What Enter in the composer does while the model works: the message waits, and can be taken back (issue 8, 3).

A part of `Composer`. It keeps no queue: the engine does, and says how many wait.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.binding import Binding
from textual.message import Message
from textual.reactive import reactive

if TYPE_CHECKING:
    from textual.widgets import TextArea

    _Part = TextArea
else:
    _Part = object

QUEUEING = [
    Binding("enter", "queue", "queue", id="composer.queue", tooltip="Send it when the turn that runs has ended"),
    Binding("alt+up", "take_queued", "edit queued", id="composer.take", tooltip="What waits last, also with Up"),
    Binding("escape", "end_fork", "leave it", id="composer.end_fork", tooltip="The earlier message stays as it is"),
    Binding("alt+x", "drop_queued", "drop queued", id="composer.drop", tooltip="What waits last is let go"),
]


class Queueing(_Part):
    """Messages that wait for the turn before them."""

    forking = reactive(False)
    """An earlier message is edited: sending it begins a fork."""
    queued = reactive(0)
    """How many messages wait to be said."""

    @dataclass
    class Queued(Message):
        """The user sends this when the turn that runs has ended; the composer is empty again."""

        text: str
        attachments: tuple[str, ...] = ()

    class QueueGoesOn(Message):
        """Enter on nothing, while messages wait."""

    @dataclass
    class QueueTake(Message):
        """The message that waits last is to be edited, or dropped."""

        drop: bool

    class ForkLeft(Message):
        """The earlier message is not to be edited after all."""

    def action_end_fork(self) -> None:
        self.post_message(self.ForkLeft())

    def watch_forking(self, forking: bool) -> None:
        self.refresh_bindings()

    def watch_queued(self, queued: int) -> None:
        self.refresh_bindings()

    def action_submit(self) -> None:
        """Enter, whatever it means now."""
        raise NotImplementedError

    def action_queue(self) -> None:
        self.action_submit()

    def action_take_queued(self) -> None:
        if self.queued and not self.read_only:
            self.post_message(self.QueueTake(drop=False))

    def action_drop_queued(self) -> None:
        if self.queued and not self.read_only:
            self.post_message(self.QueueTake(drop=True))
