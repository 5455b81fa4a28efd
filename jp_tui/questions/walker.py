"""Walk a form (inquiries.md R169, R173-R175, R179): submitted questions and collected answers → the next question.

Pure and stateless: each run walks from the start, so Back, changed branches and configured answers need no special
code. Answers of questions that don't apply are ignored. Asks nothing, records nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from jp_tui.conversation.strict_json import Json, JsonObject, dump, same
from jp_tui.questions.bounds import short
from jp_tui.questions.items import FormItem, When
from jp_tui.questions.types import FormView, GivenAnswer, Place


@dataclass(frozen=True, slots=True)
class FormWalk:
    """State of a form.

    `next` is None if every applicable question has its answer. `values` has every id in submission order, null for
    skipped and open ones (R169); `answered` only those with an answer, without nulls (R179); `prompted`: the user was
    asked at least once.
    """

    next: FormItem | None
    form: FormView
    values: JsonObject
    answered: JsonObject
    prompted: bool

    @property
    def skipped(self) -> frozenset[str]:
        """Return the questions that don't apply."""
        return frozenset(place.id for place in self.form.places if place.state == "skipped")


def walk(items: Sequence[FormItem], answers: Mapping[str, GivenAnswer]) -> FormWalk:
    """Walk the form. `items` must satisfy the rules of R164: ids are distinct, a predicate names an earlier
    question."""
    known: dict[str, Json] = {}  # what a predicate can read: answers, and null for skipped questions
    at: FormItem | None = None
    places: list[Place] = []
    answered: JsonObject = {}
    for item in items:
        when = item.when
        given = answers.get(item.id)
        if when is not None and when.question_id not in known:
            places.append(_ahead(item, because(when)))
        elif when is not None and not same(known[when.question_id], when.equals):
            known[item.id] = None
            places.append(Place(item.id, item.text, "skipped", because=because(when)))
        elif given is not None:
            known[item.id] = answered[item.id] = given.value
            places.append(Place(item.id, item.text, "answered", given.value, fixed=given.unseen))
        elif at is not None:
            places.append(_ahead(item))
        else:
            places.append(Place(item.id, item.text, "current"))
            at = item
    return FormWalk(
        next=at,
        form=FormView(tuple(places)),
        values={item.id: known.get(item.id) for item in items},
        answered={id: value for id, value in answered.items() if value is not None},
        prompted=any(place.state == "answered" and not place.fixed for place in places),
    )


def _ahead(item: FormItem, condition: str = "") -> Place:
    return Place(item.id, item.text, "ahead", because=condition, question=item.question())


def because(when: When) -> str:
    """Return why a question is skipped (E23): "asked only if `deploy` is yes"."""
    return f"asked only if `{when.question_id}` {_is(when.equals)}"


def _is(value: Json) -> str:
    match value:
        case True:
            return "is yes"
        case False:
            return "is no"
        case None:
            return "is skipped"
        case "":
            return "is empty"
        case []:
            return "has no options selected"
        case str():
            return f"is “{short(value)}”"
        case list() if all(isinstance(one, str) for one in value):
            return f"is exactly {short(', '.join(map(str, value)))}"
        case _:
            return f"is {short(dump(value))}"
