"""Unsent text on this machine while the store's server is out of reach (store.md D12).

A private file for each process and shelf, replaced as a whole at each change. A process that ends, in any way, leaves
its files to the next one that opens the same shelf.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from jp_tui.conversation.strict_json import dump
from jp_tui.system.lock import FileLock, Holder, LockError, acquire, holder, lock_path
from jp_tui.system.paths import write_private


@dataclass(frozen=True, slots=True)
class Spooled:
    """Text of a draft, empty if it was deleted, and what the store may have had before: nothing, if that is unknown."""

    text: str
    before: tuple[str, ...] = ()


@dataclass(slots=True)
class DraftSpool:
    """`folder` holds the files; `store` is the name of the store, since another one has other drafts."""

    folder: Path
    store: str
    _held: dict[str, dict[str, Spooled]] = field(default_factory=dict)
    _adopted: dict[str, list[Path]] = field(default_factory=dict)
    _run: str = field(default_factory=lambda: f"{os.getpid():x}-{os.urandom(6).hex()}")
    _lock: FileLock | None = None

    def put(self, shelf: str, key: str, draft: Spooled) -> None:
        """Keep a draft; a later one replaces it. Raises PathsError."""
        held = self._held.setdefault(shelf, {})
        first = held.get(key)
        before = (*first.before, *(one for one in draft.before if one not in first.before)) if first else draft.before
        held[key] = Spooled(draft.text, before)
        self._write(shelf)

    def held(self, shelf: str) -> dict[str, Spooled]:
        """Return what this process keeps of a shelf."""
        return dict(self._held.get(shelf, {}))

    def left(self, shelf: str) -> list[dict[str, Spooled]]:
        """Return what processes left that have ended, oldest first; `forget` removes it, too."""
        read = [(path, self._read(path, shelf)) for path in self._paths(shelf)]
        self._adopted[shelf] = [path for path, found in read if found is not None]
        return [found for _, found in read if found is not None]

    def forget(self, shelf: str) -> None:
        """Remove what is kept of a shelf: the store has it."""
        self._held.pop(shelf, None)
        for path in [self._path(shelf), *self._adopted.pop(shelf, ())]:
            with suppress(OSError):
                path.unlink()

    def close(self) -> None:
        """Leave what is kept to the next process."""
        if self._lock is not None:
            with suppress(OSError):
                self._lock.path.unlink()
            self._lock.release()
            self._lock = None

    def _write(self, shelf: str) -> None:
        if self._lock is None:
            with suppress(LockError):
                found = acquire(lock_path(self.folder, self._run), Holder.me("spool", ""))
                self._lock = found if isinstance(found, FileLock) else None
        held = {key: [one.text, list(one.before)] for key, one in self._held[shelf].items()}
        write_private(
            self._path(shelf), dump({"store": self.store, "shelf": shelf, "drafts": held}).encode("utf-8", "replace")
        )

    def _path(self, shelf: str, run: str = "") -> Path:
        digest = hashlib.sha256(f"{self.store}\n{shelf}".encode("utf-8", "surrogatepass")).hexdigest()[:32]
        return self.folder / f"{digest}.{run or self._run}.json"

    def _paths(self, shelf: str) -> Iterator[Path]:
        """Yield the files of processes that have ended, oldest first."""
        found: list[tuple[float, Path]] = []
        with suppress(OSError):
            for path in self.folder.glob(self._path(shelf, "*").name):
                run = path.name.split(".")[1]
                with suppress(OSError, LockError):
                    if run != self._run and holder(lock_path(self.folder, run)) is None:
                        found.append((path.stat().st_mtime, path))
        yield from (path for _, path in sorted(found))

    def _read(self, path: Path, shelf: str) -> dict[str, Spooled] | None:
        try:
            said = json.loads(path.read_bytes())
            if (said["store"], said["shelf"]) != (self.store, shelf):
                return None
            return {
                str(key): Spooled(str(text), tuple(map(str, before))) for key, (text, before) in said["drafts"].items()
            }
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return None  # it stays where it is, for the user to look at
