"""Redaction of secrets typed by the user: kept in memory, and removed from all later tool output (R202).

A value is searched as given and as programs print it (`conversation/secret_encodings.py`). One of less than four
characters is removed only from the output of its own call: elsewhere it would hide ordinary text and protect nothing.
Nothing is written to disk, and the repr shows no value.
"""

from __future__ import annotations

from dataclasses import replace

from jp_tui.conversation.outcomes import Failure, Success
from jp_tui.conversation.secret_encodings import spellings
from jp_tui.conversation.strict_json import Json
from jp_tui.questions.types import (
    FormView,
    Part,
    Place,
    Question,
)

REDACTED = "<redacted>"
SHORT = 4


class Secrets:
    """Secrets of one conversation while it is open."""

    def __init__(self) -> None:
        self._everywhere: list[str] = []
        self._of_call: dict[str, list[str]] = {}

    def keep(self, call: str, value: Json) -> None:
        """Remember a value given to a call."""
        if not isinstance(value, str):
            return
        forms = spellings(value)
        self._of_call[call] = _longest_first({*self._of_call.get(call, ()), *forms})
        self._everywhere = _longest_first({*self._everywhere, *(form for form in forms if len(form) >= SHORT)})

    def text(self, text: str, call: str = "") -> str:
        """Return the text without them."""
        for value in (*self._of_call.get(call, ()), *self._everywhere):
            if value in text:
                text = text.replace(value, REDACTED)
        return text

    def json(self, value: Json, call: str = "") -> Json:
        """Return the value without them, member names included."""
        if not self._everywhere and call not in self._of_call:
            return value
        match value:
            case str():
                return self.text(value, call)
            case list():
                return [self.json(item, call) for item in value]
            case dict():
                return {self.text(name, call): self.json(item, call) for name, item in value.items()}
            case _:
                return value

    def outcome(self, found: Success | Failure, call: str) -> Success | Failure:
        """Return a result without them."""
        match found:
            case Success(content, structured, images):
                return Success(self.text(content, call), self.json(structured, call), images)
            case Failure(message, trace):
                return replace(
                    found, message=self.text(message, call), trace=tuple(self.text(line, call) for line in trace)
                )

    def question(self, question: Question, call: str) -> Question:
        """Return a later question without them."""
        if not self._everywhere and call not in self._of_call:
            return question
        return replace(
            question,
            text=self.text(question.text, call),
            context=None if question.context is None else self.text(question.context, call),
            default=self.json(question.default, call),
            answer_type=question.answer_type.mapped(
                lambda text: self.text(text, call), lambda value: self.json(value, call)
            ),
            parts=tuple(self._part(part, call) for part in question.parts),
        )

    def form(self, form: FormView, call: str) -> FormView:
        """Return a form without them."""
        if not self._everywhere and call not in self._of_call:
            return form
        return FormView(tuple(self._place(place, call) for place in form.places))

    def _place(self, place: Place, call: str) -> Place:
        return replace(
            place,
            text=self.text(place.text, call),
            answer=self.json(place.answer, call),
            because=self.text(place.because, call),
            question=None if place.question is None else self.question(place.question, call),
        )

    def _part(self, part: Part, call: str) -> Part:
        return replace(part, title=self.text(part.title, call), diff=self.text(part.diff, call))


def _longest_first(values: set[str]) -> list[str]:
    return sorted(values, key=lambda value: (-len(value), value))
