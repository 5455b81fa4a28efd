"""Nothing of a document is hidden by its form: keys without a line are told, odd values shown (issue 5, R11, R186)."""

from __future__ import annotations

from typing import Any

import pytest

from jp_tui.view.schema.choices import odd_label
from jp_tui.view.schema.edit import odd
from jp_tui.view.schema.form import SchemaOutline
from jp_tui.view.schema.lines import FormLine, lines
from jp_tui.view.schema.remainder import NAMED

SCHEMA: Any = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "limits": {"type": "object", "properties": {"cpu": {"type": "number"}}},
        "jobs": {"type": "array", "items": {"type": "object", "properties": {"cron": {"type": "string"}}}},
        "mode": {"enum": ["a", "b"]},
        "on": {"type": "boolean"},
        "gone": {"type": "null"},
    },
}


def rows(document: Any, folds: dict[Any, bool] | None = None, schema: Any = SCHEMA) -> list[FormLine]:
    return lines(SchemaOutline(schema), document, folds or {}, lambda one: True)


def rest(document: Any, folds: dict[Any, bool] | None = None) -> list[tuple[Any, int, tuple[str, ...]]]:
    return [(line.path, line.more, line.keys) for line in rows(document, folds) if line.role == "more"]


def test_keys_that_the_schema_does_not_name_have_a_line_of_their_own_at_their_place() -> None:
    assert rest({"name": "demo", "limits": {}}) == []
    assert rest({"name": "demo", "delete_everything": True}) == [((), 1, ("delete_everything",))]
    document: Any = {"x": 1, "limits": {"cpu": 1, "mem": 2, "swap": 3}, "y": 2}
    assert rest(document) == [(("limits",), 2, ("mem", "swap")), ((), 2, ("x", "y"))]
    found = rows(document)
    assert [(line.role, line.depth) for line in found[1:4]] == [("head", 0), ("field", 1), ("more", 1)]


def test_what_is_folded_tells_what_is_in_it_too() -> None:
    document: Any = {"jobs": [{"cron": "a"}, {"cron": "b", "evil": True}], "limits": {"mem": 2}}
    assert rest(document, {("limits",): False}) == [(("limits",), 1, ("mem",)), (("jobs",), 1, ("1/evil",))]
    opened = {("jobs",): True}
    assert rest(document, opened)[1] == (("jobs", 1), 1, ("evil",)), "a folded entry"
    assert rest(document, opened | {("jobs", 1): True})[1] == (("jobs", 1), 1, ("evil",)), "the same unfolded"


def test_many_keys_are_counted_and_some_named() -> None:
    found = rest({f"k{n}": n for n in range(3000)} | {"z" * 5000: 1})
    assert found[0][1] == 3001 and len(found[0][2]) == NAMED
    assert len(rest({"z" * 5000: 1})[0][2][0]) == 200


@pytest.mark.parametrize(
    ("choices", "value", "label"),
    [
        (["a", "b"], "zzz", "zzz"), (["a", "b"], 7, "7"), ([1, 2], "1", '"1"'), (["a"], "true", '"true"'),
        (["a"], "", '""'), (["a"], {"x": 1}, '{"x":1}'), (["a"], None, "null"), (["a"], "null", '"null"'),
    ],
)  # fmt: skip
def test_a_value_that_is_none_of_the_choices_is_shown_as_what_it_is(choices: Any, value: Any, label: str) -> None:
    shape = SchemaOutline({"enum": choices}).root
    assert odd(shape, value) and not odd(shape, choices[0])
    assert odd_label(shape.choices, value) == label


def test_a_choice_with_another_value_lists_its_choices_and_what_is_no_null_is_json() -> None:
    found = {line.name: line.role for line in rows({"mode": "zzz", "on": "yes", "gone": 5})}
    assert (found["mode"], found["on"], found["gone"]) == ("head", "field", "json")
    assert {line.name: line.role for line in rows({"mode": "a", "gone": None})}["mode"] == "field"


@pytest.mark.parametrize(
    ("schema", "labels"),
    [
        ({"enum": [1, "1"]}, ["1", '"1"']), ({"enum": [True, "true", "x"]}, ["true", '"true"', "x"]),
        ({"enum": ["null", "a"], "type": ["string", "null"]}, ["null", "a"]),
        ({"anyOf": [{"enum": ["null", "a"]}, {"type": "null"}]}, ['"null"', "a", "null"]),
        ({"enum": [1, 2], "x-enumNames": ["One", "One"]}, ["One (1)", "One (2)"]),
        ({"anyOf": [{"enum": ["yes"]}, {"type": "boolean"}]}, ['"yes"', "yes", "no"]),
        ({"enum": ["1", "2"]}, ["1", "2"]),
        ({"oneOf": [{"const": 1, "title": "2"}, {"const": 2}]}, ["2 (1)", "2"]),
    ],
)  # fmt: skip
def test_no_two_choices_read_the_same(schema: Any, labels: list[str]) -> None:
    assert [one.label for one in SchemaOutline(schema).root.choices] == labels


@pytest.mark.parametrize(
    ("schema", "name"),
    [
        ({"type": "array", "items": {"type": "string"}}, "the list"), ({"enum": ["a"]}, "the choice"),
        ({"type": "string"}, "the text"), ({"type": "string", "title": "Why?"}, "Why?"),
    ],
)  # fmt: skip
def test_an_answer_of_one_part_has_a_name(schema: Any, name: str) -> None:
    assert rows([] if schema.get("type") == "array" else "a", schema=schema)[0].label == name
