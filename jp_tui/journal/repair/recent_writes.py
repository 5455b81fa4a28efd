"""Recent writes of this process in memory: the last resort if a file and its log were both emptied."""

from __future__ import annotations

import sqlite3
from collections import deque
from collections.abc import Collection, Sequence

from jp_tui.journal import derived
from jp_tui.journal.changes import EVENT, event_row
from jp_tui.journal.port import NewEvent
from jp_tui.journal.row_values import fetched

MOST_EVENTS, MOST_CHARACTERS = 2_000, 4 << 20
_NAME = "SELECT id, workspace, title, model, created, parent, titled FROM names WHERE id = ?"


class RecentWrites:
    """Newest events with their conversations, within limits."""

    def __init__(self) -> None:
        self._written: deque[tuple[str, int, NewEvent, int]] = deque()
        self._pending: list[tuple[str, Sequence[int], Sequence[NewEvent]]] = []
        self._names: dict[str, tuple[object, ...]] = {}
        self._size = 0

    def begins(self) -> None:
        """Begin a transaction; drop the writes of one that was rolled back."""
        self._pending.clear()

    def writes(self, conversation: str, numbers: Sequence[int], entries: Sequence[NewEvent]) -> None:
        """Add writes of the running transaction."""
        self._pending.append((conversation, numbers, entries))

    def committed(self) -> None:
        """Mark the transaction's writes as durable."""
        for conversation, numbers, entries in self._pending:
            for seq, entry in zip(numbers, entries, strict=True):
                size = len(entry.payload) + len(entry.text)
                self._written.append((conversation, seq, entry, size))
                self._size += size
        self._pending.clear()
        while self._written and (len(self._written) > MOST_EVENTS or self._size > MOST_CHARACTERS):
            self._size -= self._written.popleft()[3]

    def named(self, db: sqlite3.Connection, conversation: str) -> None:
        """Store the name of a conversation that is written to."""
        if conversation not in self._names and (row := fetched(db, _NAME, (conversation,))):
            self._names[conversation] = row[0]

    def forget(self, conversation: str) -> None:
        """Drop a conversation that was removed for good."""
        self._written = deque(written for written in self._written if written[0] != conversation)
        self._size = sum(size for *_, size in self._written)
        self._names.pop(conversation, None)

    def add(self, db: sqlite3.Connection, only: Collection[str] | None = None) -> None:
        """Write them again to a file that has everything before; only these conversations if given. Runs inside a
        transaction or begins its own."""
        begins = not db.in_transaction
        if begins:
            db.execute("BEGIN IMMEDIATE")
        names = {written[0] for written in self._written}
        keys = {name: self._key(db, name) for name in names if only is None or name in only}
        for conversation, seq, entry, _ in self._written:
            if (key := keys.get(conversation)) is not None:
                db.execute(f"INSERT OR REPLACE {EVENT}", event_row(key, seq, entry))
        for key in keys.values():
            if key is not None:
                derived.rebuild(db, key)
        if begins:
            db.execute("COMMIT")

    def _key(self, db: sqlite3.Connection, conversation: str) -> int | None:
        """Return the conversation's key; create it if missing."""
        found = fetched(db, "SELECT key FROM conversations WHERE id = ?", (conversation,))
        if found:
            return int(found[0][0])
        if (name := self._names.get(conversation)) is None:
            return None
        id_, workspace, title, model, created, parent, titled = name
        made = db.execute(
            "INSERT INTO conversations (id, workspace, title, model, created, updated, parent, titled)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (id_, workspace, title, model, created, created, parent, titled),
        )
        db.execute(
            "INSERT OR REPLACE INTO names VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (made.lastrowid, id_, workspace, title, model, created, parent, titled),
        )
        return int(made.lastrowid or 0)
