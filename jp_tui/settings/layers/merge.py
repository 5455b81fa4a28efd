"""Check one layer against the keys, and merge layers (inquiries.md R61, R64, R254).

Pure: trees in, trees and problems out. Tables merge key by key, a leaf is replaced whole, an unset key inherits.
"""

from __future__ import annotations

from typing import Any

from jp_tui.settings.errors import nearest
from jp_tui.settings.layers.toml import Path, Table
from jp_tui.settings.schema.checks import BadValue, describe_value
from jp_tui.settings.schema.nodes import Group, Leaf, Node, dotted


class Flaw:
    """Problem at a path, before its file is known."""

    __slots__ = ("allowed", "message", "nearest", "path", "unknown", "where")

    def __init__(
        self, path: Path, message: str, allowed: tuple[str, ...] = (), near: str = "", unknown: bool = False
    ) -> None:
        self.path, self.message, self.allowed, self.nearest, self.unknown = path, message, allowed, near, unknown
        self.where = ""
        """The variable or flag at fault, if its path alone doesn't identify it."""


def check(tree: Table, node: Group, path: Path = ()) -> tuple[Table, list[Flaw]]:
    """Return `tree` in normal form (shorthands expanded, invalid keys left out), and all its flaws."""
    good: Table = {}
    flaws: list[Flaw] = []
    for written, value in tree.items():
        here = (*path, written)
        key = node.aliases.get(written, written)
        child = node.child(key)
        if child is None:
            flaws.append(_unknown(here, node))
            continue
        if key != written and key in tree:
            flaws.append(Flaw(here, f"is another name of {key}, which is set beside it"))
            continue
        if node.key_check is not None and key not in node.children:
            try:
                node.key_check(key)
            except BadValue as bad:
                flaws.append(Flaw(here, bad.message, bad.allowed))
                continue
        _check_value(child, value, here, key, good, flaws)
    return good, flaws


def _check_value(node: Node, value: Any, path: Path, key: str, good: Table, flaws: list[Flaw]) -> None:
    try:
        if isinstance(node, Leaf):
            good[key] = node.check(value)
            return
        if not isinstance(value, dict):
            if node.shorthand is None:
                raise BadValue(f"expected a table, found {describe_value(value)}")
            value = node.shorthand(value)
        good[key], inner = check(value, node, path)
        flaws.extend(inner)
    except BadValue as bad:
        at = (*path, *bad.inside)
        flaws.append(Flaw(at, bad.message, bad.allowed, dotted((*at[:-1], bad.nearest)) if bad.nearest else ""))


def _unknown(path: Path, node: Group) -> Flaw:
    names = tuple(sorted(node.children))
    near = nearest(str(path[-1]), names)
    suggestion = dotted((*path[:-1], near)) if near else ""
    return Flaw(path, "isn't a valid key", () if near else names[:16], suggestion, unknown=True)


def merge(low: Table, high: Table, node: Node | None) -> Table:
    """Merge `high` over `low` by the nodes of the keys; without a node (below a free key) tables merge by key."""
    merged = dict(low)
    for key, value in high.items():
        child = node.child(key) if isinstance(node, Group) else None
        old = merged.get(key)
        if isinstance(value, dict) and isinstance(old, dict) and not _whole(child):
            merged[key] = merge(old, value, child)
        else:
            merged[key] = value
    return merged


def _whole(node: Node | None) -> bool:
    return isinstance(node, Leaf) and not node.merges


def get(tree: Table, path: Path) -> Any:
    """Return the value at `path`, or None."""
    value: Any = tree
    for part in path:
        if not isinstance(value, dict) or part not in value:
            return None
        value = value[part]
    return value


def leaves(tree: Table, node: Group, path: Path = ()) -> list[tuple[Path, Leaf, Any]]:
    """Return every set value of a checked tree with its leaf, in written order."""
    listed: list[tuple[Path, Leaf, Any]] = []
    for key, value in tree.items():
        child = node.child(key)
        if isinstance(child, Leaf):
            listed.append(((*path, key), child, value))
        elif child is not None and isinstance(value, dict):
            listed.extend(leaves(value, child, (*path, key)))
    return listed


def without(tree: Table, path: Path) -> Table:
    """Return `tree` without the value at `path` and without tables that become empty."""
    key = str(path[0])
    copy = dict(tree)
    if len(path) == 1:
        copy.pop(key, None)
        return copy
    inner = without(copy.get(key, {}), path[1:])
    if inner:
        copy[key] = inner
    else:
        copy.pop(key, None)
    return copy


def without_empty(tree: Table, node: Group) -> Table:
    """Return a checked tree without empty tables."""
    kept: Table = {}
    for key, value in tree.items():
        child = node.child(key)
        inner = without_empty(value, child) if isinstance(child, Group) and isinstance(value, dict) else value
        if inner or not isinstance(child, Group):
            kept[key] = inner
    return kept
