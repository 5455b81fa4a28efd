"""Check which JSON Schemas fit the strict modes of OpenAI's wires (inquiries.md R128). Pure."""

from __future__ import annotations

from jp_tui.conversation.strict_json import Json, JsonObject

_STRICT = frozenset(
    ("type", "properties", "required", "additionalProperties", "items", "enum", "anyOf", "title", "description")
)
_STRICT_WIDE = frozenset(
    ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minItems", "maxItems", "pattern")
)
"""Additional keywords that api.openai.com enforces; other servers with strict mode refuse some of these."""
_STRICT_DEPTH, _STRICT_ENUM = 5, 500
_SCALARS = ("string", "number", "integer", "boolean", "null")


def fits_strict(schema: JsonObject, *, wide: bool = False) -> bool:
    """True if strict mode accepts `schema` unchanged: every property required, nothing else allowed, known keywords
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
