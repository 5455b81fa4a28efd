"""Restore files, one unit at a time: all of its files or none (issue 8, 7; traps.md T12, T13).

Only below the root of the original change, only over the content that was checked, and with a backup first, so that the
undo can be undone. Decides nothing about what is restored.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from jp_tui.engine.base.backups import Act, CopyStore
from jp_tui.engine.file_changes.undo_plan import same
from jp_tui.system.files import FileProblem
from jp_tui.system.problem import display_path
from jp_tui.system.restoring import RestoringRoot
from jp_tui.tools.files.backups import FileSnapshot, PlannedChange, snapshot_of
from jp_tui.tools.files.writing import folder_of, place


@dataclass(frozen=True, slots=True)
class RestoreTarget:
    """A file, its present content, and the wanted one."""

    path: str
    found: FileSnapshot
    wanted: FileSnapshot


def current_snapshot(root: RestoringRoot, path: str, most: int) -> FileSnapshot:
    """Return the present content of a path. Raises FileProblem if it now leads elsewhere or isn't a file."""
    if place(root, path) != path:
        raise FileProblem("outside", path, "a folder in its path is now a link")
    there = snapshot_of(root, path, most)
    if there is None:
        raise FileProblem("not_a_file", path, "it is now something other than a file")
    return there


def restore(
    root: RestoringRoot, store: CopyStore, conversation: str, turn: int, goals: Sequence[RestoreTarget], act: Act
) -> None:
    """Give these files their wanted content. Raises FileProblem if one fails; those before it are restored."""
    goals = [replace(goal, wanted=replace(goal.wanted, data=store.content(goal.wanted))) for goal in goals]
    for goal in goals:
        if goal.wanted.data is None:
            raise FileProblem("io", goal.path, "its copy no longer exists")
        if goal.found.kind == "file" and goal.found.data is None:
            raise FileProblem("io", goal.path, f"has {goal.found.size:,} bytes now, more than undo.file_mib allows")
    changes = [PlannedChange(goal.path, goal.found, goal.wanted) for goal in goals]
    withdraw = store.keep(conversation, turn, "", root.path, changes, act)
    done: list[RestoreTarget] = []
    try:
        for goal in sorted(goals, key=lambda goal: goal.wanted.kind == "absent"):
            done.append(goal)
            _make(root, goal)
    except FileProblem as problem:
        stuck = [goal.path for goal in reversed(done) if not _back(root, goal, failed=goal is done[-1])]
        if stuck:
            names = ", ".join(map(display_path, stuck))
            raise FileProblem("io", problem.path, f"{problem.message}; already changed: {names}") from problem
        withdraw()
        raise


def _make(root: RestoringRoot, goal: RestoreTarget) -> None:
    now, wanted, path = goal.found, goal.wanted, goal.path
    data = wanted.data or b""
    if wanted.kind == "absent" or (now.kind != "absent" and "link" in (now.kind, wanted.kind)):
        if now.kind != "absent":
            root.delete(path, expect_sha256=now.sha256)
        now = FileSnapshot("absent")
    if wanted.kind == "absent":
        return
    root.mkdirs(folder_of(path))
    if wanted.kind == "link":
        root.make_link(path, data)
        return
    root.write(path, data, expect_sha256=None if now.kind == "absent" else now.sha256)
    if wanted.mode:
        root.set_mode(path, wanted.mode)


def _back(root: RestoringRoot, goal: RestoreTarget, *, failed: bool) -> bool:
    """Undo one goal; return True if nothing of it remains. Only content written here is removed: of the goal that
    `failed` and of files changed meanwhile, nothing else is touched."""
    try:
        now = current_snapshot(root, goal.path, max(goal.found.size, len(goal.wanted.data or b"")))
        if same(now, goal.found):
            return True
        between = failed and now.kind == "absent" and "link" in (goal.found.kind, goal.wanted.kind)
        if same(now, goal.wanted) or between:
            _make(root, RestoreTarget(goal.path, now, goal.found))
            return True
    except FileProblem:
        return failed
    return failed
