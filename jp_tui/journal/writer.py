"""The only writing thread, owner of the writing connection (HOUSE "Threads and processes").

Waiting jobs are committed together with one sync (T14). A failed job doesn't affect others; a full disk or a failed
sync fails the whole batch, and the thread continues. Knows no tables. An idle loop's submission, with nothing queued,
is committed by that loop's own thread while the disk is fast: switching threads takes half as long as the commit. Such
a commit never waits for another process or checkpoints the log; both are left to the thread.
"""

from __future__ import annotations

import contextlib
import sqlite3
import threading
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Generic, Protocol, TypeVar

from jp_tui.journal.connect import BUSY_SECONDS, trouble
from jp_tui.journal.doubt import Displaced, Suspect
from jp_tui.journal.port import JournalError

T = TypeVar("T")

LINGER = 0.2
"""Seconds that streamed chunks may wait for more; any other write is immediate and includes them."""
QUICK = 0.001
"""Seconds of a commit that a loop may do itself; a slower one disables it for some tens of commits."""
IN_A_ROW = 32
"""After this many, one goes through the thread: the loop serves its sockets, and the log is checkpointed."""
_FORGETS = 0.9
_CHECKPOINT = 1000  # pages, SQLite's default
_TOGETHER = 512
_EVERYBODYS = frozenset({"full", "io", "busy", "readonly", "corrupt", "unusable", "missing"})
_DISTRUSTED = frozenset({"io", "unusable", "missing"})
_NOT_HERE = frozenset({"busy", "corrupt"})
"""Errors that a loop leaves to the thread, which waits for the other process or repairs the file."""


class PendingReceipt(Generic[T]):
    """Implementation of `port.Receipt`: await it on a loop, or block on `result()`.

    The writing thread completes it once. Faster than the library's Future: it saves a fifth of the time that an event
    spends between two threads.
    """

    __slots__ = ("_error", "_gate", "_result", "_tells")

    def __init__(self) -> None:
        self._gate = threading.Lock()
        self._result: T | None = None
        self._error: BaseException | None = None
        self._tells: list[Callable[[], object]] | None = []
        """Callbacks; None once it is done."""

    def complete(self, result: T | None, error: BaseException | None) -> None:
        """Complete it and run the callbacks."""
        with self._gate:
            self._result, self._error = result, error
            tells, self._tells = self._tells, None
        for tell in tells or ():
            tell()

    def _waits(self, tell: Callable[[], object]) -> bool:
        """Register `tell` for the other thread; return False if it is already done."""
        with self._gate:
            if self._tells is not None:
                self._tells.append(tell)
            return self._tells is not None

    def __await__(self) -> Generator[object, None, T]:
        if self._tells is None:
            return self._take_result()
        import asyncio

        loop = asyncio.get_running_loop()
        waiter: asyncio.Future[None] = loop.create_future()

        def tell() -> None:
            with contextlib.suppress(RuntimeError):  # the loop has ended meanwhile; the write stands
                loop.call_soon_threadsafe(wake)

        def wake() -> None:
            if not waiter.done():  # else the wait was cancelled
                waiter.set_result(None)

        if self._waits(tell):
            yield from waiter
        return self._take_result()

    def result(self, timeout: float | None = None) -> T:
        written = threading.Event()
        if self._waits(written.set) and not written.wait(timeout):
            raise TimeoutError
        return self._take_result()

    def done(self) -> bool:
        return self._tells is None

    def _take_result(self) -> T:
        if self._error is not None:
            raise self._error
        return self._result  # type: ignore[return-value]


@dataclass(slots=True)
class WriteJob(Generic[T]):
    """Work inside a transaction, with the writer's connection. `pieces`, if given, may be joined with those of a later
    job."""

    work: Callable[[Any], T]
    durable: bool = True
    lazy: bool = False
    joins: tuple[str, str] | None = None
    pieces: list[str] = field(default_factory=list)
    receipt: PendingReceipt[T] = field(default_factory=PendingReceipt)
    followers: list[PendingReceipt[T]] = field(default_factory=list)

    def complete(self, result: T | None, error: BaseException | None) -> None:
        """Complete it and run the callbacks."""
        for receipt in (self.receipt, *self.followers):
            receipt.complete(result, error)


class FileKeeperPort(Protocol):
    """Keeper of the written file (`repair/file_keeper.py`)."""

    def moved(self) -> bool:
        """True if another file is at the path than the open one; takes microseconds."""

    def was_replaced(self) -> bool:
        """True if another log is beside it; takes microseconds."""

    def reopen(self) -> sqlite3.Connection:
        """Return a new connection to replace an unreliable one. Raises Displaced, JournalError."""

    def repair(self, db: sqlite3.Connection | None, problem: Exception) -> sqlite3.Connection:
        """Return the connection to use in place of `db`. Raises JournalError and leaves `db` as it was."""

    def begins(self) -> None:
        """A transaction begins."""

    def committed(self) -> None:
        """It is on the disk, with the requested durability."""

    def leave(self, db: sqlite3.Connection | None) -> sqlite3.Connection | None:
        """At the end: repair what is possible, or report the rest."""

    def closing(self, db: sqlite3.Connection) -> Callable[[], None]:
        """Prepare for closing the connection; return a function to call after it."""


