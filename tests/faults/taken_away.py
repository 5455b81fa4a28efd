"""What may become of a database while jp-tui has it open, for `taken_live.py`; each on the path of the database."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

Away = Callable[[Path], object]


def _all(path: Path) -> list[Path]:
    return [*path.parent.glob(f"{path.name}*")]


def _other(path: Path) -> Path:
    """Another journal, with a conversation of its own."""
    from jp_tui.journal.store import open_journal
    from tests.bench import store

    other = path.parent.with_name("other") / path.name
    journal = open_journal(other)
    journal.create("other", workspace="/", model="demo/x", at="2026-01-01 00:00:00.0", title="About other").result()
    journal.append("other", store.turn(1, last=True)).result()
    journal.close()
    return other


def _older(path: Path) -> Path:
    """The state of an hour ago: the same without what came last."""
    backup = path.parent.with_name("backup.db")
    backup.unlink(missing_ok=True)
    source, target = sqlite3.connect(path), sqlite3.connect(backup)
    source.backup(target)
    target.execute("DELETE FROM events WHERE place & 4294967295 > 5")
    target.commit()
    source.close()
    target.close()
    return backup


def _damaged(path: Path) -> None:
    """Every fourth page, in place."""
    with path.open("r+b") as file:
        for page in range(1, os.path.getsize(path) // 4096, 4):
            file.seek(page * 4096)
            file.write(b"\xa5" * 4096)


AWAY: dict[str, Away] = {
    "deleted": lambda path: path.unlink(),
    "deleted with its log": lambda path: [one.unlink() for one in _all(path)],
    "its log deleted": lambda path: Path(f"{path}-wal").unlink(),
    "the index of its log deleted": lambda path: Path(f"{path}-shm").unlink(),
    "renamed": lambda path: path.rename(path.with_name("mine.db")),
    "its folder removed": lambda path: shutil.rmtree(path.parent),
    "its folder moved": lambda path: path.parent.rename(path.parent.with_name("moved")),
    "an empty file in its place": lambda path: (path.unlink(), path.touch()),
    "a text in its place": lambda path: (path.unlink(), path.write_text("no database\n" * 999)),
    "a folder in its place": lambda path: (path.unlink(), path.mkdir()),
    "a link to nothing in its place": lambda path: (path.unlink(), path.symlink_to("nothing/at/all")),
    "another journal in its place": lambda path: os.replace(_other(path), path),
    "an older state in its place": lambda path: os.replace(_older(path), path),
    "an older state copied over it": lambda path: shutil.copyfile(_older(path), path),
    "emptied": lambda path: os.truncate(path, 0),
    "cut to a half": lambda path: os.truncate(path, os.path.getsize(path) // 2),
    "emptied with its log": lambda path: [os.truncate(one, 0) for one in (path, Path(f"{path}-wal"))],
    "damaged": _damaged,
}
"""What is done to it, by name."""
LATER = frozenset({"an older state copied over it", "damaged"})
"""What may be noticed only when it is read."""
IN_PLACE = frozenset({"an older state copied over it", "emptied", "cut to a half", "emptied with its log", "damaged"})
"""What may take with it what this process did not write."""
