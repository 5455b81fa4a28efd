"""How keys are written, and the list of all keys, both made from the bindings themselves (asking.md E5, issue 7).

A key that works is declared once, as a Binding with an id, a description and a tooltip; footer and keys screen
read it from there. Defines no key and runs none.
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
    """One line of the keys screen."""

    keys: str
    does: str
    tooltip: str
    id: str = field(default="", compare=False)
    """The name by which `keys.toml` gives it other keys."""


@dataclass(frozen=True, slots=True)
class KeySection:
    """Where keys work, and which."""

    title: str
    rows: tuple[KeyRow, ...]


def spelled(key: str) -> str:
    """A key as it is written in words: `Ctrl+P`, `Shift+Enter`, `F1`, `PgUp`."""
    *modifiers, name = key.split("+") if key != "+" else ["+"]
    shown = _NAMES.get(name) or (name.upper() if modifiers or (name[:1] == "f" and name[1:].isdigit()) else name)
    if len(name) > 1 and name not in _NAMES and not name[1:].isdigit():
        shown = name.capitalize()
    return "+".join([*(modifier.capitalize() for modifier in modifiers), shown])


def short(key: str) -> str:
    """A key as the footer writes it: `^P` for Ctrl+P."""
    said = spelled(key)
    return said.replace("Ctrl+", "^") if said.count("+") == 1 else said


def words(text: str) -> Content:
    """Words of our own that come out of a binding, which is where our keys are described."""
    return foreign(Foreign(text), mode="line")


def section(title: str, bindings: Iterable[Binding]) -> KeySection:
    """The keys of one place; keys that do the same stand in one row."""
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
    """Neighbouring keys that count what they do (`1` Pick 1, `2` Pick 2 …) as one row: `1 … 9`, Pick by number."""
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
    """The bindings that a widget class declares itself, with the user's own keys."""
    return mapped(BindingsMap(widget.__dict__.get("BINDINGS", ())), keymap)


def mapped(bindings: BindingsMap, keymap: Mapping[str, str]) -> list[Binding]:
    """One binding a key, in the order in which they are declared; where the user has other keys, those."""
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
"""What a line of a question calls by the name of an action, and where the user's own key for it stands."""


def users(node: DOMNode, action: str) -> str:
    """The user's own key for one of FOLDING, as the lines of a question write it; empty where it is ours."""
    theirs = keymap(node.app).get(FOLDING[action], "") if action in FOLDING else ""
    return spelled(theirs.split(",")[0]) if theirs else ""


def bound(node: DOMNode) -> dict[str, list[Binding]]:
    """What each key of a node does, with the user's own keys, for nodes that hear keys themselves."""
    theirs, declared = keymap(node.app), own_bindings(node)
    if not theirs:
        return declared.key_to_bindings
    found: dict[str, list[Binding]] = {}
    for binding in mapped(declared, theirs):
        found.setdefault(binding.key, []).append(binding)
    return found


def shown(active: dict[str, ActiveBinding]) -> list[ActiveBinding]:
    """What the footer says: each visible action once, in the order of the chain from the focus outwards."""
    found: dict[tuple[int, str], ActiveBinding] = {}
    for one in active.values():
        if one.binding.show and one.enabled:
            found.setdefault((id(one.node), one.binding.action), one)
    return list(found.values())


def all_sections(*places: tuple[str, Iterable[Binding]]) -> list[KeySection]:
    """The sections of the keys screen, empty ones left out."""
    found = [section(title, bindings) for title, bindings in places]
    return [one for one in found if one.rows]
