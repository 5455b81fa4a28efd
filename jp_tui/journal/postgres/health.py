"""The connection's state, shared by the threads of one process: online or not, and whether anything changed.

A thread listens and polls: a notification wakes, the poll finds (store.md D11). It also renews leases and tries a lost
server again. Another one cuts connections that are waited on for too long, so that a stalled server blocks no one.
"""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator

import psycopg

from jp_tui.journal.port import JournalError, StoreConnection
from jp_tui.journal.postgres.driver import STALLED_SECONDS, Connection, StoreSettings, is_lost, unanswered
from jp_tui.journal.postgres.schema import CHANNEL, FITS

FIRST_RETRY, LAST_RETRY = 0.5, 30.0
"""Seconds between tries to reach a lost server (D12)."""
WATCH_SECONDS = 2.5
"""Seconds between two looks whether a connection is waited on for too long."""
UNVERIFIED = "TLS not verified"
POLL = f"SELECT jp_tui.look(0, '{{}}', '{{}}', '{{}}') FROM jp_tui.schema_version WHERE {FITS}"
"""The one query of an idle workspace: a text that changes with what waits and what is offered; no row once the schema
has become too new (D7)."""
OVERTAKEN = "The store at {where} has a newer schema now. Nothing more is recorded here. Restart with a newer jp-tui."


class Health:
    """`poll` runs POLL over a connection and returns its text, None without a row; with its second argument it renews
    the leases of this process as well. Nothing runs before the first lease or the first look for changes."""

    def __init__(self, settings: StoreSettings, connect: Callable[[], Connection]) -> None:
        self._settings, self._connect = settings, connect
        self._gate = threading.Condition()
        self._thread: threading.Thread | None = None
        self._closed = False
        self._listening_on: Connection | None = None
        self._problem = ""
        """Why the server can't be reached; empty while it can."""
        self._version, self._seen = 0, -1
        self._busy: dict[int, tuple[float, Connection]] = {}
        self._watching = threading.Event()
        """Set while a connection is waited on, each until a time."""
        self.poll: Callable[[Connection, bool], str | None] = _polled
        self.tells: Callable[[], None] = _unheard
        """Called when the server is out of reach, or there again (D12): `connection` says which."""
        self._told = ""
        """Why the server is out of reach, once a try to reach it has failed."""
        self._overtaken = False
        """True once the schema is too new for this program (D7)."""
        self._again = threading.Event()
        """Set when a lost server may be tried again before its time."""
        self._reports: tuple[int, int] | None = None
        """Both ends of a pipe that is readable once something may have changed."""
        self.listening = False
        """True once a notification of another connection arrived here (D11)."""

    def start(self) -> None:
        """Start to listen, to poll and to renew; again is fine."""
        if self._thread is None:
            self._begin()

    def _begin(self) -> None:
        with self._gate:
            if self._thread is None and not self._closed:
                self._thread = threading.Thread(target=self._live, name="store", daemon=True)
                self._thread.start()
                threading.Thread(target=self._watch, name="store-watch", daemon=True).start()

    def close(self) -> None:
        """End the thread."""
        with self._gate:
            self._closed = True
            self._gate.notify_all()
            self._watching.set()
            self._again.set()
            thread, db = self._thread, self._listening_on
            ends, self._reports = self._reports or (), None
        if db is not None:
            cut(db)
        if thread is not None:
            thread.join(STALLED_SECONDS)
        for end in ends:
            os.close(end)

    @property
    def problem(self) -> str:
        """Return why the server can't be reached now, empty if it can."""
        return self._problem

    def connection(self) -> StoreConnection:
        """Return the state that the user sees: a server counts as lost once a try to reach it has failed."""
        address, newer = self._settings.address, self._overtaken
        problem = OVERTAKEN.format(where=address.where) if newer else self._told
        return StoreConnection(address.name, problem, "" if address.verified else UNVERIFIED, newer)

    def overtake(self) -> JournalError:
        """The schema is too new for this program, which reads on and writes nothing more (D7). Return the error of a
        write."""
        if not self._overtaken:
            self._overtaken = True
            self.tells()
            self.stir()
        return JournalError("newer", OVERTAKEN.format(where=self._settings.address.where))

    def begin_lost(self, problem: JournalError) -> None:
        """Begin without a connection: it is made as soon as the server answers."""
        self._problem = self._told = str(problem)
        self.start()

    def retry(self) -> None:
        """Try now to reach a lost server."""
        if self._problem:
            self.wake()

    def wake(self) -> None:
        """End the waits between two tries."""
        with self._gate:
            self._gate.notify_all()
        self._again.set()

    def pause(self, seconds: float, ends: threading.Event) -> None:
        """Wait before another try of the caller, at most until the server is reached by another one; not at all once
        `ends` is set. One thread may wait."""
        self._again.clear()
        if self._problem and not ends.is_set():
            self._again.wait(seconds)

    def check(self) -> None:
        """Raise JournalError `offline` while the server is known to be out of reach."""
        if self._problem and self._thread is not None:
            raise JournalError("offline", self._problem)

    def lost(self, error: BaseException) -> None:
        """The server can't be reached."""
        said = str(error) if isinstance(error, JournalError) else str(unanswered(self._settings.address, error))
        with self._gate:
            told, self._problem = self._problem != said, said
            self._gate.notify_all()
        if told:
            self.stir()

    def found(self) -> None:
        """The server can be reached."""
        if self._problem:
            self._problem = ""
            self._again.set()
            self.stir()

    def stir(self) -> None:
        """Something may have changed."""
        self._version += 1
        with self._gate:
            if self._reports is not None:
                with contextlib.suppress(BlockingIOError):  # full: it is readable
                    os.write(self._reports[1], b".")

    def reports(self) -> int | None:
        """Return a non-blocking descriptor that is readable once something may have changed; None once closed."""
        self.start()
        with self._gate:
            if self._reports is None and not self._closed:
                self._reports = os.pipe()
                for end in self._reports:
                    os.set_blocking(end, False)
            return self._reports[0] if self._reports is not None else None

    def changed(self) -> bool:
        """True if something may have changed since the last call, and at the first."""
        self.start()
        version = self._version
        before, self._seen = self._seen, version
        return version != before

    @contextlib.contextmanager
    def watched(self, db: Connection, seconds: float = STALLED_SECONDS) -> Iterator[None]:
        """Cut this connection if the block takes more than these seconds."""
        me = threading.get_ident()
        self._busy[me] = time.monotonic() + seconds, db
        self._watching.set()
        try:
            yield
        finally:
            self._busy.pop(me, None)

    # -- the thread

    def _live(self) -> None:
        pause, db = FIRST_RETRY, None
        renewed, known = time.monotonic(), ""
        while not self._ended():
            try:
                if db is None:
                    self._listening_on = db = self._connect()
                    db.execute(f"LISTEN {CHANNEL}")
                    known = ""
                renews = time.monotonic() - renewed > self._settings.lease_secs / 3
                with self.watched(db, max(2.0, self._settings.connect_secs)):
                    found = self.poll(db, renews)
                renewed = time.monotonic() if renews else renewed
                if found is None:
                    self.overtake()
                elif found != known:
                    known = found
                    self.stir()
                self.found()
                if self._told or (self._overtaken and found is not None):
                    self._told, self._overtaken = "", found is None
                    self.tells()
                pause = FIRST_RETRY
                self._listen(db)
            except (psycopg.Error, JournalError, OSError) as error:
                if self._ended():
                    break
                if db is not None and isinstance(error, psycopg.Error) and not is_lost(error, db):
                    self._wait(self._settings.poll_secs)  # the server's own problem, such as a missing right
                    continue
                if db is not None:
                    with contextlib.suppress(Exception):
                        db.close()
                    self._listening_on = db = None
                self.listening, renewed = False, 0.0
                self.lost(error)
                if isinstance(error, JournalError) and self._told != str(error):
                    self._told = str(error)
                    self._cut_waiting()
                    self.tells()
                self._wait(pause)
                pause = min(pause * 2, LAST_RETRY)
        if db is not None:
            with contextlib.suppress(Exception):
                db.close()

    def _ended(self) -> bool:
        return self._closed

    def _listen(self, db: Connection) -> None:
        """Wait for notifications until the next poll. An end cuts the connection."""
        until = time.monotonic() + self._settings.poll_secs
        for _ in db.notifies(timeout=0):
            self.stir()  # it came with the reply of the poll, which it does behind a pooler, too
        while (left := until - time.monotonic()) > 0 and not self._closed:
            for told in db.notifies(timeout=left, stop_after=1):
                if told.pid != db.info.backend_pid:
                    self.listening = True
                self.stir()

    def _wait(self, seconds: float) -> None:
        with self._gate:
            if not self._closed:
                self._gate.wait(seconds)

    def _watch(self) -> None:
        """Cut connections that are waited on for too long; nothing wakes this thread while none is."""
        while not self._closed:
            self._watching.wait()
            self._wait(WATCH_SECONDS)
            for until, db in [*self._busy.values()]:
                if time.monotonic() > until:
                    cut(db)
            self._watching.clear()
            if self._busy:
                self._watching.set()

    def _cut_waiting(self) -> None:
        """The server is out of reach: nothing waits for it on a connection that still looks open."""
        late = time.monotonic() + STALLED_SECONDS - self._settings.connect_secs
        for until, db in [*self._busy.values()]:
            if until <= late:
                cut(db)


