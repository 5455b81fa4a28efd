"""The one thread that writes, the only owner of the writing connection (HOUSE "Threads and processes").

Whatever waits is committed together: one sync for all (T14). A job that fails takes nobody else's with it; a full
disk or a failed sync fails what was in hand, whole, and the thread goes on. Knows no tables.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Generic, TypeVar

from jp_tui.journal.connect import trouble
from jp_tui.journal.port import JournalError

T = TypeVar("T")

LINGER = 0.2
"""Seconds that streamed pieces may wait for more; anything else is written at once, and they with it."""
_TOGETHER = 512
_EVERYBODYS = frozenset({"full", "io", "busy", "readonly", "corrupt", "unusable", "missing"})
_DISTRUSTED = frozenset({"io", "corrupt", "unusable", "missing"})


class Pending(Generic[T]):
    """Implements `port.Receipt`: await it on a loop, or block on `result()`. Settled once, by the thread that writes.

    Less than a Future of the library: an event costs a fifth of the time that it spends between two threads.
    """

    __slots__ = ("_error", "_gate", "_result", "_tells")

    def __init__(self) -> None:
        self._gate = threading.Lock()
        self._result: T | None = None
        self._error: BaseException | None = None
        self._tells: list[Callable[[], object]] | None = []
        """Who waits; None when there is nothing to wait for any more."""

    def settle(self, result: T | None, error: BaseException | None) -> None:
        """Tell everybody who waits."""
        with self._gate:
            self._result, self._error = result, error
            tells, self._tells = self._tells, None
        for tell in tells or ():
            tell()

    def _waits(self, tell: Callable[[], object]) -> bool:
        """Whether it is still to come; then `tell` is called, in the other thread."""
        with self._gate:
            if self._tells is not None:
                self._tells.append(tell)
            return self._tells is not None

    def __await__(self) -> Generator[object, None, T]:
        import asyncio

        loop = asyncio.get_running_loop()
        waiter: asyncio.Future[None] = loop.create_future()

        def tell() -> None:
            with contextlib.suppress(RuntimeError):  # the loop has ended meanwhile; what is written is written
                loop.call_soon_threadsafe(wake)

        def wake() -> None:
            if not waiter.done():  # else whoever waited has given up
                waiter.set_result(None)

        if self._waits(tell):
            yield from waiter
        return self._taken()

    def result(self, timeout: float | None = None) -> T:
        written = threading.Event()
        if self._waits(written.set) and not written.wait(timeout):
            raise TimeoutError
        return self._taken()

    def done(self) -> bool:
        return self._tells is None

    def _taken(self) -> T:
        if self._error is not None:
            raise self._error
        return self._result  # type: ignore[return-value]


@dataclass(slots=True)
class Job(Generic[T]):
    """Something to do inside a transaction. `pieces`, where given, may be joined with those of a later job."""

    work: Callable[[sqlite3.Connection], T]
    durable: bool = True
    lazy: bool = False
    joins: tuple[str, str] | None = None
    pieces: list[str] = field(default_factory=list)
    receipt: Pending[T] = field(default_factory=Pending)
    followers: list[Pending[T]] = field(default_factory=list)

    def settle(self, result: T | None, error: BaseException | None) -> None:
        """Tell everybody who waits for it."""
        for receipt in (self.receipt, *self.followers):
            receipt.settle(result, error)


class Writer:
    """Runs jobs in order. `reopen` makes a new connection after one that cannot be trusted any more."""

    def __init__(self, path: Path, connection: sqlite3.Connection, reopen: Callable[[], sqlite3.Connection]) -> None:
        self._path = path
        self._db: sqlite3.Connection | None = connection
        self._name, self._file = os.fspath(path), os.stat(path)
        self._reopen = reopen
        self._full_sync: bool | None = None
        self._jobs: SimpleQueue[Job[Any] | None] = SimpleQueue()
        self._gate = threading.Lock()
        self._thread: threading.Thread | None = None
        self._closed = False

    def submit(self, job: Job[T]) -> Pending[T]:
        """Hand a job over; from any thread."""
        with self._gate:
            if self._closed:
                raise JournalError("closed", f"{self._path} is closed")
            if self._thread is None:  # not before there is something to write: opening is quick
                self._thread = threading.Thread(target=self._live, name="journal", daemon=True)
                self._thread.start()
            self._jobs.put(job)
        return job.receipt

    def close(self) -> None:
        """Write what is queued, move the log into the database, close. Harmless twice."""
        with self._gate:
            if self._closed:
                return
            self._closed = True
            thread = self._thread
            self._jobs.put(None)
        if thread is not None:
            thread.join()
        else:
            self._farewell()

    def _live(self) -> None:
        going = True
        while going:
            jobs, going = self._gather()
            if jobs:
                self._write(_joined(jobs))
        self._farewell()

    def _gather(self) -> tuple[list[Job[Any]], bool]:
        """What waits now; when all of it is lazy, a little more. False at the end."""
        first = self._jobs.get()
        if first is None:
            return [], False
        jobs, lazy = [first], first.lazy
        until = time.monotonic() + LINGER if lazy else 0.0
        while len(jobs) < _TOGETHER and (lazy or not self._jobs.empty()):
            try:
                job = self._jobs.get(timeout=max(until - time.monotonic(), 0.0)) if lazy else self._jobs.get_nowait()
            except Empty:
                break
            if job is None:
                return jobs, False
            jobs.append(job)
            lazy = lazy and job.lazy
        return jobs, True

    def _write(self, jobs: list[Job[Any]]) -> None:
        error = self._attempt(jobs)
        if error is None:
            return
        if len(jobs) == 1 or (isinstance(error, JournalError) and error.kind in _EVERYBODYS):
            for job in jobs:
                job.settle(None, error)
            return
        for job in jobs:  # one of them is at fault: each for itself
            alone = self._attempt([job])
            if alone is not None:
                job.settle(None, alone)

    def _attempt(self, jobs: list[Job[Any]]) -> Exception | None:
        """All jobs in one transaction; None when they are stored and told so, else why nothing is."""
        results: list[object] = []
        try:
            db = self._connection()
            self._choose_sync(db, any(job.durable for job in jobs))
            db.execute("BEGIN IMMEDIATE")
            results.extend(job.work(db) for job in jobs)
            db.execute("COMMIT")
        except Exception as error:
            words = self._words(error)
            self._back_out(isinstance(words, JournalError) and words.kind in _DISTRUSTED)
            return words
        for job, result in zip(jobs, results, strict=True):
            job.settle(result, None)
        return None

    def _connection(self) -> sqlite3.Connection:
        if self._db is None:
            self._db = self._reopen()
            self._full_sync = None
            self._file = os.stat(self._path)
        try:
            same = os.path.samestat(os.stat(self._name), self._file)
        except OSError:
            same = False
        if not same:
            raise JournalError("missing", f"{self._path} was moved or deleted while it was in use; nothing is saved")
        return self._db

    def _choose_sync(self, db: sqlite3.Connection, full: bool) -> None:
        """FULL syncs the log at each commit, NORMAL leaves that to the next one that is durable."""
        if full is not self._full_sync:
            db.execute(f"PRAGMA synchronous = {'FULL' if full else 'NORMAL'}")
            self._full_sync = full

    def _words(self, error: Exception) -> Exception:
        if isinstance(error, sqlite3.Error):
            return trouble(error, self._path)
        if isinstance(error, (UnicodeEncodeError, OverflowError)):  # half a character, a number beyond 64 bits
            return JournalError("invalid", f"{self._path} cannot store this ({error})")
        return error

    def _back_out(self, distrust: bool) -> None:
        """Undo; a connection that failed to sync or read is not used again."""
        if self._db is None:
            return
        try:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
        except sqlite3.Error:
            distrust = True
        if distrust:
            self._db.close()
            self._db = None

    def _farewell(self) -> None:
        if self._db is None:
            return
        try:
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except sqlite3.Error:
            pass  # the log stays beside the database and is as good
        finally:
            self._db.close()
            self._db = None


def _joined(jobs: list[Job[Any]]) -> list[Job[Any]]:
    """The jobs with the pieces of one part in one job, at the place of the first."""
    first: dict[tuple[str, str], Job[Any]] = {}
    kept: list[Job[Any]] = []
    for job in jobs:
        if job.joins is None or (leader := first.setdefault(job.joins, job)) is job:
            kept.append(job)
        else:
            leader.pieces += job.pieces
            leader.followers.append(job.receipt)
    return kept
