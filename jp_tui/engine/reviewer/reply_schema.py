"""The schema that a reviewer's reply has to fit, and the internal tool that asks for it (inquiries.md R124-R129).

The same for every inquiry of one type: no id stands in it, so that servers keep its grammar and the prompt before it.
`reason` comes first, because what is written first is thought first. What a reply is worth is judged elsewhere, and
what an API cannot say of it is the wires' business.
"""

from __future__ import annotations

from jp_tui.conversation.model import ToolSpec
from jp_tui.conversation.strict_json import Json, JsonObject
from jp_tui.providers.schemas import one_valued
from jp_tui.questions.types import AnswerType, SchemaAnswer

REASON = "Brief explanation of why you chose this answer."
"""M7."""
VERDICT = "verdict"
TELLING = "Give your reason and your answer. It is the only way to answer."
_PLACE = "#/properties/answer"
_DATA = frozenset({"enum", "const", "default", "examples"})
_NAMED = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})
"""Keywords that hold values, and those that hold schemas by names of their author's choice."""


def reply_schema(kind: AnswerType) -> JsonObject:
    """R124 for an answer of this type."""
    return {
        "type": "object",
        "properties": {
            "reason": {"type": "string", "description": REASON},
            "answer": _answer(kind),
        },
        "required": ["reason", "answer"],
        "additionalProperties": False,
    }


def verdict_tool(schema: JsonObject) -> ToolSpec:
    """The one forced tool that a reply is given by (R129)."""
    return ToolSpec(VERDICT, TELLING, one_valued(schema))


def _answer(kind: AnswerType) -> Json:
    """R125. A secret is asked of no model: whoever calls has seen to that."""
    schema = kind.value_schema()
    given = isinstance(kind, SchemaAnswer) and "$id" not in kind.schema
    return _moved(schema) if given else schema


def _moved(node: Json, *, names: bool = False) -> Json:
    """The given schema as it is, but for references to its own root, which still find it where it stands now (R125).
    `names`: the keys here are of its author's choice."""
    if isinstance(node, list):
        return [_moved(one) for one in node]
    if not isinstance(node, dict):
        return node
    found: JsonObject = {}
    for key, value in node.items():
        if names:
            found[key] = _moved(value)
        elif key in _DATA:
            found[key] = value
        elif key == "$ref" and isinstance(value, str) and (value == "#" or value.startswith("#/")):
            found[key] = _PLACE + value[1:]
        else:
            found[key] = _moved(value, names=key in _NAMED)
    return found
