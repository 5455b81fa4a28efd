"""List of changed files for a front end: each with counts, diff and present state.

Compares the earlier content with the disk. Changes nothing; large comparisons run in a child.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass

from jp_tui.conversation.text import Foreign
from jp_tui.engine.base.backups import BackupRecord, CopyStore
from jp_tui.engine.file_changes.restore import current_snapshot
from jp_tui.engine.file_changes.undo_plan import State, UndoUnit, lost, same, state, units
from jp_tui.engine.record.event_codec import storable
from jp_tui.protocol.changes import FileChange, Way
from jp_tui.system.files import FileProblem, Root
from jp_tui.system.problem import display_path
from jp_tui.system.restoring import RestoringRoot
from jp_tui.tools.files.backups import ABSENT, FileSnapshot, snapshot_of
from jp_tui.tools.files.difference import changed_lines, unified
from jp_tui.tools.files.edits import head
from jp_tui.tools.files.workspace import ToolRefusal
from jp_tui.tools.worker import ask

SMALL = 256 * 1024
"""Characters of both sides together that are compared in this process; takes some 10 ms."""
LARGEST = 1 << 20
"""Bytes of a side above which nothing is compared."""
SHOWN = 256 * 1024
"""Characters of one diff that are shown."""
MOST = 500
"""Files that are listed."""


@dataclass(frozen=True, slots=True)
class FileRow:
    """A unit with its present state: the files on the disk by path, or why they can't be read."""

    unit: UndoUnit
    disk: dict[str, FileSnapshot]
    state: State
    problem: str = ""

    @property
    def key(self) -> str:
        """Return its id between engine and front end."""
        told = f"{self.unit.head.root}\0{self.unit.head.path}"
        return hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:16]

    @property
    def digest(self) -> str:
        """Return the digest of the present content."""
        told = [f"{path}\0{one.kind}\0{one.sha256}\0{one.size}" for path, one in sorted(self.disk.items())]
        return hashlib.sha256("\0".join(told).encode("utf-8", "surrogatepass")).hexdigest()

    @property
    def nothing(self) -> bool:
        """True if there is no net change: created and deleted within the scope."""
        return all(same(one.base, one.made) for one in self.unit.chains) and self.state == "taken_back"


def rows(records: Sequence[BackupRecord], turn: int | None, most: int) -> list[FileRow]:
    """Return the units of a scope with their state on the disk."""
    found = [row for unit in units(records, turn) if not (row := _row(unit, most)).nothing]
    return sorted(found, key=lambda row: row.unit.head.path)


def _row(unit: UndoUnit, most: int) -> FileRow:
    disk: dict[str, FileSnapshot] = {}
    try:
        with RestoringRoot(unit.head.root) as root:
            for chain in unit.chains:
                disk[chain.path] = current_snapshot(root, chain.path, most)
    except FileProblem as problem:
        gone = {chain.path: disk.get(chain.path, FileSnapshot("file")) for chain in unit.chains}
        return FileRow(unit, gone, "changed", problem.message)
    return FileRow(unit, disk, state(unit, disk))


def why_not(row: FileRow, store: CopyStore, workspace: str, way: Way) -> str:
    """Return why it can't be undone or redone; empty if it can."""
    if os.path.realpath(row.unit.head.root) != os.path.realpath(workspace):
        return "it is outside this workspace"
    if row.problem:
        return row.problem
    large = next((one for one in row.disk.values() if one.kind == "file" and one.data is None), None)
    if large is not None:
        return f"it has {large.size:,} bytes now, more than undo.file_mib allows"
    return lost(row.unit, way, store.has)


async def change(row: FileRow, store: CopyStore, workspace: str) -> FileChange:
    """Convert a row for the front end."""
    unit, chain = row.unit, row.unit.head
    moved = unit.was is not None and row.state != "taken_back"
    old = unit.was.base if unit.was is not None and moved else chain.base
    now = row.disk[chain.path]
    was = unit.was.path if unit.was is not None else ""
    added, removed, diff, note = await _compared(store, old, now, was or chain.path, chain.path, row.problem)
    how = (
        "moved"
        if moved and now.kind != "absent"
        else "none"
        if same(old, now)
        else "created"
        if old.kind == "absent"
        else "deleted"
        if now.kind == "absent"
        else "modified"
    )
    return FileChange(
        key=row.key,
        path=Foreign(storable(chain.path)),
        was=Foreign(storable(was)),
        how=how,  # type: ignore[arg-type]
        state=row.state,
        added=added,
        removed=removed,
        diff=Foreign(storable(diff)),
        note=note,
        why_not=why_not(row, store, workspace, "again" if row.state == "taken_back" else "back"),
        digest=row.digest,
        at=storable(os.path.join(chain.root, chain.path)) if now.kind == "file" and not row.problem else "",
        turns=chain.turns,
    )


