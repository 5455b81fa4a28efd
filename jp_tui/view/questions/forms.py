"""A form in the conversation: the questions of one call as one value, each with what came of it (R173-R182b).

Made from the call's arguments and its recorded pairs by the walker itself, so that a live and a reloaded form are the
same. What Back took away counts by what stands beside the events, never by a tag (R24). No tool is known by name: any
call of the assistant's that asks several questions is a form.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from jp_tui.conversation.strict_json import Json, JsonObject, JsonProblem, parse
from jp_tui.conversation.text import Foreign
from jp_tui.view.questions.inquiry import NOTHING, InquiryView

PlaceState = Literal["answered", "open", "left", "skipped", "taken_back", "gone_back", "unasked"]
"""`taken_back`: its answer; `gone_back`: it was shown, and left with Back before it had one (R176)."""
FormState = Literal["open", "review", "deferred", "answered", "replied", "ended", "unsent"]
"""`unsent`: all was answered, and the call ended without handing it over (R180)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedFormQuestion:
    """One question. `asked` is the showing that counts, or the last one; `earlier` the others, oldest first; `because`
    why it was skipped, in words."""

    id: str
    text: Foreign
    state: PlaceState
    asked: InquiryView | None = None
    earlier: tuple[InquiryView, ...] = ()
    because: Foreign = NOTHING


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionForm:
    """All questions in the order they were submitted; `reply` what the user said instead of the rest (R179)."""

    places: tuple[AskedFormQuestion, ...]
    state: FormState
    reply: Foreign = NOTHING


@dataclass(slots=True)
class _Record:
    """The showings of a call in their order, and which answers count."""

    shown: dict[str, list[InquiryView]] = field(default_factory=dict)
    counts: dict[str, InquiryView] = field(default_factory=dict)
    _latest: dict[str, InquiryView] = field(default_factory=dict)

    def take(self, one: InquiryView) -> None:
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
    """The form that a call is, None for a call with one question.

    `result` is the call's content, None while it has none; `awaits` says that the human is asked, `over` that nothing
    goes on, `broken` that the call ended otherwise than well, so that its content is none of its own.
    """
    record = _Record()
    for one in asked:
        if not one.assistant or not one.question:
            return None
        record.take(one)
    places = _submitted(arguments, record) or [_unknown(id_, record) for id_ in record.shown]
    if len(places) < 2:
        return None
    said = reply_in(result, {place.id for place in places}) if result is not None else None
    return QuestionForm(
        places=tuple(places), state=_state(asked, result, said, awaits, over, broken), reply=said or NOTHING
    )


def taken_back(asked: Sequence[InquiryView]) -> frozenset[int]:
    """The places among the questions of a call whose answers Back took away (R177); of the assistant's own alone,
    since a tool's question is asked once more where a reviewer said no."""
    record, given = _Record(), {}
    for at, one in enumerate(asked):
        if one.assistant and one.question:
            record.take(one)
            given[at] = one
    return frozenset(
        at for at, one in given.items() if one.how == "answered" and record.counts.get(one.question) != one
    )


def _submitted(arguments: JsonObject, record: _Record) -> list[AskedFormQuestion]:
    """The places of the questions in the arguments; empty when those are no questions, or others than were asked."""
    from jp_tui.questions.arguments import ItemForm as Submitted  # only where something was asked
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
    """The words of a Reply, empty when it had none; None when the result is none. Ids may be any word, also these."""
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
