"""Files of a skill beside its SKILL.md: their list, and one of them, confined to its folder (context.md K51)."""

from __future__ import annotations

import os
from pathlib import Path

from jp_tui.settings.command_files.reading import SKILL, CommandFile
from jp_tui.settings.layers import trust_store
from jp_tui.system.files import FileBytes, FileProblem, Root

MOST_LISTED = 100
MOST_BYTES = 256 * 1024
"""Of a file; a larger one is neither given to the model nor trusted."""
_DEPTH = 6


def listed(one: CommandFile) -> list[str]:
    """Return the paths from the skill's folder, sorted; hidden files and links that lead out of it aren't there."""
    try:
        with _root(one) as root:
            entries = root.walk(skip=_skipped, limit=MOST_LISTED * 4, depth=_DEPTH)
            return [entry.path for entry in entries if entry.kind == "file" and entry.path != SKILL][:MOST_LISTED]
    except FileProblem:
        return []


def read(one: CommandFile, path: str) -> FileBytes:
    """Return one of its files. Raises FileProblem, also for one that is too large."""
    with _root(one) as root:
        found = root.read(path, MOST_BYTES)
    if found.truncated:
        raise FileProblem("io", path, f"is larger than {MOST_BYTES // 1024} KiB")
    return found


def trusted(store: Path, one: CommandFile, found: FileBytes) -> bool:
    """True for a file of the user's own skill, and one of the folder's with trusted content."""
    if one.own:
        return True
    return trust_store.states(store, [(Path(place(one, found.real)), found.data)]) == ["trusted"]


def place(one: CommandFile, real: str) -> str:
    """The absolute path of one of its files."""
    return os.path.join(os.path.dirname(one.path), real)


def _root(one: CommandFile) -> Root:
    return Root(os.path.dirname(one.path))


def _skipped(path: str, is_folder: bool) -> bool:
    return os.path.basename(path).startswith(".")
