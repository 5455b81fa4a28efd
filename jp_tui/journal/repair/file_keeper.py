"""The file behind an open journal: noticed when it is taken away, replaced or cut, and put right (Z23, Z24).

SQLite goes on with a file that nothing names any more, so everything that this process has is still there: it is
written to a new file in the place, or added to the one that stands there now. Nothing is told as written before that.
Used by the thread that writes; `moved` by any.
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
from jp_tui.journal.repair.file_identity import beside, guarded, look, recall
from jp_tui.journal.repair.merge import Merged, merge
from jp_tui.journal.repair.notices import Notices
from jp_tui.journal.repair.recent_writes import RecentWrites
from jp_tui.journal.repair.recovery import NEW, REPLACED, many
from jp_tui.journal.repair.salvage import finish, salvage
from jp_tui.system.paths import PathsError, because, private_folder, private_open

_BAD = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


class FileKeeper:
    """Of one journal. `spare` gives another connection to the same file, for where the writing one is gone."""

    def __init__(self, path: Path, found: Opened, spare: Callable[[], sqlite3.Connection | None]) -> None:
        self.path, self.notices, self.lately = path, Notices(), RecentWrites()
        self._spare = spare
        self._again: Again = Holding
        self.lost: dict[str, str] = {}
        """Conversations that somebody else writes now, with words for who."""
        self.generation = 0
        """Of connections: another one for each time that the file was put right."""
        self._hold(found)

    def _hold(self, found: Opened) -> None:
        self.generation += 1
        self._real, self._log, self._version = found.path, found.log, found.version
        self._name, self._file = os.fspath(self.path), os.stat(found.path)
        self._size = found.there.size
        self._beside = [(f"{found.path}{part}", look(f"{found.path}{part}")) for part in ("-wal", "-shm")]
        for notice in found.notices:
            self.notices.add(notice)

    def holds(self, again: Again) -> None:
        """See port.Journal."""
        self._again = again

    def mine(self, conversation: str) -> None:
        """Raises JournalError `held` where somebody else writes it since its lock was taken away."""
        if conversation in self.lost and conversation not in self._again().held:
            who = self.lost[conversation]
            raise JournalError("held", f"{conversation} is written by {who} since {self.path} was replaced")

    def begins(self) -> None:
        """See Tends."""
        self.lately.begins()

    def committed(self) -> None:
        """See Tends."""
        self.lately.committed()

    def moved(self) -> bool:
        """Whether something else than the open file stands at the path, or that was cut short."""
        try:
            there = os.stat(self._name)
        except OSError:
            return True
        if not os.path.samestat(there, self._file) or there.st_size < self._size:
            return True
        self._size = there.st_size
        return False

    def parted(self) -> bool:
        """Whether the log or its index at the path is not the one that is open here: others would write to another."""
        return any(before is not None and _inode(name) != before.inode for name, before in self._beside)

    def reopen(self) -> sqlite3.Connection:
        """A new connection after one that cannot be trusted any more. Raises Displaced, JournalError."""
        if self.moved():
            raise Displaced
        return opening.usable(self._real)

    def reading(self) -> sqlite3.Connection:
        """A connection to what stands at the path now. Raises JournalError."""
        with guarded(self._real):
            return open_reading(self._real)

    def repair(self, db: sqlite3.Connection | None, problem: Exception) -> sqlite3.Connection:
        """Put right what `problem` says is wrong; a connection to go on with, in place of `db`, which is closed where
        it is another. Raises JournalError; then `db` is as it was."""
        try:
            with guarded(self._real):
                found = self._there_again(db, problem)
        except sqlite3.Error as error:
            raise trouble(error, self.path) from error
        except (OSError, PathsError) as error:
            why = because(error) if isinstance(error, OSError) else str(error)
            raise JournalError("unusable", f"{self.path} cannot be written again: {why}") from error
        if db is not None and found is not db:
            db.close()
        return found

    def _there_again(self, db: sqlite3.Connection | None, problem: Exception) -> sqlite3.Connection:
        there = look(self.path)
        if there is None or (there.device, there.inode) != (self._file.st_dev, self._file.st_ino):
            if (old := db if db is not None else self._spare()) is None:
                raise JournalError("missing", f"{self.path} was moved or deleted, and nothing of it is left here")
            return self._carried(old)
        old = db if db is not None else self._spare()
        if old is not None and self.parted():
            return self._joined(old)
        fresh: sqlite3.Connection | None = None
        try:
            if there.size >= opening.HEAD and not (there.size < self._size and self._short(db)):
                fresh = opening.usable(self._real)  # the open one has pages in memory that the file has no more
                if not self._wrong(fresh):
                    self._hold(opening.noted(self._real, fresh, []))
                    return fresh
        except Suspect:
            pass
        except JournalError as error:
            if error.kind != "corrupt":
                raise
        try:
            return self._new(recovery.recover(self._real, recall(self._real).conversations, self.lately.add))
        finally:
            if fresh is not None:
                fresh.close()

    def _short(self, db: sqlite3.Connection | None) -> bool:
        """Whether a file that is shorter than it was is cut; else another program has made it smaller."""
        old = db if db is not None else self._spare()
        try:
            return old is None or opening.cut_short(old, self._real)
        except sqlite3.DatabaseError:
            return True

    def _wrong(self, db: sqlite3.Connection) -> bool:
        """Whether the file is damaged; what is only derived, or missing and can be made, is put right. Raises Suspect,
        sqlite3.Error."""
        try:
            if opening.cut_short(db, self._real):
                return True
            if missing := examine.lacking(db):
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

    # -- another file, or none, stands there

    def _carried(self, old: sqlite3.Connection) -> sqlite3.Connection:
        """Everything that is open here is in the file at the path, or in a new one there."""
        self._real = Path(os.path.realpath(self.path))
        with contextlib.suppress(OSError):  # its folder may be another one, or be gone
            private_folder(self._real.parent)
        holding = self._again()
        self.lost = dict(holding.lost)
        with contextlib.suppress(sqlite3.Error):  # whoever renamed it has all of it then
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
        """The log and its index that lie at the path are those of the file that is open here, and of no use to another:
        SQLite would take them for that one's."""
        log, index = beside(self._real, "-wal"), beside(self._real, "-shm")
        found = look(log)
        if found is not None and found.file == self._log:
            for one in (log, index):
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(one)

    def _other(self) -> sqlite3.Connection | None:
        """The database that stands at the path, if it is one of ours that can be used. JournalError where that cannot
        be told."""
        there = look(self._real)
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
        """All of it in a new file in the place; what stands there is kept under another name."""
        private_folder(self._real.parent)
        new = beside(self._real, NEW)
        recovery.clear(new)
        lost = self._copied(old, new)
        there, kept = look(self._real), None
        if os.path.lexists(self._real) and not (there is not None and there.regular and not there.size):
            kept = recovery.put_aside(self._real, "", REPLACED)
        recovery.put(new, self._real)
        return self._new(self._taken(kept, lost))

    def _joined(self, old: sqlite3.Connection) -> sqlite3.Connection:
        """The log was taken away from its file: what both say together goes to a new file, and what others may have
        written to the file since is added to it."""
        new = beside(self._real, NEW)
        recovery.clear(new)
        lost = self._copied(old, new)
        kept = recovery.put_aside(self._real, "", REPLACED)
        recovery.put(new, self._real)
        with contextlib.suppress(JournalError):
            recovery.into(kept, self._real)
        words = f"The log of {self.path} was moved or deleted while it was in use. All was written to a new file."
        return self._new(StoreNotice(f"{words}{lost}", f"The file before is kept as {kept}."))

    def _copied(self, old: sqlite3.Connection, new: Path) -> str:
        """Copy the open file, page by page, and what can be read of it where that is damaged; then in words what is
        lost."""
        raw = beside(new, "-raw")
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
        saved = salvage(raw, beside(raw, "-wal"), new, self.lately.add)
        recovery.clear(raw)
        return f" It was damaged: {many(saved.events, 'event')} could be read." if saved.missing or saved.cut else ""

    def _merged(self, old: sqlite3.Connection, other: sqlite3.Connection, holding: Holding) -> Merged:
        try:
            return merge(old, other, holding.held, holding.lost)
        except sqlite3.DatabaseError as error:
            if not _damaged(error):
                raise
        new = beside(self._real, NEW)
        recovery.clear(new)
        self._copied(old, new)
        with contextlib.closing(connect(new, "ro")) as source:
            merged = merge(source, other, holding.held, holding.lost)
        recovery.clear(new)
        return merged

    def _new(self, notice: StoreNotice | None) -> sqlite3.Connection:
        """From now on the file at the path is the one that is open here."""
        writing = opening.usable(self._real)
        self._hold(opening.noted(self._real, writing, [notice] if notice is not None else []))
        return writing

    def _taken(self, kept: Path | None, lost: str) -> StoreNotice:
        what = "was replaced by another file" if kept is not None else "was moved or deleted"
        words = f"{self.path} {what} while it was in use. All conversations were written to a new file there.{lost}"
        return StoreNotice(words, f"What stood there is kept as {kept}." if kept is not None else "")

    def _replaced(self, merged: Merged) -> StoreNotice | None:
        if not merged.conversations and not merged.events and not merged.apart:
            return None  # another process of ours was quicker
        came = f"{many(merged.conversations, 'conversation')} and {many(merged.events, 'event')}"
        words = f"{self.path} was replaced while it was in use. What it did not have was added: {came}."
        apart = ", ".join(f"{id_} as {copy}" for id_, copy in merged.apart.items())
        return StoreNotice(
            words, f"Conversations that differ in both were added under a new id: {apart}." if apart else ""
        )

    # -- the end

    def leave(self, db: sqlite3.Connection | None) -> sqlite3.Connection | None:
        """See Tends."""
        try:
            return self.repair(db, Displaced()) if self.moved() or self.parted() else db
        except JournalError as problem:
            self.notices.add(StoreNotice(str(problem), "What was in it is lost with the end of this program."))
            return db

    def closing(self, db: sqlite3.Connection) -> Callable[[], None]:
        """See Tends."""
        if self.moved():
            return lambda: None
        alone, count = opening.version(db) == self._version, opening.many_conversations(db)
        return lambda: opening.left(self._real, count, alone=alone)


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
        old.execute("PRAGMA writable_schema = ON")  # or SQLite refuses a file that is shorter than its head says
        old.backup(target)


def _damaged(error: sqlite3.DatabaseError) -> bool:
    code = getattr(error, "sqlite_errorcode", 0)
    if code == sqlite3.SQLITE_IOERR_SHORT_READ:
        return True
    missing = code == sqlite3.SQLITE_ERROR and ("no such" in str(error) or "has no column" in str(error))
    return code & 0xFF in _BAD or missing
