"""A typed answer as a value, read by the question's type (surface S6). Pure; whether it fits is the validator's."""

from __future__ import annotations

from jp_tui.conversation.strict_json import Json, JsonProblem, parse
from jp_tui.questions.types import (
    AnswerType,
    BooleanAnswer,
    MultiSelectAnswer,
    SchemaAnswer,
    SecretAnswer,
    SelectAnswer,
    TextAnswer,
)

_WORDS = {"true": True, "yes": True, "false": False, "no": False}


def typed(kind: AnswerType, text: str) -> Json:
    """Text and select verbatim, boolean true, false, yes or no, the others as JSON. Raises ValueError with words."""
    match kind:
        case TextAnswer() | SelectAnswer():
            return text
        case BooleanAnswer():
            if (said := text.strip().lower()) not in _WORDS:
                raise ValueError("expected true, false, yes or no")
            return _WORDS[said]
        case MultiSelectAnswer() | SchemaAnswer():
            try:
                return parse(text)
            except JsonProblem as problem:
                raise ValueError(f"expected JSON: {problem.message}") from problem
        case SecretAnswer():
            raise ValueError("a secret is typed where it is asked, never on a command line")
