"""What the tree of keys is made of: a leaf that is one value, a group that is a table.

Plain nodes rather than model classes: building eighteen of those costs 14 ms at every start, this costs half of one.
Says nothing about which keys there are (`keys.py`), and checks nothing itself (`merge.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from jp_tui.settings.schema.checks import Check

Trust = Literal["display", "guarded"]


@dataclass(frozen=True, slots=True)
class Leaf:
    """A value that a higher layer replaces whole.

    What a workspace's file may do with it (S10): `display` always counts; `guarded` waits until the file is trusted,
    unless `tightens(old, new)` says that it only makes things stricter; `never(new)` does not count even then.
    `acts`: it says what is run, where something goes, or who answers, so it is named first. `loosens(old, new)` where
    what does not tighten need not loosen either.
    """

    check: Check
    trust: Trust = "guarded"
    tightens: Callable[[Any, Any], bool] | None = None
    never: Callable[[Any], bool] | None = None
    acts: bool = False
    loosens: Callable[[Any, Any], bool] | None = None
    merges: bool = False  # a free key whose tables merge like ours
    help: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """A table merged key by key. `named` is what any other key holds; `shorthand` turns a non-table into one;
    `aliases` are other names of its keys, which nothing above this room ever sees."""

    children: Mapping[str, Node] = field(default_factory=dict)
    named: Node | None = None
    shorthand: Check | None = None
    key_check: Check | None = None
    aliases: Mapping[str, str] = field(default_factory=dict)

    def child(self, key: str) -> Node | None:
        return self.children.get(key) or self.named


Node = Leaf | Group


def stricter(*order: Any) -> Callable[[Any, Any], bool]:
    """Later in `order` is stricter; a value that is not in it never tightens."""

    def tightens(old: Any, new: Any) -> bool:
        return new in order and (old not in order or order.index(new) >= order.index(old))

    return tightens


def dotted(path: tuple[str | int, ...]) -> str:
    """A path as one writes it in TOML."""
    said = ""
    for part in path:
        if isinstance(part, int):
            said += f"[{part}]"
            continue
        plain = part.replace("-", "_").isidentifier() or part.replace("-", "").isalnum()
        quoted = part if plain and part.isascii() else _quoted(part)
        said += f".{quoted}" if said else quoted
    return said


def _quoted(part: str) -> str:
    if "'" not in part:
        return f"'{part}'"
    escaped = part.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
