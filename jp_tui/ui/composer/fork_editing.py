"""An earlier message, edited and said anew: the conversation forks before it, the fork is opened, and it is sent there.

A part of `Exchange`. What was being written meanwhile is put aside and comes back; a fork that fails gives the edited
message back.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jp_tui.protocol import commands as cmd
from jp_tui.protocol import events as ev
from jp_tui.ui.composer.above import Above
from jp_tui.ui.composer.composer import Composer
from jp_tui.ui.composer.forknote import ForkNote
from jp_tui.ui.transcript.banner import Banner
from jp_tui.ui.transcript.transcript import Transcript
from jp_tui.view.activity.status import Status

if TYPE_CHECKING:
    from textual.widget import Widget

    _Part = Widget
else:
    _Part = object

JOB = "resend"
"""Our own name for the fork that we want."""


@dataclass(slots=True)
class _Earlier:
    """The message that is edited, what was written before, and, once it was sent, its words."""

    conversation: str
    seq: int
    before: tuple[str, str]
    said: tuple[str, tuple[str, ...]] | None = None


class Resends(_Part):
    """At most one message at a time."""

    above: Above
    _composer: Composer
    _first_prompt: str
    _first_files: tuple[str, ...] = ()
    _send: Callable[[cmd.Command], None]
    _status: Status
    _earlier: _Earlier | None = None

    def on_transcript_resend(self, event: Transcript.Resend) -> None:
        event.stop()
        composer = self._composer
        if composer.busy or composer.locked or self._earlier is not None:
            if composer.busy:
                self.query_one(Banner).refusal = ("The model is still working.", "Esc interrupts it; then edit.")
            return
        self._earlier = _Earlier(self._status.conversation, event.seq, (composer.written, composer.folds))
        self._forking(True)
        composer.put(event.text if not event.text.startswith(("/", "!")) else f"{event.text[0]}{event.text}")
        self.screen.set_focus(composer)

    def on_transcript_fork_here(self, event: Transcript.ForkHere) -> None:
        event.stop()
        self._send(cmd.ForkConversation(conversation=self._status.conversation, at=event.seq))

    def leave_fork(self) -> None:
        """The earlier message stays as it was said; what was being written is back."""
        if (earlier := self._earlier) is not None and earlier.said is None:
            self._earlier = None
            self._forking(False)
            self._composer.put(*earlier.before)

    def forked(self, text: str, files: tuple[str, ...]) -> bool:
        """What is sent now is the edited message; says whether it is."""
        earlier = self._earlier
        if earlier is None or earlier.said is not None:
            return False
        if earlier.conversation != self._status.conversation:
            self._earlier = None
            self._forking(False)
            return False
        earlier.said = text, files
        self._composer.busy = True
        self._send(cmd.ForkConversation(conversation=earlier.conversation, at=earlier.seq, before=True, job=JOB))
        return True

    def fork_made(self, event: ev.Event) -> bool:
        """Whether this is the fork that was wanted; it is opened, and the message is said there."""
        earlier = self._earlier
        if not isinstance(event, ev.ConversationForked) or earlier is None or earlier.said is None:
            return False
        self._earlier = None
        self._forking(False)
        self._first_prompt, self._first_files = earlier.said
        self._composer.put(*earlier.before)
        self._send(cmd.OpenConversation(which="id", conversation=event.info.id))
        return True

    def files_of_first(self) -> tuple[str, ...]:
        """The images of what is said first in the fork."""
        files, self._first_files = self._first_files, ()
        return files

    def fork_refused(self, event: ev.Refused) -> bool:
        """Whether it was ours that could not be made."""
        earlier = self._earlier
        if event.command != "fork_conversation" or earlier is None or earlier.said is None:
            return False
        said, earlier.said = earlier.said[0], None
        self._composer.busy = False
        self._composer.put_back(said)
        self.query_one(Banner).refusal = (event.message, event.advice)
        return True

    def _forking(self, on: bool) -> None:
        self._composer.forking = on
        self.above.query_one(ForkNote).shown = on
