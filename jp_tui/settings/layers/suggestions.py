"""Which variable or key somebody meant who wrote one that there is not (surface.md S11). Pure; needed only then."""

from __future__ import annotations

from difflib import get_close_matches

from jp_tui.settings.errors import nearest
from jp_tui.settings.layers.toml import Path
from jp_tui.settings.schema.keys import PREFIX, SCHEMA
from jp_tui.settings.schema.nodes import Group, Leaf, Node


def told(name: str) -> str:
    """The name of a variable that is no key, with the one that was probably meant."""
    near = meant(name)
    return f"{name} (did you mean {near}?)" if near else name


def meant(name: str) -> str:
    """The variable of a key whose name is nearest to `name`, "" when none is near."""
    path = _corrected(tuple(name[len(PREFIX) :].lower().split("__")))
    if path:
        return variable(path)
    matches = get_close_matches(name[:120].upper(), _fixed(SCHEMA), n=1, cutoff=0.7)
    return matches[0] if matches else ""


def variable(path: Path) -> str:
    """The name of the variable that sets the key `path`."""
    return PREFIX + "__".join(str(part).upper() for part in path)


def _corrected(path: Path) -> Path:
    """`path` with each part that is no key replaced by the nearest one; () when it leads to no value."""
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
    """The variables of all keys whose parts are ours."""
    names: list[str] = []
    for key, child in group.children.items():
        names += [variable((*path, key))] if isinstance(child, Leaf) else _fixed(child, (*path, key))
    return names
