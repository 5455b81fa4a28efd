"""Taking one of one's own messages in the conversation back to the composer, to be said anew in a fork (issue 8, 3).

A part of the transcript. Nothing that was said is changed: it says which message is meant.
"""

from __future__ import annotations

from dataclasses import dataclass

from textual.binding import Binding
from textual.message import Message

from jp_tui.ui.transcript.copying import Taking
from jp_tui.view.transcript.blocks import LIVE, User

RESENDING = [
    Binding(
        "e", "resend", "Edit & fork", id="transcript.resend", tooltip="Your marked message, else your last in sight"
    ),
    Binding(
        "f", "fork_here", "Fork", show=False, id="transcript.fork",
        tooltip="Go on in a copy of all up to the marked message, else the last in sight",
    ),
]  # fmt: skip


class Resending(Taking):
    """A conversation of which a message can be said anew."""

    @dataclass
    class Resend(Message):
        """This message of the user's is to be edited; `seq` is its number in the log."""

        seq: int
        text: str

    @dataclass
    class ForkHere(Message):
        """A copy of the conversation up to this event is to be opened."""

        seq: int

    def action_fork_here(self) -> None:
        block = self._message()
        if block is not None and block.place[0] < LIVE:  # what still streams has no number yet
            self.post_message(self.ForkHere(block.place[0]))

    def action_resend(self) -> None:
        marked, found = self._marked_message(), None
        for row, block in self._near():
            if isinstance(block, User) and not block.aside:
                if block.key == marked:
                    found = block
                    break
                if row < self.top + self.height and self._last_row(row, block) >= self.top:
                    found = block
        if found is not None:
            self.post_message(self.Resend(found.place[0], found.text.raw))
