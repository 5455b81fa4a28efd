"""Schema of a reviewer's reply, and the internal tool that requests it (inquiries.md R124-R129).

Identical for every inquiry of one type: it contains no id, so that servers can cache its grammar and the prompt before
it. `reason` comes first, so that the model reasons before it answers. Replies are judged elsewhere, and the wires
handle keywords that an API lacks.
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
"""Keywords whose keys are names chosen by the schema's author."""


def reply_schema(kind: AnswerType) -> JsonObject:
    """Return the schema of R124 for this answer type."""
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
    """Return the forced tool for a reply (R129)."""
    return ToolSpec(VERDICT, TELLING, one_valued(schema))


def _answer(kind: AnswerType) -> Json:
    """Return the schema of R125. Callers never ask a model for a secret."""
    schema = kind.value_schema()
    given = isinstance(kind, SchemaAnswer) and "$id" not in kind.schema
    return _moved(schema) if given else schema


def _moved(node: Json, *, names: bool = False) -> Json:
    """Return the given schema with references to its own root adjusted to its new place (R125). `names`: the keys here
    are chosen by its author."""
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
