"""Validate a tool's result. A tool is untrusted code: its errors end its call, never the turn."""

from __future__ import annotations

from typing import get_args

from jp_tui.conversation.outcomes import Failure, Success
from jp_tui.conversation.strict_json import dump
from jp_tui.engine.asking import outcome_checks
from jp_tui.questions.types import AnswerType, Question
from jp_tui.questions.wire import recorded
from jp_tui.tools.port import NeedsInput, NeedsReview


def find_problem(outcome: object) -> str | None:
    """Return the problem, as text after the tool's name; None for a valid one."""
    match outcome:
        case Success():
            content: object = outcome.content
            return None if isinstance(content, str) else "returned a result that is no text"
        case Failure():
            words: tuple[object, ...] = (outcome.message, *outcome.trace)
            return None if all(isinstance(word, str) for word in words) else "returned an error that is no text"
        case NeedsInput():
            return _question(outcome.question) or (
                None if outcome.form is None else outcome_checks.find_problem(outcome.form)
            )
        case NeedsReview():
            return outcome_checks.find_problem(outcome.form)
        case _:
            return f"returned something that is no result ({type(outcome).__name__})"


def _question(question: object) -> str | None:
    if not isinstance(question, Question):
        return f"asked something that is no question ({type(question).__name__})"
    id_: object = question.id
    if not isinstance(id_, str) or not id_.strip():
        return "asked a question without an id"
    parts: tuple[object, ...] = (question.text, question.context or "")
    kind: object = question.answer_type
    if not all(isinstance(part, str) for part in parts) or not isinstance(kind, get_args(AnswerType)):
        return "asked a question that cannot be shown"
    try:
        dump(recorded(question))
    except (TypeError, ValueError, AttributeError, RecursionError) as problem:
        return f"asked a question that cannot be recorded ({problem})"
    return None
