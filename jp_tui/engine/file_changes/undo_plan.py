"""Combine backup records to each file's history, and the effect of undo (issue 8, 7). Pure.

A file's changes within a turn, or in all turns, form one chain: its first content, its last change. Reads no file; the
state of the disk is an input.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from jp_tui.engine.base.backups import BackupRecord
from jp_tui.tools.files.backups import FileSnapshot

State = Literal["made", "taken_back", "changed", "later"]


@dataclass(frozen=True, slots=True)
class FileHistory:
    """Changes of one file in a scope: `base` is its content before the first, `made` the content after the last, and
    what an undo removed, `latest` its content after the last change of all. `turns` changed it."""

    root: str
    path: str
    base: FileSnapshot
    made: FileSnapshot
    latest: FileSnapshot
    turns: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class UndoUnit:
    """Files that can only be undone together, because they were moved; `was` is the origin of the first one's
    content."""

    chains: tuple[FileHistory, ...]
    was: FileHistory | None = None

    @property
    def head(self) -> FileHistory:
        return self.chains[0]


def same(one: FileSnapshot, other: FileSnapshot) -> bool:
    """True if two states certainly have the same content."""
    known = one.kind == "absent" or bool(one.sha256)
    return one.kind == other.kind and known and one.sha256 == other.sha256


def turns(records: Iterable[BackupRecord]) -> tuple[int, ...]:
    """Return the turns that changed files, in order."""
    return tuple(sorted({record.turn for record in records}))


def units(records: Sequence[BackupRecord], turn: int | None) -> list[UndoUnit]:
    """Return the units of a turn, or with None of all turns, in order of their start."""
    chains = _chains(records, turn)
    group = {at: at for at in chains}

    def find(at: tuple[str, str]) -> tuple[str, str]:
        while group[at] != at:
            at = group[at]
        return at

    came: dict[tuple[str, str], tuple[str, str]] = {}
    for record in records:
        places = [(record.root, file.path) for file in record.files]
        if turn in (None, record.turn) and len(places) > 1:
            for other in places[1:]:
                group[find(other)] = find(places[0])
            if record.act == "tool" and len(places) == 2 and record.files[0].after.kind == "absent":
                came[places[1]] = places[0]
    together: dict[tuple[str, str], list[FileHistory]] = {}
    for at, chain in chains.items():
        together.setdefault(find(at), []).append(chain)
    return [_unit(found, chains, came) for found in together.values()]


def _unit(
    found: list[FileHistory],
    chains: Mapping[tuple[str, str], FileHistory],
    came: Mapping[tuple[str, str], tuple[str, str]],
) -> UndoUnit:
    """Build a unit: after a move, the present file represents it, with the content of its origin."""
    ends = [one for one in found if one.made.kind != "absent" and (one.root, one.path) in came]
    if not ends:
        return UndoUnit(tuple(found))
    head, seen = ends[-1], set[tuple[str, str]]()
    at = (head.root, head.path)
    while at in came and at not in seen:
        seen.add(at)
        at = came[at]
    was = chains.get(at)
    rest = [one for one in found if one is not head]
    moved = was is not None and was.base.kind != "absent" and was.made.kind == "absent" and head.base.kind == "absent"
    return UndoUnit((head, *rest), was if moved else None)


def _chains(records: Sequence[BackupRecord], turn: int | None) -> dict[tuple[str, str], FileHistory]:
    first: dict[tuple[str, str], FileSnapshot] = {}
    made: dict[tuple[str, str], FileSnapshot] = {}
    latest: dict[tuple[str, str], FileSnapshot] = {}
    seen: dict[tuple[str, str], list[int]] = {}
    for record in records:
        for file in record.files:
            at = (record.root, file.path)
            latest[at] = file.after
            if turn not in (None, record.turn):
                continue
            first.setdefault(at, file.before)
            seen.setdefault(at, []).append(record.turn)
            made[at] = file.before if record.act == "undo" else file.after
    return {
        at: FileHistory(at[0], at[1], base, made.get(at, latest[at]), latest[at], tuple(dict.fromkeys(seen[at])))
        for at, base in first.items()
    }


def state(unit: UndoUnit, disk: Mapping[str, FileSnapshot]) -> State:
    """Return the state of a unit's files relative to their last change."""
    here = [(chain, disk[chain.path]) for chain in unit.chains]
    if all(same(found, chain.base) for chain, found in here):
        return "taken_back"
    if all(same(found, chain.made) for chain, found in here):
        return "made"
    return "later" if all(same(found, chain.latest) for chain, found in here) else "changed"


def lost(unit: UndoUnit, way: Literal["back", "again"], has: Callable[[FileSnapshot], bool]) -> str:
    """Return why there is no backup to undo or redo it; empty if all exist."""
    for chain in unit.chains:
        goal = chain.base if way == "back" else chain.made
        if goal.kind == "file" and not goal.sha256:
            return f"it had {goal.size:,} bytes, more than undo.file_mib allows"
        if not has(goal):
            return "its copy no longer exists" if way == "back" else "its changed version wasn't kept"
    return ""
