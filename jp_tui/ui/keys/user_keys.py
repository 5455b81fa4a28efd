"""The user's own keys: `keys.toml`, one key or several for an action's id, given to Textual's keymap (surface.md S10).

    [workspace]
    sidebar = "f2"                  # or "ctrl+b, f2", or ["ctrl+b", "f2"]

What cannot be is said with its place and left as it was, the rest holds. A key that answers a question is fixed: what a
sheet says of its keys is always true. It reads one small file, after the first frame, and only when there is one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from textual.binding import Binding
from textual.keys import KEY_NAME_REPLACEMENTS, Keys

from jp_tui.settings.errors import Problem, SettingsError, nearest
from jp_tui.settings.layers import toml
from jp_tui.ui.textual_patches.private import class_bindings

Keymap: TypeAlias = Mapping[str, str]
"""What Textual takes: an action's id → keys, with commas between."""

FIXED = {
    "sheet": "answers questions, and a question says itself which key does what",
    "interrupt": "is the menu of an interruption, which says itself which key does what",
    "context": "is read in questions, whose keys are fixed",
    "json": "is written in questions, whose keys are fixed",
    "small": "is the only way out of a terminal that is too small",
    "leaving": "is the way out",
}
"""Beginnings of ids whose keys cannot be changed, and why."""
FOLLOWS = {"dock.fold": "workspace.fold", "dock.next": "workspace.next"}
"""Ids that take the keys of another: the same thing, said in an open question and beside it."""

_ALIASES = {
    "esc": "escape", "return": "enter", "pgup": "pageup", "pgdn": "pagedown", "del": "delete", "ins": "insert",
    "spacebar": "space", "control": "ctrl", "option": "alt",
}  # fmt: skip
_MODIFIERS = ("alt", "ctrl", "hyper", "meta", "shift", "super")
_SAME_BYTE = {"ctrl+i": "Tab", "ctrl+m": "Enter", "ctrl+h": "Backspace", "ctrl+left_square_bracket": "Esc"}
_TO_NAME = str.maketrans("- ", "__")
_NAMED = frozenset(str(key.value) for key in Keys if not str(key.value).startswith(("<", "ctrl+", "shift+", "ignore")))


@dataclass(frozen=True, slots=True)
class Wish:
    """One line of the file: an id, its keys as Textual names them, and where it stands."""

    id: str
    keys: tuple[str, ...]
    file: str
    line: int | None = None
    column: int | None = None

    def problem(self, message: str, near: str = "") -> Problem:
        return Problem(message, self.id, self.file, self.line, self.column, (), near)


@dataclass(frozen=True, slots=True)
class Place:
    """Where some keys work together: a name for it, and the classes whose bindings are heard there, nearest first."""

    name: str
    kinds: tuple[type[object], ...]
    writes: bool = False
    taken: Mapping[str, str] = field(default_factory=dict)
    """Keys that are used there without being bindings, and what for."""


def bindings_of(kind: type[object]) -> list[Binding]:
    """All bindings of a class, as Textual merges them with those of its bases."""
    return [binding for bindings in class_bindings(kind).key_to_bindings.values() for binding in bindings]


def named(text: str) -> str:
    """A key as Textual names it, however it was written: `Ctrl+Shift+P`, `PgUp`, `?`, `esc`. ValueError with words."""
    text = text.strip()
    parts = ["+"] if text == "+" else text.split("+")
    if parts[-2:] == ["", ""]:  # ctrl++
        parts = [*parts[:-2], "+"]
    *modifiers, key = [_ALIASES.get(part.strip().lower(), part.strip()) for part in parts]
    modifiers = sorted({one.lower() for one in modifiers})
    if wrong := next((one for one in modifiers if one not in _MODIFIERS), ""):
        near = nearest(wrong, _MODIFIERS)
        raise ValueError(f'no modifier "{wrong}"' + (f"; did you mean {near}?" if near else ""))
    if len(key) == 1:
        key = key if not modifiers else key.lower()
        if modifiers == ["shift"] and key.isalpha():
            modifiers, key = [], key.upper()
        key = key_name(key)
    else:
        key = key.lower()
        if key not in _NAMED and not (len(key) > 1 and key.isidentifier() and _is_sign(key)):
            near = nearest(key, _NAMED)
            raise ValueError(f'no key "{text}"' + (f"; did you mean {near}?" if near else ""))
    found = "+".join((*modifiers, key))
    if found in _SAME_BYTE:
        raise ValueError(f'"{text}" is the same as {_SAME_BYTE[found]} in most terminals')
    if found == "ctrl+c":
        raise ValueError("Ctrl+C always copies, interrupts and leaves")
    return found


def key_name(character: str) -> str:
    """What Textual calls the key of a character: itself for letters and digits, else its name in Unicode."""
    import unicodedata

    if character.isalnum():
        return character
    name = unicodedata.name(character, "").lower().translate(_TO_NAME) or character
    return KEY_NAME_REPLACEMENTS.get(name, name)


def _is_sign(name: str) -> bool:
    import unicodedata

    if name in KEY_NAME_REPLACEMENTS.values():
        return True
    try:
        return bool(unicodedata.lookup(name.replace("_", " ").upper()))
    except KeyError:
        return False


