"""The user's own keys: `keys.toml`, one key or several for an action's id, given to Textual's keymap (surface.md S10).

[workspace] sidebar = "f11" # or "ctrl+b, f11", or ["ctrl+b", "f11"]

A line that can't be used is reported with its place, and the others apply. A key that answers a question is fixed, so
that the keys named in a sheet always work. The file is read after the first frame, and only if there is one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from textual.binding import Binding
from textual.keys import KEY_NAME_REPLACEMENTS, Keys

from jp_tui.settings.errors import SettingsError, SettingsProblem, nearest
from jp_tui.settings.layers import toml
from jp_tui.ui.textual_patches.private import class_bindings

FIXED = {
    "sheet": "answers questions, whose keys are fixed",
    "interrupt": "belongs to the interrupt menu, whose keys are fixed",
    "context": "scrolls questions, whose keys are fixed",
    "json": "edits questions, whose keys are fixed",
    "small": "is the only way to quit in a small terminal",
    "leaving": "is the way to quit",
}
"""First parts of the ids whose keys can't be changed, and why."""
FOLLOWS = {"dock.fold": "workspace.fold", "dock.next": "workspace.next"}
"""Ids that take the keys of another id: the same action, inside an open question and outside."""

_ALIASES = {
    "esc": "escape", "return": "enter", "pgup": "pageup", "pgdn": "pagedown", "del": "delete", "ins": "insert",
    "spacebar": "space", "control": "ctrl", "option": "alt",
}  # fmt: skip
_MODIFIERS = ("alt", "ctrl", "hyper", "meta", "shift", "super")
_SAME_BYTE = {"ctrl+i": "Tab", "ctrl+m": "Enter", "ctrl+h": "Backspace", "ctrl+left_square_bracket": "Esc"}
_TO_NAME = str.maketrans("- ", "__")
_NAMED = frozenset(str(key.value) for key in Keys if not str(key.value).startswith(("<", "ctrl+", "shift+", "ignore")))


@dataclass(frozen=True, slots=True)
class UserKey:
    """One line of the file: an id, its keys by Textual's names, and its place."""

    id: str
    keys: tuple[str, ...]
    file: str
    line: int | None = None
    column: int | None = None

    def problem(self, message: str, near: str = "") -> SettingsProblem:
        return SettingsProblem(message, self.id, self.file, self.line, self.column, (), near)


@dataclass(frozen=True, slots=True)
class KeyScope:
    """A place where some keys work together: a name, and the classes whose bindings work there, the focused one first.

    `writes`: characters are typed there.
    """

    name: str
    kinds: tuple[type[object], ...]
    writes: bool = False
    taken: Mapping[str, str] = field(default_factory=dict)
    """Keys that work there without a binding, and their effects."""


def bindings_of(kind: type[object]) -> list[Binding]:
    """Return all bindings of a class, merged with those of its bases as Textual merges them."""
    return [binding for bindings in class_bindings(kind).key_to_bindings.values() for binding in bindings]


def parse_key(text: str) -> str:
    """Return Textual's name of a key written in any form: `Ctrl+Shift+P`, `PgUp`, `?`, `esc`.

    Raises ValueError with a message for the user.
    """
    text = text.strip()
    parts = ["+"] if text == "+" else text.split("+")
    if parts[-2:] == ["", ""]:  # ctrl++
        parts = [*parts[:-2], "+"]
    *modifiers, key = [_ALIASES.get(part.strip().lower(), part.strip()) for part in parts]
    modifiers = sorted({one.lower() for one in modifiers})
    if wrong := next((one for one in modifiers if one not in _MODIFIERS), ""):
        near = nearest(wrong, _MODIFIERS)
        raise ValueError(f'no modifier "{wrong}"' + (f". Did you mean {near}?" if near else ""))
    if len(key) == 1:
        key = key if not modifiers else key.lower()
        if modifiers == ["shift"] and key.isalpha():
            modifiers, key = [], key.upper()
        key = key_name(key)
    else:
        key = key.lower()
        if key not in _NAMED and not (len(key) > 1 and key.isidentifier() and _is_sign(key)):
            near = nearest(key, _NAMED)
            raise ValueError(f'no key "{text}"' + (f". Did you mean {near}?" if near else ""))
    found = "+".join((*modifiers, key))
    if found in _SAME_BYTE:
        raise ValueError(f'"{text}" is the same as {_SAME_BYTE[found]} in most terminals')
    if found == "ctrl+c":
        raise ValueError("Ctrl+C always copies, interrupts and quits")
    return found


def key_name(character: str) -> str:
    """Return Textual's name for the key of a character: itself for letters and digits, else its name in Unicode."""
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


def read_keys(file: str) -> tuple[list[UserKey], list[SettingsProblem]]:
    """Return the keys that the file sets, and its problems; nothing if there is no file."""
    try:
        document = toml.read(file)
    except SettingsError as error:
        return [], list(error.problems)
    user_keys: list[UserKey] = []
    problems: list[SettingsProblem] = []

    def walk(table: toml.Table, path: toml.Path) -> None:
        for name, value in table.items():
            here = (*path, name)
            if isinstance(value, dict):
                walk(value, here)
                continue
            line, column = document.places.get(here, (None, None)) if document else (None, None)
            user_key = UserKey(".".join(map(str, here)), (), file, line, column)
            keys = value.split(",") if isinstance(value, str) and value.strip() != "," else value
            if not isinstance(keys, list) or not keys or not all(isinstance(one, str) and one.strip() for one in keys):
                problems.append(user_key.problem('expected a key like "ctrl+b", or several'))
                continue
            try:
                user_keys.append(replace(user_key, keys=tuple(dict.fromkeys(parse_key(one) for one in keys))))
            except ValueError as bad:
                problems.append(user_key.problem(str(bad)))

    if document is not None:
        walk(document.tree, ())
    return user_keys, problems


