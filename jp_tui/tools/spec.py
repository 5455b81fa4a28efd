"""Tool description for the model (inquiries.md R80, R162, R246), built from its configuration entry.

Works on any entry, built-in or not. Rules across arguments never become part of the schema: they are checked when the
tool runs (R164).
"""

from __future__ import annotations

from collections.abc import Mapping

from jp_tui.conversation.model import ToolSpec
from jp_tui.conversation.strict_json import Json, JsonObject

_OURS = frozenset({"required", "summary", "description", "examples", "items", "properties"})


def published(name: str, entry: Mapping[str, Json]) -> ToolSpec:
    """Return the tool `name` as the model sees it; `entry` is the effective `conversation.tools.<name>` table.

    If `options.shape` names a table in `options.shapes`, use its `description` and `parameters` instead.
    """
    chosen = {**entry, **_shape(entry)}
    said = chosen.get("summary") or chosen.get("description") or ""
    parameters = chosen.get("parameters")
    schema = _object(parameters if isinstance(parameters, dict) else {})
    return ToolSpec(name, str(said), schema)


def _shape(entry: Mapping[str, Json]) -> JsonObject:
    options = entry.get("options")
    if not isinstance(options, dict):
        return {}
    shapes, wanted = options.get("shapes"), options.get("shape")
    found = shapes.get(wanted) if isinstance(shapes, dict) and isinstance(wanted, str) else None
    return {key: found[key] for key in ("description", "parameters") if key in found} if isinstance(found, dict) else {}


def _object(properties: JsonObject) -> JsonObject:
    """Build a closed object; a property's own `required` decides whether it is required."""
    required: list[Json] = [
        key for key, one in properties.items() if isinstance(one, dict) and one.get("required") is True
    ]
    found: JsonObject = {"type": "object", "additionalProperties": False}
    if required:
        found["required"] = required
    found["properties"] = {key: _value(one) for key, one in properties.items()}
    return found


def _value(one: Json) -> Json:
    """Build one parameter or nested value. An object without `properties` stays open: the caller chooses its form."""
    if not isinstance(one, dict):
        return one
    properties, items = one.get("properties"), one.get("items")
    found: JsonObject = _object(properties) if isinstance(properties, dict) else {}
    found.update({key: value for key, value in one.items() if key not in _OURS})
    if items is not None:
        found["items"] = _value(items)
    if isinstance(either := one.get("anyOf"), list):
        found["anyOf"] = [_value(form) for form in either]
    said = one.get("summary") or one.get("description")
    if said:
        found["description"] = said
    return found
