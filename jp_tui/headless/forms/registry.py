"""Which prompt in lines a PromptRequest is: by its kind, and a question by the type of its answer."""

from __future__ import annotations

from collections.abc import Callable

from jp_tui.headless.forms.approvals import Delivery, Permission
from jp_tui.headless.forms.choices import Boolean, MultiSelect, Select
from jp_tui.headless.forms.form_summary import Review
from jp_tui.headless.forms.hunks import Hunks
from jp_tui.headless.forms.prompt import Prompt
from jp_tui.headless.forms.schema import Schema
from jp_tui.headless.forms.text import Secret, Text
from jp_tui.protocol.values import PromptRequest
from jp_tui.questions.types import BooleanAnswer, MultiSelectAnswer, SchemaAnswer, SelectAnswer


def _select(prompt: PromptRequest, others: int) -> Prompt:
    kind = prompt.question.answer_type
    assert isinstance(kind, SelectAnswer)
    return Select(prompt, kind.options, others, other=kind.allow_other)


def _multi_select(prompt: PromptRequest, others: int) -> Prompt:
    kind = prompt.question.answer_type
    assert isinstance(kind, MultiSelectAnswer)
    return MultiSelect(prompt, kind.options, others)


def _schema(prompt: PromptRequest, others: int) -> Prompt:
    kind = prompt.question.answer_type
    assert isinstance(kind, SchemaAnswer)
    return Schema(prompt, kind.schema, others)


FORMS: dict[str, Callable[[PromptRequest, int], Prompt]] = {
    "boolean": Boolean,
    "select": _select,
    "multi_select": _multi_select,
    "text": Text,
    "secret": Secret,
    "schema": _schema,
}
"""By the name of the kind of answer (`questions.types.KINDS`)."""


def prompt_in_lines(prompt: PromptRequest, others: int = 0) -> Prompt:
    """The prompt; `others` is how many wait behind it (R117)."""
    if prompt.kind == "permission":
        return Permission(prompt, others)
    if prompt.kind == "delivery":
        return Delivery(prompt, others)
    if prompt.kind == "review":
        return Review(prompt, others)
    if isinstance(prompt.question.answer_type, BooleanAnswer) and len(prompt.question.parts) > 1:
        return Hunks(prompt, others)
    return FORMS[prompt.question.answer_type.type](prompt, others)
