"""Replace a damaged database by a readable one; the damaged file stays beside it under another name.

The steps survive a kill at any point: first the damaged file is renamed to `….recovering`, then the new one is made
beside it and moved into place whole, then the old one gets its final name. The next process finishes an interrupted
recovery. All steps run under `file_identity.guarded`.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from jp_tui.journal.connect import connect, trouble
from jp_tui.journal.port import JournalError, StoreNotice
from jp_tui.journal.repair.file_identity import companion, identify
from jp_tui.journal.repair.merge import Merged, merge
from jp_tui.journal.repair.salvage import Saved, salvage, sync
from jp_tui.system.paths import because

RECOVERING, NEW, DAMAGED, REPLACED = ".recovering", ".new", ".damaged", ".replaced"
_LOG, _INDEX = "-wal", "-shm"
Add = Callable[[sqlite3.Connection], object]


def nothing(_: sqlite3.Connection) -> None:
    """Add nothing."""


def is_interrupted(path: Path) -> bool:
    """True if a recovery was interrupted."""
    return any(os.path.lexists(companion(path, RECOVERING + part)) for part in ("", _LOG))


def recover(path: Path, known: int = 0, add: Add = nothing) -> StoreNotice:
    """Replace the database by a copy of what is readable; return the notice for the user. `path` has no links; `known`
    is the earlier number of conversations. `add` adds data known to this process. Raises JournalError with the disk's
    error and restores the former state."""
    try:
        for part in ("", _LOG):  # in this order a file is never without its log
            _move(companion(path, part), companion(path, RECOVERING + part))
        _gone(companion(path, _INDEX))
        return finish(path, known, add)
    except OSError as error:
        _restore(path)
        raise JournalError("unusable", _impossible(path, because(error))) from error
    except JournalError as problem:
        _restore(path)
        raise JournalError(problem.kind, _impossible(path, str(problem))) from problem


def finish(path: Path, known: int = 0, add: Add = nothing) -> StoreNotice:
    """Finish a recovery. Raises OSError, JournalError."""
    new, log = companion(path, NEW), companion(path, RECOVERING + _LOG)
    if not os.path.lexists(log) and not os.path.lexists(path):  # killed between the two moves
        _move(companion(path, _LOG), log)
    clear(new)
    saved = salvage(companion(path, RECOVERING), log, new, add)
    if not os.path.lexists(path):
        move_into_place(new, path)
    else:  # already moved into place, or created since by another program
        try:
            into(new, path)
            clear(new)
        except JournalError as problem:
            if problem.kind != "corrupt":
                raise
            move_aside(path, "", DAMAGED)
            move_into_place(new, path)
    kept = move_aside(path, RECOVERING, DAMAGED)
    return StoreNotice(_words(path, saved, known), f"The damaged file is kept as {kept}.")


def move_into_place(new: Path, path: Path) -> None:
    """Move a finished database to a free path. Raises OSError."""
    for part in (_LOG, _INDEX):
        _gone(companion(path, part))
    os.replace(new, path)
    sync(path.parent)


def move_aside(path: Path, part: str, name: str) -> Path:
    """Rename `path` + `part` and its log to a name with the time. Raises OSError."""
    kept = _free(path, name)
    _move(companion(path, part), kept)
    log = companion(path, part + _LOG)
    if (found := identify(log)) is not None and not found.size:
        _gone(log)
    _move(log, companion(kept, _LOG))
    _gone(companion(path, part + _INDEX))
    sync(path.parent)
    return kept if os.path.lexists(kept) else companion(kept, _LOG)


def move_log_aside(path: Path) -> Path:
    """Rename a log that belongs to another file. Raises OSError."""
    kept = companion(_free(path, REPLACED), _LOG)
    _move(companion(path, _LOG), kept)
    _gone(companion(path, _INDEX))
    return kept


def kept_aside(path: Path) -> list[Path]:
    """Return the files kept aside, oldest first."""
    try:
        names = sorted(os.listdir(path.parent))
    except OSError:
        return []
    begins = tuple(f"{path.name}{name}-" for name in (DAMAGED, REPLACED))
    return [path.parent / name for name in names if name.startswith(begins) and not name.endswith((_LOG, _INDEX))]


def into(source: Path, target: Path) -> Merged:
    """Merge a finished database into another. Raises JournalError."""
    try:
        with contextlib.closing(connect(source, "ro")) as old, contextlib.closing(connect(target, "rw")) as db:
            return merge(old, db)
    except sqlite3.Error as error:
        raise trouble(error, target) from error


def clear(new: Path) -> None:
    """Delete unfinished files of a killed process. Raises OSError."""
    for part in ("", _LOG, _INDEX, "-journal"):
        _gone(companion(new, part))


def many(count: int, what: str) -> str:
    """`1 event`, `2 events`."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _words(path: Path, saved: Saved, known: int) -> str:
    of = f"{saved.conversations:,} of " if known > saved.conversations else ""
    held = f"{of}{many(max(known, saved.conversations), 'conversation')}, {many(saved.events, 'event')}"
    lost = [f"{many(saved.missing, 'event')} couldn't be read"] if saved.missing else []
    lost += [f"{many(saved.cut, 'event')} only in part"] if saved.cut else []
    rest = f"; {', '.join(lost)}" if lost else ""
    return f"The database {path} was damaged. A new one has everything that could be read: {held}{rest}."


def _impossible(path: Path, why: str) -> str:
    return f"{path} is damaged and can't be copied: {why}"


def _free(path: Path, name: str) -> Path:
    stamp = f"{datetime.now(UTC):%Y%m%d-%H%M%S}"
    number = 1
    while os.path.lexists(found := companion(path, f"{name}-{stamp}" + (f"-{number}" if number > 1 else ""))):
        number += 1
    return found


def _restore(path: Path) -> None:
    """Undo a failed recovery: restore all names."""
    with contextlib.suppress(OSError):
        clear(companion(path, NEW))
        if not os.path.lexists(path):
            for part in (_LOG, ""):
                _move(companion(path, RECOVERING + part), companion(path, part))


def _move(path: Path, to: Path) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.rename(path, to)


def _gone(path: Path) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)
