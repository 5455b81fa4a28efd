"""Migrate a database to the current version, one numbered step at a time, in one transaction.

Files of a newer version or another program are never changed, and there is no downgrade.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Sequence
from pathlib import Path

from jp_tui.journal.connect import BUSY_SECONDS, trouble
from jp_tui.journal.port import JournalError
from jp_tui.journal.schema import APPLICATION, STEPS

_OURS = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN ('conversations', 'events')"
_CONTENTS = "SELECT count(*), total(type IN ('view', 'trigger')) FROM sqlite_master"


def migrate(connection: sqlite3.Connection, path: Path, steps: Sequence[Sequence[str]] = STEPS) -> None:
    """Run the missing steps in one transaction; several processes may try at once."""
    try:
        if check(connection, path, len(steps)) == len(steps):
            return
        _log_ahead(connection)
        connection.execute("BEGIN IMMEDIATE")
        try:
            version = check(connection, path, len(steps))  # another process may have been faster
            for step in steps[version:]:
                for statement in step:
                    connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION}")
            connection.execute(f"PRAGMA user_version = {len(steps)}")
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
    except sqlite3.Error as error:
        raise trouble(error, path) from error


def _log_ahead(connection: sqlite3.Connection) -> None:
    """Set write-ahead logging, so that readers and the writer don't block each other; the file stores the setting.

    SQLite doesn't wait when several processes set it at once, so this function does.
    """
    until = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
        time.sleep(0.005)


def check(connection: sqlite3.Connection, path: Path, newest: int = len(STEPS)) -> int:
    """Return the version of the file, 0 for an empty one. Raises JournalError `newer`, `foreign`, or `corrupt`."""
    try:
        version: int = connection.execute("PRAGMA user_version").fetchone()[0]
        mark: int = connection.execute("PRAGMA application_id").fetchone()[0]
        tables, foreign = connection.execute(_CONTENTS).fetchone()
    except sqlite3.Error as error:
        raise trouble(error, path) from error
    if mark != APPLICATION and (tables or version or mark):
        ours = connection.execute(_OURS).fetchone()[0] == 2
        words = f"{path} is damaged: its application ID is missing" if ours else f"{path} is another program's database"
        raise JournalError("corrupt" if ours else "foreign", f"{words}. Move it, then restart jp-tui")
    if version > newest:
        raise JournalError(
            "newer",
            f"{path} was written by a newer jp-tui (version {version}, this one supports {newest}). "
            "Use the newer jp-tui, or set JP_TUI_HOME to another folder",
        )
    if version < 0:
        raise JournalError("corrupt", f"{path} has an unknown version ({version}). Move it, then restart jp-tui")
    if foreign:  # foreign triggers would run with our statements, perhaps endlessly
        raise JournalError("corrupt", f"{path} has an unknown view or trigger. Move it, then restart jp-tui")
    return version
