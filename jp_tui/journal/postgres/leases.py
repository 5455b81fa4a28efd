"""Leases in place of lock files (store.md D9): holder, expiry by the server's clock, and a fencing number.

Taking one never waits. Each has a token of its own, so that a lost reply is resolved by looking at the row.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from jp_tui.journal.port import JournalError, Receipt
from jp_tui.journal.postgres.driver import Connection, StoreSettings
from jp_tui.journal.postgres.health import POLL, Health
from jp_tui.journal.postgres.schema import FITS

_TAKE = f"SELECT jp_tui.take_lease(%s, %s, %s, %s, %s, %s, %s) FROM jp_tui.schema_version WHERE {FITS}"
_HOLDERS = "SELECT role, machine, program, pid, since, name FROM jp_tui.holders(%s::text[])"
_RENEW = f"SELECT jp_tui.look(%s, %s::text[], %s::bigint[], %s::text[]) FROM jp_tui.schema_version WHERE {FITS}"
_FREE = "SELECT jp_tui.free_lease(%s, %s, %s)"


@dataclass(slots=True)
class Lease:
    """A name held by this process."""

    name: str
    fence: int
    token: str = field(repr=False)
    free: Callable[[Lease], Receipt[None]] = field(repr=False)
    held: bool = True
    freed: Receipt[None] | None = field(default=None, repr=False)
    """Done when another may have it; None while it is held."""

    def release(self) -> None:
        """Free the name; may be called twice."""
        if self.held:
            self.held = False
            with suppress(JournalError):  # the store is closed: it expires
                self.freed = self.free(self)


class Leases:
    """Leases of one process. `asks` runs one statement on the reading connection and raises JournalError; `frees` runs
    a statement after everything that was written before."""

    def __init__(
        self,
        settings: StoreSettings,
        health: Health,
        asks: Callable[..., list[tuple[Any, ...]]],
        frees: Callable[[Callable[[Connection], None]], Receipt[None]],
    ) -> None:
        self._settings, self._health, self._asks, self._frees = settings, health, asks, frees
        health.poll = self.poll
        self._held: dict[str, Lease] = {}
        self._gate = threading.Lock()

    def take(self, name: str, program: str, pid: int) -> Lease | str:
        """Return the lease, or a description of its holder. Raises JournalError."""
        before = self._held.get(name)
        if before is not None and before.freed is not None:
            with suppress(TimeoutError):
                before.freed.result(self._settings.connect_secs)
        if held := self.holder(name):
            return held  # a look writes nothing; the statement below would, and be synced, for no lease
        token = secrets.token_hex(16)
        secs = float(self._settings.lease_secs)
        wanted = name, token, self._settings.machine, program, pid, secs, self._settings.may_act
        if not (taken := self._asks(_TAKE, *wanted)):
            raise self._health.overtake()
        ((fence,),) = taken
        if fence is None:
            return self.holder(name) or "another process"
        lease = Lease(name, int(fence), token, self._free)
        with self._gate:
            self._held[name] = lease
        self._health.start()
        return lease

    def holder(self, name: str) -> str:
        """Return a description of the holder, empty if there is none. Raises JournalError."""
        return self.holders([name]).get(name, "")

    def holders(self, names: Sequence[str]) -> dict[str, str]:
        """Return a description of the holder of each of these names that has one. Raises JournalError."""
        return _described(self._asks(_HOLDERS, list(names)))

    def fence(self, name: str) -> tuple[int | None, str]:
        """Return the fencing number and token with which this process writes under a name, None if it holds none."""
        lease = self._held.get(name)
        return (lease.fence, lease.token) if lease is not None else (None, "")

    def poll(self, db: Connection, renews: bool) -> str | None:
        """Run POLL; renew all leases with it, also one that expired, as long as no one else took it. None: the schema
        is too new (D7), and nothing was renewed."""
        with self._gate:
            held = [(lease.name, lease.fence, lease.token) for lease in self._held.values()] if renews else []
        if held:
            columns = map(list, zip(*held, strict=True))
            row = db.execute(_RENEW, (float(self._settings.lease_secs), *columns)).fetchone()
        else:
            row = db.execute(POLL).fetchone()
        return str(row[0]) if row is not None else None

    def _free(self, lease: Lease) -> Receipt[None]:
        def work(db: Connection) -> None:
            db.execute(_FREE, (lease.name, lease.fence, lease.token))
            with self._gate:
                if self._held.get(lease.name) is lease:
                    del self._held[lease.name]

        return self._frees(work)


def holder_of(db: Connection, name: str) -> str:
    """Return a description of the holder, empty if there is none."""
    return _described(db.execute(_HOLDERS, ([name],)).fetchall()).get(name, "")


def _described(rows: list[tuple[Any, ...]]) -> dict[str, str]:
    return {
        name: f"{role} on {machine} ({program}, process {pid}) since {since} UTC"
        for role, machine, program, pid, since, name in rows
    }
