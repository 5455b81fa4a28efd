"""A form in the conversation: the questions of one call as one value, each with its outcome (R173-R182b).

Built from the call's arguments and recorded pairs by the form walker itself, so that live and reloaded forms agree.
Answers that Back discarded are identified by the events' metadata, never by an id (R24). No tool is special: any
assistant call with several questions is a form.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from jp_tui.conversation.strict_json import Json, JsonObject, JsonProblem, parse
from jp_tui.conversation.text import Foreign
from jp_tui.view.questions.inquiry import NOTHING, InquiryView

PlaceState = Literal["answered", "open", "left", "skipped", "taken_back", "gone_back", "unasked"]
"""`taken_back`: its answer was discarded; `gone_back`: it was shown and left with Back before an answer (R176)."""
FormState = Literal["open", "review", "deferred", "answered", "replied", "ended", "unsent"]
"""`unsent`: all was answered, and the call ended before it was submitted (R180)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedFormQuestion:
    """One question. `asked` is the request that counts, or the last one; `earlier` the others, oldest first; `because`
    why it was skipped, as text."""

    id: str
    text: Foreign
    state: PlaceState
    asked: InquiryView | None = None
    earlier: tuple[InquiryView, ...] = ()
    because: Foreign = NOTHING


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionForm:
    """All questions in the order they were submitted; `reply` is the user's reply instead of the rest (R179)."""

    places: tuple[AskedFormQuestion, ...]
    state: FormState
    reply: Foreign = NOTHING


@dataclass(slots=True)
class _Record:
    """Requests of a call in order, and which answers count."""

    shown: dict[str, list[InquiryView]] = field(default_factory=dict)
    counts: dict[str, InquiryView] = field(default_factory=dict)
    _latest: dict[str, InquiryView] = field(default_factory=dict)

    def add(self, one: InquiryView) -> None:
        self.shown.setdefault(one.question, []).append(one)
        for name in (*one.discards, one.question):
            self.counts.pop(name, None)
        for name in one.moved:
            self.counts.pop(name, None)
        for name in one.restores:
            if name in self._latest:
                self.counts[name] = self._latest[name]
        if one.restarts:
            self.counts, self._latest = {}, {}
        if one.how == "answered":
            self.counts[one.question] = self._latest[one.question] = one


def form(
    arguments: JsonObject,
    asked: Sequence[InquiryView],
    *,
    result: str | None,
    awaits: bool,
    over: bool,
    broken: bool = False,
) -> QuestionForm | None:
    """Return the form of a call, None for a call with one question.

    `result` is the call's content, None while it has none; `awaits`: the user is asked; `over`: nothing continues;
    `broken`: the call failed, so its content isn't the form's.
    """
    record = _Record()
    for one in asked:
        if not one.assistant or not one.question:
            return None
        record.add(one)
    places = _submitted(arguments, record) or [_unknown(id_, record) for id_ in record.shown]
    if len(places) < 2:
        return None
    said = reply_in(result, {place.id for place in places}) if result is not None else None
    return QuestionForm(
        places=tuple(places), state=_state(asked, result, said, awaits, over, broken), reply=said or NOTHING
    )


def discarded_answers(asked: Sequence[InquiryView]) -> frozenset[int]:
    """Return the indices of a call's questions whose answers Back discarded (R177). Only for the assistant's own
    questions, since a tool's is asked again after a reviewer's no."""
    record, given = _Record(), {}
    for at, one in enumerate(asked):
        if one.assistant and one.question:
            record.add(one)
            given[at] = one
    return frozenset(
        at for at, one in given.items() if one.how == "answered" and record.counts.get(one.question) != one
    )


def _submitted(arguments: JsonObject, record: _Record) -> list[AskedFormQuestion]:
    """Return the questions in the arguments; empty if they are invalid, or differ from those asked."""
    from jp_tui.questions.arguments import ItemForm as Submitted  # only if something was asked
    from jp_tui.questions.arguments import read
    from jp_tui.questions.types import GivenAnswer
    from jp_tui.questions.walker import walk

    submitted = read(arguments)
    if not isinstance(submitted, Submitted) or not {item.id for item in submitted.items} >= record.shown.keys():
        return []
    answers = {id_: GivenAnswer(one.answer, "") for id_, one in record.counts.items()}
    found: list[AskedFormQuestion] = []
    for at in walk(submitted.items, answers).form.places:
        skipped = at.state == "skipped"
        found.append(_place(at.id, Foreign(at.text), record, Foreign(at.because) if skipped else None))
    return found


def _unknown(id_: str, record: _Record) -> AskedFormQuestion:
    return _place(id_, record.shown[id_][-1].text, record, None)


def _place(id_: str, text: Foreign, record: _Record, because: Foreign | None) -> AskedFormQuestion:
    shown = record.shown.get(id_, [])
    asked = record.counts.get(id_) or (shown[-1] if shown else None)
    state: PlaceState
    if because is not None:
        state, asked = "skipped", None
    elif asked is None:
        state = "unasked"
    elif id_ in record.counts or asked.how == "redacted":
        state = "answered"
    elif asked.how in ("open", "deferred"):
        state = "open"
    elif asked.how == "answered" or asked.moved or asked.restores:
        state, asked = "taken_back" if any(one.how == "answered" for one in shown) else "gone_back", None
    else:
        state = "left"
    earlier = tuple(one for one in shown if one is not asked)
    return AskedFormQuestion(id=id_, text=text, state=state, asked=asked, earlier=earlier, because=because or NOTHING)


def _state(
    asked: Sequence[InquiryView], result: str | None, said: Foreign | None, awaits: bool, over: bool, broken: bool
) -> FormState:
    if said is not None:
        return "replied"
    if any(one.how == "deferred" for one in asked):
        return "deferred"
    if result is None:
        if any(one.how == "open" for one in asked) and not over:
            return "open"
        return "review" if awaits else "ended" if over else "open"
    ends = [one for one in asked if one.how in ("cancelled", "withdrawn") and not one.moved and not one.restores]
    return "ended" if ends else "unsent" if broken else "answered"


def reply_in(result: str, ids: set[str]) -> Foreign | None:
    """Return the text of a reply, empty if it had none; None if the result isn't a reply. Ids may be any word."""
    try:
        body: Json = parse(result)
    except JsonProblem:
        return None
    if not isinstance(body, dict) or body.get("cancelled") is not True or not isinstance(body.get("answered"), dict):
        return None
    if body.keys() == ids:
        return None
    words = body.get("reply")
    return Foreign(words if isinstance(words, str) else "")
