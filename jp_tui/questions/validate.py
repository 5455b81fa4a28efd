"""The one validator: is this value an answer of that type (inquiries.md R8)? Used at every door."""

from __future__ import annotations

from jp_tui.conversation.strict_json import Json
from jp_tui.questions.types import (
    AnswerType,
    BooleanAnswer,
    MultiSelectAnswer,
    SchemaAnswer,
    SecretAnswer,
    SelectAnswer,
    TextAnswer,
)


def problem(answer_type: AnswerType, value: Json) -> str | None:
    """Why `value` is no answer, in plain words, or None when it is one.

    A schema's own verdict is another's (engine/schemas, HOUSE "The way of an inquiry"); here any JSON value passes.
    """
    match answer_type:
        case BooleanAnswer():
            return None if isinstance(value, bool) else "expected true or false"
        case SelectAnswer(options=options):
            if not isinstance(value, str):
                return "expected one of the options as text"
            return None if any(value == option.value for option in options) else "not one of the options"
        case MultiSelectAnswer(options=options):
            if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
                return "expected a list of options"
            known = {option.value for option in options}
            if not all(item in known for item in value):
                return "not all are among the options"
            return None if len(set(map(str, value))) == len(value) else "an option stands twice"
        case TextAnswer() | SecretAnswer():
            return None if isinstance(value, str) else "expected text"
        case SchemaAnswer():
            return None


def valid(answer_type: AnswerType, value: Json) -> bool:
    """Whether `value` is an answer of that type (R8)."""
    return problem(answer_type, value) is None
