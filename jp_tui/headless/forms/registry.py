"""Kinds of answers of prompts in lines: by the prompt's kind, for a question by its answer type."""

from __future__ import annotations

from collections.abc import Callable

from jp_tui.headless.forms.answer import AnswerLines
from jp_tui.headless.forms.approvals import DeliveryLines, PermissionLines
from jp_tui.headless.forms.choices import BooleanLines, MultiSelectLines, SelectLines
from jp_tui.headless.forms.form_summary import SummaryLines
from jp_tui.headless.forms.hunks import HunkLines
from jp_tui.headless.forms.prompt import Prompt
from jp_tui.headless.forms.question import AskedQuestion
from jp_tui.headless.forms.schema import SchemaLines
from jp_tui.headless.forms.text import SecretLines, TextLines
from jp_tui.protocol.values import PromptRequest
from jp_tui.questions.types import BooleanAnswer, MultiSelectAnswer, SchemaAnswer, SelectAnswer


def _select(question: AskedQuestion) -> AnswerLines:
    kind = question.prompt.question.answer_type
    assert isinstance(kind, SelectAnswer)
    return SelectLines(question, kind.options, other=kind.allow_other)


def _multi_select(question: AskedQuestion) -> AnswerLines:
    kind = question.prompt.question.answer_type
    assert isinstance(kind, MultiSelectAnswer)
    return MultiSelectLines(question, kind.options)


def _schema(question: AskedQuestion) -> AnswerLines:
    kind = question.prompt.question.answer_type
    assert isinstance(kind, SchemaAnswer)
    return SchemaLines(question, kind.schema)


FORMS: dict[str, Callable[[AskedQuestion], AnswerLines]] = {
    "boolean": BooleanLines,
    "select": _select,
    "multi_select": _multi_select,
    "text": TextLines,
    "secret": SecretLines,
    "schema": _schema,
}
"""By the name of the kind of answer (`questions.types.KINDS`)."""


def prompt_in_lines(prompt: PromptRequest, others: int = 0) -> Prompt:
    """Return the prompt in lines; `others` is how many wait behind it (R117)."""
    if prompt.kind == "permission":
        return Prompt(prompt, PermissionLines(prompt), others=others)
    if prompt.kind == "delivery":
        return Prompt(prompt, DeliveryLines(prompt), others=others)
    if prompt.kind == "review":
        return Prompt(prompt, SummaryLines(prompt), others=others)
    question = AskedQuestion(prompt)
    return Prompt(prompt, answer_lines(question), question=question, others=others)


def answer_lines(question: AskedQuestion) -> AnswerLines:
    """Return the kind of answer for a question."""
    asked = question.prompt.question
    if isinstance(asked.answer_type, BooleanAnswer) and len(asked.parts) > 1:
        return HunkLines(question)
    return FORMS[asked.answer_type.type](question)
