"""Reader of a journal that also writes: it follows the file to where the writer finds it again, and has unexpected
content examined before showing it (Z23, Z24, Z25).

The check that the file is still at its path needs one stat and no read.
"""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path

from jp_tui.journal import changes
from jp_tui.journal.doubt import Doubt
from jp_tui.journal.opening import Opened
from jp_tui.journal.port import SPAN, ConversationRow, JournalError, Span
from jp_tui.journal.reader import JournalReader
from jp_tui.journal.repair.file_keeper import FileKeeper
from jp_tui.journal.schema import LAST, SHIFT
from jp_tui.journal.writer import JournalWriter, WriteJob

AGAIN_SECONDS = 1.0
"""Interval of retries for a file that couldn't be repaired; until then its old content is read."""
_MOST = 1_000
_END = f"SELECT place & {LAST}, turn FROM events WHERE place > ? AND place <= ? ORDER BY place DESC LIMIT 1"
_UNNAMED = "SELECT id FROM names WHERE substr(id, 1, ?) = ? AND key NOT IN (SELECT key FROM conversations)"


class FollowingReader(JournalReader):
    """`found` is the file opened for writing, `reading` a connection to the same file."""

    def __init__(self, path: Path, found: Opened, reading: sqlite3.Connection) -> None:
        super().__init__(reading, path)
        self._tending = FileKeeper(path, found, lambda: self._db)
        self._writer = JournalWriter(path, found.writing, self._tending)
        self._generation = self._tending.generation
        self._again = 0.0
        self._before: sqlite3.Connection | None = None
        self._doubted: set[tuple[str, ...]] = set()

    def close(self) -> None:
        super().close()
        if self._before is not None:
            self._before.close()
            self._before = None

    def conversation(self, prefix: str, *, deleted: bool = False) -> ConversationRow | None:
        row = super().conversation(prefix, deleted=deleted)
        if row is None:
            lost = self._all(_UNNAMED, (len(prefix), prefix)) if prefix else []
            doubts = bool(lost) and self._doubts(str(lost[0][0]), "row")
        else:
            doubts = self._differs(row)
        return super().conversation(prefix, deleted=deleted) if doubts else row

    def latest(self, workspace: str) -> ConversationRow | None:
        row = super().latest(workspace)
        return super().latest(workspace) if row is not None and self._differs(row) else row

    def spans(self, conversation: str) -> list[Span]:
        found, last = super().spans(conversation), self.last_seq(conversation)
        ends = found[-1].last_seq if found else 0
        odd = ends != last or any(span.events > SPAN for span in found)
        return super().spans(conversation) if odd and self._doubts(conversation, f"spans {ends} {last}") else found

    def _differs(self, row: ConversationRow) -> bool:
        """True if the row disagreed with its events and was repaired."""
        key = self._key(row.id)
        last, turn = next(iter(self._all(_END, (key << SHIFT, key << SHIFT | LAST))), (0, 0))
        same = row.last_seq == last and (row.turns == turn or row.turns == self._highest(key))
        return not same and self._doubts(row.id, f"row {row.last_seq} {row.turns}")

    def _highest(self, key: int) -> int:
        asked = "SELECT turn FROM events WHERE conversation = ? AND typeof(turn) = 'integer' ORDER BY turn DESC LIMIT 1"
        return next((int(turn) for (turn,) in self._all(asked, (key,))), 0)

    # -- see Reader

    def _ready(self) -> sqlite3.Connection:
        db = super()._ready()
        if self._tending.moved() and time.monotonic() >= self._again:
            try:
                self._writer.submit(WriteJob(lambda _: None)).result()
            except JournalError:  # the open connection can still be read
                self._again = time.monotonic() + AGAIN_SECONDS
                return db
        if self._generation != self._tending.generation:
            generation = self._tending.generation
            fresh = self._tending.reading()
            if self._before is not None:
                self._before.close()
            self._before = db  # a search may still use it
            self._db, self._generation, self._version = fresh, generation, -1
            self._follow_folder()
            return fresh
        return db

    def _was_repaired(self) -> bool:
        return self._examined(lambda _: None)

    def _doubts(self, conversation: str, what: str) -> bool:
        doubt = (conversation, what)
        if doubt in self._doubted:  # already examined; the content is correct
            return False
        if len(self._doubted) > _MOST:
            self._doubted.clear()
        self._doubted.add(doubt)
        return self._examined(lambda db: changes.rebuilt(db, conversation))

    def _examined(self, then: changes.Work) -> bool:
        """Examine and repair the file, then run `then`. Return True on success."""
        doubt = Doubt()

        def work(db: sqlite3.Connection) -> None:
            doubt.about("what was read is not as it must be")
            then(db)

        try:
            self._writer.submit(WriteJob(work)).result()
        except JournalError:
            return False
        return True
