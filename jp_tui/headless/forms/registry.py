"""Which prompt in lines a PromptRequest is: by its kind, and a question by the type of its answer."""

from __future__ import annotations

from jp_tui.headless.forms.approvals import Delivery, Permission
from jp_tui.headless.forms.choices import Boolean, MultiSelect, Select
from jp_tui.headless.forms.form_summary import Review
from jp_tui.headless.forms.hunks import Hunks
from jp_tui.headless.forms.prompt import Prompt
from jp_tui.headless.forms.schema import Schema
from jp_tui.headless.forms.text import Secret, Text
from jp_tui.protocol.values import PromptRequest
from jp_tui.questions.types import BooleanAnswer, MultiSelectAnswer, SchemaAnswer, SecretAnswer, SelectAnswer


def prompt_in_lines(prompt: PromptRequest, others: int = 0) -> Prompt:
    """The prompt; `others` is how many wait behind it (R117)."""
    if prompt.kind == "permission":
        return Permission(prompt, others)
    if prompt.kind == "delivery":
        return Delivery(prompt, others)
    if prompt.kind == "review":
        return Review(prompt, others)
    match prompt.question.answer_type:
        case BooleanAnswer() if len(prompt.question.parts) > 1:
            return Hunks(prompt, others)
        case BooleanAnswer():
            return Boolean(prompt, others)
        case SelectAnswer(options=options, allow_other=other):
            return Select(prompt, options, others, other=other)
        case MultiSelectAnswer(options=options):
            return MultiSelect(prompt, options, others)
        case SecretAnswer():
            return Secret(prompt, others)
        case SchemaAnswer(schema=schema):
            return Schema(prompt, schema, others)
        case _:
            return Text(prompt, others)
