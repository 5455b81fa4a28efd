"""The one validator: is this value an answer of that type (inquiries.md R8)? Used at every door.

Whether a value fits a JSON Schema is found out elsewhere, by a process that can be killed
(`engine/schema_check/process.py`); the verdict comes in as data. A value without a verdict is no answer: nothing is
accepted unchecked.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from types import MappingProxyType

from jp_tui.conversation.strict_json import Json, JsonObject, dump
from jp_tui.questions.types import (
    AnswerType,
    BooleanAnswer,
    MultiSelectAnswer,
    SchemaAnswer,
    SecretAnswer,
    SelectAnswer,
    TextAnswer,
)

Verdicts = Mapping[str, str | None]
"""By `verdict_key`: None for a value that fits its schema, else why not, in plain words."""
NO_VERDICTS: Verdicts = MappingProxyType({})
UNCHECKED = "it was not checked against the schema"


def verdict_key(schema: JsonObject, value: Json) -> str:
    """What a verdict holds for: exactly this value against exactly this schema."""
    return hashlib.sha256(f"{dump(schema)}\n{dump(value)}".encode("utf-8", "surrogatepass")).hexdigest()


def problem(answer_type: AnswerType, value: Json, verdicts: Verdicts = NO_VERDICTS) -> str | None:
    """Why `value` is no answer, in plain words, or None when it is one."""
    match answer_type:
        case BooleanAnswer():
            return None if isinstance(value, bool) else "expected true or false"
        case SelectAnswer(options=options, allow_other=other):
            if not isinstance(value, str):
                return "expected text" if other else "expected one of the options as text"
            named = other or any(value == option.value for option in options)
            return None if named else "not one of the options"
        case MultiSelectAnswer(options=options):
            if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
                return "expected a list of options"
            known = {option.value for option in options}
            if not all(item in known for item in value):
                return "not all are among the options"
            return None if len(set(map(str, value))) == len(value) else "an option stands twice"
        case TextAnswer() | SecretAnswer():
            return None if isinstance(value, str) else "expected text"
        case SchemaAnswer(schema=schema):
            return verdicts.get(verdict_key(schema, value), UNCHECKED)


def valid(answer_type: AnswerType, value: Json, verdicts: Verdicts = NO_VERDICTS) -> bool:
    """Whether `value` is an answer of that type (R8)."""
    return problem(answer_type, value, verdicts) is None