def within(seconds: float, connect: Callable[[], Connection]) -> Connection | None:
    """Return a connection, or None if it takes longer; then it is closed once it is there. Raises JournalError."""
    found: list[Connection | JournalError] = []
    gate, late, done = threading.Lock(), False, threading.Event()

    def try_it() -> None:
        try:
            made: Connection | JournalError = connect()
        except JournalError as problem:
            made = problem
        with gate:
            found.append(made)
            if late and not isinstance(made, JournalError):
                made.close()
        done.set()

    threading.Thread(target=try_it, name="store-first", daemon=True).start()
    done.wait(seconds)
    with gate:
        late = not found
    if late:
        return None
    if isinstance(found[0], JournalError):
        raise found[0]
    return found[0]


@contextlib.contextmanager
def bounded(db: Connection) -> Iterator[None]:
    """Cut a connection that isn't shared yet if the block takes too long."""
    timer = threading.Timer(STALLED_SECONDS, cut, (db,))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _unheard() -> None:
    """Drop it: no one asked for any."""


def _polled(db: Connection, _: bool) -> str | None:
    row = db.execute(POLL).fetchone()
    return str(row[0]) if row is not None else None


def cut(db: Connection) -> None:
    """End a connection that another thread waits on: its wait ends with an error."""
    with contextlib.suppress(OSError, psycopg.Error):
        ours = socket.socket(fileno=os.dup(db.pgconn.socket))
        try:
            ours.shutdown(socket.SHUT_RDWR)
        finally:
            ours.close()
