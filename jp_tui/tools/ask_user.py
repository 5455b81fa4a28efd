"""`ask_user`: the model asks the user (inquiries.md section 10).

Stateless: it takes arguments and answers and returns the next question, the complete form for review, or the result
(R166). Its questions are the assistant's; only the user answers them, and they are never remembered (R158). Wording and
controls belong to the front ends.
"""

from __future__ import annotations

import json

from jp_tui.conversation.events import SourceKind
from jp_tui.conversation.outcomes import Failure, Success
from jp_tui.conversation.strict_json import JsonObject, dump
from jp_tui.conversation.strict_json_faults import Misread
from jp_tui.questions.arguments import FormItem, ItemForm, RefusedForm, judged, read
from jp_tui.questions.refusals import words
from jp_tui.questions.types import SchemaAnswer, SelectAnswer
from jp_tui.questions.unread import unread
from jp_tui.questions.walker import FormWalk, walk
from jp_tui.tools.port import NeedsInput, NeedsReview, Outcome, ToolCall

MISMATCH = "the accumulated answer does not match the requested answer type"  # M26
_LABEL = 60


class AskUser:
    """The tool; see `jp_tui.tools.port.Tool`."""

    @property
    def source(self) -> SourceKind:
        return "assistant"

    def title(self, arguments: JsonObject) -> str:
        """Return the first 60 characters of the (first) question (R225)."""
        listed = arguments.get("questions")
        first = listed[0] if isinstance(listed, list) and listed else None
        text = first.get("text") if isinstance(first, dict) else arguments.get("question")
        return text[:_LABEL] if isinstance(text, str) and text.strip() else "ask_user"

    def misread(self, name: str, found: Misread) -> str:
        """Return M25 or M25b for arguments that the JSON parser refused (V19), with all other problems; see
        `port.Corrects`."""
        return words(unread(found), name)

    async def run(self, call: ToolCall) -> Outcome:
        form = read(call.arguments)
        if not (call.answers or call.replied or call.reviewed):  # on later runs the schemas are already validated
            form = judged(form, await _verdicts(form, call))
        if isinstance(form, RefusedForm):
            return Failure(words(form))
        at = walk(form.items, call.answers)
        if call.replied is not None:
            return Success(_left(form, at, call.replied.text))
        several = len(form.items) > 1
        if at.next is not None:
            return NeedsInput(at.next.question(), at.form if several else None)
        if not all(_fits(item, at) for item in form.items):
            return Failure(MISMATCH)
        if several and at.prompted and call.reviews and not call.reviewed:
            return NeedsReview(at.form)
        return Success(_body(at.values if form.shape == "list" else _typed(form.items[0], at)))


async def _verdicts(form: ItemForm | RefusedForm, call: ToolCall) -> dict[str, str | None]:
    """Return why each schema can't be used, by its place (V9). An identical schema is checked once."""
    known: dict[str, str | None] = {}
    for _, schema in form.schemas:
        key = dump(schema)
        if key not in known:
            known[key] = await call.usable(schema)
    return {path: known[dump(schema)] for path, schema in form.schemas}


def _fits(item: FormItem, at: FormWalk) -> bool:
    """R168: check every answer that counts a last time. An answer to a schema was validated when it was given."""
    if isinstance(item.answer_type, SchemaAnswer):
        return True
    return item.answer_type.problem(at.values[item.id]) is None or item.id in at.skipped


def _typed(item: FormItem, at: FormWalk) -> JsonObject:
    """Build the body for a flat or choices question, with the keys in this order (R167). Text written beside the
    choices is text (R227)."""
    kind, value = item.answer_type.type, at.values[item.id]
    if isinstance(item.answer_type, SelectAnswer) and all(value != one.value for one in item.answer_type.options):
        kind = "text"
    return {"answer_type": kind, "answer": value}


def _left(form: ItemForm, at: FormWalk, reply: str | None) -> str:
    """R179, M43: the result for a form that was closed, with or without a reply. A flat question has no earlier
    answers."""
    body: JsonObject = {"cancelled": True, "answered": at.answered if form.shape == "list" else {}}
    if reply:
        body["reply"] = reply
    return _body(body)


def _body(value: JsonObject) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
