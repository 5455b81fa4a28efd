"""A schema form level by level, for front ends without a cursor: numbered rows as text (issue 5, 10; E60).

The same form as on the screen (`form.py`), seen from one place of the document: its fields, their valid and present
values. Everything in the document is listed, also what the schema doesn't know. Contains untrusted text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from jp_tui.conversation.strict_json import Json
from jp_tui.view.schema import texts as w
from jp_tui.view.schema.choices import dumped
from jp_tui.view.schema.edit import Path, get, place_of, why_not
from jp_tui.view.schema.form import Kind, SchemaOutline, Shape
from jp_tui.view.schema.lines import FieldProblem

NOT_SET = "not set"
EMPTY = "empty text"
EXTRA = "not in the schema"
CHOICES, LONGEST = 12, 200
"""Choices listed in a row, and characters of a shown value."""
_KINDS: dict[Kind, str] = {
    "text": "text", "integer": "whole number", "number": "number", "boolean": "yes or no", "choice": "one of",
    "many": "any of", "list": "list", "object": "object", "null": "null", "json": "JSON",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class FieldRow:
    """One field, or one entry of a list; `note` says why it is written as JSON, `extra`: the schema has no such key."""

    path: Path
    shape: Shape
    name: str
    required: bool = False
    note: str = ""
    extra: bool = False

    @property
    def inside(self) -> bool:
        """True if it has rows of its own."""
        return self.shape.kind in ("object", "list") and not self.note

    @property
    def label(self) -> str:
        """Return its title with its name, or the name alone."""
        title = self.shape.title
        return f"{title} [{self.name}]" if title and title != self.name else self.name


def formed(form: SchemaOutline, document: Json) -> bool:
    """True if the whole has several fields or entries, rather than one value."""
    return form.root.kind in ("object", "list") and not why_not(form.root, document)


def rows(form: SchemaOutline, document: Json, here: Path) -> list[FieldRow]:
    """Return the rows at a place, in schema order; then keys that only the document has."""
    shape, value = form.at(here), get(document, here)
    if shape.kind == "list":
        count = len(value) if isinstance(value, list) else 0
        return [_row(form, document, FieldRow((*here, at), shape.item, str(at + 1))) for at in range(count)]
    if shape.kind != "object":
        return []
    found = [FieldRow((*here, name), part.shape, name, part.required) for name, part in shape.parts.items()]
    held = value if isinstance(value, dict) else {}
    more = [
        FieldRow((*here, name), form.at((*here, name)), name, extra=True) for name in held if name not in shape.parts
    ]
    return [_row(form, document, one) for one in (*found, *more)]


def _row(form: SchemaOutline, document: Json, row: FieldRow) -> FieldRow:
    note = "" if row.extra else why_not(row.shape, get(document, row.path))
    return FieldRow(row.path, row.shape, row.name, row.required, note, row.extra)


def valid_values(row: FieldRow) -> str:
    """Return the valid values: `whole number, 1 to 10,000, required, default 80`."""
    shape = row.shape
    if row.extra:
        return EXTRA
    parts = list(_kind(shape))
    if row.note and shape.kind != "json":
        parts.append(row.note)
    if row.required:
        parts.append("required")
    if shape.nullable:
        parts.append("may be null")
    if shape.has_default:
        parts.append(f"default {_cut(value_text(shape, shape.schema['default']))}")
    return ", ".join(parts)


def _kind(shape: Shape) -> Iterator[str]:
    word = _KINDS[shape.kind]
    if shape.kind in ("choice", "many"):
        labels = [_cut(choice.label) for choice in shape.choices[:CHOICES]]
        more = len(shape.choices) - CHOICES
        yield f"{word} {', '.join(labels)}{f' and {more} more' if more > 0 else ''}"
    elif shape.kind == "json":
        yield f"{word}: {shape.note}" if shape.note else word
    elif shape.kind == "object":
        yield f"{word} of {_counted(len(shape.parts), 'field')}"
    else:
        yield word
    if shape.hint and shape.hint != word:
        yield shape.hint
    if shape.kind == "text" and isinstance(pattern := shape.schema.get("pattern"), str):
        yield f"pattern {w.short(pattern)}"
    if shape.kind == "list":
        yield f"each {', '.join(_kind(shape.item))}"


def present_value(document: Json, row: FieldRow) -> str:
    """Return the present value, in few words."""
    value = get(document, row.path)
    if not isinstance(value, (dict, list, str, int, float, bool, type(None))):
        return NOT_SET
    return _cut(value_text(row.shape, value))


def value_text(shape: Shape, value: Json) -> str:
    """Return a value as natural text."""
    if shape.kind in ("choice", "many"):
        many = value if shape.kind == "many" and isinstance(value, list) else [value]
        places = [place_of(shape, one) for one in many]
        if all(place is not None for place in places):
            return ", ".join(shape.choices[place].label for place in places if place is not None) or "none"
    if shape.kind == "json":
        return dumped(value)
    match value:
        case bool():
            return "yes" if value else "no"
        case "":
            return EMPTY
        case str() if shape.kind == "text":
            return value
        case list() if shape.kind == "list":
            return _counted(len(value), "entry")
        case _:
            return dumped(value)


def counted(problems: Sequence[FieldProblem], row: FieldRow) -> Iterator[str]:
    """Return the problem of a row, or the number of problems inside it."""
    yield from (one.words for one in problems if one.path == row.path)
    deeper = sum(one.path[: len(row.path)] == row.path and one.path != row.path for one in problems)
    if deeper:
        yield f"{_counted(deeper, 'problem')} inside"


def _counted(number: int, word: str) -> str:
    if word == "entry" and number != 1:
        return f"{number} entries"
    return f"{number} {word}{'' if number == 1 else 's'}"


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}… ({len(text) - LONGEST + 1} more characters)"
