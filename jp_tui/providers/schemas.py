"""A JSON Schema as each API takes it for the whole reply (inquiries.md R128). Pure.

The order of properties is never changed: a reason comes before its answer. What an API does not enforce goes along as a
hint in `description` and is checked by whoever asked. It judges no answer, and makes no schema wider in silence.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from jp_tui.conversation.strict_json import Json, JsonObject, dump

MAX_DEPTH = 64
_ONE = ("items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames")
_LIST = ("anyOf", "allOf", "oneOf", "prefixItems")
_MAP = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")

_STRICT = frozenset(
    ("type", "properties", "required", "additionalProperties", "items", "enum", "anyOf", "title", "description")
)
_STRICT_WIDE = frozenset(
    ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minItems", "maxItems", "pattern")
)
"""What api.openai.com enforces besides; other servers that know a strict mode refuse some of these."""
_STRICT_DEPTH, _STRICT_ENUM = 5, 500
_SCALARS = ("string", "number", "integer", "boolean", "null")

_FORMATS = ("date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid")
_ANTHROPIC = frozenset(
    ("type", "properties", "required", "additionalProperties", "items", "enum", "anyOf", "allOf", "$ref", "$defs",
     "default", "title", "description", "format", "minItems")
)  # fmt: skip
_SILENT = ("$schema", "$id", "$comment", "$anchor")
_DEFINED = "#/$defs/"


class _CannotBeSaid(Exception):
    """The API has no way to say this part of a schema."""


def _each(schema: JsonObject, change: Callable[[Json], Json]) -> JsonObject:
    """A copy whose direct subschemas are changed; values that only look like schemas (enum, default) are not."""
    found: JsonObject = {}
    for key, value in schema.items():
        if key in _ONE and isinstance(value, dict):
            found[key] = change(value)
        elif key in _LIST and isinstance(value, list):
            found[key] = [change(one) for one in value]
        elif key in _MAP and isinstance(value, dict):
            found[key] = {name: change(one) for name, one in value.items()}
        else:
            found[key] = value
    return found


def one_valued(schema: JsonObject) -> JsonObject:
    """`schema` with each `const` as an `enum` of one value, which every API takes and enforces (R128)."""

    def change(node: Json) -> Json:
        if not isinstance(node, dict):
            return node
        node = _each(node, change)
        if "const" not in node:
            return node
        renamed = {("enum" if key == "const" else key): value for key, value in node.items() if key != "enum"}
        renamed["enum"] = [node["const"]]
        return renamed

    return cast(JsonObject, change(schema))


# --- strict modes of openai-chat ------------------------------------------------------------------------------


def fits_strict(schema: JsonObject, *, wide: bool = False) -> bool:
    """Whether a strict mode takes `schema` as it is: every property required, nothing else allowed, known keywords
    only. `wide` for the API that also enforces bounds and patterns."""
    return schema.get("type") == "object" and "anyOf" not in schema and _strict(schema, wide, 1)


def _strict(node: Json, wide: bool, depth: int) -> bool:
    if not isinstance(node, dict) or depth > _STRICT_DEPTH * 2:
        return False
    if not node.keys() <= (_STRICT | _STRICT_WIDE if wide else _STRICT):
        return False
    if "anyOf" in node:
        some = node["anyOf"]
        return isinstance(some, list) and bool(some) and all(_strict(one, wide, depth + 1) for one in some)
    values = node.get("enum", [None])
    if not isinstance(values, list) or not 0 < len(values) <= _STRICT_ENUM:
        return False
    match node.get("type"):
        case "object":
            return depth <= _STRICT_DEPTH and _closed(node, wide, depth)
        case "array":
            return _strict(node.get("items"), wide, depth + 1)
        case kind:
            return kind in _SCALARS


def _closed(node: JsonObject, wide: bool, depth: int) -> bool:
    properties, required = node.get("properties"), node.get("required")
    return (
        isinstance(properties, dict)
        and isinstance(required, list)
        and node.get("additionalProperties") is False
        and sorted(map(str, required)) == sorted(properties)
        and all(_strict(one, wide, depth + 1) for one in properties.values())
    )


# --- anthropic ------------------------------------------------------------------------------------------------


def for_anthropic(schema: JsonObject) -> JsonObject | None:
    """`schema` as `output_config.format` takes it; None for one that it cannot take (recursive, or free objects).

    Objects become closed, which only narrows; what it does not enforce stands in `description`.
    """
    try:
        said = _said(_lifted(one_valued(schema)), 1)
        _no_circle(said)
    except (_CannotBeSaid, RecursionError):
        return None
    return said


def _lifted(schema: JsonObject) -> JsonObject:
    """`schema` with all definitions at its root, the one place where they are looked for."""
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
                    held[own] = True  # taken, while those inside it are looked for
                    held[own] = collect(definition, f"{here}/{name}")
            elif key in _MAP and isinstance(value, dict):
                found[key] = {name: collect(one, f"{here}/{name}") for name, one in value.items()}
            elif key in _LIST and isinstance(value, list):
                found[key] = [collect(one, f"{here}/{at}") for at, one in enumerate(value)]
            else:
                found[key] = collect(value, here) if key in _ONE else value
        return found

    def point(node: Json) -> Json:
        if not isinstance(node, dict):
            return node
        target = moved.get(str(node.get("$ref", "")))
        return _each({**node, "$ref": target} if target else node, point)

    root = collect(schema, "#")
    return cast(JsonObject, point({**cast(JsonObject, root), "$defs": held} if held else root))


def _said(node: Json, depth: int) -> JsonObject:
    if not isinstance(node, dict) or depth > MAX_DEPTH:
        raise _CannotBeSaid
    if "$ref" in node:
        return _reference(node)
    found: JsonObject = {}
    hints: list[str] = []
    for key, value in node.items():
        if key == "oneOf" and "anyOf" not in node:
            found["anyOf"] = value  # wider by what fits several, which whoever asked refuses
        elif key in _ANTHROPIC and not _refused(key, value):
            found[key] = value
        elif key not in _SILENT:
            hints.append(f"{key}: {dump(value)}")
    if not found.keys() & {"type", "enum", "anyOf", "allOf"}:
        raise _CannotBeSaid
    found = _each(_closing(found), lambda one: _said(one, depth + 1))
    if any(isinstance(one, dict) and "$ref" in one for one in cast("list[Json]", found.get("allOf", []))):
        raise _CannotBeSaid
    return _with_hints(found, hints)


def _reference(node: JsonObject) -> JsonObject:
    """A reference stands alone; it has to lead to a definition of this schema."""
    target = node["$ref"]
    if not isinstance(target, str) or not target.startswith(_DEFINED):
        raise _CannotBeSaid
    return {"$ref": target}


def _refused(key: str, value: Json) -> bool:
    """Whether a keyword that it has does not take this value."""
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
    """Refuse references to nothing, and such that lead back to themselves."""
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
    """The references in a schema."""
    found: set[str] = set()

    def look(one: Json) -> Json:
        if isinstance(one, dict):
            if "$ref" in one:
                found.add(str(one["$ref"]))
            _each(one, look)
        return one

    look(node)
    return found
