"""Write several files as one operation, as far as the file system allows (traps.md T12, T13; inquiries.md R235).

Each file is written only over the bytes that the change was made for. If one write fails, files written before it get
their old bytes again; what can't be restored is reported. Doesn't decide what is written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from jp_tui.system.files import FileProblem, Root, StaleBase, sha256
from jp_tui.system.problem import display_path
from jp_tui.tools.files.workspace import ToolRefusal


@dataclass(frozen=True, slots=True)
class PlannedWrite:
    """A file's real path, its new bytes, and the bytes it must have until then."""

    path: str
    data: bytes
    base: bytes


def place(root: Root, path: str) -> str:
    """Return the real path of a new file at `path`.

    Raises FileProblem if its folder is outside the root or isn't a folder. A link at `path` isn't followed; check it
    with `Root.stat` without following.
    """
    try:
        return root.stat(path, follow=False).real
    except FileProblem as problem:
        if problem.kind != "not_found":
            raise
    folder, _, name = path.rpartition("/")
    if name in ("", ".", ".."):
        raise FileProblem("bad_name", path, "is no name for a file")
    above = _folder(root, folder or ".")
    return name if above == "." else f"{above}/{name}"


def _folder(root: Root, path: str) -> str:
    """Return the real path of an existing or future folder."""
    try:
        there = root.stat(path)
    except FileProblem as problem:
        if problem.kind != "not_found":
            raise
        return place(root, path)
    if there.kind != "folder":
        raise FileProblem("not_a_directory", path, "is not a folder")
    return there.real


def folder_of(real: str) -> str:
    """Return the folder of a real path."""
    return real.rpartition("/")[0] or "."


def is_there(root: Root, real: str) -> bool:
    """True if anything exists at a real path."""
    try:
        root.stat(real, follow=False)
    except FileProblem as problem:
        if problem.kind == "not_found":
            return False
        raise
    return True


def write_all(root: Root, writings: Sequence[PlannedWrite]) -> None:
    """Write all or none.

    Raises StaleBase if a file changed, FileProblem if the system refuses. Raises ToolRefusal with the names of files
    that remain changed if they couldn't be restored.
    """
    for one in writings:
        found = root.read(one.path, len(one.base))
        if found.truncated or found.data != one.base:
            raise StaleBase(one.path)
    done: list[PlannedWrite] = []
    try:
        for one in writings:
            root.write(one.path, one.data, expect_sha256=sha256(one.base))
            done.append(one)
    except FileProblem as problem:
        left = [one.path for one in reversed(done) if not _back(root, one)]
        if left:
            names = ", ".join(map(display_path, left))
            raise ToolRefusal(f"{problem}. These files are changed already, the others are not: {names}.") from problem
        raise


def _back(root: Root, one: PlannedWrite) -> bool:
    """True if the old bytes are restored."""
    try:
        root.write(one.path, one.base, expect_sha256=sha256(one.data))
    except FileProblem:
        return False
    return True
