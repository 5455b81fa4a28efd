"""Conversation locks of one engine (S12), acquired again if their files were removed (Z23)."""

from __future__ import annotations

import os
import socket
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from jp_tui.engine.base.dependencies import ConversationLock as Held
from jp_tui.engine.base.dependencies import HeldBy
from jp_tui.journal.port import Holding, JournalError, NamedLocks
from jp_tui.settings import typed_settings as config
from jp_tui.settings.layers.layers import Settings
from jp_tui.system.lock import FileLock, Holder, LockError, acquire, holder, lock_path, reacquire
from jp_tui.system.paths import PathsError


def machine_name(settings: Settings) -> str:
    """Return this machine's name in a store that several share (store.md D1), empty in a store of its own."""
    values = config.store(settings)
    return (values.machine or socket.gethostname()) if values.url else ""


class Locks:
    """`command` describes the owner to other processes. With `shared`, the store's own leases are taken (D9)."""

    def __init__(self, folder: Path, command: str, shared: NamedLocks | None = None) -> None:
        self._folder, self._command, self._shared = folder, command, shared
        self._taken: dict[str, FileLock] = {}

    def take(self, conversation: str) -> Held | HeldBy:
        """Lock a conversation. Raises JournalError if the system can't lock: without a lock nothing is written."""
        if self._shared is not None:
            leased = self._shared.take(conversation, self._command, os.getpid())
            return HeldBy(leased) if isinstance(leased, str) else leased
        try:
            found = acquire(lock_path(self._folder, conversation), self._me())
        except (LockError, PathsError) as problem:
            raise JournalError("held", str(problem)) from problem
        if isinstance(found, Holder):
            return HeldBy(str(found))
        self._taken = {id_: lock for id_, lock in self._taken.items() if lock.descriptor >= 0}
        self._taken[conversation] = found
        return found

    def holder(self, conversation: str) -> str:
        """Return a description of the owner without locking it, empty if there is none."""
        try:
            if self._shared is not None:
                return self._shared.holder(conversation)
            return str(holder(lock_path(self._folder, conversation)) or "")
        except (LockError, PathsError, JournalError):
            return ""  # the answer's result reports it

    def holders(self, conversations: Sequence[str]) -> dict[str, str]:
        """Return a description of the owner of each of these conversations that has one."""
        if self._shared is None:
            return {id_: words for id_ in conversations if (words := self.holder(id_))}
        with suppress(JournalError):
            return self._shared.holders(conversations)
        return {}

    def again(self) -> Holding:
        """Acquire all held locks again, also if their folder changed. From any thread."""
        held: list[str] = []
        lost: dict[str, str] = {}
        for conversation, lock in [*self._taken.items()]:
            if lock.descriptor < 0:
                continue
            who: Holder | None = None
            with suppress(LockError, PathsError):  # if the folder can't be made, neither can the database
                who = reacquire(lock, self._me())
            if who is None:
                held.append(conversation)
            else:
                lost[conversation] = str(who)
        return Holding(frozenset(held), lost)

    def _me(self) -> Holder:
        return Holder.me(self._command, f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC")
