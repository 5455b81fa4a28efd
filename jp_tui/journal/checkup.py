"""Check the database with SQLite's quick check, within limits. Read-only, no repair."""

from __future__ import annotations

import os
import sqlite3
import time
from pathlib import Path

from jp_tui.journal.connect import open_reading, trouble
from jp_tui.journal.port import JournalError
from jp_tui.journal.repair.file_identity import read_record
from jp_tui.journal.repair.recovery import kept_aside, many

SECONDS = 3.0
SQLITE = sqlite3.sqlite_version
_STEPS = 10_000  # of SQLite's machine, between two checks of the clock


def damaged_files(path: Path) -> list[Path]:
    """Return the damaged or replaced files kept beside the database, oldest first."""
    return kept_aside(Path(os.path.realpath(path)))


def find_problem(path: Path, seconds: float = SECONDS) -> str:
    """Return the problem as text, empty if there is none. A missing file counts as sound, as does one too large to
    check in time."""
    try:
        connection = open_reading(path)
    except JournalError as problem:
        if problem.kind != "missing":
            return str(problem)
        known = read_record(Path(os.path.realpath(path))).conversations
        return f"{problem}; it had {many(known, 'conversation')}" if known else ""
    until = time.monotonic() + seconds
    connection.set_progress_handler(lambda: time.monotonic() > until, _STEPS)
    try:
        said = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    except sqlite3.OperationalError as error:
        return "" if "interrupted" in str(error) else str(trouble(error, path))
    except sqlite3.Error as error:
        return str(trouble(error, path))
    finally:
        connection.close()
    if said == "ok":
        return ""
    return f"{path} is damaged: {said}"
