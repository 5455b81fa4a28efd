"""What a JSON Schema wants, for somebody who writes the JSON: a beginning to fill in, and one line of words (R186).

It reads the top level only and checks nothing: whether a value fits is the engine's verdict. What it does not know it
leaves out. Bounded whatever the schema's size (inquiries.md V18).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice

from jp_tui.conversation.strict_json import Json, JsonObject

MOST, SHORT = 24, 40
"""Properties, and characters of one value, that the line of words names."""
REQUIRED = 200
"""Properties that a skeleton holds."""
_EMPTY: dict[str, Json] = {"string": "", "integer": 0, "number": 0, "boolean": False, "array": [], "object": {}}
_WORDS = {"string": "text", "boolean": "true or false", "array": "list", "null": "null"}


def skeleton(schema: JsonObject) -> Json:
    """A value to begin with: an object with the required properties, each with its default or an empty value."""
    properties, required = schema.get("properties"), schema.get("required")
    if not isinstance(properties, dict) or not isinstance(required, list):
        return {}
    names = [name for name in required[:REQUIRED] if isinstance(name, str)]
    return {name: _start(properties.get(name)) for name in names}


def _start(part: Json) -> Json:
    if not isinstance(part, dict):
        return None
    if "default" in part:
        return part["default"]
    if "const" in part:
        return part["const"]
    enum, kind = part.get("enum"), _type(part)
    if isinstance(enum, list) and enum:
        return enum[0]
    low = part.get("minimum")
    if kind in ("integer", "number") and isinstance(low, (int, float)) and not isinstance(low, bool) and low > 0:
        return low
    return _EMPTY.get(kind)


def _type(part: JsonObject) -> str:
    kind = part.get("type")
    if isinstance(kind, list):
        kind = next((one for one in kind if one != "null"), None)
    return kind if isinstance(kind, str) else ""


def summary(schema: JsonObject) -> str:
    """One line: `name* (text), batch* (integer, 1 to 10000), mode (safe or fast)`; the star marks what is required."""
    properties, required = schema.get("properties"), schema.get("required")
    if not isinstance(properties, dict) or not properties:
        return _kind(schema) or "any JSON"
    wanted = {name for name in required if isinstance(name, str)} if isinstance(required, list) else set()
    said = [
        f"{name[:SHORT]}{'*' if name in wanted else ''}{_in_brackets(part)}"
        for name, part in islice(properties.items(), MOST)
    ]
    more = len(properties) - MOST
    return ", ".join(said) + (f", and {more} more" if more > 0 else "")


def _in_brackets(part: Json) -> str:
    said = _kind(part) if isinstance(part, dict) else ""
    return f" ({said})" if said else ""


def _kind(part: JsonObject) -> str:
    enum = part.get("enum")
    if isinstance(enum, list) and enum:
        shown = [_short(one) for one in enum[:6]]
        return " or ".join(shown) + (" or …" if len(enum) > 6 else "")
    if "const" in part:
        return _short(part["const"])
    kind = _type(part)
    return ", ".join([_WORDS.get(kind, kind), *_bounds(part)]) if kind else ""


def _bounds(part: JsonObject) -> Iterator[str]:
    low, high = part.get("minimum"), part.get("maximum")
    if _number(low) and _number(high):
        yield f"{_short(low)} to {_short(high)}"
    elif _number(low):
        yield f"at least {_short(low)}"
    elif _number(high):
        yield f"at most {_short(high)}"
    if isinstance(form := part.get("format"), str):
        yield form[:SHORT]


def _number(value: Json) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _short(value: Json) -> str:
    text = value if isinstance(value, str) and value else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= SHORT else f"{text[: SHORT - 1]}…"