def read(file: str) -> tuple[list[Wish], list[Problem]]:
    """What the file asks for, and what is no key or no table in it. None there: nothing at all."""
    try:
        document = toml.read(file)
    except SettingsError as error:
        return [], list(error.problems)
    wishes: list[Wish] = []
    problems: list[Problem] = []

    def walk(table: toml.Table, path: toml.Path) -> None:
        for name, value in table.items():
            here = (*path, name)
            if isinstance(value, dict):
                walk(value, here)
                continue
            line, column = document.places.get(here, (None, None)) if document else (None, None)
            wish = Wish(".".join(map(str, here)), (), file, line, column)
            keys = value.split(",") if isinstance(value, str) and value.strip() != "," else value
            if not isinstance(keys, list) or not keys or not all(isinstance(one, str) and one.strip() for one in keys):
                problems.append(wish.problem('expected a key like "ctrl+b", or several'))
                continue
            try:
                wishes.append(replace(wish, keys=tuple(dict.fromkeys(named(one) for one in keys))))
            except ValueError as bad:
                problems.append(wish.problem(str(bad)))

    if document is not None:
        walk(document.tree, ())
    return wishes, problems


@dataclass(frozen=True, slots=True)
class KeyTable:
    """All keys there are: the places where they work, and each id's keys as they are declared."""

    places: tuple[Place, ...]
    declared: Mapping[str, tuple[str, ...]]
    does: Mapping[str, str]

    @classmethod
    def of(cls, places: Iterable[Place]) -> KeyTable:
        found = tuple(places)
        declared: dict[str, dict[str, None]] = {}
        does: dict[str, str] = {}
        for kind in dict.fromkeys(kind for place in found for kind in place.kinds):
            for binding in bindings_of(kind):
                if binding.id:
                    declared.setdefault(binding.id, {})[binding.key] = None
                    does.setdefault(binding.id, binding.description)
        return cls(found, {id: tuple(keys) for id, keys in declared.items()}, does)


def keymap(wishes: Sequence[Wish], keys: KeyTable) -> tuple[dict[str, str], list[Problem]]:
    """The keymap for Textual, and the wishes that cannot be: unknown, fixed, or in each other's way."""
    problems: list[Problem] = []
    held: dict[str, Wish] = {}
    for wish in wishes:
        if (problem := _refused(wish, keys)) is not None:
            problems.append(problem)
        else:
            held[wish.id] = wish
    while (clash := _clash(held, keys)) is not None:
        wish, words = clash
        problems.append(wish.problem(words))
        del held[wish.id]
    made = {id: ",".join(wish.keys) for id, wish in held.items()}
    for id, leader in FOLLOWS.items():
        if leader in made:
            made[id] = made[leader]
    return _with_neighbours(made, keys), sorted(problems, key=lambda one: one.line or 0)


def _refused(wish: Wish, keys: KeyTable) -> Problem | None:
    first = wish.id.partition(".")[0]
    if wish.id in FOLLOWS:
        return wish.problem(f"takes the keys of {FOLLOWS[wish.id]}: set that")
    if wish.id.endswith(".break"):
        return wish.problem("is fixed: Ctrl+C always copies, interrupts and leaves")
    if first in FIXED and (wish.id in keys.declared or first not in {id.partition(".")[0] for id in keys.declared}):
        return wish.problem(f"is fixed: it {FIXED[first]}")
    if wish.id not in keys.declared:
        return wish.problem("is no action with a key: F1 and / list the names", nearest(wish.id, keys.declared))
    for place in keys.places:
        typed = next((key for key in wish.keys if _is_typed(key)), "")
        if typed and place.writes and any(wish.id == one.id for kind in place.kinds for one in bindings_of(kind)):
            return wish.problem(f'"{typed}" is typed {place.name}: take Ctrl, Alt or a function key with it')
    return None


def _is_typed(key: str) -> bool:
    return "+" not in key and key not in _NAMED - {"space"}


def _clash(held: Mapping[str, Wish], keys: KeyTable) -> tuple[Wish, str] | None:
    """The last line of the file that stands in the way of something else, and the words for it."""
    for wish in reversed(tuple(held.values())):
        for place in keys.places:
            ids = {one.id for kind in place.kinds for one in bindings_of(kind) if one.id}
            if wish.id not in ids:
                continue
            for key in wish.keys:
                if key in place.taken:
                    return wish, f"{_words(key)} {place.taken[key]} {place.name}"
                if key in keys.declared[wish.id]:
                    continue  # as it was before
                for other in sorted(ids - {wish.id}):
                    theirs = held[other].keys if other in held else keys.declared[other]
                    if key in theirs and not set(keys.declared[other]) & set(keys.declared[wish.id]):
                        return wish, f"{_words(key)} is {other} already ({keys.does[other]}), {place.name}"
    return None


def _words(key: str) -> str:
    from jp_tui.ui.keys.bindings import spelled

    return spelled(key)


def _with_neighbours(made: dict[str, str], keys: KeyTable) -> dict[str, str]:
    """With the ids that share a key with one of them in the same class: Textual drops all bindings of a key when one of
    them gets another, so that theirs have to be said again."""
    found = dict(made)
    fresh = set(made)
    kinds = dict.fromkeys(kind for place in keys.places for kind in place.kinds)
    while fresh:
        again: set[str] = set()
        for kind in kinds:
            for bindings in class_bindings(kind).key_to_bindings.values():
                if any(one.id in fresh for one in bindings):
                    again |= {one.id for one in bindings if one.id and one.id not in found}
        found |= {id: ",".join(keys.declared[id]) for id in again}
        fresh = again
    return found
