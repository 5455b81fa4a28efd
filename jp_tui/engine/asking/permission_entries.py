"""Permission ledger of one open conversation (asking.md E43): what its turn remembers, what the settings allow and
which rules count, for display, and revoking entries. `permission_ledger.py` builds the entries."""

from __future__ import annotations

from collections.abc import Callable

from jp_tui.conversation.ids import timestamp
from jp_tui.engine.asking import permission_ledger
from jp_tui.engine.asking.coordinator import Coordinator
from jp_tui.engine.asking.rules_here import RULE, ledger_entries, rules_here
from jp_tui.engine.asking.session_rules import SessionRules
from jp_tui.engine.record import config_changes
from jp_tui.engine.record.log import Log
from jp_tui.engine.record.rules.record import rule_revoked
from jp_tui.inquiry import values as v
from jp_tui.protocol.events import LedgerRead
from jp_tui.protocol.values import LedgerEntry


class Remembered:
    """`turn` returns the questions of the running turn, None without one."""

    def __init__(self, log: Log, current: config_changes.Current, turn: Callable[[], Coordinator | None]) -> None:
        self._log, self._current, self._turn = log, current, turn
        self._wanted = False
        self._rules: tuple[LedgerEntry, ...] = ()

    async def read(self) -> None:
        """Report what is remembered or allowed, now and on every change. Raises ValueError, JournalError."""
        await self._current.reload()
        self._wanted = True
        await self._read_rules()
        self.changed()

    async def _read_rules(self) -> None:
        self._rules = ledger_entries(await rules_here(self._log))

    async def revoke(self, key: str) -> None:
        """Revoke an entry, effective from the next question. Raises ValueError with a message, JournalError."""
        await self._current.reload()
        entry = next((entry for entry in self._entries() if entry.key == key), None)
        if entry is None:
            raise ValueError("This entry is no longer in the ledger.")
        if not entry.revocable:
            raise ValueError("This rule isn't in your rules.toml, so it can't be revoked here.")
        if key.startswith(RULE):
            await self._revoke_rule(key.removeprefix(RULE))
            return
        if key.startswith(permission_ledger.SETTING):
            self._log.setup.unset_setting(key.removeprefix(permission_ledger.SETTING))
            await self._current.reload(again=True)
            self.changed(wanted=True)
        elif (turn := self._turn()) is not None:
            await turn.process(v.Revoked(key.removeprefix(permission_ledger.TURN)))

    async def _revoke_rule(self, id_: str) -> None:
        """Take a rule out of the user's file; its fact comes first (AR22)."""
        log = self._log
        made = log.setup.approval_rules
        if isinstance(made, SessionRules) and await made.revoke(id_):
            self.changed(wanted=True)
            return
        if log.exists:
            await log.append([rule_revoked(timestamp(log.setup.now()), id_)])
        if log.setup.rule_book is not None:
            log.setup.rule_book.revoke([id_])
        await self._read_rules()
        self.changed(wanted=True)

    async def settings_changed(self) -> None:
        """A settings file was written. Raises ValueError, JournalError."""
        if self._current.read:
            await self._current.reload(again=True)
            if self._wanted:
                await self._read_rules()
            self.changed()

    def changed(self, *, wanted: bool = False) -> None:
        """Report it again, if it was requested."""
        if wanted or self._wanted:
            self._log.publish(LedgerRead(conversation=self._log.id, entries=self._entries()))

    def _entries(self) -> tuple[LedgerEntry, ...]:
        turn = self._turn()
        held = turn.ledger if turn is not None else None
        found = permission_ledger.entries(held, self._log.setup.tools, self._log.secrets, self._log.uses)
        return (*found, *self._made(), *self._rules)

    def _made(self) -> tuple[LedgerEntry, ...]:
        """Return the rules of this turn and conversation."""
        rules = self._log.setup.approval_rules
        return rules.entries() if isinstance(rules, SessionRules) else ()