@dataclass(frozen=True, slots=True)
class KeyTable:
    """All keys: where they work, each id's declared keys, and what each id does."""

    scopes: tuple[KeyScope, ...]
    declared: Mapping[str, tuple[str, ...]]
    does: Mapping[str, str]

    @classmethod
    def of(cls, scopes: Iterable[KeyScope]) -> KeyTable:
        found = tuple(scopes)
        declared: dict[str, dict[str, None]] = {}
        does: dict[str, str] = {}
        for kind in dict.fromkeys(kind for scope in found for kind in scope.kinds):
            for binding in bindings_of(kind):
                if binding.id:
                    declared.setdefault(binding.id, {})[binding.key] = None
                    does.setdefault(binding.id, binding.description)
        return cls(found, {id: tuple(keys) for id, keys in declared.items()}, does)


def make_keymap(user_keys: Sequence[UserKey], keys: KeyTable) -> tuple[dict[str, str], list[SettingsProblem]]:
    """Return the keymap for Textual, and the problems: ids that are unknown or fixed, and keys used twice."""
    problems: list[SettingsProblem] = []
    held: dict[str, UserKey] = {}
    for user_key in user_keys:
        if (problem := _refused(user_key, keys)) is not None:
            problems.append(problem)
        else:
            held[user_key.id] = user_key
    while (clash := _clash(held, keys)) is not None:
        user_key, words = clash
        problems.append(user_key.problem(words))
        del held[user_key.id]
    made = {id: ",".join(user_key.keys) for id, user_key in held.items()}
    for id, leader in FOLLOWS.items():
        if leader in made:
            made[id] = made[leader]
    return _with_neighbours(made, keys), sorted(problems, key=lambda one: one.line or 0)


def _refused(user_key: UserKey, keys: KeyTable) -> SettingsProblem | None:
    first = user_key.id.partition(".")[0]
    if user_key.id in FOLLOWS:
        return user_key.problem(f"uses the keys of {FOLLOWS[user_key.id]}. Set that instead.")
    if user_key.id.endswith(".break"):
        return user_key.problem("is fixed: Ctrl+C always copies, interrupts and quits")
    if first in FIXED and (user_key.id in keys.declared or first not in {id.partition(".")[0] for id in keys.declared}):
        return user_key.problem(f"is fixed: it {FIXED[first]}")
    if user_key.id not in keys.declared:
        return user_key.problem("isn't an action. Press F1 or / for names", nearest(user_key.id, keys.declared))
    for scope in keys.scopes:
        typed = next((key for key in user_key.keys if _is_typed(key)), "")
        if typed and scope.writes and any(user_key.id == one.id for kind in scope.kinds for one in bindings_of(kind)):
            return user_key.problem(f'"{typed}" types text {scope.name}. Add Ctrl or Alt, or use a function key')
    return None


def _is_typed(key: str) -> bool:
    return "+" not in key and key not in _NAMED - {"space"}


def _clash(held: Mapping[str, UserKey], keys: KeyTable) -> tuple[UserKey, str] | None:
    """Return the last line of the file whose key is already used, and the message for it."""
    for user_key in reversed(tuple(held.values())):
        for scope in keys.scopes:
            ids = {one.id for kind in scope.kinds for one in bindings_of(kind) if one.id}
            if user_key.id not in ids:
                continue
            for key in user_key.keys:
                if key in scope.taken:
                    return user_key, f"{_words(key)} {scope.taken[key]} {scope.name}"
                if key in keys.declared[user_key.id]:
                    continue  # as it was before
                for other in sorted(ids - {user_key.id}):
                    theirs = held[other].keys if other in held else keys.declared[other]
                    if key in theirs and not set(keys.declared[other]) & set(keys.declared[user_key.id]):
                        return user_key, f"{_words(key)} is already used for {other} ({keys.does[other]}), {scope.name}"
    return None


def _words(key: str) -> str:
    from jp_tui.ui.keys.bindings import spelled

    return spelled(key)


def _with_neighbours(made: dict[str, str], keys: KeyTable) -> dict[str, str]:
    """Add the ids that share a key with one of `made` in the same class.

    Textual drops all bindings of a key when one of them gets another key, so the others have to be set again.
    """
    found = dict(made)
    fresh = set(made)
    kinds = dict.fromkeys(kind for scope in keys.scopes for kind in scope.kinds)
    while fresh:
        again: set[str] = set()
        for kind in kinds:
            for bindings in class_bindings(kind).key_to_bindings.values():
                if any(one.id in fresh for one in bindings):
                    again |= {one.id for one in bindings if one.id and one.id not in found}
        found |= {id: ",".join(keys.declared[id]) for id in again}
        fresh = again
    return found
