"""Edits of a document through its form: one value, each change a pure function to the next (R11, E14, T17).

Keys are in the schema's order where it knows them; unknown keys stay untouched. Typed text is never lost: text that
isn't a number stays in the document as text, with a problem beside it.
"""

from __future__ import annotations

import math
import re
from typing import Final

from jp_tui.conversation import visible
from jp_tui.conversation.strict_json import MAX_DIGITS, Json, JsonObject, same
from jp_tui.view.composer.pastes import cleaned
from jp_tui.view.schema import texts as w
from jp_tui.view.schema.form import SchemaOutline, Shape

Path = tuple[str | int, ...]


class _Absent:
    """There is no value."""

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Final = _Absent()
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_WHOLE = re.compile(r"[+-]?\d+", re.ASCII)


def get(document: Json, path: Path) -> Json | _Absent:
    """Return the value at a path."""
    here = document
    for step in path:
        if isinstance(step, int):
            if not isinstance(here, list) or not 0 <= step < len(here):
                return ABSENT
            here = here[step]
        elif isinstance(here, dict) and step in here:
            here = here[step]
        else:
            return ABSENT
    return here


def set_value_at(form: SchemaOutline, document: Json, path: Path, value: Json) -> Json:
    """Set a value at a path; missing parents are created."""
    return _put(form.root, document, path, value)


def _put(shape: Shape, here: Json | _Absent, path: Path, value: Json) -> Json:
    if not path:
        return value
    step, rest = path[0], path[1:]
    if isinstance(step, int):
        entries = list(here) if isinstance(here, list) else []
        inner = _put(shape.item, entries[step] if step < len(entries) else ABSENT, rest, value)
        return [*entries[:step], inner, *entries[step + 1 :]]
    known = shape.parts.get(step)
    old: JsonObject = here if isinstance(here, dict) else {}
    new = _put(known.shape, old.get(step, ABSENT), rest, value) if known and rest else value
    if step in old:
        return {**old, step: new}
    return _in_order(shape, old, step, new)


def _in_order(shape: Shape, old: JsonObject, name: str, value: Json) -> JsonObject:
    """Insert a new key before the first one that follows it in the schema."""
    place = shape.order.get(name, len(shape.order))
    before = next((key for key in old if shape.order.get(key, -1) > place), None)
    if before is None:
        return {**old, name: value}
    found: JsonObject = {}
    for key, inner in old.items():
        if key == before:
            found[name] = value
        found[key] = inner
    return found


def remove_at(document: Json, path: Path) -> Json:
    """Remove the key or entry at a path; the document itself stays."""
    if not path:
        return document
    step, rest = path[0], path[1:]
    if isinstance(step, int) and isinstance(document, list) and 0 <= step < len(document):
        inner = [remove_at(document[step], rest)] if rest else []
        return [*document[:step], *inner, *document[step + 1 :]]
    if isinstance(step, str) and isinstance(document, dict) and step in document:
        if rest:
            return {**document, step: remove_at(document[step], rest)}
        return {key: value for key, value in document.items() if key != step}
    return document


def added(form: SchemaOutline, document: Json, path: Path) -> tuple[Json, Path]:
    """Append an entry to the list at `path`; return the document and the entry's path."""
    entries = get(document, path)
    old = entries if isinstance(entries, list) else []
    value = begin(form.at(path).item)
    if isinstance(value, _Absent):
        value = "" if form.at(path).item.kind in ("text", "integer", "number") else None
    return set_value_at(form, document, path, [*old, value]), (*path, len(old))


def moved(form: SchemaOutline, document: Json, path: Path, by: int) -> tuple[Json, Path]:
    """Move the entry at `path` by `by` places within the list; return its new path."""
    place, entries = path[-1], get(document, path[:-1])
    if not isinstance(place, int) or not isinstance(entries, list) or not 0 <= place < len(entries):
        return document, path
    to = min(max(place + by, 0), len(entries) - 1)
    rest = [*entries[:place], *entries[place + 1 :]]
    return set_value_at(form, document, path[:-1], [*rest[:to], entries[place], *rest[to:]]), (*path[:-1], to)


def begin(shape: Shape) -> Json | _Absent:
    """Return a part's initial value: its default, else its only possible value; nothing is invented (E14)."""
    if shape.has_default:
        return shape.schema["default"]
    if shape.kind == "choice" and len(shape.choices) == 1:
        return shape.choices[0].value
    if shape.kind == "null":
        return None
    return ABSENT if shape.nullable else made(shape)


def made(shape: Shape) -> Json | _Absent:
    """Return the initial value of a list or an object; ABSENT for what is typed or chosen."""
    if shape.kind in ("list", "many"):
        return []
    if shape.kind == "object":
        found: JsonObject = {}
        for name, part in shape.parts.items():
            raw = part.raw
            if part.required or (isinstance(raw, dict) and ("default" in raw or ("$ref" in raw and _has(part.shape)))):
                value = begin(part.shape)
                if not isinstance(value, _Absent):
                    found[name] = value
        return found
    return ABSENT


