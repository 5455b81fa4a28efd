"""Questions as a form of the editor, and its answers (N51). Pure.

The protocol's forms have flat properties of simple types; what doesn't fit is one text field, for JSON.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from jp_tui.conversation.strict_json import Json, JsonObject, JsonProblem, dump, parse, same
from jp_tui.headless.acp.shapes import AcpElicited
from jp_tui.headless.rpc.answer_parser import InvalidAnswer
from jp_tui.headless.rpc.question_text import shown
from jp_tui.protocol.values import Answered, Cancelled, PromptRequest
from jp_tui.questions.options import Option
from jp_tui.questions.types import (
    AnswerType,
    BooleanAnswer,
    MultiSelectAnswer,
    Question,
    SchemaAnswer,
    SecretAnswer,
    SelectAnswer,
)
from jp_tui.questions.wire import digest

ANSWER, OTHER = "answer", "other"
_SIMPLE = {"string", "number", "integer", "boolean"}
_KEPT = {
    "type", "title", "description", "default", "enum", "minLength", "maxLength", "pattern", "format", "minimum",
    "maximum",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class FormField:
    """A question of a form of several. `because`: the condition on which it is asked, in words."""

    question: Question
    because: str = ""


@dataclass(slots=True)
class _Filled:
    """A form that was filled in: the values that were given, by question, and digest and answer of each that wasn't
    asked alone yet."""

    values: dict[str, Json]
    rest: dict[str, tuple[str, Answered | InvalidAnswer]]


class FilledForms:
    """Forms of several questions. The engine asks one after the other; what a form says about later ones is held here,
    as long as the earlier answers are those that were given with it."""

    def __init__(self) -> None:
        self._of: dict[tuple[str, str], _Filled] = {}

    def open(self, prompt: PromptRequest) -> tuple[FormField, ...]:
        """Return the questions that can be asked at once, the open one first; empty if it is alone."""
        held = self._of.get(_key(prompt))
        fields = [one for one in _several(prompt) if held is None or one.question.id not in held.rest]
        return tuple(fields) if len(fields) > 1 else ()

    def filled(
        self, prompt: PromptRequest, fields: Sequence[FormField], found: AcpElicited
    ) -> Answered | InvalidAnswer:
        """Return the answer of the open question, and hold the others."""
        told = _answers(fields, found)
        held = self._of.setdefault(_key(prompt), _Filled({}, {}))
        for one in fields:
            id_ = one.question.id
            if isinstance(answered := told.get(id_), Answered):
                held.values[id_] = answered.value
            if id_ in told and id_ != prompt.question.id:
                held.rest[id_] = digest(one.question), told[id_]
        return told[prompt.question.id]

    def given(self, prompt: PromptRequest) -> Answered | InvalidAnswer | None:
        """Return what is held about a question, once; None if it isn't the one that the form showed, or follows on
        another answer."""
        held = self._of.get(_key(prompt))
        if held is None or prompt.form is None or prompt.kind != "question":
            return None
        answered = {place.id: place.answer for place in prompt.form.places if place.state == "answered"}
        if any(id_ in answered and not same(answered[id_], value) for id_, value in held.values.items()):
            self.drop(prompt)
            return None
        shown, found = held.rest.pop(prompt.question.id, ("", None))
        return found if shown == digest(prompt.question) and prompt.escalation is None else None

    def asks(self, prompt: PromptRequest) -> None:
        """A question is asked: what was given before isn't its answer."""
        if (held := self._of.get(_key(prompt))) is not None:
            held.values.pop(prompt.question.id, None)

    def drop(self, prompt: PromptRequest) -> None:
        """Hold nothing more of this form."""
        self._of.pop(_key(prompt), None)

    def forget(self) -> None:
        """Hold nothing."""
        self._of.clear()


def _key(prompt: PromptRequest) -> tuple[str, str]:
    return prompt.conversation, prompt.call


def _several(prompt: PromptRequest) -> tuple[FormField, ...]:
    """Return the questions of a form that can be answered at once, the open one first; empty if it is alone."""
    if prompt.kind != "question" or prompt.form is None or isinstance(prompt.question.answer_type, SecretAnswer):
        return ()
    ahead = [
        FormField(place.question, place.because)
        for place in prompt.form.places
        if place.question is not None and not isinstance(place.question.answer_type, SecretAnswer)
    ]
    return (FormField(prompt.question), *ahead) if ahead else ()


def schema(prompt: PromptRequest) -> JsonObject:
    """Return the form's schema for one question: `answer`, or the properties of a flat object."""
    question = prompt.question
    kind = question.answer_type
    if isinstance(kind, SchemaAnswer) and (flat := _flat(kind.schema, prompt.preselect)) is not None:
        return flat
    field = _field(question, prompt.preselect)
    if isinstance(kind, SelectAnswer) and kind.allow_other:
        return _object({ANSWER: field, OTHER: {"type": "string", "title": "Something else"}}, [])
    return _object({ANSWER: field}, [ANSWER])


