"""Convert a JSON Schema for Anthropic's structured reply (inquiries.md R128).

Pure. Constraints that the API doesn't enforce are sent as a hint in `description`. No schema becomes wider silently.
"""

from __future__ import annotations

from typing import cast

from jp_tui.conversation.strict_json import Json, JsonObject, dump
from jp_tui.providers.schemas import SUBSCHEMA_LISTS, SUBSCHEMA_MAPS, SUBSCHEMAS, each_subschema, one_valued

MAX_DEPTH = 64
_FORMATS = ("date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid")
_ANTHROPIC = frozenset(
    ("type", "properties", "required", "additionalProperties", "items", "enum", "anyOf", "allOf", "$ref", "$defs",
     "default", "title", "description", "format", "minItems")
)  # fmt: skip
_SILENT = ("$schema", "$id", "$comment", "$anchor")
_DEFINED = "#/$defs/"


class _CannotBeSaid(Exception):
    """The API can't express this part of a schema."""


def reply_format(schema: JsonObject) -> JsonObject | None:
    """Convert `schema` for `output_config.format`; None if impossible (recursive, or free objects).

    Objects become closed, which only narrows them; unenforced constraints are sent in `description`.
    """
    try:
        said = _description(_lifted(one_valued(schema)), 1)
        _no_circle(said)
    except (_CannotBeSaid, RecursionError):
        return None
    return said


def _lifted(schema: JsonObject) -> JsonObject:
    """Return `schema` with all definitions at its root, the only place where the API looks for them."""
    held: JsonObject = {}
    moved: dict[str, str] = {}

    def collect(node: Json, place: str) -> Json:
        if not isinstance(node, dict):
            return node
        found: JsonObject = {}
        for key, value in node.items():
            here = f"{place}/{key}"
            if key in ("$defs", "definitions") and isinstance(value, dict):
                for name, definition in value.items():
                    own = name if name not in held else f"{name}_{len(held) + 1}"
                    moved[f"{here}/{name}"] = f"{_DEFINED}{own}"
                    held[own] = True  # reserved while nested definitions are collected
                    held[own] = collect(definition, f"{here}/{name}")
            elif key in SUBSCHEMA_MAPS and isinstance(value, dict):
                found[key] = {name: collect(one, f"{here}/{name}") for name, one in value.items()}
            elif key in SUBSCHEMA_LISTS and isinstance(value, list):
                found[key] = [collect(one, f"{here}/{at}") for at, one in enumerate(value)]
            else:
                found[key] = collect(value, here) if key in SUBSCHEMAS else value
        return found

    def point(node: Json) -> Json:
        if not isinstance(node, dict):
            return node
        target = moved.get(str(node.get("$ref", "")))
        return each_subschema({**node, "$ref": target} if target else node, point)

    root = collect(schema, "#")
    return cast(JsonObject, point({**cast(JsonObject, root), "$defs": held} if held else root))


def _description(node: Json, depth: int) -> JsonObject:
    if not isinstance(node, dict) or depth > MAX_DEPTH:
        raise _CannotBeSaid
    if "$ref" in node:
        return _reference(node)
    found: JsonObject = {}
    hints: list[str] = []
    for key, value in node.items():
        if key == "oneOf" and "anyOf" not in node:
            found["anyOf"] = value  # wider where several alternatives fit, which the caller refuses
        elif key in _ANTHROPIC and not _refused(key, value):
            found[key] = value
        elif key not in _SILENT:
            hints.append(f"{key}: {dump(value)}")
    if not found.keys() & {"type", "enum", "anyOf", "allOf"}:
        raise _CannotBeSaid
    found = each_subschema(_closing(found), lambda one: _description(one, depth + 1))
    if any(isinstance(one, dict) and "$ref" in one for one in cast("list[Json]", found.get("allOf", []))):
        raise _CannotBeSaid
    return _with_hints(found, hints)


def _reference(node: JsonObject) -> JsonObject:
    """Check a reference: no other keys, and a target in this schema."""
    target = node["$ref"]
    if not isinstance(target, str) or not target.startswith(_DEFINED):
        raise _CannotBeSaid
    return {"$ref": target}


def _refused(key: str, value: Json) -> bool:
    """True if a supported keyword doesn't accept this value."""
    if key == "items" and not isinstance(value, dict):
        raise _CannotBeSaid
    if key == "minItems":
        return value not in (0, 1)
    if key == "format":
        return value not in _FORMATS
    return key == "enum" and isinstance(value, list) and any(isinstance(one, (dict, list)) for one in value)


def _closing(node: JsonObject) -> JsonObject:
    kinds = node.get("type")
    if "object" not in (kinds if isinstance(kinds, list) else [kinds]):
        return node
    if not node.get("properties") and node.get("additionalProperties") is not False:
        raise _CannotBeSaid  # closed, it could only be empty
    return {**node, "additionalProperties": False}


def _with_hints(node: JsonObject, hints: list[str]) -> JsonObject:
    if not hints:
        return node
    hint = "{" + ", ".join(hints) + "}"
    said = node.get("description")
    return {**node, "description": f"{said}\n\n{hint}" if isinstance(said, str) and said else hint}


def _no_circle(schema: JsonObject) -> None:
    """Refuse missing and circular references."""
    held = schema.get("$defs")
    definitions = {_DEFINED + name: node for name, node in held.items()} if isinstance(held, dict) else {}
    needs = {name: _names(node) for name, node in definitions.items()}
    used = _names({key: value for key, value in schema.items() if key != "$defs"})
    if not (used | set().union(*needs.values())) <= needs.keys():
        raise _CannotBeSaid
    while needs:
        ends = [name for name, others in needs.items() if not others & needs.keys()]
        if not ends:
            raise _CannotBeSaid
        for name in ends:
            del needs[name]


def _names(node: Json) -> set[str]:
    """Return the references in a schema."""
    found: set[str] = set()

    def look(one: Json) -> Json:
        if isinstance(one, dict):
            if "$ref" in one:
                found.add(str(one["$ref"]))
            each_subschema(one, look)
        return one

    look(node)
    return found
