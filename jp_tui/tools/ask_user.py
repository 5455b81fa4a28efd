"""`ask_user`: a model asks the person it works for (inquiries.md section 10, flat shape for now).

Stateless: arguments and answers in, the next question or the result out (R166). Its questions are the assistant's,
for a human only and never remembered (R158). It shows nothing and knows no key: wording and controls are a face's.
"""

from __future__ import annotations

import json

from jp_tui.conversation.events import SourceKind
from jp_tui.conversation.outcomes import Failure, Success
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.questions.arguments import Form, Item, Refused, read, sentences
from jp_tui.questions.types import Question
from jp_tui.questions.validate import valid
from jp_tui.tools.port import NeedsInput, Outcome, ToolCall

MISMATCH = "the accumulated answer does not match the requested answer type"  # M26


class AskUser:
    """The tool; see `jp_tui.tools.port.Tool`."""

    @property
    def source(self) -> SourceKind:
        return "assistant"

    def title(self, arguments: JsonObject) -> str:
        """The first 60 characters of the question (R225)."""
        text = arguments.get("question")
        return text[:60] if isinstance(text, str) and text.strip() else "ask_user"

    async def run(self, call: ToolCall) -> Outcome:
        form = read(call.arguments)
        if isinstance(form, Refused):
            return Failure(sentences(form.problems))
        if call.replied is not None:
            return Success(_left(form, call))
        for item in form.items:
            if item.id not in call.answers:
                return NeedsInput(question(item))
        if not all(valid(item.answer_type, call.answers[item.id].value) for item in form.items):
            return Failure(MISMATCH)
        return Success(_answered(form, call))


def question(item: Item) -> Question:
    """The question as it is put: exclusive and never remembered, whatever the model sent (R158)."""
    return Question(
        id=item.id,
        text=item.text,
        answer_type=item.answer_type,
        context=item.context,
        default=item.default,
        has_default=item.has_default,
        exclusive=True,
        persistence="none",
    )


def _answered(form: Form, call: ToolCall) -> str:
    """R167: the flat shape's body, in this order of keys."""
    item = form.items[0]
    return _body({"answer_type": item.answer_type.type, "answer": call.answers[item.id].value})


def _left(form: Form, call: ToolCall) -> str:
    """R179, M43: the form was left in words. The flat shape has nothing that was answered before."""
    body: JsonObject = {"cancelled": True, "answered": {}}
    if call.replied is not None and call.replied.text:
        body["reply"] = call.replied.text
    return _body(body)


def _body(value: JsonObject) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
