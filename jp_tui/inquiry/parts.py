"""Answers that are valid: a value fits its type (inquiries.md R8), and the log can store and read it; the parts of a
question that were accepted, with comments (R251).

Only a person answers by parts; other responders accept all or nothing. Functions never raise, because answers come from
settings, models and other processes.
"""

from __future__ import annotations

from collections.abc import Sequence

from jp_tui.conversation.strict_json import MAX_BYTES, Json, JsonObject
from jp_tui.questions.answer_kind import NO_VERDICTS, Verdicts
from jp_tui.questions.bounds import beyond
from jp_tui.questions.types import AnswerType, BooleanAnswer, Question, Taken

UNWRITABLE = "it can't be written as JSON"


def writable(*values: Json) -> bool:
    """True if all values can be encoded as UTF-8 JSON within the limits for untrusted JSON."""
    try:
        return all(beyond(value, max_bytes=MAX_BYTES) is None for value in values)
    except (ValueError, TypeError, AttributeError, RecursionError):  # not JSON: a date, or a key that isn't a string
        return False


def describe_mismatch(kind: AnswerType, value: Json, verdicts: Verdicts = NO_VERDICTS) -> str | None:
    """Return why `value` isn't an answer of this type, or None if it is one."""
    return kind.problem(value, verdicts) if writable(value) else UNWRITABLE


def fits(kind: AnswerType, value: Json, verdicts: Verdicts = NO_VERDICTS) -> bool:
    """True if `value` is an answer of that type."""
    return describe_mismatch(kind, value, verdicts) is None


def find_parts_problem(question: Question, value: Json, taken: Taken | None) -> str | None:
    """Return why these parts aren't an answer, or None if they are one or the whole is answered."""
    if taken is None:
        return None
    known = {part.id for part in question.parts}
    if not known or not isinstance(question.answer_type, BooleanAnswer):
        return "this is answered as a whole, not by its parts"
    if not known.issuperset((*taken.accepted, *taken.comments)):
        return "it names an unknown part"
    if len(set(taken.accepted)) != len(taken.accepted):
        return "it names a part twice"
    if value is not bool(taken.accepted):
        return "it is a yes when at least one part is accepted, else a no"
    return None if writable(dict(taken.comments)) else UNWRITABLE


def partial(question: Question, taken: Taken | None) -> bool:
    """True for a yes to some of the parts. Such an answer is never remembered."""
    return taken is not None and 0 < len(taken.accepted) < len({part.id for part in question.parts})


def tidy(question: Question, taken: Taken | None) -> Taken | None:
    """Return the parts in the question's order, without empty comments."""
    if taken is None:
        return None
    order = dict.fromkeys(part.id for part in question.parts)
    said = {name: words for name in order if (words := taken.comments.get(name, "").strip())}
    return Taken(tuple(name for name in order if name in taken.accepted), said)


def part_comments(titles: Sequence[tuple[str, str]], taken: Taken | None) -> tuple[tuple[str, str], ...]:
    """Return the comments on parts as (part title, comment). `titles` are (id, title) in the question's order."""
    return tuple((title, taken.comments[name]) for name, title in titles if name in taken.comments) if taken else ()


def encode_parts(taken: Taken) -> JsonObject:
    """Return `{"accepted": [ids], "comments": {id: text}}`, the form stored with the recorded answer."""
    return {"accepted": list(taken.accepted), "comments": dict(taken.comments)}


def decode_parts(found: Json) -> Taken | None:
    """Decode the stored form; None for anything else."""
    if not isinstance(found, dict):
        return None
    accepted, comments = found.get("accepted"), found.get("comments", {})
    if not isinstance(accepted, list) or not isinstance(comments, dict):
        return None
    names = tuple(name for name in accepted if isinstance(name, str))
    said = {name: words for name, words in comments.items() if isinstance(words, str)}
    whole = len(names) == len(accepted) and len(said) == len(comments)
    return Taken(names, said) if whole else None
