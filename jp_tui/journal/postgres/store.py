"""Journal of one process on a PostgreSQL server: a writer, a reader, leases, and a thread that listens. Implements
`port.Journal`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from jp_tui.journal.port import (
    Again,
    Copied,
    Journal,
    JournalError,
    NewEvent,
    OfferState,
    Receipt,
    RoleKind,
    StoreConnection,
    StoreNotice,
    Titled,
)
from jp_tui.journal.postgres import migrate, writes
from jp_tui.journal.postgres.driver import Connection, StoreSettings, connect
from jp_tui.journal.postgres.health import Health, bounded, within
from jp_tui.journal.postgres.leases import Leases
from jp_tui.journal.postgres.reader import PostgresReader
from jp_tui.journal.postgres.writer import PostgresWriter
from jp_tui.journal.repair.file_keeper import Notices
from jp_tui.journal.writer import WriteJob

T = TypeVar("T")
FIRST_SECONDS = 1.0
"""Time for which a workspace waits for the server before it opens without it (D4)."""
PATIENCE_SECONDS = 30.0
"""Time for which a command's writes wait for a server that was lost."""


def open_store(
    settings: StoreSettings,
    *,
    patience: float | None = PATIENCE_SECONDS,
    opens: Callable[[StoreSettings], Connection] = connect,
    offline: bool = False,
) -> PostgresJournal:
    """Connect to a store that has the current schema. Raises JournalError `offline`, `unusable` (not migrated, no
    grant), `newer`, `foreign`. With `offline`, a server that doesn't answer is connected to once it does (D4)."""
    connected = Admission(settings, opens)
    if not offline:
        return PostgresJournal(settings, connected(), patience, connected)
    try:
        if (first := within(FIRST_SECONDS, connected)) is not None:
            return PostgresJournal(settings, first, patience, connected)
        lost = JournalError("offline", f"The store at {settings.address.where} does not answer: no reply yet.")
    except JournalError as problem:
        if problem.kind != "offline":
            raise
        lost = problem
    journal = PostgresJournal(settings, None, patience, connected)
    journal.health.begin_lost(lost)
    return journal


class Admission:
    """Connects; the first time it looks whether this client fits the store's schema. Raises JournalError. `found` is
    what it saw, None before."""

    def __init__(self, settings: StoreSettings, opens: Callable[[StoreSettings], Connection]) -> None:
        self._settings, self._opens = settings, opens
        self.found: migrate.SchemaState | None = None

    def __call__(self) -> Connection:
        made = self._opens(self._settings)
        if self.found is None:
            try:
                with bounded(made):
                    self.found = migrate.require(made, self._settings.address)
            except BaseException:
                made.close()
                raise
        return made


