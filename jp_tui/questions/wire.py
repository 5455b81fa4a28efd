"""Stored and digested forms of a question (inquiries.md R9, R20, R45, R48, R49, R235)."""

from __future__ import annotations

import hashlib

from jp_tui.conversation.strict_json import Json, JsonObject, dump
from jp_tui.questions.types import (
    AnswerType,
    MultiSelectAnswer,
    Option,
    Question,
    SchemaAnswer,
    SelectAnswer,
)


def _option(option: Option) -> JsonObject:
    found: JsonObject = {"value": option.value}
    if option.description:
        found["description"] = option.description
    if option.preview:
        found["preview"] = option.preview
    if option.recommended:
        found["recommended"] = True
    return found


def answer_type(kind: AnswerType) -> JsonObject:
    """The recorded answer type (R45, R49): options as objects."""
    found: JsonObject = {"type": kind.type}
    if isinstance(kind, (SelectAnswer, MultiSelectAnswer)):
        found["options"] = [_option(option) for option in kind.options]
    elif isinstance(kind, SchemaAnswer):
        found["schema"] = kind.schema
    return found


def recorded(question: Question) -> JsonObject:
    """The question as it stands in the log: as it was asked, whatever the configuration makes of it (R20, R48).

    The default is copied verbatim, even for secrets (R4).
    """
    found: JsonObject = {"text": question.text, "answer_type": answer_type(question.answer_type)}
    if question.has_default:
        found["default"] = question.default
    if question.context is not None:
        found["context"] = question.context
    if question.exclusive:
        found["exclusive"] = True
    if question.persistence != "turn":
        found["persistence"] = question.persistence
    return found


def digest(question: Question) -> str:
    """SHA-256 of what was shown: text, context, answer type (R235); an approval is bound to it."""
    canonical: dict[str, Json] = {
        "text": question.text,
        "context": question.context,
        "answer_type": answer_type(question.answer_type),
    }
    return hashlib.sha256(dump(canonical).encode("utf-8", "surrogatepass")).hexdigest()
