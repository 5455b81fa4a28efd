"""What a workspace's own file may change before anyone trusted it: display and tightening, nothing else (S10).

Pure. Whoever clones a repository has not agreed to what it configures, so every other key is left out and named;
some keys a workspace's file never sets, trusted or not.
"""

from __future__ import annotations

from jp_tui.settings.keys import SCHEMA, Leaf
from jp_tui.settings.merge import get, leaves, without
from jp_tui.settings.toml import Path, Table


def admit(tree: Table, below: Table, *, trusted: bool) -> tuple[Table, list[Path]]:
    """The part of a workspace's checked `tree` that counts over the layers `below`, and the paths left out."""
    left_out: list[Path] = []
    for path, leaf, value in leaves(tree, SCHEMA):
        old = effective(below, path)
        unchanged = value == old and type(value) is type(old)
        never = leaf.never is not None and leaf.never(value) and not _own(path, tree, below)
        counts = trusted or ((leaf.trust == "display" or _tightens(leaf, old, value)) and _known(path, below))
        if not unchanged and (never or not counts):
            left_out.append(path)
    for path in left_out:
        tree = without(tree, path)
    return tree, left_out


def _known(path: Path, below: Table) -> bool:
    """Whether `path` is not of a tool that nothing below has: naming one could only keep us from starting."""
    return path[:2] != ("conversation", "tools") or get(below, path[:3]) is not None


def _own(path: Path, tree: Table, below: Table) -> bool:
    """Whether `path` is of a tool that is none of ours: one that a layer below, or else the file itself, made local.

    What a file does to a built-in tool it does not get rid of by giving it another source.
    """
    if path[:2] != ("conversation", "tools"):
        return False
    source = get(below, (*path[:3], "source")) or get(tree, (*path[:3], "source"))
    return isinstance(source, str) and source.partition(".")[0] == "local"


def loosened(tree: Table, below: Table) -> list[Path]:
    """The paths whose values make things less strict than `below`: what an environment must not do in silence."""
    return [
        path
        for path, leaf, value in leaves(tree, SCHEMA)
        if (leaf.tightens or leaf.never)
        and effective(below, path) != value
        and not _tightens(leaf, effective(below, path), value)
    ]


def effective(tree: Table, path: Path) -> object:
    """The value at `path`; for a tool's key that is unset, that of all tools (R66)."""
    value = get(tree, path)
    if value is None and path[:2] == ("conversation", "tools"):
        return get(tree, (*path[:2], "*", *path[3:]))
    return value


def _tightens(leaf: Leaf, old: object, new: object) -> bool:
    return leaf.tightens is not None and leaf.tightens(old, new)