def _has(shape: Shape) -> bool:
    return shape.has_default


def skeleton(form: SchemaOutline) -> Json:
    """Return the initial document (R186): the defaults, and the required containers."""
    found = begin(form.root)
    if isinstance(found, _Absent):
        found = made(form.root)
    return found if not isinstance(found, _Absent) else "" if form.root.kind == "text" else {}


def parse_field(shape: Shape, text: str) -> tuple[Json | _Absent, str]:
    """Parse a field's text; return the value and the problem, or "". An empty text gives no value (E14)."""
    if shape.kind == "text":
        return (text, "") if text else (None if shape.nullable else ABSENT, "")
    bare = text.strip()
    if not bare:
        return (None if shape.nullable else ABSENT), ""
    if _WHOLE.fullmatch(bare):
        return (int(bare), "") if len(bare.lstrip("+-")) <= MAX_DIGITS else (text, w.TOO_LARGE)
    if not _NUMBER.fullmatch(bare):
        return text, w.NOT_WHOLE if shape.kind == "integer" else w.NOT_NUMBER
    value = float(bare)
    if not math.isfinite(value):
        return text, w.TOO_LARGE
    return value, w.NOT_WHOLE if shape.kind == "integer" and not value.is_integer() else ""


def set_field_text(form: SchemaOutline, document: Json, path: Path, text: str) -> tuple[Json, str]:
    """Set a field's text; return the document and the problem, or ""."""
    value, problem = parse_field(form.at(path), text)
    if not isinstance(value, _Absent):
        return set_value_at(form, document, path, value), problem
    if path and isinstance(path[-1], str):
        return remove_at(document, path), ""
    return set_value_at(form, document, path, ""), "" if form.at(path).kind == "text" else w.NOT_NUMBER


def field_text(shape: Shape, value: Json | _Absent) -> str | None:
    """Return a value as its field's text; None if the field can't express it without loss."""
    if isinstance(value, _Absent) or (value is None and shape.nullable):
        return ""
    if isinstance(value, str):
        strange = () if value.isascii() else set(value)  # megabytes are scanned only once
        plain = cleaned(value) == value and not any(visible.odd(char) for char in strange if not char.isascii())
        fits = shape.kind == "text" or isinstance(parse_field(shape, value)[0], str) or value == ""
        return value if plain and fits else None
    if shape.kind in ("integer", "number") and w.number(value):
        try:
            return repr(value)
        except ValueError:
            return None
    return None


def why_not(shape: Shape, value: Json | _Absent) -> str:
    """Return why the form can't show this value as the requested type; "" if it can."""
    if shape.kind == "json":
        return shape.note
    if isinstance(value, _Absent) or (value is None and shape.nullable):
        return ""
    if shape.kind in ("text", "integer", "number"):
        if field_text(shape, value) is not None:
            return ""
        return w.ODD_SIGNS if shape.kind == "text" and isinstance(value, str) else w.OTHER_KIND
    if shape.kind == "object":
        return "" if isinstance(value, dict) else w.OTHER_KIND
    if shape.kind == "list":
        return "" if isinstance(value, list) else w.OTHER_KIND
    if shape.kind == "many":
        return "" if isinstance(value, list) and _marks(shape, value) else w.OTHER_KIND
    return w.OTHER_KIND if shape.kind == "null" else ""


def odd(shape: Shape, value: Json | _Absent) -> bool:
    """True for a value that isn't one of the choices."""
    if shape.kind not in ("choice", "boolean") or isinstance(value, _Absent):
        return False
    return place_of(shape, value) is None


def _marks(shape: Shape, value: list[Json]) -> bool:
    """True if a list contains only options, none twice."""
    places = [place_of(shape, one) for one in value]
    return None not in places and len(set(places)) == len(places)


def place_of(shape: Shape, value: Json | _Absent) -> int | None:
    """Return the index of the choice with this value."""
    if isinstance(value, _Absent):
        return None
    if shape.kind == "boolean":
        return (0 if value else 1) if isinstance(value, bool) else 2 if value is None and shape.nullable else None
    return next((at for at, choice in enumerate(shape.choices) if same(choice.value, value)), None)


def toggle_choice(form: SchemaOutline, document: Json, path: Path, place: int) -> Json:
    """Select a choice: alone, or, if several are allowed, toggled in order."""
    shape = form.at(path)
    if shape.kind == "boolean":
        return set_value_at(form, document, path, (True, False, None)[place])
    if shape.kind != "many":
        return set_value_at(form, document, path, shape.choices[place].value)
    old = get(document, path)
    places = {place_of(shape, one) for one in old} if isinstance(old, list) else set()
    places ^= {place}
    return set_value_at(form, document, path, [one.value for at, one in enumerate(shape.choices) if at in places])
