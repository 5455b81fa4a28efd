"""What a model sees of a tool (inquiries.md R80, R162, R246), from its entry in the configuration.

Works on any entry, built-in or not, and knows no tool by name. Rules across arguments are never put into the schema:
they are checked when the tool runs (R164).
"""

from __future__ import annotations

from collections.abc import Mapping

from jp_tui.conversation.model import ToolSpec
from jp_tui.conversation.strict_json import Json, JsonObject

_OURS = frozenset({"required", "summary", "description", "examples", "items", "properties"})


def published(name: str, entry: Mapping[str, Json]) -> ToolSpec:
    """The tool `name` as a model sees it; `entry` is the effective `conversation.tools.<name>` table.

    When `options.shape` names a table in `options.shapes`, its `description` and `parameters` are taken instead.
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
    """A closed object; a property says of itself whether it is required."""
    required: list[Json] = [
        key for key, one in properties.items() if isinstance(one, dict) and one.get("required") is True
    ]
    found: JsonObject = {"type": "object", "additionalProperties": False}
    if required:
        found["required"] = required
    found["properties"] = {key: _value(one) for key, one in properties.items()}
    return found


def _value(one: Json) -> Json:
    """One parameter, or what stands in one. An object without `properties` stays open: its form is the caller's own."""
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
