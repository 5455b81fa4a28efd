"""Coerce row values to their column types: SQLite accepts any value from a damaged or foreign file, and one must never
break a whole list or page. Payloads aren't checked here: the engine does that."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from jp_tui.journal.port import Partial

MOST = (1 << 53) - 1
"""Largest count outside this package: integers up to here are exact in JSON."""


def whole(value: object) -> int:
    """Return a count or a number; 0 for any other value."""
    return value if type(value) is int and 0 <= value <= MOST else 0


def text(value: object) -> str:
    """Return text: decode bytes as far as possible, format numbers, convert other values to ""."""
    if type(value) is str:
        return value
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return "" if value is None else str(value)


def text_or_none(value: object) -> str | None:
    """Return text, or None."""
    return None if value is None else text(value)


def fetched(
    db: sqlite3.Connection, statement: str, values: Sequence[object] | Mapping[str, object]
) -> list[tuple[Any, ...]]:
    """Return all rows; text that isn't UTF-8 is decoded as far as possible. Raises sqlite3.Error."""
    try:
        return db.execute(statement, values).fetchall()
    except sqlite3.OperationalError as error:
        if "Could not decode" not in str(error):
            raise
    db.text_factory = text  # only once one is found: it adds a call per text
    try:
        return db.execute(statement, values).fetchall()
    finally:
        db.text_factory = str


def parts_of(rows: Iterable[tuple[str, str, str]]) -> list[Partial]:
    """Return the parts of rows `(part, kind, text)` in their order, with their pieces joined."""
    texts: dict[str, list[str]] = {}
    kinds: dict[str, str] = {}
    for part, kind, piece in rows:
        kinds.setdefault(part, kind)
        texts.setdefault(part, []).append(piece)
    return [Partial(part, kinds[part], "".join(pieces)) for part, pieces in texts.items()]
