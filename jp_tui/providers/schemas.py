"""Schema conversion shared by the wires (inquiries.md R128); each has its own `schemas.py` beside. Pure.

The order of properties never changes: a reason precedes its answer. Constraints that an API doesn't enforce are sent as
a hint in `description` and checked by the caller. No answer is judged here, and no schema becomes wider silently.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from jp_tui.conversation.strict_json import Json, JsonObject

SUBSCHEMAS = ("items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames")
SUBSCHEMA_LISTS = ("anyOf", "allOf", "oneOf", "prefixItems")
SUBSCHEMA_MAPS = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
"""Keywords with one schema, with a list of schemas, and with schemas by name."""


def each_subschema(schema: JsonObject, change: Callable[[Json], Json]) -> JsonObject:
    """Return a copy with changed direct subschemas; values that only look like schemas (enum, default) stay."""
    found: JsonObject = {}
    for key, value in schema.items():
        if key in SUBSCHEMAS and isinstance(value, dict):
            found[key] = change(value)
        elif key in SUBSCHEMA_LISTS and isinstance(value, list):
            found[key] = [change(one) for one in value]
        elif key in SUBSCHEMA_MAPS and isinstance(value, dict):
            found[key] = {name: change(one) for name, one in value.items()}
        else:
            found[key] = value
    return found


def one_valued(schema: JsonObject) -> JsonObject:
    """Return `schema` with each `const` as an `enum` of one value, which every API enforces (R128)."""

    def change(node: Json) -> Json:
        if not isinstance(node, dict):
            return node
        node = each_subschema(node, change)
        if "const" not in node:
            return node
        renamed = {("enum" if key == "const" else key): value for key, value in node.items() if key != "enum"}
        renamed["enum"] = [node["const"]]
        return renamed

    return cast(JsonObject, change(schema))
