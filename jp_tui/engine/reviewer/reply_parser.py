"""Parse a reviewer's reply: one JSON object of the requested form, or no verdict (inquiries.md R136).

No search in prose, no unwrapping of Markdown, no repair, no conversion. A yes needs a legible reason; only a plain
boolean no is valid without one. Pure.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from jp_tui.conversation.strict_json import Json, JsonObject, JsonProblem, dump, parse
from jp_tui.conversation.visible import odd
from jp_tui.questions.types import AnswerType, BooleanAnswer, SchemaAnswer

KEYS = ("reason", "answer")
NOTHING = "the reply was empty"
NO_ANSWER = "the key `answer` is missing"
NO_REASON = "the key `reason` is missing or says nothing, and only a plain no needs none"
GARBLED = "bytes of the reply are no UTF-8"
LOST = "\ufffd"
_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Answer:
    """Verdict; `reason` is empty only for a plain no."""

    value: Json
    reason: str


@dataclass(frozen=True, slots=True)
class UnusableReply:
    """No verdict: the problem as text for the model and the user. `prose`: it wasn't JSON at all."""

    words: str
    prose: bool = False


def read(text: str, kind: AnswerType) -> Answer | UnusableReply:
    """Parse a text reply. It must be JSON from its first character to its last."""
    if not text.strip():
        return UnusableReply(NOTHING, prose=True)
    try:
        value = parse(text)
    except JsonProblem as refused:
        return UnusableReply(f"the reply is not one JSON value: {refused.message}{_where(refused)}", prose=True)
    if not isinstance(value, dict):
        return UnusableReply("the reply is JSON, but not an object")
    return judge(value, kind)


def judge(reply: JsonObject, kind: AnswerType) -> Answer | UnusableReply:
    """Check an object that passed the strict JSON parser. A user's schema is validated elsewhere, in a killable
    process."""
    if odd_keys := [key for key in reply if key not in KEYS]:
        return UnusableReply(f"there is a key that was not asked for: {dump(odd_keys[0][:_SHOWN])}")
    if "answer" not in reply:
        return UnusableReply(NO_ANSWER)
    value, reason = reply["answer"], reply.get("reason")
    wrong = None if isinstance(kind, SchemaAnswer) else kind.problem(value)
    if wrong is not None:
        return UnusableReply(f"`answer` is no answer: {wrong}")
    if isinstance(reason, str) and legible(reason):
        return Answer(value, reason.strip())
    if isinstance(kind, BooleanAnswer) and value is False:
        return Answer(value, "")
    return UnusableReply(NO_REASON)


def legible(text: str) -> bool:
    """True if the text has something to read: a letter, a digit, a visible sign; not a mark alone, and no replacement
    characters."""
    return any(
        char != LOST and not char.isspace() and unicodedata.category(char)[0] not in "CMZ" and odd(char) is None
        for char in text
    )


def _where(refused: JsonProblem) -> str:
    return f" (line {refused.line}, column {refused.column})" if refused.line is not None else ""
