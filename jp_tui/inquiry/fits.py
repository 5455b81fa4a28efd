"""Whether a value may be taken: the one validator (inquiries.md R8), and whether a log could hold it.

Never raises, whatever the value is: answers come from configuration, models and other processes.
"""

from __future__ import annotations

from jp_tui.conversation.strict_json import Json, dump
from jp_tui.questions.types import AnswerType
from jp_tui.questions.validate import NO_VERDICTS, Verdicts, problem

UNWRITABLE = "it cannot be written as JSON"


def writable(*values: object) -> bool:
    """Whether all of them can be written as JSON in UTF-8."""
    try:
        for value in values:
            dump(value).encode()
    except (ValueError, TypeError, RecursionError):  # NaN, a date of a TOML file, half a character, no end of depth
        return False
    return True


def misfit(kind: AnswerType, value: Json, verdicts: Verdicts = NO_VERDICTS) -> str | None:
    """Why `value` is no answer, in plain words, or None when it is one."""
    return problem(kind, value, verdicts) if writable(value) else UNWRITABLE


def fits(kind: AnswerType, value: Json, verdicts: Verdicts = NO_VERDICTS) -> bool:
    """Whether `value` is an answer of that type."""
    return misfit(kind, value, verdicts) is None
