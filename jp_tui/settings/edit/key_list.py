"""Every key that can be set, as a list for people: what it means, what holds, where that was written, what it may be.

Over the same tree as the files (`keys.py`), so that nothing is listed that cannot be set, and nothing left out. Of each
tool the keys that people change. Pure; what stands in no file and no variable has the place of our own defaults.
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
"""When a change counts: at once, for the next call of a tool, or the next time the program starts."""
OF_A_TOOL = ("enable.state", "run", "result", "detached.run", "detached.tool", "detached.deliver")
"""What is listed of every tool, set or not."""
_OURS = frozenset({"source", "command", "summary", "description", "examples", "parameters", "options"})
"""What a tool is: listed where somebody wrote it, not of our own tools."""
_ORDER = ("ui", "notify", "interrupt", "style", "assistant", "conversation", "inquiry", "providers")


@dataclass(frozen=True, slots=True)
class SettingRow:
    """One key. `value` None: nothing is set. `layer` and `place` say where it comes from, `default` what holds without
    the user's file, `own` that it stands there, `hidden_by` whose value counts instead of the user's."""

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
    """All of them, by key."""
    user = settings.own("user")
    shown = {one.path: one for one in explained(settings, (), environment) if _listed(one)}
    for path in (*_fixed(SCHEMA, ()), *_of_tools(settings)):
        shown.setdefault(path, _quiet(settings, path))
    made = [_entry(settings, one, user) for one in shown.values()]
    return sorted(made, key=lambda one: (*_rank(one.key), one.key))


def _rank(key: str) -> tuple[int, bool]:
    """What people change most stands first; what holds for all tools before each of them."""
    top = key.partition(".")[0]
    return (_ORDER.index(top) if top in _ORDER else len(_ORDER), key.startswith("conversation.tools"))


def _listed(one: Shown) -> bool:
    if one.layer == "built-in" and one.path[:2] == toolset.TOOLS and len(one.path) > 3 and one.path[3] in _OURS:
        return False
    return isinstance(node_at(one.path), Leaf)


def _fixed(group: Group, path: Path) -> Iterator[Path]:
    """The keys that have a name of their own."""
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
    """What no layer says by itself: a tool has what all tools have (R66)."""
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
    """When a change counts: tools are read again at once, of the screen only the theme."""
    if path[:2] == toolset.TOOLS:
        return "turn"
    return "now" if path == ("ui", "theme") else "start"
