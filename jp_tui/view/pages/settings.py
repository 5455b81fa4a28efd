"""Settings as a list: matches, effective values, origins, when a change takes effect.

Pure. The TOML notation is passed in as a function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from jp_tui.protocol.settings import SettingEntry

EMPTY = "No settings match. Press Esc in the search to show all."
APPLIES = {
    "now": "applies immediately",
    "turn": "applies from the next call",
    "start": "applies after a restart",
}
UNSET = "not set"
WRITTEN = "Saved to {file}."
NAMED = 8
"""Choices listed by name; of more only the number is shown, and Enter opens them."""
MOST, KEPT = 16 * 1024, 160
"""Characters of a value shown in full, and of a longer one: the rest is counted (traps.md T4)."""
TOO_LONG = "The value has {n:,} characters, too many for one line. Edit it in {file}."

Written = Callable[[Any], str]
"""Converts a value to one line of TOML."""


def size(value: Any) -> int:
    """Return the approximate characters of a value: of its texts and names, and one for anything else."""
    return sum(map(_length, _leaves(value)))


def bounded(value: Any, written: Written, kept: int = KEPT) -> str:
    """Return a value as one line; of one with more than MOST characters the first `kept`, and the number of the
    rest."""
    if (whole := size(value)) <= MOST:
        return written(value)
    return f"{written(_beginning(value, [kept]))}… ⟨{whole - kept:,} more characters⟩"


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, list):
        for one in value:
            yield from _leaves(one)
    elif isinstance(value, Mapping):
        for name, one in value.items():
            yield name
            yield from _leaves(one)
    else:
        yield value


def _length(leaf: Any) -> int:
    return len(leaf) if isinstance(leaf, str) else 1


def _beginning(value: Any, left: list[int]) -> Any:
    """Return the first characters of a value; `left` counts down the rest."""
    if isinstance(value, list):
        return [_beginning(one, left) for one in value if left[0] > 0]
    if isinstance(value, Mapping):
        return {_beginning(name, left): _beginning(one, left) for name, one in value.items() if left[0] > 0}
    room = max(left[0], 0)
    left[0] -= _length(value)
    return value[:room] if isinstance(value, str) else value


def matching(entries: Iterable[SettingEntry], words: str, written: Written, *, own: bool = False) -> list[SettingEntry]:
    """Return the entries with every word in key, description or value; with `own` only the user's."""
    wanted = words.casefold().split()
    found = []
    for one in entries:
        text = f"{one.key} {one.help} {written(one.value) if one.value is not None else UNSET}".casefold()
        if all(word in text for word in wanted) and (one.own or not own):
            found.append(one)
    return found


def value(entry: SettingEntry, written: Written) -> str:
    """Return the effective value."""
    return UNSET if entry.value is None else written(entry.value)


def origin(entry: SettingEntry) -> str:
    """Return its origin, in a few words."""
    if entry.hidden_by:
        return f"yours is overridden by {entry.layer} {entry.hidden_by}"
    if entry.own:
        return "yours"
    layer = {"built-in": "built in", "default": "", "flag": "command line", "--cfg": "command line"}
    words = layer.get(entry.layer, entry.layer)
    return ", ".join(part for part in (words, entry.why) if part)


def allowed(entry: SettingEntry) -> str:
    """Return the allowed values."""
    match entry.kind:
        case "boolean":
            return "true or false"
        case "choice":
            many = len(entry.choices) > NAMED
            return f"one of {len(entry.choices)} names" if many else " · ".join(entry.choices)
        case "integer" | "number":
            whole = "a whole number" if entry.kind == "integer" else "a number"
            bounds = "" if entry.low is None or entry.high is None else f" from {entry.low:g} to {entry.high:g}"
            return whole + bounds
        case "text":
            return "text"
        case _:
            return "a TOML value"


def detail(entry: SettingEntry, written: Written) -> list[str]:
    """Return details, a line each: the key, its meaning, allowed values, the value without the user's file."""
    lines = [f"{entry.key} = {value(entry, written)}"]
    if entry.help:
        lines.append(entry.help)
    fits = f"Allowed: {allowed(entry)}" if entry.kind != "other" else "Allowed: a TOML value"
    lines.append(f"{fits}. A change {APPLIES[entry.applies]}.")
    place = ", ".join(part for part in (entry.layer, entry.place, entry.why) if part)
    if place:
        lines.append(f"From: {place}")
    if entry.own:
        without = UNSET if entry.default is None else written(entry.default)
        lines.append(f"After reset: {without}")
    return lines


def turned(entry: SettingEntry) -> bool | None:
    """Return the opposite of a switch; None for any other setting."""
    return not entry.value if entry.kind == "boolean" else None


def initial_text(entry: SettingEntry, written: Written) -> str:
    """Return the initial text for editing: text unchanged, anything else as TOML."""
    if entry.value is None:
        return ""
    if entry.kind == "text" and isinstance(entry.value, str) and "\n" not in entry.value:
        return entry.value
    return written(entry.value)