def schema_of(fields: Sequence[FormField], prompt: PromptRequest) -> JsonObject:
    """Return the schema of a form of several questions: a property each, by the question's id."""
    found: JsonObject = {}
    for one in fields:
        question = one.question
        condition = f"{one.because[:1].upper()}{one.because[1:]}." if one.because else ""
        words = "\n\n".join(part for part in (question.context or "", condition) if part)
        field = {**_field(question, prompt.preselect), "title": shown(question.text.strip())}
        if words:
            field["description"] = shown(words)
        found[question.id] = field
    return _object(found, [one.question.id for one in fields if not one.because])


def answer(prompt: PromptRequest, found: AcpElicited) -> Answered | Cancelled | InvalidAnswer:
    """Return the answer in a filled form; the engine checks the value."""
    if found.action != "accept":
        return left(found)
    given = found.content or {}
    kind = prompt.question.answer_type
    if isinstance(kind, SelectAnswer) and given.get(OTHER):
        return Answered(value=given[OTHER])
    if isinstance(kind, SchemaAnswer) and _flat(kind.schema) is not None:
        return Answered(value=given)
    return _value(kind, given[ANSWER]) if ANSWER in given else InvalidAnswer("the form has no answer")


def left(found: AcpElicited) -> Cancelled:
    """Return the end of a form that wasn't filled in; a server learns that it was declined (mcp.md P42)."""
    return Cancelled(declined=found.action == "decline")


def _answers(fields: Sequence[FormField], found: AcpElicited) -> dict[str, Answered | InvalidAnswer]:
    """Return the answers in a filled form of several questions, by id; one with a condition may have none. The engine
    checks the values again, and those of schemas for the first time."""
    given, told = found.content or {}, dict[str, Answered | InvalidAnswer]()
    for one in fields:
        id_, kind = one.question.id, one.question.answer_type
        if id_ in given:
            told[id_] = _value(kind, given[id_])
        elif not one.because:
            told[id_] = InvalidAnswer("it has no answer")
    return told


def _field(question: Question, preselect: bool) -> JsonObject:
    """Return the property for an answer, with its default unless Enter alone would approve it (Z11)."""
    default: JsonObject = {}
    if question.has_default and preselect and question.default is not None:
        default = {"default": question.default}
    match question.answer_type:
        case BooleanAnswer():
            return {"type": "boolean", **default}
        case SelectAnswer(options=options):
            return {"type": "string", "oneOf": [_option(one) for one in options], **default}
        case MultiSelectAnswer(options=options):
            return {"type": "array", "items": {"anyOf": [_option(one) for one in options]}, **default}
        case SchemaAnswer(schema=given) if _is_simple(given):
            return _simple(given, preselect)
        case SchemaAnswer():
            return {"type": "string", "title": "JSON", **({"default": dump(question.default)} if default else {})}
        case _:
            return {"type": "string", **default}


def _value(kind: AnswerType, raw: Json) -> Answered | InvalidAnswer:
    """Return what was entered into the property for it."""
    if isinstance(kind, SchemaAnswer):
        if _is_simple(kind.schema):
            return Answered(value=raw)
        try:
            return Answered(value=parse(raw if isinstance(raw, str) else ""))
        except JsonProblem as problem:
            return InvalidAnswer(f"expected JSON: {problem.message}")
    wrong = kind.problem(raw)
    return Answered(value=raw) if wrong is None else InvalidAnswer(wrong)


def _object(properties: JsonObject, required: list[str]) -> JsonObject:
    return {"type": "object", "properties": properties, "required": list[Json](required)}


def _option(option: Option) -> JsonObject:
    told: JsonObject = {"const": option.value, "title": shown(option.value)}
    return {**told, "description": shown(option.description)} if option.description else told


def _flat(given: JsonObject, preselect: bool = True) -> JsonObject | None:
    """Return a schema that a form shows in full; None for any other."""
    properties, required = given.get("properties"), given.get("required", [])
    if given.get("type") != "object" or not isinstance(properties, dict) or not properties:
        return None
    if given.keys() - {"type", "title", "description", "properties", "required", "additionalProperties", "$schema"}:
        return None
    names = [name for name in required if isinstance(name, str)] if isinstance(required, list) else []
    fields: JsonObject = {
        name: _simple(one, preselect) for name, one in properties.items() if isinstance(one, dict) and _is_simple(one)
    }
    return _object(fields, names) if len(fields) == len(properties) else None


def _simple(given: JsonObject, preselect: bool) -> JsonObject:
    """Return a property of an untrusted schema, its words with hidden characters visible (R195)."""
    words: JsonObject = {
        name: shown(text) for name in ("title", "description") if isinstance(text := given.get(name), str)
    }
    return {**{name: one for name, one in given.items() if name != "default" or preselect}, **words}


def _is_simple(field: Any) -> bool:
    return isinstance(field, dict) and field.get("type") in _SIMPLE and not field.keys() - _KEPT
