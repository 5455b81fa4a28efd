"""Editing an earlier message: when it is sent, the conversation is forked before it, and it is sent in the fork.

The composer's text from before is kept and restored; if the fork fails, the edited message is restored.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from jp_tui.protocol import commands as cmd
from jp_tui.protocol import events as ev
from jp_tui.ui.composer.composer import Composer
from jp_tui.ui.text import blank, cut, join, ours

JOB = "resend"
"""The name of jp-tui's fork request, by which its refusal is recognised."""


class ForkNote(Widget):
    """One line above the composer while an earlier message is edited: `✎ an earlier message …`."""

    DEFAULT_CSS = """
    ForkNote {
        height: 1; width: 1fr; margin: 0 1; padding: 0 1; display: none; background: $surface;
        &.-shown { display: block; }
    }
    """

    shown = reactive(False, toggle_class="-shown")
    """True while one is edited."""

    def render(self) -> Content:
        if not self.shown:
            return blank()
        said = ours("✎ editing an earlier message: Enter sends it in a fork", style="$warning")
        return cut(join(said, ours(" · Esc cancels", style="$muted-foreground")), max(self.content_size.width, 8))


@dataclass(slots=True)
class _Editing:
    """The message being edited, the composer's text from before, and, once it was sent, the edited message."""

    conversation: str
    seq: int
    before: tuple[str, str]
    sent: tuple[str, tuple[str, ...], bool] | None = None


class ForkEditing:
    """At most one message that is edited, from the user's key until the fork is there."""

    def __init__(self, *, composer: Composer, note: ForkNote, send: Callable[[cmd.Command], None]) -> None:
        self._composer, self._note, self._send = composer, note, send
        self._editing: _Editing | None = None

    def begin(self, conversation: str, seq: int, text: str) -> None:
        """Put a message of the conversation into the composer, unless another is edited or it is read-only."""
        composer = self._composer
        if composer.locked or self._editing is not None:
            return
        self._editing = _Editing(conversation, seq, (composer.written, composer.folds))
        self._show(True)
        composer.put(text if not text.startswith(("/", "!")) else f"{text[0]}{text}")
        composer.screen.set_focus(composer)

    def leave(self) -> None:
        """Stop editing: the message stays as it was sent, and the composer as it was before."""
        if (editing := self._editing) is not None and editing.sent is None:
            self._editing = None
            self._show(False)
            self._composer.put(*editing.before)

    def submit(self, conversation: str, text: str, attachments: tuple[str, ...], command: bool) -> bool:
        """Ask for the fork to send the edited message in. Return False if no message of `conversation` is edited."""
        editing = self._editing
        if editing is None or editing.sent is not None:
            return False
        if editing.conversation != conversation:
            self._editing = None
            self._show(False)
            return False
        editing.sent = text, attachments, command
        self._composer.busy = True
        self._send(cmd.ForkConversation(conversation=editing.conversation, at=editing.seq, before=True, job=JOB))
        return True

    def made(self, event: ev.ConversationForked) -> tuple[str, tuple[str, ...], bool] | None:
        """Open jp-tui's own fork. Return the message to send there with its images; None for another fork."""
        editing = self._editing
        if editing is None or editing.sent is None:
            return None
        self._editing = None
        self._show(False)
        self._composer.put(*editing.before)
        self._send(cmd.OpenConversation(which="id", conversation=event.info.id))
        return editing.sent

    def refused(self, refused: ev.Refused) -> bool:
        """Restore the edited message. Return False if another fork was refused."""
        editing = self._editing
        if refused.command != "fork_conversation" or editing is None or editing.sent is None:
            return False
        (text, _, command), editing.sent = editing.sent, None
        self._composer.busy = False
        self._composer.restore_text(text, written=command)
        return True

    def _show(self, editing: bool) -> None:
        self._composer.forking = editing
        self._note.shown = editing
