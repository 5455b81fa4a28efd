"""JSON as it is read and laid out in a sheet, and what a schema wants in words: R87, R186, T3, T17."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jp_tui.conversation import visible
from jp_tui.conversation.strict_json import JsonProblem
from jp_tui.ui.sheets.json_text import laid_out, read, read_object, readable
from jp_tui.ui.sheets.schema_words import skeleton, summary

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(VALUES)
def test_what_is_laid_out_reads_back_and_hides_nothing(value: object) -> None:
    shown = laid_out(value)
    assert read(shown) == value
    assert not any(visible.odd(char) for char in shown if char != "\n")


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ('{\n  "a": 1,\n}', 3, 1),
        ('{"a" 1}', 1, 6),
        ("", 1, 1),
        ('{\n "a": 1,\n  "a": 2}', 3, 3),
        ('{"b": {"a": 1}, "a": 1,\n"\\u0061": 2}', 2, 1),
        ('{"a": "NaN",\n "b": NaN}', 2, 7),
        ("[1, -Infinity]", 1, 5),
        ("[1,\n1e400]", 2, 1),
        ("[" + "9" * 400 + "]", 1, 2),
        ('["ok", "\\ud800"]', 1, 8),
        ("[" * 65 + "]" * 65, 1, 65),
    ],
)
def test_r87_t17_what_is_refused_is_refused_at_its_place(text: str, line: int, column: int) -> None:
    with pytest.raises(JsonProblem) as problem:
        read(text)
    assert (problem.value.line, problem.value.column) == (line, column)


@given(st.text(alphabet='{}[]:,"\\ntrufalse0189.eE-N \n', max_size=40))
def test_any_text_is_read_or_refused_with_words(text: str) -> None:
    try:
        read(text)
    except JsonProblem as problem:
        assert problem.message


@pytest.mark.parametrize("text", ["[]", "1", "null", '"x"'])
def test_r87_only_an_object_replaces_arguments(text: str) -> None:
    with pytest.raises(JsonProblem, match="object"):
        read_object(text)


def test_arguments_are_shown_as_they_would_run_and_no_text_passes_for_a_name() -> None:
    value = {"command": "ls", "run as": True, "text": 'a\ncommand: "rm -rf /"', "list": [1], "empty": []}
    assert readable(json.dumps(value)).split("\n") == [
        'command: "ls"', '"run as": true', "text: 2 lines and no line end", "  │ a", '  │ command: "rm -rf /"',
        "list:", "  [", "    1", "  ]", "empty: []",
    ]  # fmt: skip
    assert readable("{broken") == "{broken" and readable("{}") == "no arguments"


def test_r186_a_skeleton_holds_what_is_required() -> None:
    schema = {
        "required": ["a", "b", "c", "d", "e", "f", "unknown", 7],
        "properties": {
            "a": {"type": "string"}, "b": {"type": "integer", "minimum": 3}, "c": {"enum": ["x", "y"]},
            "d": {"type": ["null", "array"]}, "e": {"type": "object"}, "f": {"default": {"k": 1}},
            "not": {"type": "string"},
        },
    }  # fmt: skip
    assert skeleton(schema) == {"a": "", "b": 3, "c": "x", "d": [], "e": {}, "f": {"k": 1}, "unknown": None}


@pytest.mark.parametrize("schema", [{}, {"type": "array"}, {"properties": 7, "required": "x"}, {"required": ["a"]}])
def test_r186_without_properties_it_is_an_empty_object(schema: dict[str, object]) -> None:
    assert skeleton(schema) == {}


def test_what_a_schema_wants_is_one_line() -> None:
    schema = {
        "required": ["name"],
        "properties": {
            "name": {"type": "string", "format": "date"}, "n": {"type": "integer", "minimum": 1, "maximum": 9},
            "mode": {"enum": ["safe", 2, None]}, "any": True, "odd": {"type": 7},
            "most": {"maximum": 2, "type": "number"},
        },
    }  # fmt: skip
    wants = "name* (text, date), n (integer, 1 to 9), mode (safe or 2 or null), any, odd, most (number, at most 2)"
    assert summary(schema) == wants
    assert summary({"type": "array"}) == "list" and summary({}) == "any JSON"
    assert len(summary({"properties": {"x" * 9999 + str(n): {"enum": ["y" * 9999] * 99} for n in range(999)}})) < 12_000
