"""Whether a value may be taken: the one validator (inquiries.md R8), and whether a log could hold it and read it again.

Never raises, whatever the value is: answers come from configuration, models and other processes.
"""

from __future__ import annotations

from jp_tui.conversation.strict_json import MAX_BYTES, Json
from jp_tui.questions.answer_kind import NO_VERDICTS, Verdicts
from jp_tui.questions.bounds import beyond
from jp_tui.questions.types import AnswerType

UNWRITABLE = "it cannot be written as JSON"


def writable(*values: Json) -> bool:
    """Whether all of them can be written as JSON in UTF-8, within the limits of the gate for foreign JSON."""
    try:
        return all(beyond(value, max_bytes=MAX_BYTES) is None for value in values)
    except (ValueError, TypeError, AttributeError, RecursionError):  # no JSON: a date, a key that is no text
        return False


def misfit(kind: AnswerType, value: Json, verdicts: Verdicts = NO_VERDICTS) -> str | None:
    """Why `value` is no answer, in plain words, or None when it is one."""
    return kind.problem(value, verdicts) if writable(value) else UNWRITABLE


def fits(kind: AnswerType, value: Json, verdicts: Verdicts = NO_VERDICTS) -> bool:
    """Whether `value` is an answer of that type."""
    return misfit(kind, value, verdicts) is None
