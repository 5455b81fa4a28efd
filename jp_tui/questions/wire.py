"""JSON forms of a question: recorded, digested (inquiries.md R9, R20, R45, R48, R49, R235, R251).

`reading.py` decodes the recorded form, and a question of a tool. An answer is never part of a question; a default is,
as its author wrote it (R4). Two properties stay internal: that any text is an answer (R226) is written nowhere, and
parts (R251) are recorded but not read from a tool's process, which receives only a value and would mistake a partial
yes for a whole one.
"""

from __future__ import annotations

import hashlib

from jp_tui.conversation.strict_json import Json, JsonObject, dump
from jp_tui.questions.bounds import BadQuestion as BadQuestion
from jp_tui.questions.reading import read_question as read_question
from jp_tui.questions.reading import read_recorded as read_recorded
from jp_tui.questions.types import AnswerType, Part, Question


def answer_type(kind: AnswerType) -> JsonObject:
    """Return the recorded answer type (R45, R49): options as objects."""
    return {"type": kind.type, **kind.recorded()}


def recorded(question: Question) -> JsonObject:
    """Return the form stored in the log: as it was asked, before settings apply (R20, R48).

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
    if question.parts:
        found["parts"] = _parts(question.parts)
    return found


def _parts(parts: tuple[Part, ...]) -> list[Json]:
    return [{"id": one.id, "digest": one.digest, "title": one.title, "diff": one.diff} for one in parts]


def digest(question: Question) -> str:
    """Return the SHA-256 of what was shown: text, context, answer type, parts if any (R235); an approval is bound to
    it."""
    canonical: dict[str, Json] = {
        "text": question.text,
        "context": question.context,
        "answer_type": answer_type(question.answer_type),
    }
    if question.parts:
        canonical["parts"] = _parts(question.parts)
    return hashlib.sha256(dump(canonical).encode("utf-8", "surrogatepass")).hexdigest()
