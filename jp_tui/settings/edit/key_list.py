"""List of all settable keys for the user: meaning, effective value, origin, allowed values.

It walks the same tree as the files (`keys.py`), so it is complete. For each tool it lists the commonly changed keys.
Pure. Values from no file or variable have the place of the built-in defaults.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from jp_tui.settings import toolset
from jp_tui.settings.layers.explain import Shown, explained
from jp_tui.settings.layers.layers import Settings
from jp_tui.settings.layers.merge import get
from jp_tui.settings.layers.toml import Path
from jp_tui.settings.schema import checks
from jp_tui.settings.schema.keys import SCHEMA, dotted, node_at
from jp_tui.settings.schema.nodes import Group, Leaf

Applies = Literal["now", "turn", "start"]
"""Effect of a change: at once, with the tool's next call, or at the next start."""
OF_A_TOOL = ("enable.state", "run", "result", "detached.run", "detached.tool", "detached.deliver")
"""Keys listed for every tool, set or not."""
_OURS = frozenset({"source", "command", "summary", "description", "examples", "parameters", "options"})
"""Keys that define a tool: listed where a user wrote them, not for built-in tools."""
_ORDER = ("ui", "notify", "interrupt", "style", "assistant", "conversation", "inquiry", "providers")


@dataclass(frozen=True, slots=True)
class SettingRow:
    """One key. `value` None: not set. `layer` and `place` are its origin, `default` is the value without the user's
    file, `own` is true if the user's file sets it, `hidden_by` is the layer that overrides the user's value."""

    key: str
    value: Any
    layer: str
    place: str
    why: str
    help: str
    kind: checks.Kind
    default: Any
    own: bool
    hidden_by: str
    applies: Applies


def entries(settings: Settings, environment: Mapping[str, str]) -> list[SettingRow]:
    """Return all rows, sorted by key."""
    user = settings.own("user")
    shown = {one.path: one for one in explained(settings, (), environment) if _listed(one)}
    for path in (*_fixed(SCHEMA, ()), *_of_tools(settings)):
        shown.setdefault(path, _quiet(settings, path))
    made = [_entry(settings, one, user) for one in shown.values()]
    return sorted(made, key=lambda one: (*_rank(one.key), one.key))


def _rank(key: str) -> tuple[int, bool]:
    """Sort key: commonly changed keys first; the setting for all tools before each tool's."""
    top = key.partition(".")[0]
    return (_ORDER.index(top) if top in _ORDER else len(_ORDER), key.startswith("conversation.tools"))


def _listed(one: Shown) -> bool:
    if one.layer == "built-in" and one.path[:2] == toolset.TOOLS and len(one.path) > 3 and one.path[3] in _OURS:
        return False
    return isinstance(node_at(one.path), Leaf)


def _fixed(group: Group, path: Path) -> Iterator[Path]:
    """Keys with fixed names."""
    for name, node in group.children.items():
        if isinstance(node, Leaf):
            yield (*path, name)
        else:
            yield from _fixed(node, (*path, name))


def _of_tools(settings: Settings) -> Iterator[Path]:
    for name in toolset.tools(settings):
        for key in OF_A_TOOL:
            yield (*toolset.TOOLS, name, *key.split("."))


def _quiet(settings: Settings, path: Path) -> Shown:
    """Return the row of a key that no layer sets: a tool inherits from all tools (R66)."""
    general: Path = (*toolset.TOOLS, "*", *path[3:])
    if path[:2] == toolset.TOOLS and (value := get(settings.tree, general)) is not None:
        origin = settings.origin(*general)
        return Shown(path, value, origin.layer if origin else "default", origin.words() if origin else "", "as for *")
    return Shown(path, None, "default")


def _entry(settings: Settings, shown: Shown, user: dict[str, Any]) -> SettingRow:
    path = shown.path
    node = node_at(path)
    assert isinstance(node, Leaf)
    names = [str(part) for part in path]
    own = get(user, path) is not None
    default = settings.below("user", *names)
    if default is None and not own:
        default = shown.value
    return SettingRow(
        key=dotted(path),
        value=shown.value,
        layer=shown.layer,
        place=shown.place,
        why=shown.why,
        help=node.help,
        kind=checks.kind_of(node.check),
        default=default,
        own=own,
        hidden_by=shown.place if own and shown.layer != "user" else "",
        applies=_applies(path),
    )


def _applies(path: Path) -> Applies:
    """Return when a change takes effect. Tools are read again at once; of the display settings only the theme."""
    if path[:2] == toolset.TOOLS:
        return "turn"
    return "now" if path == ("ui", "theme") else "start"
