"""Conversation locks of one engine (S12), acquired again if their files were removed (Z23)."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from jp_tui.engine.base.dependencies import ConversationLock as Held
from jp_tui.engine.base.dependencies import HeldBy
from jp_tui.journal.port import Holding, JournalError
from jp_tui.system.lock import FileLock, Holder, LockError, acquire, held_again, lock_path
from jp_tui.system.paths import PathsError


class Locks:
    """`command` describes the owner to other processes."""

    def __init__(self, folder: Path, command: str) -> None:
        self._folder, self._command = folder, command
        self._taken: dict[str, FileLock] = {}

    def take(self, conversation: str) -> Held | HeldBy:
        """Lock a conversation. Raises JournalError if the system can't lock: without a lock nothing is written."""
        try:
            found = acquire(lock_path(self._folder, conversation), self._me())
        except (LockError, PathsError) as problem:
            raise JournalError("held", str(problem)) from problem
        if isinstance(found, Holder):
            return HeldBy(str(found))
        self._taken = {id_: lock for id_, lock in self._taken.items() if lock.descriptor >= 0}
        self._taken[conversation] = found
        return found

    def again(self) -> Holding:
        """Acquire all held locks again, also if their folder changed. From any thread."""
        held: list[str] = []
        lost: dict[str, str] = {}
        for conversation, lock in [*self._taken.items()]:
            if lock.descriptor < 0:
                continue
            who: Holder | None = None
            with suppress(LockError, PathsError):  # if the folder can't be made, neither can the database
                who = held_again(lock, self._me())
            if who is None:
                held.append(conversation)
            else:
                lost[conversation] = str(who)
        return Holding(frozenset(held), lost)

    def _me(self) -> Holder:
        return Holder.me(self._command, f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC")
