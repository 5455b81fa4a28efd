"""Watch over the file of an open journal: notice that it was moved, replaced or truncated, and recover (Z23, Z24).

SQLite keeps working with a file that has no name any more, so this process still has all its data: it is written to a
new file at the path, or merged into the one there now. No write is confirmed before that. Used by the writing thread;
any thread may call `moved`.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

from jp_tui.journal import opening
from jp_tui.journal.connect import connect, open_reading, trouble
from jp_tui.journal.doubt import Displaced, Suspect
from jp_tui.journal.migrate import migrate
from jp_tui.journal.opening import Opened
from jp_tui.journal.port import Again, Holding, JournalError, StoreNotice
from jp_tui.journal.repair import examine, recovery
from jp_tui.journal.repair.file_identity import companion, guarded, identify, read_record
from jp_tui.journal.repair.merge import Merged, merge
from jp_tui.journal.repair.recent_writes import RecentWrites
from jp_tui.journal.repair.recovery import NEW, REPLACED, many
from jp_tui.journal.repair.salvage import finish, salvage
from jp_tui.journal.writer import PendingReceipt
from jp_tui.system.paths import PathsError, because, private_folder, private_open


class Notices:
    """Queue of notices, for any thread."""

    def __init__(self) -> None:
        self._held: list[StoreNotice] = []
        self._waits: PendingReceipt[None] = PendingReceipt()
        self._stirred = False

    def stir(self) -> None:
        """Wake the waiting caller without a notice."""
        self._stirred = True
        self._waits.complete(None, None)

    def add(self, notice: StoreNotice) -> None:
        """Add a notice and wake the waiting caller."""
        self._held.append(notice)
        self._waits.complete(None, None)

    def take(self) -> list[StoreNotice]:
        """Return all queued notices."""
        self._stirred = False
        found = []
        while self._held:
            found.append(self._held.pop(0))
        return found

    def arrived(self) -> PendingReceipt[None]:
        """Done when there is a notice. Only one caller may wait."""
        self._waits = PendingReceipt()
        if self._held or self._stirred:
            self._waits.complete(None, None)
        return self._waits


_BAD = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


class FileKeeper:
    """Keeper for one journal. `spare` returns another connection to the same file, if the writing one is lost."""

    def __init__(self, path: Path, found: Opened, spare: Callable[[], sqlite3.Connection | None]) -> None:
        self.path, self.notices, self.lately = path, Notices(), RecentWrites()
        self._spare = spare
        self._again: Again = Holding
        self.lost: dict[str, str] = {}
        """Conversations that another process writes now, with a text that names it."""
        self.generation = 0
        """Incremented each time the file is recovered."""
        self._hold(found)

    def _hold(self, found: Opened) -> None:
        self.generation += 1
        self._real, self._log, self._version = found.path, found.log, found.version
        self._name, self._file = os.fspath(self.path), os.stat(found.path)
        self._size = found.there.size
        self._beside = [(f"{found.path}{part}", identify(f"{found.path}{part}")) for part in ("-wal", "-shm")]
        for notice in found.notices:
            self.notices.add(notice)

    def holds(self, again: Again) -> None:
        """See port.Journal."""
        self._again = again

    def mine(self, conversation: str) -> None:
        """Raise JournalError `held` if another process writes the conversation since its lock was lost."""
        if conversation in self.lost and conversation not in self._again().held:
            who = self.lost[conversation]
            raise JournalError("held", f"{who} has been writing {conversation} since {self.path} was replaced")

    def begins(self) -> None:
        """See Tends."""
        self.lately.begins()

    def committed(self) -> None:
        """See Tends."""
        self.lately.committed()

    def moved(self) -> bool:
        """True if another file is at the path, or the open one was truncated."""
        try:
            there = os.stat(self._name)
        except OSError:
            return True
        if not os.path.samestat(there, self._file) or there.st_size < self._size:
            return True
        self._size = there.st_size
        return False

    def was_replaced(self) -> bool:
        """True if the log or its index at the path isn't the open one: other processes would write to another."""
        return any(before is not None and _inode(name) != before.inode for name, before in self._beside)

    def reopen(self) -> sqlite3.Connection:
        """Return a new connection to replace an unreliable one. Raises Displaced, JournalError."""
        if self.moved():
            raise Displaced
        return opening.usable(self._real)

    def reading(self) -> sqlite3.Connection:
        """Return a connection to the file that is now at the path. Raises JournalError."""
        with guarded(self._real):
            return open_reading(self._real)

    def repair(self, db: sqlite3.Connection | None, problem: Exception) -> sqlite3.Connection:
        """Repair what `problem` reports. Return the connection to use in place of `db`, which is closed if it is
        another. Raises JournalError and leaves `db` as it was."""
        try:
            with guarded(self._real):
                found = self._restore(db, problem)
        except sqlite3.Error as error:
            raise trouble(error, self.path) from error
        except (OSError, PathsError) as error:
            why = because(error) if isinstance(error, OSError) else str(error)
            raise JournalError("unusable", f"{self.path} can't be restored: {why}") from error
        if db is not None and found is not db:
            db.close()
        return found

    def _restore(self, db: sqlite3.Connection | None, problem: Exception) -> sqlite3.Connection:
        there = identify(self.path)
        if there is None or (there.device, there.inode) != (self._file.st_dev, self._file.st_ino):
            if (old := db if db is not None else self._spare()) is None:
                raise JournalError("missing", f"{self.path} was moved or deleted, and no copy of it is left")
            return self._carried(old)
        old = db if db is not None else self._spare()
        if old is not None and self.was_replaced():
            return self._joined(old)
        fresh: sqlite3.Connection | None = None
        try:
            if there.size >= opening.HEAD and not (there.size < self._size and self._short(db)):
                fresh = opening.usable(self._real)  # the open one has cached pages that the file has lost
                if not self._wrong(fresh):
                    self._hold(opening.record_open(self._real, fresh, []))
                    return fresh
        except Suspect:
            pass
        except JournalError as error:
            if error.kind != "corrupt":
                raise
        try:
            return self._new(recovery.recover(self._real, read_record(self._real).conversations, self.lately.add))
        finally:
            if fresh is not None:
                fresh.close()

    def _short(self, db: sqlite3.Connection | None) -> bool:
        """True if a file that became shorter was truncated and not made smaller by another program."""
        old = db if db is not None else self._spare()
        try:
            return old is None or opening.cut_short(old, self._real)
        except sqlite3.DatabaseError:
            return True

    def _wrong(self, db: sqlite3.Connection) -> bool:
        """True if the file is damaged. Derived data and rebuildable tables are repaired here. Raises Suspect,
        sqlite3.Error."""
        try:
            if opening.cut_short(db, self._real):
                return True
            if missing := examine.find_missing(db):
                db.execute("BEGIN IMMEDIATE")
                examine.complete(db, missing)
                db.execute("COMMIT")
            if examine.strange(db) or examine.find_damage(db):
                return True
            db.execute("BEGIN IMMEDIATE")
            examine.agree(db, opening.AGREE_SECONDS)
            db.execute("COMMIT")
        except sqlite3.DatabaseError as error:
            with contextlib.suppress(sqlite3.Error):
                if db.in_transaction:
                    db.execute("ROLLBACK")
            if not _damaged(error):
                raise
            return True
        return False

    # -- another file, or none, is at the path

    def _carried(self, old: sqlite3.Connection) -> sqlite3.Connection:
        """Bring all data of the open file to the one at the path, or to a new one there."""
        self._real = Path(os.path.realpath(self.path))
        with contextlib.suppress(OSError):  # its folder may have changed or be gone
            private_folder(self._real.parent)
        holding = self._again()
        self.lost = dict(holding.lost)
        with contextlib.suppress(sqlite3.Error):  # a renamed file then has all of it
            old.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self._drop_log()
        other = self._other()
        if other is None:
            return self._written(old)
        with contextlib.closing(other):
            merged = self._merged(old, other, holding)
            self.lately.add(other, holding.held - set(merged.apart))
        return self._new(self._replaced(merged))

    def _drop_log(self) -> None:
        """Remove the log and its index at the path. They belong to the open file, and SQLite would apply them to
        another."""
        log, index = companion(self._real, "-wal"), companion(self._real, "-shm")
        found = identify(log)
        if found is not None and found.file == self._log:
            for one in (log, index):
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(one)

    def _other(self) -> sqlite3.Connection | None:
        """Return the database at the path if it is jp-tui's and usable. Raises JournalError if that can't be
        determined."""
        there = identify(self._real)
        if there is None or not there.regular or not there.size:
            return None
        try:
            db = opening.usable(self._real)
        except Suspect:
            return None
        except JournalError as problem:
            if problem.kind in ("corrupt", "foreign", "newer"):
                return None
            raise
        if examine.find_damage(db):
            db.close()
            return None
        return db

    def _written(self, old: sqlite3.Connection) -> sqlite3.Connection:
        """Write everything to a new file at the path; keep the file that is there under another name."""
        private_folder(self._real.parent)
        new = companion(self._real, NEW)
        recovery.clear(new)
        lost = self._copied(old, new)
        there, kept = identify(self._real), None
        if os.path.lexists(self._real) and not (there is not None and there.regular and not there.size):
            kept = recovery.move_aside(self._real, "", REPLACED)
        recovery.move_into_place(new, self._real)
        return self._new(self._notice_of_loss(kept, lost))

    def _joined(self, old: sqlite3.Connection) -> sqlite3.Connection:
        """Handle a log separated from its file: write both together to a new file, and merge what others wrote to the
        file since."""
        new = companion(self._real, NEW)
        recovery.clear(new)
        lost = self._copied(old, new)
        kept = recovery.move_aside(self._real, "", REPLACED)
        recovery.move_into_place(new, self._real)
        with contextlib.suppress(JournalError):
            recovery.into(kept, self._real)
        words = f"The log of {self.path} was moved or deleted while in use. Everything was written to a new file."
        return self._new(StoreNotice(f"{words}{lost}", f"The previous file is kept as {kept}."))

    def _copied(self, old: sqlite3.Connection, new: Path) -> str:
        """Copy the open file page by page, or what is readable of a damaged one; return a text about losses."""
        raw = companion(new, "-raw")
        recovery.clear(raw)
        os.close(private_open(raw, os.O_RDWR | os.O_CREAT | os.O_EXCL))
        sound = False
        try:
            with contextlib.closing(connect(raw, "rw")) as target:
                _backup(old, target)
                migrate(target, raw)
                sound = not examine.find_damage(target)
                if sound:
                    finish(target, raw)
        except (sqlite3.DatabaseError, JournalError, Suspect) as error:
            if isinstance(error, sqlite3.DatabaseError) and not _damaged(error):
                raise
        if sound:
            os.replace(raw, new)
            return ""
        saved = salvage(raw, companion(raw, "-wal"), new, self.lately.add)
        recovery.clear(raw)
        return f" It was damaged. {many(saved.events, 'event')} could be read." if saved.missing or saved.cut else ""

    def _merged(self, old: sqlite3.Connection, other: sqlite3.Connection, holding: Holding) -> Merged:
        try:
            return merge(old, other, holding.held, holding.lost)
        except sqlite3.DatabaseError as error:
            if not _damaged(error):
                raise
        new = companion(self._real, NEW)
        recovery.clear(new)
        self._copied(old, new)
        with contextlib.closing(connect(new, "ro")) as source:
            merged = merge(source, other, holding.held, holding.lost)
        recovery.clear(new)
        return merged

    def _new(self, notice: StoreNotice | None) -> sqlite3.Connection:
        """Make the file at the path the open one."""
        writing = opening.usable(self._real)
        self._hold(opening.record_open(self._real, writing, [notice] if notice is not None else []))
        return writing

    def _notice_of_loss(self, kept: Path | None, lost: str) -> StoreNotice:
        what = "was replaced by another file" if kept is not None else "was moved or deleted"
        words = f"{self.path} {what} while in use. All conversations were written to a new file at the same path.{lost}"
        return StoreNotice(words, f"The other file is kept as {kept}." if kept is not None else "")

    def _replaced(self, merged: Merged) -> StoreNotice | None:
        if not merged.conversations and not merged.events and not merged.apart:
            return None  # another jp-tui process was faster
        came = f"{many(merged.conversations, 'conversation')} and {many(merged.events, 'event')}"
        words = f"{self.path} was replaced while in use. Missing data was added to the new file: {came}."
        apart = ", ".join(f"{id_} as {copy}" for id_, copy in merged.apart.items())
        return StoreNotice(words, f"Conversations that differ were added under new IDs: {apart}." if apart else "")

    # -- the end

    def leave(self, db: sqlite3.Connection | None) -> sqlite3.Connection | None:
        """See Tends."""
        try:
            return self.repair(db, Displaced()) if self.moved() or self.was_replaced() else db
        except JournalError as problem:
            self.notices.add(StoreNotice(str(problem), "Its contents are lost when jp-tui quits."))
            return db

    def closing(self, db: sqlite3.Connection) -> Callable[[], None]:
        """See Tends."""
        if self.moved():
            return lambda: None
        alone, count = opening.version(db) == self._version, opening.many_conversations(db)
        return lambda: opening.record_close(self._real, count, alone=alone)


def _inode(name: str) -> int:
    try:
        return os.stat(name).st_ino
    except OSError:
        return 0


def _backup(old: sqlite3.Connection, target: sqlite3.Connection) -> None:
    try:
        old.backup(target)
    except sqlite3.DatabaseError as error:
        if not _damaged(error):
            raise
        old.execute("PRAGMA writable_schema = ON")  # or SQLite refuses a file shorter than its header says
        old.backup(target)


def _damaged(error: sqlite3.DatabaseError) -> bool:
    code = getattr(error, "sqlite_errorcode", 0)
    if code == sqlite3.SQLITE_IOERR_SHORT_READ:
        return True
    missing = code == sqlite3.SQLITE_ERROR and ("no such" in str(error) or "has no column" in str(error))
    return code & 0xFF in _BAD or missing
