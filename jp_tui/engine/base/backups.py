"""Backups of files before tools changed them, by conversation, turn and call (issue 8, 7; surface S10).

A record is a line of `CONVERSATION.jsonl`, durable before the change it describes; contents are stored beside it by
hash, bounded in size and age. A record without its content remains, but its change can't be undone. Changes of a
sub-agent belong to its parent's turn. Never changes a file of a workspace.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

from jp_tui.system.blobs import Blobs
from jp_tui.system.paths import PathsError, private_folder, private_open, write_fully
from jp_tui.tools.files.backups import CopyFailed, FileSnapshot, PlannedChange

Act = Literal["tool", "undo", "redo"]
DAY = 86_400.0


@dataclass(frozen=True, slots=True)
class BackupLimits:
    """`file`: bytes of one file; `total`: bytes of all backups; `days`: how long they are kept."""

    file: int = 16 << 20
    total: int = 500 << 20
    days: int = 30


@dataclass(frozen=True, slots=True)
class BackupRecord:
    """Files below `root` that changed together. `act` distinguishes a tool's change from an undo or redo, for which
    `turn` is the turn of the original change. `data` in `files` isn't loaded."""

    id: str
    turn: int
    call: str
    act: Act
    root: str
    files: tuple[PlannedChange, ...]


class CopyStore:
    """All backups of a user. `now` returns seconds since 1970, `new_id` names records."""

    def __init__(self, folder: Path, limits: BackupLimits, now: Callable[[], float], new_id: Callable[[], str]) -> None:
        self._folder, self.limits, self._now, self._new_id = folder, limits, now, new_id
        self._blobs = Blobs(folder / "contents", most=limits.total, seconds=limits.days * DAY)
        self._tidied = False

    def content(self, held: FileSnapshot) -> bytes | None:
        """Return its content from the backups; None if it is gone or was never stored."""
        if held.kind == "absent":
            return b""
        return held.data if held.data is not None else self._blobs.get(held.sha256)

    def has(self, held: FileSnapshot) -> bool:
        """True if `content` would return data."""
        return held.kind == "absent" or held.data is not None or self._blobs.holds(held.sha256)

    def keep(
        self, conversation: str, turn: int, call: str, root: str, changes: Sequence[PlannedChange], act: Act = "tool"
    ) -> Callable[[], None]:
        """As `Copies.keep`. Raises CopyFailed."""
        path = changes[0].path if changes else "."
        try:
            self._tidy()
            for one in changes:
                if one.before.data is not None:
                    self._blobs.put(one.before.data, self._now())
            name = self._new_id() + os.urandom(4).hex()
            files = [[one.path, _written(one.before), _written(one.after)] for one in changes]
            self._append(
                conversation,
                {"id": name, "turn": turn, "call": call, "act": act, "root": root, "at": self._now(), "files": files},
            )
        except PathsError as problem:
            raise CopyFailed(path, str(problem)) from problem
        except OSError as problem:
            raise CopyFailed(path, problem.strerror or type(problem).__name__) from problem

        def withdraw() -> None:
            with contextlib.suppress(OSError, PathsError):  # the file itself also shows that nothing changed
                self._append(conversation, {"withdrawn": name})

        return withdraw

    def records(self, conversation: str) -> list[BackupRecord]:
        """Return all records of a conversation, in order, except those of failed changes. Unreadable ones are
        skipped."""
        found: dict[str, BackupRecord] = {}
        try:
            text = self._file(conversation).read_bytes().decode("ascii", "replace")
        except OSError:
            return []
        for line in text.splitlines():
            try:
                raw = json.loads(line)
                if "withdrawn" in raw:
                    found.pop(raw["withdrawn"], None)
                else:
                    record = _record(raw)
                    found[record.id] = record
            except (ValueError, TypeError, KeyError):
                continue  # torn by a power failure, or of another version
        return list(found.values())

    def forget(self, conversation: str) -> None:
        """Forget a deleted conversation's changes. Contents expire with age."""
        with contextlib.suppress(OSError):
            self._file(conversation).unlink()

    def _tidy(self) -> None:
        """Remove what is too old, once per run."""
        private_folder(self._folder)
        if self._tidied:
            return
        self._tidied = True
        now = self._now()
        self._blobs.prune(now)
        for path in self._folder.glob("*.jsonl"):
            with contextlib.suppress(OSError):
                if now - path.stat().st_mtime > self.limits.days * DAY:
                    path.unlink()

    def _append(self, conversation: str, raw: dict[str, object]) -> None:
        path = self._file(conversation)
        fresh = not path.exists()
        descriptor = private_open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        try:
            write_fully(descriptor, b"\n" * (not _ends(path)) + json.dumps(raw).encode("ascii") + b"\n")
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        if fresh:
            folder = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)

    def _file(self, conversation: str) -> Path:
        plain = (
            conversation if conversation.isascii() and conversation.replace("-", "").replace("_", "").isalnum() else ""
        )
        return self._folder / f"{plain or 'x' + conversation.encode('utf-8', 'replace').hex()[:200]}.jsonl"


def _ends(path: Path) -> bool:
    """True if the file ends with a complete line."""
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        if not size:
            return True
        file.seek(size - 1)
        return file.read(1) == b"\n"


def _written(held: FileSnapshot) -> dict[str, object]:
    return {"kind": held.kind, "sha256": held.sha256, "size": held.size, "mode": held.mode}


def _record(raw: dict[str, object]) -> BackupRecord:
    """Decode a record. Raises ValueError, TypeError, KeyError."""
    act = raw["act"]
    if act not in ("tool", "undo", "redo"):
        raise ValueError("another version's")
    files = tuple(
        PlannedChange(str(path), _held(before), _held(after))
        for path, before, after in cast("list[tuple[str, dict[str, object], dict[str, object]]]", raw["files"])
    )
    turn = int(cast(int, raw["turn"]))
    return BackupRecord(str(raw["id"]), turn, str(raw["call"]), act, str(raw["root"]), files)


def _held(raw: dict[str, object]) -> FileSnapshot:
    kind = raw["kind"]
    if kind not in ("absent", "file", "link"):
        raise ValueError("another version's")
    size, mode = int(cast(int, raw["size"])), int(cast(int, raw["mode"]))
    return FileSnapshot(kind, None, str(raw["sha256"]), size, mode)


@dataclass(frozen=True, slots=True)
class CallCopies:
    """Backups of one call; see `tools.files.backups.Copies`."""

    store: CopyStore
    conversation: str
    turn: int
    call: str

    @property
    def most(self) -> int:
        return self.store.limits.file

    def keep(self, root: str, changes: Sequence[PlannedChange]) -> Callable[[], None]:
        return self.store.keep(self.conversation, self.turn, self.call, root, changes)
