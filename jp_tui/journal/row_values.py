"""Values of a row as they should be, whatever stands there: SQLite keeps what a damaged or foreign file gives a column.

One odd value must never take a list or a page with it. Payloads are not looked at: the engine's gate does that.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

MOST = (1 << 53) - 1
"""The largest count that anything beyond this room takes."""


def whole(value: object) -> int:
    """A count or a number: what is none is 0."""
    return value if type(value) is int and 0 <= value <= MOST else 0


def text(value: object) -> str:
    """A text: bytes as far as they are one, numbers as they are written, nothing as none."""
    if type(value) is str:
        return value
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return "" if value is None else str(value)


def text_or_none(value: object) -> str | None:
    """A text, or that there is none."""
    return None if value is None else text(value)


def fetched(
    db: sqlite3.Connection, statement: str, values: Sequence[object] | Mapping[str, object]
) -> list[tuple[Any, ...]]:
    """All rows; a text that is no UTF-8 is read as far as it is. Raises sqlite3.Error."""
    try:
        return db.execute(statement, values).fetchall()
    except sqlite3.OperationalError as error:
        if "Could not decode" not in str(error):
            raise
    db.text_factory = text  # not before one is met: each text would be one call more
    try:
        return db.execute(statement, values).fetchall()
    finally:
        db.text_factory = str
