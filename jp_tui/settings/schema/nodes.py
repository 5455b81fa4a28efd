"""Nodes of the tree of keys: a leaf is one value, a group is a table.

They are plain classes, because building 18 model classes would cost 14 ms at every start instead of 0.5 ms. The keys
are in `keys.py`, the checks in `merge.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from jp_tui.settings.schema.checks import Check

Trust = Literal["display", "guarded", "stricter"]


@dataclass(frozen=True, slots=True)
class Leaf:
    """Value that a higher layer replaces whole.

    Rules for a workspace's file (S10): `display` always applies; `guarded` needs trust unless `tightens(old, new)`
    returns true; `stricter` applies only if it tightens, trusted or not; `never(new)` is refused even with trust.
    `acts`: it runs or sends something or chooses who answers, so it is reported first. `loosens(old, new)` is needed
    where a value that doesn't tighten need not loosen either. `yields`: a workspace's file may add one, but never
    replaces what a lower layer set; `not_from_folder` are keys of a table that never count from there.
    """

    check: Check
    trust: Trust = "guarded"
    tightens: Callable[[Any, Any], bool] | None = None
    never: Callable[[Any], bool] | None = None
    acts: bool = False
    loosens: Callable[[Any, Any], bool] | None = None
    merges: bool = False  # a free key whose tables merge like fixed ones
    yields: bool = False
    not_from_folder: tuple[str, ...] = ()
    help: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """Table merged key by key. `named` is the node of any other key; `shorthand` converts a non-table to a table;
    `aliases` are alternative key names, resolved inside this package."""

    children: Mapping[str, Node] = field(default_factory=dict)
    named: Node | None = None
    shorthand: Check | None = None
    key_check: Check | None = None
    aliases: Mapping[str, str] = field(default_factory=dict)

    def child(self, key: str) -> Node | None:
        return self.children.get(key) or self.named


Node = Leaf | Group


def stricter(*order: Any) -> Callable[[Any, Any], bool]:
    """Later in `order` is stricter; an unknown value never tightens."""

    def tightens(old: Any, new: Any) -> bool:
        return new in order and (old not in order or order.index(new) >= order.index(old))

    return tightens


def dotted(path: tuple[str | int, ...]) -> str:
    """Return a path in TOML syntax."""
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
