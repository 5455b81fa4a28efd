"""Writing several files as one act, as well as a file system lets us (traps.md T12, T13; inquiries.md R235).

Each file is written only over the bytes that the change was made for. When one fails, those written before it get their
old bytes back; what could not be undone is named. Decides nothing about what is written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from jp_tui.system.files import FileProblem, Root, StaleBase, sha256
from jp_tui.system.problem import shown
from jp_tui.tools.files.workspace import ToolRefusal


@dataclass(frozen=True, slots=True)
class PlannedWrite:
    """A file's real path, its new bytes, and the bytes that it must hold until then."""

    path: str
    data: bytes
    base: bytes


def place(root: Root, path: str) -> str:
    """The real path that a new file at `path` would have; FileProblem when its folder leads out, or is none.

    What stands there is not followed when it is a link; ask `Root.stat` without following what it is.
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
    """The real path of a folder that is there or would be made."""
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
    """The folder of a real path."""
    return real.rpartition("/")[0] or "."


def is_there(root: Root, real: str) -> bool:
    """Whether anything stands at a real path."""
    try:
        root.stat(real, follow=False)
    except FileProblem as problem:
        if problem.kind == "not_found":
            return False
        raise
    return True


def write_all(root: Root, writings: Sequence[PlannedWrite]) -> None:
    """Write all or none. StaleBase when a file is not what it was; FileProblem when the system says no.

    Refusal, naming the files that are changed all the same, when what was written could not be taken back.
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
            names = ", ".join(map(shown, left))
            raise ToolRefusal(f"{problem}. These files are changed already, the others are not: {names}.") from problem
        raise


def _back(root: Root, one: PlannedWrite) -> bool:
    """Whether the old bytes stand there again."""
    try:
        root.write(one.path, one.base, expect_sha256=sha256(one.data))
    except FileProblem:
        return False
    return True
