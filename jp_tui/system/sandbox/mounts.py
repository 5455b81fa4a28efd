"""Plan the mounts of a sandbox: requests in, an ordered list of mounts out, each with its reason (Z18).

The disk is read-only below all of them. The deepest mount above a path decides what a command can do there, so parents
precede their children. Pure: every given path is absolute, real and (except links) exists.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

Kind = Literal["folder", "link", "private", "write", "level", "read", "empty", "shown", "mask"]
_RANK: dict[str, int] = {kind: rank for rank, kind in enumerate(Kind.__args__)}  # type: ignore[attr-defined]
_OPEN = ("write", "level")
_BLANK = ("private", "empty")
_PLAIN = ("link", "folder")
"""Not mounts: created in a folder in memory."""


class SandboxProblem(Exception):
    """Guarantee of the sandbox that can't be met here, as a sentence. Nothing runs."""


@dataclass(frozen=True, slots=True)
class Mount:
    """One request, or one mount of a plan.

    `private`: an empty folder of the command's own, gone afterwards. `write`: can be changed. `level`: no entry of this
    folder can be added, removed or replaced; `write` mounts in it can be changed. `read`: read-only. `empty`: an empty
    folder that stays empty. `mask`: an empty file in place of a file. `shown`: readable though hidden otherwise.
    `link`: a symbolic link to `source`. `folder`: only ensures that the folder exists. `fixed`: none of its parents
    within the workspace can be moved.
    """

    kind: Kind
    path: str
    why: str
    source: str = ""
    fixed: bool = False


def beneath(path: str, folder: str) -> bool:
    """True for the folder itself and everything in it."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def between(root: str, path: str) -> Iterator[str]:
    """Iterate over the folders between the root and the path, without these two, outermost first."""
    steps = path[len(root.rstrip("/")) :].strip("/").split("/")
    here = root.rstrip("/")
    for step in steps[:-1]:
        here = f"{here}/{step}"
        yield here


def planned(root: str, wishes: Iterable[Mount]) -> tuple[Mount, ...]:
    """Return the mounts of a sandbox around the workspace `root`, in order.

    If requests conflict at a path, the stricter one applies. Left out are requests that a parent already fulfils, and
    parents that would only have to stay in place within something read-only.
    """
    wanted = [Mount("write", root, "the workspace"), *wishes]
    parents = [
        Mount("write", parent, f"holds {wish.path}")
        for wish in wanted
        if wish.fixed and beneath(wish.path, root)
        for parent in between(root, wish.path)
    ]
    rules: dict[str, Mount] = {}
    for wish in (*wanted, *parents):
        old = rules.get(wish.path)
        if old is None or _RANK[wish.kind] > _RANK[old.kind]:
            rules[wish.path] = wish
    made: list[Mount] = []
    above: list[Mount] = []
    for path in sorted(rules, key=lambda path: path.split("/")):
        while above and not beneath(path, above[-1].path):
            above.pop()
        wish, over = rules[path], above[-1].kind if above else ""
        if wish.kind == "private" and over == "private":
            wish = Mount("folder", path, wish.why)  # already hidden, but required to exist
        if _needed(wish.kind, over, path == root):
            made.append(wish)
            above += [wish] if wish.kind not in _PLAIN else []
    return tuple(made)


def _needed(kind: str, above: str, root: bool) -> bool:
    """True if a mount changes anything below one of the kind `above` ("": the disk, which is read-only)."""
    if kind in _OPEN:
        return root or above in _OPEN
    if kind in ("read", "shown"):
        return root or above in (*_OPEN, *_BLANK)
    if kind in _PLAIN:
        return above in _BLANK
    return above not in _BLANK or kind == "private"
