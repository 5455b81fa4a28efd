"""Instruction files: which exist, and what of them is sent (context.md K1-K5). Reads; decides nothing else.

A file is opened beneath the folder that it must not leave, and never waited for: a pipe, a link out of the repository
or 10 MB are a line in the list, not an error.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from jp_tui.conversation.unseen import without_invisible
from jp_tui.engine.base.context_settings import ContextSettings
from jp_tui.engine.context.imports import Import, imports, insert_imports
from jp_tui.system.files import FileBytes, FileProblem, Root
from jp_tui.tools.files.guard import secret

FILE_BYTES = 64 * 1024
DEEPEST_IMPORT = 5
MOST_FOLDERS = 64
MOST_REASONS = 50
NO_ROOM = "no room: see context.instructions_kib"
State = Literal["sent", "cut", "not_sent"]


@dataclass(frozen=True, slots=True)
class InstructionFile:
    """A file by its absolute path, and what of it is sent. `size` is in bytes, that of `text` where some of it is sent;
    `hidden` counts invisible characters that were left out, `left_out` says which imports were, and why."""

    path: str
    own: bool
    trusted: bool
    state: State = "not_sent"
    why: str = ""
    size: int = 0
    text: str = ""
    hidden: int = 0
    left_out: tuple[str, ...] = ()


@dataclass(slots=True)
class _Reader:
    """Reads files beneath one root, and what they import. `seen` are the files that stand somewhere already; `left` is
    how many more bytes it is worth reading."""

    root: Root
    home: bool
    seen: dict[tuple[int, int], str]
    left: int

    def whole(self, path: str) -> tuple[str, FileBytes, int, list[str]]:
        """The text with its imports in place, the file itself, how many characters were left out, and the reasons why
        words stayed. Raises FileProblem."""
        found, text, hidden = self._text(path)
        reasons: list[str] = []
        text, more = self._filled(text, found.real, 1, reasons)
        return text, found, hidden + more, reasons[:MOST_REASONS]

    def _text(self, path: str) -> tuple[FileBytes, str, int]:
        found = self.root.read(path, FILE_BYTES)
        if secret(found.real):
            raise FileProblem("permission", path, "usually holds secrets")
        absolute = os.path.join(self.root.path, found.real)
        if (other := self.seen.get(_identity(absolute))) is not None:
            raise FileProblem("exists", path, f"is the same file as {other}")
        data = found.data
        if found.truncated:
            data = data[: data.rfind(b"\n") + 1] or data
        try:
            text = data.decode("utf-8-sig", "ignore" if found.truncated else "strict")
        except UnicodeDecodeError:
            raise FileProblem("not_a_file", path, "is not text") from None
        if "\0" in text:
            raise FileProblem("not_a_file", path, "is not text")
        self.seen[_identity(absolute)] = absolute
        self.left -= len(data)
        text, hidden = without_invisible(text.replace("\r\n", "\n"))
        return found, text, hidden

    def _filled(self, text: str, real: str, depth: int, reasons: list[str]) -> tuple[str, int]:
        """The text with what it imports in place of the words that name it."""
        parts: dict[Import, str] = {}
        hidden = 0
        for one in imports(text):
            if (why := self._refused(one, depth)) is not None:
                reasons.append(f"@{one.path}: {why}")
                continue
            try:
                found, read, count = self._text(self._place(one.path, real))
            except FileProblem as problem:
                reasons.append(f"@{one.path}: {_why(problem)}")
                continue
            inner, more = self._filled(read, found.real, depth + 1, reasons)
            if found.truncated:
                inner += _cut(len(read.encode()), found.size)
            parts[one] = inner.rstrip("\n")
            hidden += count + more
        return insert_imports(text, parts), hidden

    def _refused(self, one: Import, depth: int) -> str | None:
        if depth > DEEPEST_IMPORT:
            return f"deeper than {DEEPEST_IMPORT} imports"
        if one.path.startswith("~") and not self.home:
            return "outside the repository"
        return "no room for more" if self.left <= 0 else None

    def _place(self, path: str, real: str) -> str:
        """Relative to the file that names it; `~` is the root of the user's own."""
        if path.startswith("~/"):
            return path[2:]
        if path.startswith("/"):
            return path
        return os.path.join(os.path.dirname(real), path)


def read_all(workspace: Path, settings: ContextSettings) -> tuple[InstructionFile, ...]:
    """Every instruction file that counts for the workspace or would, in the order of the system text."""
    seen: dict[tuple[int, int], str] = {}
    budget = settings.instructions_kib * 1024
    here = Path(os.path.realpath(workspace))
    folders = folders_of(here, settings.home)
    why = _not_of_project(settings)
    found: dict[str, list[InstructionFile]] = {"": []}
    # The user's own first, then from the workspace up: so far as there is room (K4).
    if os.path.lexists(settings.own):
        why_own = "context.instructions is off" if settings.instructions == "off" else ""
        one = _own(settings, seen, budget, why_own)
        found[""] = [one]
        budget -= len(one.text.encode())
    for folder in reversed(folders):
        found[str(folder)] = _of_folder(folder, folders[0], settings, seen, budget, why)
        budget -= sum(len(one.text.encode()) for one in found[str(folder)])
    return tuple(one for place in ("", *map(str, folders)) for one in found[place])


