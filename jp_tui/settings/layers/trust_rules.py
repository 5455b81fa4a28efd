"""Settings that an untrusted workspace file may change: display and stricter values only (S10).

Pure. Cloning a repository isn't consent to its configuration, so every other key is left out and reported. Some keys
are never accepted from a workspace's file, trusted or not.
"""

from __future__ import annotations

from collections.abc import Iterable

from jp_tui.settings.layers.merge import get, leaves, without, without_empty
from jp_tui.settings.layers.toml import Path, Table
from jp_tui.settings.schema.keys import SCHEMA, Leaf, node_at
from jp_tui.settings.schema.nodes import stricter


def admit(tree: Table, below: Table, *, trusted: bool) -> tuple[Table, list[Path]]:
    """Return the accepted part of a workspace's checked `tree` over the layers `below`, and the paths left out."""
    left_out: list[Path] = []
    for path, leaf, value in leaves(tree, SCHEMA):
        old = effective(below, path)
        unchanged = value == old and type(value) is type(old)
        never = _never(leaf, value, path, tree, below)
        tightens = _tightens(leaf, old, value) or _hardens_lock(path, value, tree, below)
        counts = (trusted and leaf.trust != "stricter") or (
            (leaf.trust == "display" or tightens) and _known(path, below)
        )
        if not unchanged and (never or not counts):
            left_out.append(path)
        elif leaf.yields and get(below, path) is not None:
            tree = without(tree, path)
        elif leaf.not_from_folder and isinstance(value, dict):
            left_out += [(*path, key) for key in leaf.not_from_folder if key in value]
    for path in left_out:
        tree = without(tree, path)
    return tree if trusted else without_empty(tree, SCHEMA), left_out  # an empty command can't start a server or a tool


def weighed(paths: Iterable[Path], tree: Table, below: Table) -> tuple[list[Path], list[Path]]:
    """Sort paths of a workspace's file that don't apply: first those never accepted, then the others, keys that run or
    send something before the rest. `tree` is the file without invalid values; an invalid value of the first kind still
    belongs to it."""

    def weight(path: Path) -> int:
        leaf = node_at(path)
        if not isinstance(leaf, Leaf):
            return 2
        value = get(tree, path)
        never = leaf.never is not None if value is None else _never(leaf, value, path, tree, below)
        never = never or path[-1] in leaf.not_from_folder
        return 0 if never else 1 if leaf.acts or leaf.never is not None else 2

    ranked = sorted(((weight(path), path) for path in paths), key=lambda each: each[0])
    return [path for rank, path in ranked if rank == 0], [path for rank, path in ranked if rank]


def _never(leaf: Leaf, value: object, path: Path, tree: Table, below: Table) -> bool:
    if leaf.yields and get(below, path) is not None:
        return True
    return leaf.never is not None and leaf.never(value) and not _own(path, tree, below)


_TOGGLES = ("any", "if_named_or_group", "if_named", "never")
"""Ways to switch a tool on, from any to none."""


def _hardens_lock(path: Path, value: object, tree: Table, below: Table) -> bool:
    """True if `value` makes it harder to switch on a tool that is off. For a tool that is on it has the opposite
    effect."""
    if path[:2] != ("conversation", "tools") or path[3:] != ("enable", "allow_toggle") or path[2] == "*":
        return False
    state = (*path[:3], "enable", "state")
    off = get(tree, state) is False or effective(below, state) is False
    return off and _stricter_toggle(effective(below, path), value)


_stricter_toggle = stricter(*_TOGGLES)


def _known(path: Path, below: Table) -> bool:
    """True unless `path` belongs to a tool that no lower layer defines: such an entry could only prevent the start."""
    return path[:2] != ("conversation", "tools") or get(below, path[:3]) is not None


def _own(path: Path, tree: Table, below: Table) -> bool:
    """True if `path` belongs to a tool that isn't built-in: made local by a layer below or by the file itself.

    A file can't escape the rules for a built-in tool by giving it another source.
    """
    if path[:2] != ("conversation", "tools"):
        return False
    source = get(below, (*path[:3], "source")) or get(tree, (*path[:3], "source"))
    return isinstance(source, str) and source.partition(".")[0] == "local"


def loosened(tree: Table, below: Table) -> list[Path]:
    """Return the paths whose values are less strict than `below`; an environment must not set them without a notice."""
    return [
        path
        for path, leaf, value in leaves(tree, SCHEMA)
        if effective(below, path) != value and _loosens(leaf, effective(below, path), value)
    ]


def effective(tree: Table, path: Path) -> object:
    """Return the value at `path`; for an unset key of a tool, that of its server's, or of all tools (R66, P21)."""
    value = get(tree, path)
    if value is None and path[:2] == ("conversation", "tools"):
        parts = str(path[2]).split(".", 2)
        if parts[0] == "mcp" and len(parts) == 3:
            value = get(tree, (*path[:2], f"mcp.{parts[1]}.*", *path[3:]))
        return get(tree, (*path[:2], "*", *path[3:])) if value is None else value
    return value


def _loosens(leaf: Leaf, old: object, new: object) -> bool:
    if leaf.loosens is not None:
        return leaf.loosens(old, new)
    return (leaf.tightens or leaf.never) is not None and not _tightens(leaf, old, new)


def _tightens(leaf: Leaf, old: object, new: object) -> bool:
    return leaf.tightens is not None and leaf.tightens(old, new)
