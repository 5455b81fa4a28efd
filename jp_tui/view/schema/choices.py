"""Choices in a JSON Schema, and a label for each (issue 5 "Schema"): `enum` with names beside it, constants,
alternatives with few values each.

Anything ambiguous isn't a choice: a form with too many or too few options would be wrong.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from itertools import islice

from jp_tui.conversation.strict_json import Json, JsonObject, dump, same
from jp_tui.view.schema import texts as w

OPTIONS = 1_000
"""Options of a choice; a list of more can't be used."""
NOTES = frozenset({
    "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "$comment", "$schema", "$id",
    "$defs", "definitions", "$anchor", "$dynamicAnchor", "x-enumNames", "enumNames",
})  # fmt: skip
MORE = (
    "allOf",
    "anyOf",
    "oneOf",
    "if",
    "then",
    "else",
    "dependentSchemas",
    "dependencies",
    "$dynamicRef",
    "$recursiveRef",
)
"""Keys beside which a list of values is incomplete."""
_SCALAR = re.compile(r"\s*(?:-?\d[\d.eE+-]*|true|false|null|yes|no)\s*")


@dataclass(frozen=True, slots=True)
class EnumChoice:
    """One allowed value and its label."""

    value: Json
    label: str
    about: str = ""


def choices_of(raw: JsonObject) -> tuple[EnumChoice, ...] | None:
    """Return the values of a choice: `enum` with names beside it, `const`, or `oneOf` of constants with titles."""
    enum = raw.get("enum")
    if "const" in raw:
        enum = [raw["const"]]
    if isinstance(enum, list):
        if not enum or any(key in raw for key in MORE):
            return None
        names = raw.get("x-enumNames", raw.get("enumNames"))
        said = names if isinstance(names, list) and len(names) == len(enum) else enum
        return tuple(
            EnumChoice(value, _label(name)) for value, name in islice(zip(enum, said, strict=True), OPTIONS + 1)
        )
    for key in ("oneOf", "anyOf"):
        each = raw.get(key)
        if not isinstance(each, list) or not each or set(raw) - NOTES - {key, "type"}:
            continue
        if all(isinstance(one, dict) and "const" in one and not set(one) - NOTES - {"const", "type"} for one in each):
            return tuple(_titled(one) for one in each[: OPTIONS + 1] if isinstance(one, dict))
    return _united(raw)


def _united(raw: JsonObject) -> tuple[EnumChoice, ...] | None:
    """Return the values of alternatives with few values each: enums, constants, true and false, null. Any of them
    fits."""
    each = raw.get("anyOf")
    if not isinstance(each, list) or not 1 < len(each) <= OPTIONS or set(raw) - NOTES - {"anyOf"} or or_null(raw):
        return None
    found: list[EnumChoice] = []
    for one in each:
        some = _finite(one)
        if some is None:
            return None
        found += [choice for choice in some if not any(same(choice.value, known.value) for known in found)]
        if len(found) > OPTIONS:
            break
    return tuple(found)


def _finite(raw: Json) -> tuple[EnumChoice, ...] | None:
    """Return the few values of a simple schema; None if there are more, or other constraints."""
    if not isinstance(raw, dict) or set(raw) - NOTES - {"enum", "const", "type"}:
        return None
    if "const" in raw:
        return (_titled(raw),) if "enum" not in raw else None
    if "enum" in raw:
        return choices_of(raw)
    kinds: dict[Json, tuple[EnumChoice, ...]] = {
        "null": (EnumChoice(None, w.NULL),), "boolean": (EnumChoice(True, w.YES), EnumChoice(False, w.NO)),
    }  # fmt: skip
    named = raw.get("type")
    return kinds.get(named) if isinstance(named, str) else None


def _titled(raw: JsonObject) -> EnumChoice:
    title = raw.get("title")
    return EnumChoice(raw["const"], _label(title if title else raw["const"]), text_of(raw, "description"))


def _label(value: object) -> str:
    return value[: w.LONG] if isinstance(value, str) and value.strip() else w.short(dumped(value))


def dumped(value: object) -> str:
    """Return a value as JSON; `…` if it can't be written."""
    try:
        return dump(value)
    except (ValueError, RecursionError):
        return "…"


def apart(choices: tuple[EnumChoice, ...]) -> tuple[EnumChoice, ...]:
    """Make labels unique: text that looks like a number is quoted."""
    count = Counter(choice.label for choice in choices)
    if len(count) == len(choices):
        return choices
    return tuple(replace(one, label=_quoted(one)) if count[one.label] > 1 else one for one in choices)


def _quoted(choice: EnumChoice) -> str:
    if isinstance(choice.value, str):
        return w.short(dumped(choice.value)) if choice.label == _label(choice.value) else _description(choice)
    return choice.label if choice.label in (_label(choice.value), w.YES, w.NO) else _description(choice)


def _description(choice: EnumChoice) -> str:
    return f"{choice.label} ({w.short(dumped(choice.value))})"


def odd_label(choices: tuple[EnumChoice, ...], value: object) -> str:
    """Return a label for a value outside the choices that can't be mistaken for one of them."""
    label = _label(value)
    looks = isinstance(value, str) and (_SCALAR.fullmatch(value) or any(one.label == label for one in choices))
    return w.short(dumped(value)) if looks else label


def or_null(raw: JsonObject) -> Json | None:
    """Return the other of two alternatives of which one is null; None if there is none."""
    for key in ("anyOf", "oneOf"):
        each = raw.get(key)
        if isinstance(each, list) and len(each) == 2 and not set(raw) - NOTES - {key}:
            nulls = [isinstance(one, dict) and one.get("type") == "null" for one in each]
            if sum(nulls) == 1:
                return each[nulls.index(False)]
    return None


def text_of(raw: JsonObject, key: str) -> str:
    found = raw.get(key)
    return found[: w.LONGEST].strip() if isinstance(found, str) else ""