class JournalWriter:
    """Runs jobs in order."""

    def __init__(self, path: Path, connection: sqlite3.Connection, tends: FileKeeperPort) -> None:
        self._path = path
        self._db: sqlite3.Connection | None = connection
        self._tends = tends
        self._full_sync: bool | None = None
        self._here = False
        self._jobs: SimpleQueue[WriteJob[Any] | None] = SimpleQueue()
        self._gate = threading.Lock()
        self._hand = threading.Lock()
        """Held by the user of the connection."""
        self._left = 0
        """Unfinished jobs: no job overtakes them."""
        self._usual = 20 * QUICK
        self._turns = 0
        self._thread: threading.Thread | None = None
        self._closed = self._gone = False

    def submit(self, job: WriteJob[T]) -> PendingReceipt[T]:
        """Submit a job; from any thread."""
        with self._gate:
            if self._closed:
                raise JournalError("closed", f"{self._path} is closed")
            self._hand_over(job)
            self._left += 1
        return job.receipt

    def write(self, work: Callable[[sqlite3.Connection], T]) -> PendingReceipt[T]:
        """Do small, durable work inside a transaction, in this thread if possible; from any thread."""
        with self._gate:
            ready = self._left == 0 and self._db is not None and not self._closed
            here = ready and self._usual < QUICK and _alone()
            self._turns += here
            here = here and self._turns % IN_A_ROW > 0
            self._left += here
        if here:
            try:
                return self._commit(work)
            finally:
                with self._gate:
                    self._left -= 1
        return self.submit(WriteJob(work))

    def _commit(self, work: Callable[[sqlite3.Connection], T]) -> PendingReceipt[T]:
        receipt = PendingReceipt[T]()
        with self._hand:
            try:
                done = self._run((work,), durable=True, here=True)[0]
            except Exception as error:
                words, later = self._undone(error), isinstance(error, Displaced | Suspect)
            except BaseException:
                self._back_out(False)
                raise
            else:
                if self._tends.moved():  # written, but not to the right file: not done yet
                    return self.submit(WriteJob(lambda _: done))
                receipt.complete(done, None)
                return receipt
        if later or (isinstance(words, JournalError) and words.kind in _NOT_HERE):
            return self.submit(WriteJob(work))
        receipt.complete(None, words)
        return receipt

    def _hand_over(self, job: WriteJob[Any]) -> None:
        if self._thread is None:  # not before there is something to write, so that opening is fast
            thread = threading.Thread(target=self._live, name="journal", daemon=True)
            thread.start()
            self._thread = thread
        self._jobs.put(job)

    def _complete(self, job: WriteJob[T], result: T | None, error: BaseException | None) -> None:
        with self._gate:  # before the callbacks: they may write at once
            self._left -= 1 + len(job.followers)
        job.complete(result, error)

    def close(self) -> None:
        """Write what is queued, checkpoint, close. May be called twice."""
        with self._gate:
            if self._closed:
                return
            self._closed = True
            thread = self._thread
            self._jobs.put(None)
        if thread is not None:
            thread.join()
        else:
            self._close_connection()

    def _live(self) -> None:
        going = True
        while going:
            jobs, going = gathered(self._jobs, _TOGETHER)
            write_together(joined(jobs), self._attempt, self._complete, _EVERYBODYS)
        self._close_connection()

    def _attempt(self, jobs: list[WriteJob[Any]]) -> Exception | None:
        """Run all jobs in one transaction. Return None if they are stored and completed, else the error."""
        with self._hand:
            try:
                results = self._run_sound([job.work for job in jobs], any(job.durable for job in jobs))
            except Exception as error:
                return self._undone(error)
        for job, result in zip(jobs, results, strict=True):
            self._complete(job, result, None)
        return None

    def _run_sound(self, works: Sequence[Callable[[sqlite3.Connection], T]], durable: bool) -> list[T]:
        """Run them; if the file was moved or is damaged, repair it first, once."""
        try:
            results = self._run(works, durable)
        except Exception as error:
            if not isinstance(error, Displaced | Suspect) and getattr(self._words(error), "kind", "") != "corrupt":
                raise
            self._repair(error)
            results = self._run(works, durable)
        if self._tends.moved():  # since the last check
            self._repair(Displaced())
        return results

    def _repair(self, error: Exception) -> None:
        self._back_out(False)
        self._db = self._tends.repair(self._db, error)
        self._full_sync, self._here = None, False

    def _run(self, works: Sequence[Callable[[sqlite3.Connection], T]], durable: bool, here: bool = False) -> list[T]:
        """Run all works in one transaction; return their results."""
        db = self._connection()
        self._choose(db, durable, here)
        began = time.monotonic()
        self._tends.begins()
        db.execute("BEGIN IMMEDIATE")
        results = [work(db) for work in works]
        db.execute("COMMIT")
        self._tends.committed()
        if durable:
            self._usual = max(time.monotonic() - began, self._usual * _FORGETS)
        return results

    def _undone(self, error: Exception) -> Exception:
        words = self._words(error)
        self._back_out(isinstance(words, JournalError) and words.kind in _DISTRUSTED)
        return words

    def _connection(self) -> sqlite3.Connection:
        if self._gone:
            raise JournalError("closed", f"{self._path} is closed")
        if self._db is None:
            self._db = self._tends.reopen()
            self._full_sync, self._here = None, False
        elif self._tends.moved() or self._tends.was_replaced():
            raise Displaced
        return self._db

    def _choose(self, db: sqlite3.Connection, full: bool, here: bool) -> None:
        """Set the sync mode: FULL syncs the log at each commit, NORMAL leaves it to the next durable one. A commit made
        `here`, by a loop, neither waits for another process nor checkpoints."""
        if here is not self._here:
            db.execute(f"PRAGMA busy_timeout = {0 if here else round(BUSY_SECONDS * 1000)}")
            db.execute(f"PRAGMA wal_autocheckpoint = {0 if here else _CHECKPOINT}")
            self._here = here
        if full is not self._full_sync:
            db.execute(f"PRAGMA synchronous = {'FULL' if full else 'NORMAL'}")
            self._full_sync = full

    def _words(self, error: Exception) -> Exception:
        if isinstance(error, sqlite3.Error):
            return trouble(error, self._path)
        if isinstance(error, Displaced | Suspect):  # again, directly after the repair
            return JournalError("corrupt", f"{self._path} keeps being changed by another program ({error})")
        if isinstance(error, (UnicodeEncodeError, OverflowError)):  # a lone surrogate, or a number beyond 64 bits
            return JournalError("invalid", f"{self._path} can't store this ({error})")
        return error

    def _back_out(self, distrust: bool) -> None:
        """Roll back; don't reuse a connection that failed to sync or read."""
        if self._db is None:
            return
        try:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
        except sqlite3.Error:
            distrust = True
        if distrust and not self._tends.moved():  # keep the only copy of the data
            self._db.close()
            self._db = None

    def _close_connection(self) -> None:
        with self._hand:
            self._gone = True
            self._back_out(False)
            self._db = self._tends.leave(self._db)
            if self._db is None:
                return
            self._full_sync, self._here = None, True
            after: Callable[[], None] = _nothing
            try:
                self._choose(self._db, full=True, here=False)
                self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                after = self._tends.closing(self._db)
            except sqlite3.Error:
                pass  # the log stays beside the database and is equally valid
            finally:
                self._db.close()
                self._db = None
            after()


