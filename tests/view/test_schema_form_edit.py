"""A document edited through its form: R11, R186, E14, T17, V19; nothing is lost and nothing is made up."""

from __future__ import annotations

from typing import Any

import pytest

from jp_tui.conversation.strict_json import dump
from jp_tui.view.schema import texts as w
from jp_tui.view.schema.edit import (
    ABSENT,
    added,
    begin,
    get,
    moved,
    parse_field,
    remove_at,
    set_field_text,
    set_value_at,
    skeleton,
    toggle_choice,
)
from jp_tui.view.schema.form import SchemaOutline
from jp_tui.view.schema.lines import FieldProblem, line_of, lines, path_of, problems

SCHEMA: Any = {
    "type": "object",
    "required": ["name", "batch", "tags", "limits"],
    "properties": {
        "name": {"type": "string"},
        "batch": {"type": "integer"},
        "rate": {"type": "number", "default": 0.5},
        "on": {"type": "boolean"},
        "mode": {"enum": ["safe", "fast"]},
        "tags": {"type": "array", "items": {"type": "string"}},
        "jobs": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["cron"],
                "properties": {"cron": {"type": "string"}, "zone": {"const": "UTC", "default": "UTC"}},
            },
        },
        "limits": {"type": "object", "properties": {"cpu": {"type": ["number", "null"]}, "mem": {"type": "integer"}}},
        "notify": {"type": "array", "uniqueItems": True, "items": {"enum": ["mail", "chat", "pager"]}},
    },
}
FORM = SchemaOutline(SCHEMA)


def test_r186_a_document_begins_with_defaults_and_what_is_required_but_nothing_made_up() -> None:
    assert skeleton(FORM) == {"rate": 0.5, "tags": [], "limits": {}}
    assert (
        skeleton(SchemaOutline({"type": "string"})) == ""
        and skeleton(SchemaOutline({})) == {}
        and skeleton(SchemaOutline(True)) == {}
    )
    assert begin(FORM.at(("jobs", 0))) == {"zone": "UTC"} and begin(FORM.at(("on",))) is ABSENT


def test_keys_stand_in_the_order_of_the_schema_and_others_stay_where_they_are() -> None:
    document = set_value_at(FORM, {"more": 1, "rate": 2, "extra": [True]}, ("batch",), 3)
    document = set_value_at(FORM, document, ("mode",), "safe")
    document = set_value_at(FORM, document, ("limits", "mem"), 8)
    document = set_value_at(FORM, document, ("limits", "cpu"), 1.5)
    assert dump(document) == dump({
        "more": 1, "batch": 3, "rate": 2, "extra": [True], "mode": "safe", "limits": {"cpu": 1.5, "mem": 8},
    })  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "text", "value", "problem"),
    [
        ("integer", "12", 12, ""), ("integer", " -7 ", -7, ""), ("integer", "+3", 3, ""), ("integer", "007", 7, ""),
        ("integer", str(2**64), 2**64, ""), ("integer", "5.0", 5.0, ""), ("integer", "1.5", 1.5, w.NOT_WHOLE),
        ("integer", "1e3", 1000.0, ""), ("integer", "twelve", "twelve", w.NOT_WHOLE), ("integer", "", ABSENT, ""),
        ("number", "1.", 1.0, ""), ("number", ".5", 0.5, ""), ("number", "1e400", "1e400", w.TOO_LARGE),
        ("number", "9" * 301, "9" * 301, w.TOO_LARGE), ("number", "NaN", "NaN", w.NOT_NUMBER),
        ("number", "1,5", "1,5", w.NOT_NUMBER), ("number", "٣", "٣", w.NOT_NUMBER),
        ("number", "0x10", "0x10", w.NOT_NUMBER),
        ("string", "", ABSENT, ""), ("string", " ", " ", ""), ("string", "12", "12", ""),
    ],
)  # fmt: skip
def test_v19_what_a_text_means(kind: str, text: str, value: Any, problem: str) -> None:
    found, why = parse_field(SchemaOutline({"type": kind}).root, text)
    assert (found, type(found), why) == (value, type(value), problem)


def test_e14_an_emptied_field_has_no_value_and_a_nullable_one_null() -> None:
    assert set_field_text(FORM, {"name": "x", "batch": 1}, ("name",), "") == ({"batch": 1}, "")
    assert set_field_text(FORM, {}, ("limits", "cpu"), "") == ({"limits": {"cpu": None}}, "")
    assert set_field_text(FORM, {"tags": ["a", "b"]}, ("tags", 0), "") == ({"tags": ["", "b"]}, "")


def test_entries_are_added_moved_and_removed() -> None:
    document, path = added(FORM, {}, ("jobs",))
    assert (document, path) == ({"jobs": [{"zone": "UTC"}]}, ("jobs", 0))
    document, path = added(FORM, document, ("jobs",))
    document, _ = set_field_text(FORM, document, ("jobs", 1, "cron"), "@daily")
    assert document == {"jobs": [{"zone": "UTC"}, {"cron": "@daily", "zone": "UTC"}]}
    document, path = moved(FORM, document, ("jobs", 1), -1)
    assert path == ("jobs", 0) and get(document, ("jobs", 0, "cron")) == "@daily"
    assert moved(FORM, document, ("jobs", 0), -5) == (document, ("jobs", 0))
    assert remove_at(document, ("jobs", 0)) == {"jobs": [{"zone": "UTC"}]}
    assert remove_at(document, ("jobs", 7)) == document and remove_at(document, ("none",)) == document
    assert added(FORM, {}, ("tags",)) == ({"tags": [""]}, ("tags", 0))


def test_r8_marks_stand_in_the_order_of_the_options() -> None:
    document: Any = {}
    for place in (2, 0, 1, 0):
        document = toggle_choice(FORM, document, ("notify",), place)
    assert document == {"notify": ["chat", "pager"]}
    assert toggle_choice(FORM, {}, ("mode",), 1) == {"mode": "fast"} and toggle_choice(FORM, {}, ("on",), 1) == {
        "on": False
    }


def test_a_verdict_stands_where_it_belongs() -> None:
    document: Any = {"limits": {"cpu": "x"}, "jobs": [{}], "a/b": {"~": 1}}
    said = [("/limits/cpu", "must be a number"), ("/jobs/0", "`cron` is missing"), ("", "`name` is missing")]
    found = problems(document, said)
    assert found == [
        FieldProblem(("limits", "cpu"), "/limits/cpu", "must be a number"),
        FieldProblem(("jobs", 0, "cron"), "/jobs/0/cron", "is missing", True),
        FieldProblem(("name",), "/name", "is missing", True),
    ]  # fmt: skip
    assert path_of(document, "/a~1b/~0") == ("a/b", "~") and path_of(document, "/jobs/9/x") == ("jobs", 9, "x")
    here = lines(FORM, document, {}, lambda one: True)
    assert here[line_of(here, ("jobs", 0, "cron")) or 0].path == ("jobs",)
    assert here[line_of(here, ("a/b", "~")) or 0].role == "more", "what has no line is told where the rest is counted"
    assert line_of(lines(FORM, {}, {}, lambda one: True), ("else",)) is None
