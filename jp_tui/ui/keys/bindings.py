"""Names of keys on the screen, and lists of keys, made from the bindings (asking.md E5, issue 7).

A key is declared once, as a Binding with an id, a description and a tooltip. The last line and the keys page read it
from there. Nothing here defines or runs a key.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from textual.binding import ActiveBinding, Binding, BindingsMap
from textual.content import Content
from textual.dom import DOMNode

from jp_tui.conversation.text import Foreign
from jp_tui.ui.text import foreign
from jp_tui.ui.textual_patches.private import keymap, own_bindings

_NAMES = {
    "up": "↑",
    "down": "↓",
    "left": "←",
    "right": "→",
    "pageup": "PgUp",
    "pagedown": "PgDn",
    "escape": "Esc",
    "delete": "Del",
    "underscore": "_",
    "question_mark": "?",
    "slash": "/",
    "right_square_bracket": "]",
    "left_square_bracket": "[",
    "left_curly_bracket": "{",
    "right_curly_bracket": "}",
    "full_stop": ".",
    "plus": "+",
    "minus": "-",
}


NO_KEYMAP: Mapping[str, str] = {}
DOUBLE_PRESS = 1.0
"""Seconds within which a second Ctrl+C leaves (R248)."""


class DoublePress:
    """Detects that a key was pressed twice within a second, on whatever screen. `clock` gives monotonic seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._first = float("-inf")

    def pressed(self) -> bool:
        """Note a press. Return True if it is the second."""
        now, first = self._clock(), self._first
        self._first = now
        return now - first < DOUBLE_PRESS


@dataclass(frozen=True, slots=True)
class KeyRow:
    """One line of the keys page."""

    keys: str
    does: str
    tooltip: str
    id: str = field(default="", compare=False)
    """The name by which `keys.toml` gives it other keys."""


@dataclass(frozen=True, slots=True)
class KeySection:
    """The keys of one place, under its title: the condition under which they work; empty for always."""

    title: str
    rows: tuple[KeyRow, ...]
    task: str = ""
    """The task of the keys, one of `scopes.TASKS`."""


def spelled(key: str) -> str:
    """Return a key in the long form: `Ctrl+P`, `Shift+Enter`, `F1`, `PgUp`."""
    *modifiers, name = key.split("+") if key != "+" else ["+"]
    shown = _NAMES.get(name) or (name.upper() if modifiers or (name[:1] == "f" and name[1:].isdigit()) else name)
    if len(name) > 1 and name not in _NAMES and not name[1:].isdigit():
        shown = name.capitalize()
    return "+".join([*(modifier.capitalize() for modifier in modifiers), shown])


def words(text: str) -> Content:
    """Return a text of jp-tui's own that isn't a literal, such as a binding's description, as content."""
    return foreign(Foreign(text), mode="line")


def section(title: str, bindings: Iterable[Binding]) -> KeySection:
    """Return the keys of one place. Keys that do the same share a row."""
    rows: dict[str, tuple[list[str], Binding]] = {}
    for binding in bindings:
        if binding.description and not binding.system:
            rows.setdefault(binding.action, ([], binding))[0].append(spelled(binding.key))
    return KeySection(
        title,
        tuple(KeyRow("  ".join(keys), one.description, _more(one), one.id or "") for keys, one in rows.values()),
    )


def _more(binding: Binding) -> str:
    return binding.tooltip if binding.tooltip.lower() != binding.description.lower() else ""


def counted(rows: Iterable[KeyRow]) -> tuple[KeyRow, ...]:
    """Join neighbouring rows that only count (`1` Select 1, `2` Select 2 …) into one: `1 … 9`, Select by number."""
    found: list[list[KeyRow]] = []
    for row in rows:
        stem = row.does.removesuffix(f" {row.keys}")
        before = found[-1] if found else []
        goes_on = before and row.keys.isdigit() and before[-1].keys.isdigit() and stem != row.does
        if goes_on and before[-1].does == f"{stem} {before[-1].keys}":
            before.append(row)
        else:
            found.append([row])
    return tuple(_together(some) for some in found)


def _together(rows: list[KeyRow]) -> KeyRow:
    first, last = rows[0], rows[-1]
    if len(rows) == 1:
        return first
    stem = first.does.removesuffix(f" {first.keys}")
    return KeyRow(f"{first.keys} … {last.keys}", f"{stem} by number", first.tooltip)


def declaring_class(node: DOMNode) -> type[object]:
    """Return the first class of a node, from its own on, that declares bindings itself."""
    return next(kind for kind in type(node).__mro__ if "BINDINGS" in kind.__dict__)


def declared(widget: type[object], keymap: Mapping[str, str] = NO_KEYMAP) -> list[Binding]:
    """Return the bindings that a widget class declares itself, with the user's own keys."""
    return mapped(BindingsMap(widget.__dict__.get("BINDINGS", ())), keymap)


def mapped(bindings: BindingsMap, keymap: Mapping[str, str]) -> list[Binding]:
    """Return one binding for each key, in order of declaration, with the user's keys where there are any."""
    found: dict[tuple[str, str, str], Binding] = {}
    for _, binding in bindings:
        theirs = keymap.get(binding.id or "")
        for key in theirs.split(",") if theirs else [binding.key]:
            one = binding if key == binding.key else binding.with_key(key, None)
            found.setdefault((key, binding.action, binding.id or ""), one)
    return list(found.values())


FOLDING = {
    "fold": "workspace.fold", "next": "workspace.next", "full": "dock.full", "interrupt": "workspace.interrupt",
}  # fmt: skip
"""Actions that the lines of a question name, and the binding's id for each, by which the user sets its key."""


def users(node: DOMNode, action: str) -> str:
    """Return the user's own key for an action of FOLDING, in the long form; empty if they set none."""
    theirs = keymap(node.app).get(FOLDING[action], "") if action in FOLDING else ""
    return spelled(theirs.split(",")[0]) if theirs else ""


def bound(node: DOMNode) -> dict[str, list[Binding]]:
    """Return the bindings of each key of a node, with the user's own keys, for nodes that handle keys themselves."""
    theirs, declared = keymap(node.app), own_bindings(node)
    if not theirs:
        return declared.key_to_bindings
    found: dict[str, list[Binding]] = {}
    for binding in mapped(declared, theirs):
        found.setdefault(binding.key, []).append(binding)
    return found


def shown(active: dict[str, ActiveBinding]) -> list[ActiveBinding]:
    """Return the keys of the last line: each visible action once, from the focused node outwards."""
    found: dict[tuple[int, str], ActiveBinding] = {}
    for one in active.values():
        if one.binding.show and one.enabled:
            found.setdefault((id(one.node), one.binding.action), one)
    return list(found.values())