def read_nested(folder: str, workspace: Path, settings: ContextSettings, room: int) -> InstructionFile | None:
    """The file that counts in a folder below the workspace, given as a path from it (K2); None where there is none, or
    none may be sent. `room` is in bytes."""
    if _not_of_project(settings):
        return None
    here = Path(os.path.realpath(workspace))
    folders = folders_of(here, settings.home)
    place = here / folder
    for one in _of_folder(place, folders[0], settings, {}, room, ""):
        if one.state != "not_sent":
            return one
    return None


def folders_of(workspace: Path, home: Path | None) -> list[Path]:
    """The folders whose files count, from the git root down to the workspace; without git the workspace alone.

    A folder of another user (not root), the home folder and another file system end the way up.
    """
    found, at = [workspace], workspace
    end = os.path.realpath(home) if home is not None else ""
    try:
        device = os.stat(workspace).st_dev
    except OSError:
        return [workspace]
    while len(found) <= MOST_FOLDERS:
        if os.path.lexists(at / ".git"):
            return found[::-1]
        above = at.parent
        try:
            there = os.stat(above)
        except OSError:
            break
        if above == at or str(above) == end or there.st_dev != device or there.st_uid not in (os.geteuid(), 0):
            break
        at = above
        found.append(at)
    return [workspace]


def _not_of_project(settings: ContextSettings) -> str:
    """Why the project's files are not sent; empty when they are."""
    if settings.instructions in ("own", "off"):
        return f"context.instructions is {settings.instructions}"
    if settings.instructions == "trusted" and not settings.trusted:
        return "the folder is not trusted"
    return ""


def _own(settings: ContextSettings, seen: dict[tuple[int, int], str], room: int, why: str) -> InstructionFile:
    """The user's own file: confined to the home folder, or to its own where that is elsewhere."""
    path = Path(os.path.abspath(settings.own))
    home = Path(os.path.realpath(settings.home)) if settings.home is not None else None
    parent = Path(os.path.realpath(path.parent))
    base = home if home is not None and parent.is_relative_to(home) else parent
    one = InstructionFile(str(path), own=True, trusted=True)
    inside = str((parent / path.name).relative_to(base))
    return _read(one, base, inside, settings.hides, seen, room, why, home=base == home)


def _of_folder(
    folder: Path,
    top: Path,
    settings: ContextSettings,
    seen: dict[tuple[int, int], str],
    room: int,
    why: str,
) -> list[InstructionFile]:
    """The first file that exists, as far as it is sent, and the others, which are not."""
    found: list[InstructionFile] = []
    for name in _existing(folder, settings.files):
        one = InstructionFile(str(folder / name), own=False, trusted=settings.trusted)
        if found:
            first = os.path.basename(found[0].path)
            found.append(replace(one, why=f"{first} is read in this folder", size=_size(one.path)))
        else:
            found.append(_read(one, top, str((folder / name).relative_to(top)), settings.hides, seen, room, why))
    return found


def _existing(folder: Path, names: Sequence[str]) -> Iterator[str]:
    for name in names:
        if os.path.lexists(folder / name):
            yield name


def _read(
    one: InstructionFile,
    base: Path,
    path: str,
    hides: Callable[[str], str] | None,
    seen: dict[tuple[int, int], str],
    room: int,
    why: str,
    *,
    home: bool = False,
) -> InstructionFile:
    if why or room <= 0:
        return replace(one, why=why or NO_ROOM, size=_size(one.path))
    try:
        hidden_by = None if hides is None else lambda inside, _: hides(os.path.join(base, inside))
        with Root(base, hidden=hidden_by) as root:
            text, file, hidden, reasons = _Reader(root, home, seen, room).whole(path)
    except FileProblem as problem:
        return replace(one, why=_why(problem), size=_size(one.path))
    one = replace(one, hidden=hidden, left_out=tuple(reasons))
    if not text.strip():
        return replace(one, why="is empty", size=file.size)
    data = text.encode()
    size = len(data) + (file.size - (file.data.rfind(b"\n") + 1 or len(file.data)) if file.truncated else 0)
    if not file.truncated and len(data) <= room:
        return replace(one, state="sent", size=size, text=text)
    kept = text
    if len(data) > room:
        kept = data[:room].decode("utf-8", "ignore")
        kept = kept[: kept.rfind("\n") + 1]
    if not kept:
        return replace(one, why=NO_ROOM, size=size)
    sent = len(kept.encode())
    return replace(one, state="cut", why=f"{sent:,} of {size:,} bytes", size=size, text=kept + _cut(sent, size))


def _cut(sent: int, whole: int) -> str:
    return f"[cut: {sent} of {whole} bytes; read the file for the rest]\n"


def _why(problem: FileProblem) -> str:
    """Describe a file's problem, without its name."""
    if problem.kind == "not_found":
        return "is missing"
    if problem.kind == "outside":
        return "is outside the repository"
    return problem.message


def _size(path: str) -> int:
    try:
        there = os.lstat(path)
    except OSError:
        return 0
    return there.st_size if stat.S_ISREG(there.st_mode) else 0


def _identity(path: str) -> tuple[int, int]:
    try:
        there = os.stat(path)
    except OSError:
        return (0, hash(path))
    return there.st_dev, there.st_ino
