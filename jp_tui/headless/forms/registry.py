"""Which kind of answer a prompt in lines has: by the prompt's kind, for a question by the type of its answer."""

from __future__ import annotations

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
from jp_tui.questions.types import BooleanAnswer, MultiSelectAnswer, SchemaAnswer, SecretAnswer, SelectAnswer


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
    match asked.answer_type:
        case BooleanAnswer() if len(asked.parts) > 1:
            return HunkLines(question)
        case BooleanAnswer():
            return BooleanLines(question)
        case SelectAnswer(options=options, allow_other=other):
            return SelectLines(question, options, other=other)
        case MultiSelectAnswer(options=options):
            return MultiSelectLines(question, options)
        case SecretAnswer():
            return SecretLines(question)
        case SchemaAnswer(schema=schema):
            return SchemaLines(question, schema)
        case _:
            return TextLines(question)
