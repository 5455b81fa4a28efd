"""Rows of conversations, selection for lists, and a search for rows. Read-only."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

from jp_tui.journal import fts_query, search
from jp_tui.journal.connect import trouble
from jp_tui.journal.port import MAKING, OUTSIDE, TITLED, ConversationRow, Hits, Shown
from jp_tui.journal.row_values import fetched, text, text_or_none, whole
from jp_tui.journal.schema import SHIFT

FIELDS = (
    "id, title, workspace, model, created, updated, events, turns, last_seq, parent, archived, hidden, origin,"
    " imported, copied, titled,"
    f" EXISTS (SELECT 1 FROM events WHERE place = (conversations.key << {SHIFT} | 1) AND kind = '{OUTSIDE}')"
)
FAMILY = """
WITH RECURSIVE family (id) AS (
  VALUES (?) UNION SELECT c.id FROM conversations AS c JOIN family AS f ON c.parent = f.id
)
"""
SHOWN: dict[Shown, str] = {
    "active": "hidden = '' AND NOT archived",
    "archived": "hidden = '' AND archived",
    "deleted": f"hidden NOT IN ('', '{MAKING}')",
    "all": "hidden = ''",
}
INSIDE = f"NOT EXISTS (SELECT 1 FROM events WHERE place = (conversations.key << {SHIFT} | 1) AND kind = '{OUTSIDE}')"
"""Leaves out conversations that hold a question of another program (N1): their first event says so."""


def where(shown: Shown, workspace: str | None) -> tuple[str, list[object]]:
    """Return the condition for these, with its values."""
    here, values = ("workspace = ? AND ", [workspace]) if workspace is not None else ("", [])
    return f"WHERE {here}{SHOWN[shown]} AND {INSIDE}", [*values]


def conversation_row(row: tuple[Any, ...]) -> ConversationRow:
    """Convert FIELDS to a value."""
    id_, title, workspace, model, created, updated = map(text, row[:6])
    events, turns, last_seq = map(whole, row[6:9])
    parent, archived, hidden, origin, imported, copied, titled, outside = row[9:]
    return ConversationRow(
        id_, title, workspace, model, created, updated, events, turns, last_seq,
        parent=text_or_none(parent),
        archived=bool(archived),
        deleted="" if hidden == MAKING else text(hidden),
        origin=text_or_none(origin),
        imported=text_or_none(imported),
        copied=whole(copied),
        titled=TITLED[whole(titled)] if whole(titled) < len(TITLED) else TITLED[0],
        outside=bool(outside),
    )  # fmt: skip


class ConversationSearch:
    """Implementation of `port.RunningSearch` over one connection."""

    def __init__(
        self,
        db: sqlite3.Connection,
        path: Path,
        sought: str,
        limit: int,
        hits: int,
        wanted: tuple[str, list[object]],
    ) -> None:
        self._db, self._path, self._wanted = db, path, wanted
        self._rows: dict[int, ConversationRow] = {}
        found = fts_query.terms(sought)
        self._search = search.EventSearch(db, fts_query.expression(found), self._wants, max(0, limit), max(1, hits))
        self._none = not found or limit < 1

    @property
    def more(self) -> bool:
        return self._search.more

    def run_for(self, seconds: float) -> bool:
        try:
            with search.asking():
                return self._none or not search.made(self._db) or self._search.run_for(seconds)
        except sqlite3.Error as error:
            raise trouble(error, self._path) from error

    def found(self) -> list[Hits]:
        return [
            Hits(self._rows[key], tuple(place.seq for place in places), key in self._search.others)
            for key, places in self._search.places.items()
        ]

    def _wants(self, key: int) -> bool:
        wanted, values = self._wanted
        rows = fetched(self._db, f"SELECT {FIELDS} FROM conversations {wanted} AND key = ?", (*values, key))
        if rows:
            self._rows[key] = conversation_row(rows[0])
        return bool(rows)
