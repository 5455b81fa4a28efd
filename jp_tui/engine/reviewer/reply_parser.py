"""What a reviewer's reply is worth: one JSON object that fits what was sent, or nothing (inquiries.md R136).

Nothing is searched for in prose, unwrapped from Markdown, repaired or converted. A yes has a reason that can be read;
only a plain boolean no stands without one. Pure.
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
    """A verdict; `reason` is empty only beside a plain no."""

    value: Json
    reason: str


@dataclass(frozen=True, slots=True)
class UnusableReply:
    """No verdict: what was wrong, in words that the model and people can use. `prose`: it was no JSON at all."""

    words: str
    prose: bool = False


def read(text: str, kind: AnswerType) -> Answer | UnusableReply:
    """A reply of text. It is JSON from its first character to its last."""
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
    """An object that passed the gate for foreign JSON. Whether a value fits a schema of the user's is found out
    elsewhere, by a process that can be killed."""
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
    """Whether there is anything to read: a letter, a digit, a sign that shows; no mark without one, and nothing that
    stands for what got lost."""
    return any(
        char != LOST and not char.isspace() and unicodedata.category(char)[0] not in "CMZ" and odd(char) is None
        for char in text
    )


def _where(refused: JsonProblem) -> str:
    return f" (line {refused.line}, column {refused.column})" if refused.line is not None else ""
