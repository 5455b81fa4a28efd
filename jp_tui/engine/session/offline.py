"""Commands that wait while the server of a shared store is out of reach (store.md D12): answers, and those that only
read. Others that would be recorded are refused. Loaded with the first loss.
"""

from __future__ import annotations

from jp_tui.engine.record.log import Publish
from jp_tui.journal.port import JournalError
from jp_tui.protocol import commands as c
from jp_tui.protocol import library
from jp_tui.protocol.base import Model
from jp_tui.protocol.changes import UndoChanges
from jp_tui.protocol.compaction import CompactConversation
from jp_tui.protocol.plan import SetPlanMode
from jp_tui.protocol.store import AnswerHeld
from jp_tui.protocol.usage import SwitchModel

RECORDED: tuple[type[Model], ...] = (
    c.StartTurn, c.CarryOn, c.RevokeEntry, c.AskAside, c.SendAside, UndoChanges, CompactConversation, SwitchModel,
    SetPlanMode, library.RenameConversation, library.ArchiveConversation, library.DeleteConversation,
    library.RestoreConversation, library.ForkConversation, library.ImportConversations,
)  # fmt: skip
"""Commands that change the record, or start something that needs it."""
_MOST = 100
Answer = c.AnswerQuestion | c.OfferAnswer


class OfflineWork:
    """The commands of one engine that wait."""

    def __init__(self, publish: Publish) -> None:
        self._publish = publish
        self._answers: dict[tuple[str, str], Answer] = {}
        self._reads: list[c.Command] = []

    def hold(self, command: c.Command, problem: str) -> bool:
        """Hold an answer; return True if the command is done with that. Raises JournalError for what is recorded."""
        if isinstance(command, Answer):
            self._answers[command.conversation, command.inquiry] = command
            self._publish(AnswerHeld(conversation=command.conversation, inquiry=command.inquiry, held=True))
            return True
        if isinstance(command, RECORDED):
            raise JournalError("offline", problem)
        return False

    def later(self, command: c.Command) -> None:
        """Keep a command for later that only reads."""
        if isinstance(command, c.OpenConversation):
            self._reads = [one for one in self._reads if not isinstance(one, c.OpenConversation)]
        if command not in self._reads and len(self._reads) < _MOST:
            self._reads.append(command)

    def take_back(self, conversation: str, inquiry: str) -> None:
        """Drop an answer that waits."""
        if self._answers.pop((conversation, inquiry), None) is not None:
            self._publish(AnswerHeld(conversation=conversation, inquiry=inquiry, held=False))

    def take(self) -> list[c.Command]:
        """Return all that waits, and forget it: the store answers again."""
        found = [*self._reads, *self._answers.values()]
        self._reads, self._answers = [], {}
        return found
