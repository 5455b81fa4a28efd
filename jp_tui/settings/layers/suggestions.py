"""Suggestions for unknown variables and keys (surface.md S11). Pure; imported only for an error."""

from __future__ import annotations

from difflib import get_close_matches

from jp_tui.settings.errors import nearest
from jp_tui.settings.layers.toml import Path
from jp_tui.settings.schema.keys import NO_VARIABLE, PREFIX, SCHEMA
from jp_tui.settings.schema.nodes import Group, Leaf, Node


def describe_unknown(name: str) -> str:
    """Return the name of an unknown variable with the nearest known one."""
    near = nearest_variable(name)
    return f"{name} (did you mean {near}?)" if near else name


def nearest_variable(name: str) -> str:
    """Return the variable whose name is nearest to `name`, "" if none is near."""
    path = _corrected(tuple(name[len(PREFIX) :].lower().split("__")))
    if path:
        return "" if path[:2] == NO_VARIABLE else variable(path)
    matches = get_close_matches(name[:120].upper(), _fixed(SCHEMA), n=1, cutoff=0.7)
    return matches[0] if matches else ""


def variable(path: Path) -> str:
    """Return the name of the variable that sets the key `path`."""
    return PREFIX + "__".join(str(part).upper() for part in path)


def _corrected(path: Path) -> Path:
    """Replace each unknown part of `path` with the nearest known one; () if the result isn't a value."""
    node: Node | None = SCHEMA
    right: list[str] = []
    for part in map(str, path):
        if isinstance(node, Leaf):  # inside a value
            return ()
        if node is None or not part:
            return ()
        if node.child(part) is None:
            part = nearest(part, node.children)
        node = node.child(part) if part else None
        right.append(part)
    return tuple(right) if isinstance(node, Leaf) or (isinstance(node, Group) and node.shorthand) else ()


def _fixed(group: Group, path: Path = ()) -> list[str]:
    """Return the variables of all keys with only fixed parts."""
    names: list[str] = []
    for key, child in group.children.items():
        names += [variable((*path, key))] if isinstance(child, Leaf) else _fixed(child, (*path, key))
    return names
