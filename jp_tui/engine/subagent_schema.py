"""The schema that a reviewer's reply has to fit, and the internal tool that asks for it (inquiries.md R124-R128).

The same for every inquiry of one type: no id stands in it, so that servers keep its grammar and the prompt before it.
`reason` comes first, because what is written first is thought first. What a reply is worth is judged elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from jp_tui.conversation.model import ToolSpec
from jp_tui.conversation.strict_json import Json, JsonObject
from jp_tui.questions.types import AnswerType, BooleanAnswer, MultiSelectAnswer, SchemaAnswer, SelectAnswer

REASON = "Brief explanation of why you chose this answer."
"""M7."""
VERDICT = "verdict"
TELLING = "Give your reason and your answer. It is the only way to answer."
NO_CONST = frozenset({"google", "gemini"})
"""Providers whose API knows no `const` (R128)."""

_SCHEMAS = frozenset(
    {"items", "additionalItems", "contains", "additionalProperties", "propertyNames", "unevaluatedItems"}
    | {"unevaluatedProperties", "if", "then", "else", "not", "anyOf", "oneOf", "allOf", "prefixItems"}
)
"""Keywords that hold a schema or a list of them."""
_NAMED = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})
"""Keywords that hold schemas by names of their author's choice."""
_DEPTH = 64


def reply_schema(kind: AnswerType, provider: str = "") -> JsonObject:
    """R124 for an answer of this type; `provider` is the name before the `/` of a model's id (R128)."""
    return {
        "type": "object",
        "properties": {
            "reason": {"type": "string", "description": REASON},
            "answer": _answer(kind, provider),
        },
        "required": ["reason", "answer"],
        "additionalProperties": False,
    }


def verdict_tool(schema: JsonObject, listed: Iterable[ToolSpec] = ()) -> ToolSpec:
    """The one forced tool that a reply is given by (R129); no listed tool has its name."""
    taken, name, number = {tool.name for tool in listed}, VERDICT, 2
    while name in taken:
        name, number = f"{VERDICT}_{number}", number + 1
    return ToolSpec(name, TELLING, schema)


def _answer(kind: AnswerType, provider: str) -> Json:
    """R125. A secret is asked of no model: whoever calls has seen to that."""
    match kind:
        case BooleanAnswer():
            return {"type": "boolean"}
        case SelectAnswer(options=options, allow_other=False):
            return {"type": "string", "enum": [option.value for option in options]}
        case MultiSelectAnswer(options=options):
            return {"type": "array", "items": {"type": "string", "enum": [option.value for option in options]}}
        case SchemaAnswer(schema=schema):
            placed = moved(schema, "#/properties/answer")
            return without_const(placed) if provider in NO_CONST else placed
        case _:
            return {"type": "string"}


def without_const(schema: Json) -> Json:
    """`const` as an `enum` of one value, wherever it is a keyword; the order of keys stays (R128)."""
    return _walked(schema, lambda key, value: ("enum", [value]) if key == "const" else (key, value))


def moved(schema: Json, place: str) -> Json:
    """A schema that stands at `place` of another: references to its own root still find it. One without any, or with
    an `$id` of its own that they go by, is the given one unchanged (R125)."""
    if not isinstance(schema, dict) or "$id" in schema:
        return schema

    def keyword(key: str, value: Json) -> tuple[str, Json]:
        if key in ("$ref", "$dynamicRef") and isinstance(value, str) and (value == "#" or value.startswith("#/")):
            return key, place + value[1:]
        return key, value

    return _walked(schema, keyword)


def _walked(schema: Json, keyword: Callable[[str, Json], tuple[str, Json]], depth: int = 0) -> Json:
    """A schema with `keyword` applied to each of its keywords; values of data (`enum`, `default`) are left alone."""
    if isinstance(schema, list):
        return [_walked(one, keyword, depth + 1) for one in schema]
    if not isinstance(schema, dict) or depth > _DEPTH:
        return schema
    found: JsonObject = {}
    renamed: set[str] = set()
    for key, value in schema.items():
        if key in _SCHEMAS:
            found[key] = _walked(value, keyword, depth + 1)
            continue
        if key in _NAMED and isinstance(value, dict):
            found[key] = {name: _walked(one, keyword, depth + 1) for name, one in value.items()}
            continue
        name, made = keyword(key, value)
        if name != key:
            renamed.add(name)
        elif name in renamed:
            continue  # `const` beside an `enum` is the narrower of the two
        found[name] = made
    return found
