"""Permission ledger of one open conversation (asking.md E43): what its turn remembers and what the settings allow, for
display, and revoking entries. `permission_ledger.py` builds the entries."""

from __future__ import annotations

from collections.abc import Callable

from jp_tui.engine.asking import permission_ledger
from jp_tui.engine.asking.coordinator import Coordinator
from jp_tui.engine.record import config_changes
from jp_tui.engine.record.log import Log
from jp_tui.inquiry import values as v
from jp_tui.protocol.events import LedgerRead
from jp_tui.protocol.values import LedgerEntry


class Remembered:
    """`turn` returns the questions of the running turn, None without one."""

    def __init__(self, log: Log, current: config_changes.Current, turn: Callable[[], Coordinator | None]) -> None:
        self._log, self._current, self._turn = log, current, turn
        self._wanted = False

    async def read(self) -> None:
        """Report what is remembered or allowed, now and on every change. Raises ValueError, JournalError."""
        await self._current.reload()
        self._wanted = True
        self.changed()

    async def revoke(self, key: str) -> None:
        """Revoke an entry, effective from the next question. Raises ValueError with a message, JournalError."""
        await self._current.reload()
        if not any(entry.key == key for entry in self._entries()):
            raise ValueError("That is not remembered or allowed any more.")
        if key.startswith(permission_ledger.SETTING):
            self._log.setup.unset_setting(key.removeprefix(permission_ledger.SETTING))
            await self._current.reload(again=True)
            self.changed(wanted=True)
        elif (turn := self._turn()) is not None:
            await turn.hear(v.Revoked(key.removeprefix(permission_ledger.TURN)))

    async def settings_changed(self) -> None:
        """A settings file was written. Raises ValueError, JournalError."""
        if self._current.read:
            await self._current.reload(again=True)
            self.changed()

    def changed(self, *, wanted: bool = False) -> None:
        """Report it again, if it was requested."""
        if wanted or self._wanted:
            self._log.publish(LedgerRead(conversation=self._log.id, entries=self._entries()))

    def _entries(self) -> tuple[LedgerEntry, ...]:
        turn = self._turn()
        held = turn.ledger if turn is not None else None
        return permission_ledger.entries(held, self._log.setup.tools, self._log.secrets, self._log.uses)