async def _compared(
    store: CopyStore, old: FileSnapshot, now: FileSnapshot, was: str, path: str, problem: str
) -> tuple[int, int, str, str]:
    """Return added and removed lines, the diff, or why there is none."""
    if problem:
        return 0, 0, "", problem
    if same(old, now):
        return 0, 0, "", ""
    before, after = store.content(old), now.data if now.kind != "absent" else b""
    if before is None or after is None:
        return 0, 0, "", "too large to compare" if after is None or not old.sha256 else "its copy no longer exists"
    if "link" in (old.kind, now.kind):
        ends = [f"a link to {display_path(os.fsdecode(data))}" if one.kind == "link" else one.kind
                for one, data in ((old, before), (now, after))]  # fmt: skip
        return 0, 0, "", f"{ends[0]} → {ends[1]}"
    texts = _text(before), _text(after)
    if texts[0] is None or texts[1] is None:
        return 0, 0, "", f"not text: {len(before):,} → {len(after):,} bytes"
    if max(len(before), len(after)) > LARGEST:
        return 0, 0, "", f"too large to compare: {len(before):,} → {len(after):,} bytes"
    names = [
        "/dev/null" if one.kind == "absent" else head(side, display_path(name))
        for one, side, name in ((old, "a/", was), (now, "b/", path))
    ]
    added, removed, diff = await _diff(names, texts[0], texts[1])
    if len(diff) > SHOWN:
        kept = diff[: diff.rfind("\n", 0, SHOWN) + 1]
        left = diff.count("\n") - kept.count("\n")
        return added, removed, kept, f"{left:,} more lines of the change are shown only in the file itself"
    if not diff:  # an empty file was created or deleted
        return added, removed, "", "an empty file"
    return added, removed, diff, ""


async def _diff(names: list[str], before: str, after: str) -> tuple[int, int, str]:
    if len(before) + len(after) <= SMALL:
        return *changed_lines(before, after), unified(names[0], names[1], before, after)
    try:
        (made,) = await ask("diff", {"name": "x", "before": before, "after": after})
    except ToolRefusal as refused:
        return 0, 0, f"--- {names[0]}\n+++ {names[1]}\n({refused})\n"
    body = str(made["diff"]).split("\n", 2)[-1]
    return int(made["added"]), int(made["removed"]), f"--- {names[0]}\n+++ {names[1]}\n{body}"


def _text(data: bytes) -> str | None:
    try:
        return None if b"\0" in data else data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def figures(records: Sequence[BackupRecord], turn: int, store: CopyStore) -> tuple[int, int, int]:
    """Return the number of files that a turn's tools changed, and added and removed lines, for the turn's summary.
    Large and binary files have no line counts."""
    files = added = removed = 0
    for unit in units([record for record in records if record.act == "tool"], turn):
        head_ = unit.head
        old = unit.was.base if unit.was is not None else head_.base
        if all(same(chain.base, chain.made) for chain in unit.chains):
            continue
        files += 1
        plus, minus = _counted(store, old, head_.made, head_.root, head_.path)
        added, removed = added + plus, removed + minus
    return files, added, removed


def _counted(store: CopyStore, old: FileSnapshot, made: FileSnapshot, root: str, path: str) -> tuple[int, int]:
    before = store.content(old)
    try:
        with Root(root) as folder:
            now = ABSENT if made.kind == "absent" else snapshot_of(folder, path, SMALL)
    except FileProblem:
        return 0, 0
    if now is None or not same(now, made):
        return 0, 0
    texts = [_text(data or b"") for data in (before, now.data)]
    if before is None or texts[0] is None or texts[1] is None or len(before) > SMALL:
        return 0, 0
    return changed_lines(texts[0], texts[1])
