"""The gate for foreign JSON (traps.md T17, inquiries.md V19)."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jp_tui.conversation.strict_json import MANY, MAX_DEPTH, JsonProblem, dump, parse, parse_object, same


@pytest.mark.parametrize(
    "text",
    [
        "[" * 10_000 + "]" * 10_000,
        '{"a":' * 65 + "1" + "}" * 65,
        "NaN",
        "[Infinity]",
        "-Infinity",
        "1e400",
        "[" + "9" * 5000 + "]",
        '{"a":1,"a":2}',
        '{"a":{"b":1,"b":1}}',
        '"\\ud800"',
        '{"\\udc00":1}',
        "{",
        "",
        "{'a':1}",
        "[1,]",
        '"\x01"',
        "\ufeff{}",
    ],
    ids=lambda text: ascii(text[:20]),
)
def test_what_is_refused(text: str) -> None:
    with pytest.raises(JsonProblem):
        parse(text)


def test_bytes_that_are_no_utf8_and_too_much() -> None:
    with pytest.raises(JsonProblem):
        parse(b'"\xff"')
    with pytest.raises(JsonProblem):
        parse("[" + "1," * 600 + "1]", max_bytes=1000)


def test_depth_is_counted_outside_strings_only() -> None:
    assert parse('"' + "[" * 500 + '"') == "[" * 500
    assert parse('["\\"[[[", ' + "[" * 60 + "]" * 60 + "]") is not None


def test_problems_say_where() -> None:
    with pytest.raises(JsonProblem) as caught:
        parse('{\n  "a": ?}')
    assert (caught.value.line, caught.value.column) == (2, 8)


def test_an_object_is_wanted() -> None:
    with pytest.raises(JsonProblem):
        parse_object("[1]")
    assert parse_object('{"a": [true, null, 1.5, "é😀"]}') == {"a": [True, None, 1.5, "é😀"]}


json_values: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=("Cs",))),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(exclude_categories=("Cs",))), inner, max_size=4)
    ),
    max_leaves=20,
)


@given(json_values)
def test_what_is_fine_passes_unchanged(value: Any) -> None:
    assert same(parse(dump(value)), value)
    assert parse(json.dumps(value)) == value


@given(json_values, json_values)
def test_equality_is_by_type(left: Any, right: Any) -> None:
    """R173: reflexive, symmetric, and never across types."""
    assert same(left, left)
    assert same(left, right) == same(right, left)


def test_equality_of_look_alikes() -> None:
    assert not same(True, 1) and not same(False, 0) and not same("1", 1) and not same(None, False)
    assert same(1, 1.0) and same({"a": 1, "b": 2}, {"b": 2, "a": 1}) and not same([1, 2], [2, 1])


def test_the_gate_costs_little_more_than_the_parser() -> None:
    """T4, SIZE-001: a string of megabytes passes at the speed of the parser, not at that of a loop over characters."""
    text = '"' + "x[{\\n" * 400_000 + '"'

    def cost(read: Callable[[str], object]) -> float:
        began = time.process_time()
        read(text)
        return time.process_time() - began

    plain = min(cost(json.loads) for _ in range(3))
    assert min(cost(parse) for _ in range(3)) < 8 * plain + 0.005


@given(st.integers(1, 70), st.integers(0, 70))
def test_depth_is_counted_whatever_stands_beside(lists: int, objects: int) -> None:
    text = "[" * lists + '{"[{":[0,{}],"x":' * objects + '"]}"' + "}" * objects + "]" * lists
    deep = max(lists + objects, lists + objects + 2 if objects else 0)
    if deep <= MAX_DEPTH:
        assert parse(text) == json.loads(text)
    else:
        with pytest.raises(JsonProblem, match="64 levels"):
            parse(text)


@pytest.mark.parametrize("text", ['"\\\\ud83d"', '"\\ud83d\\ude00"', '{"a":"\\uD83D\\uDE00"}'])
def test_whole_characters_pass_however_they_are_written(text: str) -> None:
    assert parse(text) == json.loads(text)


def test_half_a_character_in_the_text_itself() -> None:
    with pytest.raises(JsonProblem):
        parse('"\ud83d"')


@pytest.mark.parametrize(("levels", "fits"), [(62, True), (64, False)])
def test_t17_the_depth_of_a_great_many_containers(levels: int, fits: bool) -> None:
    """Counted in the text, where brackets of strings are none."""
    one = "[" * levels + '"\\"[[[",{"]":"["}' + "]" * levels
    text = f"[{','.join([one] * (MANY // levels + 5))}]"
    if fits:
        assert parse(text) == json.loads(text)
    else:
        with pytest.raises(JsonProblem, match="64 levels"):
            parse(text)