def _nothing() -> None:
    """Do nothing: the closed connection needs no follow-up."""


def _alone() -> bool:
    """True if this thread's loop has nothing else to run; otherwise writes that follow are committed together."""
    import asyncio

    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        return False
    # private to asyncio's own loops; any other loop leaves everything to the thread
    return not getattr(loop, "_ready", True)


def joined(jobs: list[WriteJob[Any]]) -> list[WriteJob[Any]]:
    """Return the jobs with the pieces of one part joined into one job, at the place of the first."""
    first: dict[tuple[str, str], WriteJob[Any]] = {}
    kept: list[WriteJob[Any]] = []
    for job in jobs:
        if job.joins is None or (leader := first.setdefault(job.joins, job)) is job:
            kept.append(job)
        else:
            leader.pieces += job.pieces
            leader.followers.append(job.receipt)
    return kept


def gathered(queue: SimpleQueue[WriteJob[Any] | None], most: int) -> tuple[list[WriteJob[Any]], bool]:
    """Return the waiting jobs, after a short delay if all of them are lazy. False at the end."""
    first = queue.get()
    if first is None:
        return [], False
    jobs, lazy = [first], first.lazy
    until = time.monotonic() + LINGER if lazy else 0.0
    while len(jobs) < most and (lazy or not queue.empty()):
        try:
            job = queue.get(timeout=max(until - time.monotonic(), 0.0)) if lazy else queue.get_nowait()
        except Empty:
            break
        if job is None:
            return jobs, False
        jobs.append(job)
        lazy = lazy and job.lazy
    return jobs, True


def write_together(
    jobs: list[WriteJob[Any]],
    attempt: Callable[[list[WriteJob[Any]]], Exception | None],
    complete: Callable[[WriteJob[Any], None, Exception], None],
    everybodys: frozenset[str],
) -> None:
    """Write the jobs in one transaction. If it fails, run each alone, unless the error is of a kind in `everybodys`:
    then all of them fail. `attempt` completes the jobs that it stores and returns None, or returns the error;
    `complete` fails one job."""
    error = attempt(jobs) if jobs else None
    if error is None:
        return
    if len(jobs) == 1 or (isinstance(error, JournalError) and error.kind in everybodys):
        for job in jobs:
            complete(job, None, error)
        return
    for job in jobs:
        if (alone := attempt([job])) is not None:
            complete(job, None, alone)
