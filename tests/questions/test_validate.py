"""The one validator (inquiries.md R8, R10, R226; section 17): the table, strict types, verdicts for just one value."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jp_tui.questions import types as t
from jp_tui.questions.answer_kind import NO_VERDICTS, UNCHECKED, Verdicts, verdict_key
from tests.questions.made import JSON, KINDS


def problem(kind: t.AnswerType, value: Any, verdicts: Verdicts = NO_VERDICTS) -> str | None:
    return kind.problem(value, verdicts)


def valid(kind: t.AnswerType, value: Any) -> bool:
    return kind.problem(value) is None


AB = (t.Option("a"), t.Option("b"), t.Option("true"), t.Option("1"))
BOOLEAN, TEXT, SECRET = t.BooleanAnswer(), t.TextAnswer(), t.SecretAnswer()
OTHER = t.SelectAnswer(AB, allow_other=True)
ONE, SEVERAL = t.SelectAnswer(AB), t.MultiSelectAnswer(AB)

CASES: list[tuple[t.AnswerType, Any, str | None]] = [
    (BOOLEAN, True, None),
    (BOOLEAN, False, None),
    (BOOLEAN, 1, "expected true or false"),
    (BOOLEAN, 0, "expected true or false"),
    (BOOLEAN, "true", "expected true or false"),
    (BOOLEAN, "yes", "expected true or false"),
    (BOOLEAN, None, "expected true or false"),
    (BOOLEAN, [], "expected true or false"),
    (ONE, "a", None),
    (ONE, "true", None),
    (ONE, "A", "not one of the options"),
    (ONE, "a ", "not one of the options"),
    (ONE, "", "not one of the options"),
    (ONE, True, "expected one of the options as text"),
    (ONE, 1, "expected one of the options as text"),
    (ONE, ["a"], "expected one of the options as text"),
    (ONE, {"value": "a"}, "expected one of the options as text"),
    (OTHER, "a", None),
    (OTHER, "none of them", None),
    (OTHER, "", None),
    (OTHER, 1, "expected text"),
    (OTHER, ["a"], "expected text"),
    (OTHER, None, "expected text"),
    (SEVERAL, [], None),
    (SEVERAL, ["b", "a"], None),
    (SEVERAL, ["a", "a"], "duplicate option"),
    (SEVERAL, ["a", "c"], "not all of these are options"),
    (SEVERAL, ["a", 1], "expected a list of options"),
    (SEVERAL, [True], "expected a list of options"),
    (SEVERAL, [["a"]], "expected a list of options"),
    (SEVERAL, [{"value": "a"}], "expected a list of options"),
    (SEVERAL, "a", "expected a list of options"),
    (SEVERAL, {"a": True}, "expected a list of options"),
    (SEVERAL, None, "expected a list of options"),
    (TEXT, "", None),
    (TEXT, "several\nlines", None),
    (TEXT, None, "expected text"),
    (TEXT, 5, "expected text"),
    (TEXT, False, "expected text"),
    (SECRET, "", None),
    (SECRET, "hunter2", None),
    (SECRET, 123456, "expected text"),
    (SECRET, ["hunter2"], "expected text"),
]


@pytest.mark.parametrize(("kind", "value", "why"), CASES, ids=lambda one: getattr(one, "type", None) or json.dumps(one))
def test_the_table(kind: t.AnswerType, value: Any, why: str | None) -> None:
    assert problem(kind, value) == why and valid(kind, value) is (why is None)


@given(KINDS, JSON)
def test_a_reason_never_repeats_the_value(kind: t.AnswerType, value: Any) -> None:
    """R202: the words may be recorded and shown, the value of a secret may not."""
    canary = "canary-7f3a"
    for tried in (canary, [canary], {canary: canary}, [value, canary]):
        assert canary not in (problem(kind, tried) or "")


@given(JSON)
def test_only_booleans_are_booleans(value: Any) -> None:
    """Section 17: True == 1 and False == 0 in Python, not here."""
    assert valid(BOOLEAN, value) is (value is True or value is False)


@given(st.lists(st.sampled_from(["a", "b", "true", "1", "c"]), max_size=6))
def test_several_are_a_set_of_options_in_any_order(value: list[str]) -> None:
    """R8: distinct, each an option, order is not part of it."""
    assert valid(SEVERAL, value) is (len(set(value)) == len(value) and "c" not in value)


SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}}


def test_a_value_without_a_verdict_is_no_answer() -> None:
    kind = t.SchemaAnswer(SCHEMA)
    assert problem(kind, {"n": 1}) == UNCHECKED and problem(kind, {}, NO_VERDICTS) == UNCHECKED


def test_a_verdict_holds_for_exactly_this_value_and_this_schema() -> None:
    kind = t.SchemaAnswer(SCHEMA)
    good = {verdict_key(SCHEMA, {"n": 1}): None, verdict_key(SCHEMA, {"n": "x"}): "`/n` must be a whole number"}
    assert problem(kind, {"n": 1}, good) is None
    assert problem(kind, {"n": "x"}, good) == "`/n` must be a whole number"
    for other in ({"n": True}, {"n": 1.0}, {"n": "1"}, {"n": 2}, {"n": 1, "m": 1}, [{"n": 1}], None):
        assert problem(kind, other, good) == UNCHECKED
    assert problem(t.SchemaAnswer({**SCHEMA, "required": ["n"]}), {"n": 1}, good) == UNCHECKED
    assert problem(t.SchemaAnswer({}), {"n": 1}, good) == UNCHECKED


@given(st.dictionaries(st.text(max_size=3), JSON, max_size=3), JSON, JSON)
def test_two_values_never_share_a_verdict(schema: dict[str, Any], one: Any, other: Any) -> None:
    same = json.dumps(one) == json.dumps(other)
    assert (verdict_key(schema, one) == verdict_key(schema, other)) is same


def test_where_schema_and_value_meet_cannot_be_moved() -> None:
    """What stands in one of them is never taken for the other; half a character ends nothing."""
    assert verdict_key({"a": "\n"}, 1) != verdict_key({"a": ""}, "\n1")
    assert verdict_key({}, "\ud83d") != verdict_key({}, "\ud83e")


@given(KINDS, JSON)
def test_no_value_ends_it(kind: t.AnswerType, value: Any) -> None:
    why = problem(kind, value)
    assert why is None or (why and "\n" not in why)
