"""Walking a form (inquiries.md R169, R173-R175, R179): submitted questions and collected answers → what is next.

Pure and stateless: each run walks anew, so going back, changing a branch and answers out of a configuration need no
code of their own. An answer of a question that does not apply counts nowhere. Asks nothing, records nothing.
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
    """Where a form stands. `next` is None when every question that applies has its answer.

    `values` has every id in the order they were submitted, null for what was skipped or has no answer yet (R169);
    `answered` only those with an answer, without nulls (R179); `prompted` says whether anybody was asked.
    """

    next: FormItem | None
    form: FormView
    values: JsonObject
    answered: JsonObject
    prompted: bool

    @property
    def skipped(self) -> frozenset[str]:
        """The questions that do not apply."""
        return frozenset(place.id for place in self.form.places if place.state == "skipped")


def walk(items: Sequence[FormItem], answers: Mapping[str, GivenAnswer]) -> FormWalk:
    """`items` keep the rules of R164: ids are distinct, a predicate names an earlier question."""
    known: dict[str, Json] = {}  # what a predicate may look at: answers, and null for what was skipped
    at: FormItem | None = None
    places: list[Place] = []
    answered: JsonObject = {}
    for item in items:
        when = item.when
        given = answers.get(item.id)
        if when is not None and when.question_id not in known:
            places.append(Place(item.id, item.text, "ahead"))
        elif when is not None and not same(known[when.question_id], when.equals):
            known[item.id] = None
            places.append(Place(item.id, item.text, "skipped", because=because(when)))
        elif given is not None:
            known[item.id] = answered[item.id] = given.value
            places.append(Place(item.id, item.text, "answered", given.value, fixed=given.unseen))
        else:
            places.append(Place(item.id, item.text, "current" if at is None else "ahead"))
            at = at or item
    return FormWalk(
        next=at,
        form=FormView(tuple(places)),
        values={item.id: known.get(item.id) for item in items},
        answered={id: value for id, value in answered.items() if value is not None},
        prompted=any(place.state == "answered" and not place.fixed for place in places),
    )


def because(when: When) -> str:
    """Why a question is skipped (E23): "asked only if `deploy` is yes"."""
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