class PostgresJournal(PostgresReader):
    """See `port.Journal`. Any thread may write; one thread at a time may read."""

    def __init__(
        self,
        settings: StoreSettings,
        first: Connection | None,
        patience: float | None,
        connect: Admission,
    ) -> None:
        self._admission = connect
        self._health = Health(settings, connect)
        super().__init__(settings, self._health, connect, self._kind_of_me)
        self._reading = first
        self._notices = Notices()
        self._health.tells = self._notices.stir
        self._writer = PostgresWriter(settings, self._health, connect, patience)
        self._leases = Leases(settings, self._health, self._all, self._do)

    @property
    def health(self) -> Health:
        """Return the state of the connection."""
        return self._health

    def me(self) -> str:
        found = self._admission.found
        return found.role if found is not None else ""

    def _kind_of_me(self) -> RoleKind:
        found = self._admission.found
        return found.kind if found is not None else "none"

    def locks(self) -> Leases:
        return self._leases

    def create(
        self,
        conversation: str,
        *,
        workspace: str,
        model: str,
        at: str,
        title: str = "",
        parent: str | None = None,
    ) -> Receipt[None]:
        settings = self._settings
        return self._do(lambda db: writes.create(db, conversation, workspace, title, model, at, parent, settings))

    def append(
        self,
        conversation: str,
        entries: Sequence[NewEvent],
        *,
        durable: bool = True,
        closes_parts: Sequence[str] = (),
        accepts: Sequence[int] = (),
        copied: bool = False,
    ) -> Receipt[list[int]]:
        append = self._appending(conversation, tuple(entries), tuple(closes_parts), copied=copied)
        offers = tuple(accepts)
        if not offers:
            return self._do(append, durable)

        def work(db: Connection) -> list[int]:
            numbers = append(db)
            writes.accept_offers(db, offers)
            return numbers

        return self._do(work, durable)

    def _appending(
        self,
        conversation: str,
        entries: tuple[NewEvent, ...],
        parts: tuple[str, ...] = (),
        *,
        settles: tuple[str | None, int | None] = (None, None),
        copied: bool = False,
    ) -> Callable[[Connection], list[int]]:
        fence = self._leases.fence(conversation)
        return lambda db: writes.append(db, conversation, fence, entries, parts, settles=settles, copied=copied)

    def ask_outside(
        self,
        conversation: str,
        entries: Sequence[NewEvent],
        *,
        workspace: str,
        at: str,
        title: str,
        admits: Callable[[Sequence[str]], None],
        joins: bool = False,
    ) -> Receipt[None]:
        append, adds = (self._appending(conversation, tuple(found)) for found in (entries, entries[1:]))
        settings = self._settings

        def work(db: Connection) -> None:
            admits(writes.open_outside(db))
            if joins and writes.is_outside(db, conversation):
                adds(db)
                return
            writes.create(db, conversation, workspace, title, "", at, None, settings)
            append(db)

        return self._do(work)

    def settle_outside(
        self, conversation: str, inquiry: str, entries: Sequence[NewEvent], after: int | None = None
    ) -> Receipt[bool]:
        append = self._appending(conversation, tuple(entries), settles=(inquiry, after))
        return self._do(lambda db: bool(append(db)))

    def partial(self, conversation: str, part: str, kind: str, chunk: str, *, durable: bool = False) -> Receipt[None]:
        pieces = [chunk]
        fence = self._leases.fence(conversation) if durable else None

        def work(db: Connection) -> None:
            if fence is not None:  # what is durable before a call runs: a former holder runs none (D9)
                writes.append(db, conversation, fence, (), ())
            writes.add_partial(db, conversation, part, kind, "".join(pieces))

        return self._writer.submit(
            WriteJob(
                work,
                durable=durable,
                lazy=not durable,
                joins=(conversation, part),
                pieces=pieces,
            )
        )

    def set_title(
        self, conversation: str, title: str, titled: Titled = "user", but: Titled | None = None
    ) -> Receipt[bool]:
        return self._do(lambda db: writes.set_title(db, conversation, title, titled, but))

    def make(self, copied: Copied) -> Receipt[None]:
        return self._do(lambda db: writes.make(db, copied, self._settings), durable=False)

    def reveal(self, conversation: str) -> Receipt[None]:
        return self._do(lambda db: writes.reveal(db, conversation))

    def hide(self, conversation: str, at: str) -> Receipt[None]:
        return self._do(lambda db: writes.hide(db, conversation, at))

    def restore(self, conversation: str) -> Receipt[None]:
        return self._do(lambda db: writes.restore(db, conversation))

    def remove(self, conversation: str) -> Receipt[int]:
        return self._do(lambda db: writes.remove(db, conversation), durable=False)

    def index(self) -> Receipt[int]:
        return self._do(writes.index, durable=False)

    def renew_index(self) -> Receipt[None]:
        return self._do(writes.renew_index, durable=False)

    def set_model(self, conversation: str, model: str) -> Receipt[None]:
        return self._do(lambda db: writes.set_model(db, conversation, model))

    def set_archived(self, conversation: str, archived: bool) -> Receipt[None]:
        return self._do(lambda db: writes.set_archived(db, conversation, archived))

    def save_draft(self, conversation: str, key: str, text: str) -> Receipt[None]:
        return self._do(lambda db: writes.save_draft(db, conversation, key, text), durable=False)

    def clear_draft(self, conversation: str, key: str) -> Receipt[None]:
        return self._do(lambda db: writes.clear_draft(db, conversation, key), durable=False)

    def set_away(self, until: str, deputy: str) -> Receipt[None]:
        return self._do(lambda db: writes.set_away(db, until, deputy))

    def claim(self, conversation: str, inquiry: str, *, release: bool = False) -> Receipt[str | None]:
        return self._do(lambda db: writes.claim(db, conversation, inquiry, release))

    def make_offer(self, conversation: str, inquiry: str, payload: str, at: str) -> Receipt[int]:
        machine = self._settings.machine
        return self._do(lambda db: writes.make_offer(db, conversation, inquiry, payload, at, machine))

    def settle_offer(self, id: int, state: OfferState, words: str = "") -> Receipt[None]:
        return self._do(lambda db: writes.settle_offer(db, id, state, words))

    def withdraw_offer(self, id: int) -> Receipt[None]:
        return self._do(lambda db: writes.withdraw_offer(db, id))

    def connection(self) -> StoreConnection:
        return self._health.connection()

    def retry(self) -> None:
        self._health.retry()

    def notices(self) -> list[StoreNotice]:
        return self._notices.take()

    def noticed(self) -> Receipt[None]:
        return self._notices.arrived()

    def holds(self, again: Again) -> None:
        """Nothing to register: leases are in the store."""

    def flush(self) -> Receipt[None]:
        return self._do(lambda db: None, durable=False)

    def close(self) -> None:
        self._writer.close()
        self._health.close()
        super().close()

    def _do(self, work: Callable[[Connection], T], durable: bool = True) -> Receipt[T]:
        return self._writer.submit(WriteJob(work, durable))


_port: type[Journal] = PostgresJournal  # the type checker compares them here
