"""Walking a form: predicates, chained skips, fixed places, what it comes to (R166, R169, R172-R175, R179; row 17)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jp_tui.conversation.strict_json import same
from jp_tui.questions.items import FormItem, When
from jp_tui.questions.types import BooleanAnswer, GivenAnswer, Place, SchemaAnswer, TextAnswer
from jp_tui.questions.walker import FormWalk, because, walk


def item(id: str, on: str = "", equals: Any = True) -> FormItem:
    return FormItem(id, f"{id}?", SchemaAnswer({}), when=When(on, equals) if on else None)


def after(items: list[FormItem], **values: Any) -> FormWalk:
    return walk(items, {id: GivenAnswer(value, "") for id, value in values.items()})


def states(at: FormWalk) -> str:
    return " ".join(place.state for place in at.form.places)


DEPLOY = [item("deploy"), item("env", "deploy"), item("force", "env", "prod"), item("note")]


def test_it_asks_in_the_order_submitted() -> None:
    """R166, R173: the first that applies and has no answer."""
    assert after(DEPLOY).next == DEPLOY[0]
    assert states(after(DEPLOY)) == "current ahead ahead ahead"
    at = after(DEPLOY, deploy=True, env="prod")
    assert (at.next, states(at)) == (DEPLOY[2], "answered answered current ahead")
    at = after(DEPLOY, deploy=True, env="prod", force=False, note="")
    assert (at.next, states(at)) == (None, "answered answered answered answered")
    assert at.values == {"deploy": True, "env": "prod", "force": False, "note": ""}


def test_a_skip_carries_on() -> None:
    """R173, R174: what refers to a skipped one sees null, and is skipped itself unless it waits for that."""
    at = after(DEPLOY, deploy=False)
    assert (at.next, states(at)) == (DEPLOY[3], "answered skipped skipped current")
    assert [place.because for place in at.form.places] == [
        "", "asked only if `deploy` is yes", "asked only if `env` is “prod”", ""
    ]  # fmt: skip
    assert after([*DEPLOY[:2], item("why", "env", None)], deploy=False).next == item("why", "env", None)
    assert after([*DEPLOY[:2], item("why", "env", None)], deploy=True, env="x").next is None


def test_what_it_comes_to() -> None:
    """R169, C9, C10: every id in submitted order, null for skipped ones, `""` for an empty text; R179: no nulls."""
    at = after(DEPLOY, note="", deploy=False)
    assert list(at.values.items()) == [("deploy", False), ("env", None), ("force", None), ("note", "")]
    assert list(at.answered.items()) == [("deploy", False), ("note", "")]
    half = after(DEPLOY, deploy=True)
    assert (half.values, half.answered) == (dict.fromkeys(half.values) | {"deploy": True}, {"deploy": True})


def test_an_answer_of_a_question_that_no_longer_applies_counts_nowhere() -> None:
    """R169: invalidated ids are null; R176: nor does it hold up what comes after."""
    at = after(DEPLOY, deploy=False, env="prod", force=True, note="n")
    assert at.next is None
    assert list(at.values.values()) == [False, None, None, "n"]
    assert at.answered == {"deploy": False, "note": "n"}
    assert at.skipped == {"env", "force"}


@pytest.mark.parametrize(
    ("answer", "equals", "applies"),
    [
        (True, True, True), (True, 1, False), (1, True, False), (0, False, False), (False, None, False),
        (1, 1.0, True), (1, "1", False), ("", None, False), ([], None, False), (None, None, True),
        (["a", "b"], ["a", "b"], True), (["b", "a"], ["a", "b"], False), ([True], [1], False), ([1], [1.0], True),
        ({"a": 1, "b": [2]}, {"b": [2.0], "a": 1}, True), ({"a": True}, {"a": 1}, False), ({}, [], False),
    ],
)  # fmt: skip
def test_equality_is_that_of_json_with_strict_types(answer: Any, equals: Any, applies: bool) -> None:
    """R173, C48, section 17: deep, and the order of a list matters."""
    at = after([item("a"), item("b", "a", equals)], a=answer)
    assert (at.next is not None) is applies


def test_a_fixed_place() -> None:
    """R172: answered by a setting, it counts for predicates and output; without a prompt there is nothing to review."""
    items = [item("a"), item("b", "a")]
    at = walk(items, {"a": GivenAnswer(True, "", unseen=True)})
    assert at.form.places == (
        Place("a", "a?", "answered", True, fixed=True), Place("b", "b?", "current")
    )  # fmt: skip
    assert not at.prompted
    assert walk(items, {"a": GivenAnswer(True, "", unseen=True), "b": GivenAnswer(1, "")}).prompted
    assert not walk(items, {"a": GivenAnswer(False, "", unseen=True)}).prompted


def test_progress_jumps_over_what_is_skipped() -> None:
    """R175: the place among all submitted; none for a form of one or when all is answered."""
    assert after(DEPLOY).form.progress == (1, 4)
    assert after(DEPLOY, deploy=False).form.progress == (4, 4)
    assert after(DEPLOY, deploy=False, note="").form.progress is None
    assert after([item("a")]).form.progress is None


@pytest.mark.parametrize(
    ("equals", "words"),
    [
        (True, "is yes"), (False, "is no"), (None, "is skipped"), ("", "is empty"), ("prod", "is “prod”"),
        ([], "has no options selected"), (["a", "b"], "is exactly a, b"), (1, "is 1"), ({"a": [1]}, 'is {"a":[1]}'),
        ("a\n\u202eb", "is “a\\n\\u202eb”"), ("x" * 300, f"is “{'x' * 59}…”"), ([1, True], "is [1,true]"),
    ],
)  # fmt: skip
def test_why_it_is_skipped_in_words(equals: Any, words: str) -> None:
    """E23; one printable line whatever a model sent."""
    assert because(When("q", equals)) == f"asked only if `q` {words}"


VALUES: st.SearchStrategy[Any] = st.sampled_from([True, False, 0, 1, 1.0, "", "a", None, [], ["a"], {"a": 1}])


@st.composite
def forms(draw: st.DrawFn) -> tuple[list[FormItem], dict[str, GivenAnswer]]:
    count = draw(st.integers(1, 8))
    items = []
    for index in range(count):
        on = draw(st.integers(-1, index - 1)) if index else -1
        kind = draw(st.sampled_from([BooleanAnswer(), TextAnswer(), SchemaAnswer({})]))
        items.append(FormItem(f"q{index}", "?", kind, when=None if on < 0 else When(f"q{on}", draw(VALUES))))
    ids = draw(st.lists(st.sampled_from([one.id for one in items]), unique=True))
    answers = {id: GivenAnswer(draw(VALUES), "", unseen=draw(st.booleans())) for id in ids}
    return items, answers


def naive_applies(items: dict[str, FormItem], answers: dict[str, GivenAnswer], id: str) -> bool | None:
    """Written from R173 alone: yes, no, or None when that cannot be said yet."""
    when = items[id].when
    if when is None:
        return True
    asked = naive_applies(items, answers, when.question_id)
    if asked is None or (asked and when.question_id not in answers):
        return None
    return same(answers[when.question_id].value if asked else None, when.equals)


@given(forms())
def test_against_a_naive_walk(form: tuple[list[FormItem], dict[str, GivenAnswer]]) -> None:
    """Each question looked at by itself, from the start, gives the same."""
    items, answers = form
    by_id = {one.id: one for one in items}
    applies = {id: naive_applies(by_id, answers, id) for id in by_id}
    at = walk(items, answers)
    wanted = [id for id in by_id if applies[id] and id not in answers]
    assert (at.next.id if at.next else None) == (wanted[0] if wanted else None)
    counted = {id: answers[id].value for id in by_id if applies[id] and id in answers}
    assert at.values == {id: counted.get(id) for id in by_id} and list(at.values) == list(by_id)
    assert at.answered == {id: value for id, value in counted.items() if value is not None}
    for place in at.form.places:
        expected = "skipped" if applies[place.id] is False else "answered" if place.id in counted else "ahead"
        assert place.state == ("current" if at.next and place.id == at.next.id else expected)
        assert bool(place.because) is (place.state == "skipped" or applies[place.id] is None)
        assert (place.question == by_id[place.id].question()) is (place.state == "ahead")
        assert place.fixed is (place.id in counted and answers[place.id].unseen)
    assert at.prompted is any(not answers[id].unseen for id in counted)
    assert at.next is not None or not any(applies[id] is None for id in by_id), "nothing stays undecided at the end"


@given(forms(), st.data())
def test_walking_forward_and_back(form: tuple[list[FormItem], dict[str, GivenAnswer]], data: st.DataObject) -> None:
    """R176, R177: answering one after the other ends; taking the last ones away leads to the same question again."""
    items, _ = form
    answers: dict[str, GivenAnswer] = {}
    asked: list[str] = []
    while (at := walk(items, answers)).next is not None:
        asked.append(at.next.id)
        answers[at.next.id] = GivenAnswer(data.draw(VALUES), "")
    assert asked == sorted(asked, key=lambda id: int(id[1:])) and len(set(asked)) == len(asked)
    for back in range(len(asked)):
        kept = {id: answers[id] for id in asked[:back]}
        found = walk(items, kept)
        assert found.next is not None and found.next.id == asked[back]
        assert list(found.answered) == [id for id in kept if kept[id].value is not None]
