"""Answer validation: does a value fit its type (inquiries.md R8), and can the log store and read it? Never raises,
because answers come from settings, models and other processes."""

from __future__ import annotations

from jp_tui.conversation.strict_json import MAX_BYTES, Json
from jp_tui.questions.answer_kind import NO_VERDICTS, Verdicts
from jp_tui.questions.bounds import beyond
from jp_tui.questions.types import AnswerType

UNWRITABLE = "it can't be written as JSON"


def writable(*values: Json) -> bool:
    """True if all values can be encoded as UTF-8 JSON within the limits for untrusted JSON."""
    try:
        return all(beyond(value, max_bytes=MAX_BYTES) is None for value in values)
    except (ValueError, TypeError, AttributeError, RecursionError):  # not JSON: a date, or a key that isn't a string
        return False


def misfit(kind: AnswerType, value: Json, verdicts: Verdicts = NO_VERDICTS) -> str | None:
    """Return why `value` isn't an answer of this type, or None if it is one."""
    return kind.problem(value, verdicts) if writable(value) else UNWRITABLE


def fits(kind: AnswerType, value: Json, verdicts: Verdicts = NO_VERDICTS) -> bool:
    """True if `value` is an answer of that type."""
    return misfit(kind, value, verdicts) is None
