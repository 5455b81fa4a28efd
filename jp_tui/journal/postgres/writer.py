"""The writing thread of a PostgreSQL store: jobs in order, those that wait together in one transaction.

Each transaction begins by storing an id of its own. If its commit got no reply, it is begun again under the same id:
the id is there if and only if it was committed, so nothing is written twice, and nothing that was stored is reported
lost. (The number that the server gives a transaction doesn't do: after a crash another one may get it.)
"""

from __future__ import annotations

import contextlib
import secrets
import threading
import time
from collections.abc import Callable, Sequence
from queue import SimpleQueue
from typing import Any, TypeVar

import psycopg

from jp_tui.journal.port import JournalError
from jp_tui.journal.postgres.driver import Connection, StoreSettings, is_lost, is_transient, trouble
from jp_tui.journal.postgres.health import FIRST_RETRY, LAST_RETRY, Health
from jp_tui.journal.postgres.schema import FITS
from jp_tui.journal.writer import PendingReceipt, WriteJob, gathered, joined, write_together

T = TypeVar("T")
_TOGETHER = 256
_TRIES = 5
"""Tries of a transaction that others are in the way of (D24)."""
_IDLE_SECONDS = 15
"""Time after which the server ends a transaction whose client is silent, and with it its locks."""
_BEGIN = (
    f"BEGIN; SET LOCAL idle_in_transaction_session_timeout = '{_IDLE_SECONDS}s';"
    " SET LOCAL synchronous_commit = {sync}; INSERT INTO jp_tui.writes (id)"
    f" SELECT '{{id}}' FROM jp_tui.schema_version WHERE {FITS}"
    " ON CONFLICT DO NOTHING"
)
_THERE = "SELECT 1 FROM jp_tui.writes WHERE id = %s"
_EVERYBODYS = frozenset({"offline", "readonly", "full", "newer"})
_FORGET = "SELECT jp_tui.forget_writes()"


class PostgresWriter:
    """`patience`: seconds after which jobs fail while the server is out of reach; None: when the store is closed."""

    def __init__(
        self, settings: StoreSettings, health: Health, connect: Callable[[], Connection], patience: float | None
    ) -> None:
        self._settings, self._health, self._connect, self._patience = settings, health, connect, patience
        self._db: Connection | None = None
        self._jobs: SimpleQueue[WriteJob[Any] | None] = SimpleQueue()
        self._gate = threading.Lock()
        self._ends = threading.Event()
        self._thread: threading.Thread | None = None
        self._closed = self._cleaned = False

    def submit(self, job: WriteJob[T]) -> PendingReceipt[T]:
        """Submit a job; from any thread."""
        with self._gate:
            if self._closed:
                raise JournalError("closed", f"The store at {self._settings.address.where} is closed.")
            if self._thread is None:
                self._thread = threading.Thread(target=self._live, name="journal", daemon=True)
                self._thread.start()
            self._jobs.put(job)
        return job.receipt

    def close(self) -> None:
        """Write what is queued, as far as the server can be reached; close. May be called twice."""
        with self._gate:
            if self._closed:
                return
            self._closed = True
            thread = self._thread
            self._jobs.put(None)
        self._ends.set()
        self._health.wake()
        if thread is not None:
            thread.join()

    def _live(self) -> None:
        going = True
        while going:
            jobs, going = gathered(self._jobs, _TOGETHER)
            write_together(joined(jobs), self._attempt, WriteJob.complete, _EVERYBODYS)
        self._drop()

    def _attempt(self, jobs: list[WriteJob[Any]]) -> Exception | None:
        """Run all jobs in one transaction. Return None if they are stored and completed, else the error."""
        try:
            results = self._run([job.work for job in jobs], any(job.durable for job in jobs))
        except Exception as error:
            return error
        for job, result in zip(jobs, results, strict=True):
            job.complete(result, None)
        return None

    def _run(self, works: Sequence[Callable[[Connection], T]], durable: bool) -> list[T]:
        """Return their results, once they are stored. Raises JournalError."""
        until = None if self._patience is None else time.monotonic() + self._patience
        id_, pause, tries = secrets.token_hex(16), FIRST_RETRY, 0
        done: list[T] | None = None
        """The results, once only the reply to the commit is missing."""
        while True:
            db: Connection | None = None
            try:
                db = self._ready()
                with self._health.watched(db):
                    fresh = self._begin(db, durable, id_)
                    if not fresh:
                        there = db.execute(_THERE, (id_,)).fetchone() is not None
                        db.execute("ROLLBACK")
                        if there and done is not None:
                            return done
                        raise self._health.overtake()
                    done = None
                    results = [work(db) for work in works]
                    done = results
                    db.execute("COMMIT")
                self._health.found()
                return results
            except (psycopg.Error, UnicodeEncodeError, OverflowError) as error:
                tries += 1
                if db is None or not is_lost(error, db):
                    done = None
                    self._back_out()
                    if is_transient(error) and tries < _TRIES:
                        continue
                    raise trouble(error, self._settings.address) from error
                self._drop()
                self._health.lost(error)
            except JournalError as problem:
                if problem.kind != "offline":
                    self._back_out()
                    raise
                if self._gives_up(until) and done is None:
                    raise
            except BaseException:
                self._back_out()
                raise
            if self._gives_up(until):
                raise JournalError("offline", self._unknown(done is not None))
            self._health.pause(pause, self._ends)
            pause = min(pause * 2, LAST_RETRY)

    def _unknown(self, ambiguous: bool) -> str:
        if not ambiguous:
            return self._health.problem or "The store does not answer."
        where = self._settings.address.where
        return f"The store at {where} stopped answering while this was stored. Check whether it is there."

    def _gives_up(self, until: float | None) -> bool:
        return self._ends.is_set() or (until is not None and time.monotonic() > until)

    def _begin(self, db: Connection, durable: bool, id_: str) -> bool:
        """Begin a transaction under this id. Return False if one with it was committed, or if this client is too old
        for the schema by now (D7). It waits for one that still runs."""
        found = db.execute(_BEGIN.format(sync="DEFAULT" if durable else "off", id=id_).encode())
        count = found.rowcount
        while found.nextset():
            count = found.rowcount
        return bool(count == 1)

    def _ready(self) -> Connection:
        if self._db is None or self._db.closed:
            try:
                self._db = self._connect()
            except JournalError as problem:
                self._health.lost(problem)
                raise
            if not self._cleaned:
                self._cleaned = True
                with contextlib.suppress(psycopg.Error):  # a server that only reads says so at the write itself
                    self._db.execute(_FORGET)
        return self._db

    def _back_out(self) -> None:
        """Roll back; a connection that can't is dropped."""
        if self._db is None:
            return
        try:
            if self._db.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
                self._db.execute("ROLLBACK")
        except psycopg.Error:
            self._drop()

    def _drop(self) -> None:
        if self._db is not None:
            self._db.close()
            self._db = None
