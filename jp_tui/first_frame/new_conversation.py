"""The first screen of a new conversation, kept when the workspace is left, so that the next start has it in its first
frame and doesn't wait for the engine.

One small file for each folder, 0600, in the state folder: the model, the instruction files, the last conversations, and
the facts that they depend on: all settings, the folder, the database as it was left. Nothing is shown unless every fact
is the same, and the engine's answer takes its place. The content isn't trusted: a forged file can at most show wrong
words, and conversations that don't open.
"""

from __future__ import annotations

import ast
import contextlib
import os
import zlib
from pathlib import Path
from typing import Any

from jp_tui.conversation.text import Foreign
from jp_tui.first_frame.saved_look import read_own
from jp_tui.system.paths import PathsError, private_folder, write_passing
from jp_tui.view.pages.first_screen import RECENT, FirstScreenView, RecentConversation, tips

MOST = 16384
"""Bytes of a file."""
KEPT = 8
"""Number of files, the newest: as many folders as a user switches between."""
_FOLDER = "new-conversations"
_FIELDS = ("id", "title", "updated", "facts")
"""Texts that are kept of a conversation."""


def _file(state: Path, workspace: str) -> Path:
    """The file of a folder. Two folders may share one; the facts tell them apart."""
    return state / _FOLDER / f"{zlib.crc32(os.fsencode(workspace)):08x}"


def database_stamp(file: Path) -> str:
    """Everything that shows if a database was written to since."""
    found: list[tuple[int, ...] | None] = []
    for path in (str(file), f"{file}-wal"):
        try:
            now = os.stat(path)
        except OSError:
            found.append(None)
        else:
            found.append((now.st_dev, now.st_ino, now.st_size, now.st_mtime_ns))
    return repr(found)


def load(state: Path, facts: str, workspace: str, home: str, seed: str) -> FirstScreenView | None:
    """The first screen for exactly these facts, None if none is kept. `seed` chooses the tips."""
    _, text = read_own(os.fsencode(_file(state, workspace)), MOST)
    if text is None:
        return None
    try:
        kept: Any = ast.literal_eval(text)
        if kept["facts"] != facts:
            return None
        return _read(kept, workspace, home, seed)
    except (ValueError, SyntaxError, TypeError, KeyError, AttributeError, MemoryError, RecursionError):
        return None


def _read(kept: dict[str, Any], workspace: str, home: str, seed: str) -> FirstScreenView:
    """Raises TypeError, KeyError or ValueError for anything that `keep` doesn't write."""
    model, instructions, listed = kept["model"], kept["instructions"], kept["recent"]
    if not (model and isinstance(model, str) and isinstance(instructions, str) and len(listed) <= RECENT):
        raise ValueError("another form")
    if not all(tuple(one) == _FIELDS and all(isinstance(text, str) for text in one.values()) for one in listed):
        raise ValueError("another form")
    recent = tuple(RecentConversation(**{**one, "title": Foreign(one["title"])}) for one in listed)
    return FirstScreenView(
        model=model, folder=workspace, home=home, instructions=instructions, recent=recent, tips=tips(seed)
    )


def keep(state: Path, facts: str, shown: FirstScreenView) -> None:
    """Keep a first screen in the `state` folder. No error if that is impossible."""
    recent = [
        {"id": one.id, "title": one.title.raw, "updated": one.updated, "facts": one.facts} for one in shown.recent
    ]
    said = {"facts": facts, "model": shown.model, "instructions": shown.instructions, "recent": recent}
    file = _file(state, shown.folder)
    with contextlib.suppress(OSError, PathsError):
        data = repr(said).encode("utf-8", "replace")
        if len(data) > MOST:
            file.unlink(missing_ok=True)
            return
        write_passing(private_folder(file.parent) / file.name, data)
        found = sorted(os.scandir(file.parent), key=lambda one: one.stat(follow_symlinks=False).st_mtime_ns)
        for one in found[:-KEPT]:
            os.unlink(one.path)


def forget(state: Path) -> None:
    """Remove all files: a conversation that may be named in one is deleted."""
    with contextlib.suppress(OSError):
        for one in os.scandir(state / _FOLDER):
            os.unlink(one.path)
