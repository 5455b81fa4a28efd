"""What form a schema makes: R11, issue 5 "Schema"; and what it leaves to JSON, with the reason (V9, T15, T16)."""

from __future__ import annotations

from typing import Any

import pytest

from jp_tui.view.schema import texts as w
from jp_tui.view.schema.edit import skeleton
from jp_tui.view.schema.form import DEEPEST, SchemaOutline, Shape
from jp_tui.view.schema.lines import FormLine, lines


def shape(schema: Any) -> Shape:
    return SchemaOutline(schema).root


def rows(schema: Any, document: Any = None, **folds: bool) -> list[FormLine]:
    form = SchemaOutline(schema)
    begun = skeleton(form) if document is None else document
    return lines(form, begun, {tuple(key.split("_")): on for key, on in folds.items()}, lambda one: True)


@pytest.mark.parametrize(
    ("schema", "kind", "hint"),
    [
        ({"type": "string"}, "text", ""),
        ({"type": "string", "format": "date"}, "text", "date, like 2026-03-05"),
        ({"type": "string", "format": "date-time"}, "text", "like 2026-03-05T21:21:16Z"),
        ({"type": "string", "format": "email", "maxLength": 40}, "text", "e-mail address, at most 40 characters"),
        ({"type": "string", "format": "uri", "minLength": 1}, "text", "URL, at least 1 character"),
        ({"type": "string", "format": "of ours"}, "text", "of ours"),
        ({"type": "integer"}, "integer", "whole number"),
        ({"type": "integer", "minimum": 1, "maximum": 10000}, "integer", "1 to 10,000"),
        ({"type": "number", "exclusiveMinimum": 0, "maximum": 1}, "number", "at most 1, more than 0"),
        ({"type": "number", "multipleOf": 0.5}, "number", "in steps of 0.5"),
        ({"type": "boolean"}, "boolean", ""),
        ({"enum": ["a", "b"]}, "choice", ""),
        ({"type": "string", "const": "a"}, "choice", ""),
        ({"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 3}, "list", "1 to 3 entries"),
        ({"items": {"type": "object", "properties": {"a": {"type": "string"}}}}, "list", ""),
        ({"type": "array", "items": {"enum": ["a", "b"]}, "uniqueItems": True}, "many", ""),
        ({"type": "array", "items": {"enum": ["a", "b"]}}, "list", ""),
        ({"type": "object", "properties": {"a": {"type": "string"}}}, "object", ""),
        ({"properties": {"a": {"type": "string"}}}, "object", ""),
        ({"type": "null"}, "null", ""),
    ],
)
def test_each_kind_of_value_has_its_field(schema: Any, kind: str, hint: str) -> None:
    found = shape(schema)
    assert (found.kind, found.hint, found.note) == (kind, hint, "")


@pytest.mark.parametrize(
    ("schema", "note"),
    [
        ({}, w.ANY), (True, w.ANY), (False, w.NOTHING), ("string", w.BROKEN), (7, w.BROKEN), (None, w.BROKEN),
        ({"oneOf": [{"type": "string"}, {"type": "integer"}]}, w.EITHER),
        ({"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]}, w.EITHER),
        ({"allOf": [{"type": "string"}, {"minLength": 3}]}, w.SEVERAL),
        ({"allOf": [{"type": "string"}], "minLength": 3}, w.SEVERAL), ({"allOf": [True]}, w.SEVERAL),
        ({"anyOf": [{"enum": ["a"]}, {"type": "integer"}]}, w.EITHER),
        ({"anyOf": [{"enum": ["a"], "minLength": 2}, {"const": 1}]}, w.EITHER),
        ({"oneOf": [{"enum": ["a"]}, {"enum": ["a", "b"]}]}, w.EITHER),
        ({"type": "object", "properties": {"a": {"type": "string"}}, "if": {}, "then": {}}, w.DEPENDS),
        ({"type": "object", "properties": {"a": {"type": "string"}}, "dependentSchemas": {"a": {}}}, w.DEPENDS),
        ({"type": "object", "patternProperties": {"^x": {"type": "string"}}}, w.ANY_KEYS),
        ({"type": "object", "properties": {"a": {}}, "additionalProperties": {"type": "string"}}, w.ANY_KEYS),
        ({"type": "object", "properties": {"a": {}}, "unevaluatedProperties": {"type": "string"}}, w.ANY_KEYS),
        ({"type": "object"}, w.ANY_KEYS), ({"type": "object", "properties": 7}, w.BROKEN),
        ({"type": "array"}, w.ANY), ({"type": "array", "items": {}}, w.ANY), ({"type": "array", "items": True}, w.ANY),
        ({"type": "array", "prefixItems": [{"type": "string"}], "items": False}, w.TUPLE),
        ({"type": "array", "items": [{"type": "string"}]}, w.TUPLE),
        ({"type": ["string", "integer"]}, w.SEVERAL_TYPES), ({"type": "odd"}, w.ANY), ({"type": 7}, w.ANY),
        ({"minimum": 3}, w.ANY), ({"enum": []}, w.ANY), ({"enum": list(range(1001))}, w.MANY_OPTIONS),
        ({"$ref": "#"}, w.ITSELF), ({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}}, w.ITSELF),
        ({"$ref": "http://example.com/x"}, w.ELSEWHERE), ({"$ref": "file:///etc/passwd"}, w.ELSEWHERE),
        ({"$ref": "#/$defs/none"}, w.ELSEWHERE), ({"$ref": 7}, w.ELSEWHERE), ({"$dynamicRef": "#x"}, w.ELSEWHERE),
        ({"$ref": "#/$defs/a", "type": "string", "$defs": {"a": {"type": "string"}}}, w.SEVERAL),
    ],
)  # fmt: skip
def test_what_a_form_cannot_express_is_json_with_the_reason(schema: Any, note: str) -> None:
    found = shape(schema)
    assert (found.kind, found.note) == ("json", note)


def test_only_the_part_that_cannot_be_expressed_is_json() -> None:
    found = rows({
        "type": "object", "required": ["free", "else"],
        "properties": {"name": {"type": "string"}, "free": {"oneOf": [{"type": "string"}, {"type": "array"}]}},
    })  # fmt: skip
    assert [(line.name, line.role, line.required) for line in found] == [
        ("name", "field", False), ("free", "json", True), ("else", "json", True),
    ]  # fmt: skip


def test_choices_have_the_names_that_the_schema_gives_them() -> None:
    titled = shape({"type": "string", "oneOf": [{"const": "a", "title": "First", "description": "d"}, {"const": 2}]})
    assert [(one.value, one.label, one.about) for one in titled.choices] == [("a", "First", "d"), (2, "2", "")]
    named = shape({"enum": ["a", None, " "], "x-enumNames": ["First", "None at all", ""]})
    assert [one.label for one in named.choices] == ["First", "None at all", '""']
    assert [one.label for one in shape({"enum": ["a", {"b": [1]}, " "], "x-enumNames": 7}).choices] == [
        "a", '{"b":[1]}', '" "',
    ]  # fmt: skip


@pytest.mark.parametrize(
    "schema",
    [
        {"type": ["string", "null"], "title": "T"},
        {"anyOf": [{"type": "string"}, {"type": "null"}], "title": "T"},
        {"oneOf": [{"type": "null"}, {"$ref": "#/$defs/s"}], "title": "T", "$defs": {"s": {"type": "string"}}},
    ],
)
def test_null_may_stand_instead(schema: Any) -> None:
    found = shape(schema)
    assert (found.kind, found.nullable, found.title) == ("text", True, "T")


@pytest.mark.parametrize(
    ("schema", "kind"),
    [
        ({"type": ["object", "null"], "properties": {"a": {"type": "string"}}}, "object"),
        ({"anyOf": [{"type": "object", "properties": {"a": {"type": "string"}}}, {"type": "null"}]}, "object"),
        ({"type": ["array", "null"], "items": {"type": "string"}}, "list"),
        ({"type": ["array", "null"], "uniqueItems": True, "items": {"enum": ["a", "b"]}}, "many"),
    ],
)
def test_an_object_or_a_list_may_be_null(schema: Any, kind: str) -> None:
    found = shape(schema)
    assert (found.kind, found.nullable, found.hint) == (kind, True, "or null")


@pytest.mark.parametrize("key", ["allOf", "anyOf", "oneOf"])
def test_one_form_alone_is_that_form_with_the_words_around_it(key: str) -> None:
    schema: Any = {
        key: [{"$ref": "#/$defs/job"}], "title": "T", "description": "D",
        "$defs": {"job": {"type": "object", "title": "Job", "properties": {"n": {key: [{"type": "integer"}]}}}},
    }  # fmt: skip
    found = shape(schema)
    assert (found.kind, found.title, found.about) == ("object", "T", "D")
    assert found.parts["n"].shape.kind == "integer"


def test_forms_with_few_values_each_are_one_choice() -> None:
    each: Any = [
        {"enum": ["a", 1]},
        {"type": "boolean"},
        {"const": 2, "title": "two"},
        {"type": "null"},
        {"const": "a"},
    ]
    found = shape({"anyOf": each})
    assert found.kind == "choice"
    assert [(one.value, one.label) for one in found.choices] == [
        ("a", "a"), (1, "1"), (True, "yes"), (False, "no"), (2, "two"), (None, "null"),
    ]  # fmt: skip


def test_a_choice_that_may_be_null_has_a_line_for_it() -> None:
    assert [one.value for one in shape({"anyOf": [{"enum": ["a"]}, {"type": "null"}]}).choices] == ["a", None]


def test_references_stay_inside_and_bring_their_description_along() -> None:
    schema: Any = {
        "type": "object",
        "properties": {
            "a": {"$ref": "#/$defs/p%20q/x~1y", "title": "A"}, "b": {"$ref": "#port", "default": 1},
            "c": {"$ref": "#/$defs/list/0"}, "d": {"$ref": "#/properties/b"},
        },
        "$defs": {
            "p q": {"x/y": {"type": "string", "title": "other", "description": "told there"}},
            "n": {"$anchor": "port", "type": "integer", "maximum": 9},
            "list": [{"type": "boolean"}],
        },
    }  # fmt: skip
    parts = shape(schema).parts
    assert (parts["a"].shape.kind, parts["a"].shape.title, parts["a"].shape.about) == ("text", "A", "told there")
    assert (parts["b"].shape.kind, parts["b"].shape.hint, parts["b"].shape.has_default) == (
        "integer",
        "at most 9",
        True,
    )
    assert parts["c"].shape.kind == "boolean" and parts["d"].shape.kind == "integer"


def test_a_tree_is_a_form_down_to_where_it_holds_its_own_kind() -> None:
    node = {"type": "object", "properties": {
        "name": {"type": "string"}, "inner": {"type": "array", "items": {"$ref": "#/$defs/n"}}}}  # fmt: skip
    found = rows({"$ref": "#/$defs/n", "$defs": {"n": node}})
    assert [(line.name, line.role, line.note) for line in found] == [("name", "field", ""), ("inner", "json", w.ITSELF)]


def test_t16_depth_and_width_cost_nothing_that_is_not_shown() -> None:
    deep: Any = {"type": "string"}
    for _ in range(10_000):
        deep = {"type": "object", "properties": {"a": deep}}
    found = rows(deep)
    assert len(found) == DEEPEST + 1 - 1 and found[-1].note == w.DEEP
    form = SchemaOutline({"type": "object", "properties": {f"p{n}": {"$ref": "#/$defs/x"} for n in range(5000)},
                 "$defs": {"x": {"type": "integer"}}})  # fmt: skip
    assert len(lines(form, {}, {}, lambda one: True)) == 5000


def test_lists_objects_and_long_choices_fold() -> None:
    schema: Any = {
        "type": "object",
        "properties": {
            "tags": {"type": "array", "items": {"type": "string"}},
            "at": {"type": "object", "properties": {"x": {"type": "number"}}},
            "big": {"type": "object", "properties": {f"p{n}": {"type": "string"} for n in range(20)}},
            "pick": {"enum": ["a", "b"]},
        },
    }
    form = SchemaOutline(schema)
    document: Any = {"tags": ["one", "two"]}

    def names(folds: dict[tuple[str | int, ...], bool], inline: bool = True) -> list[str]:
        return [f"{line.role} {line.name}" for line in lines(form, document, folds, lambda one: inline)]

    assert names({}) == ["head tags", "head at", "field x", "head big", "field pick"]
    assert names({("tags",): True, ("at",): False}) == [
        "head tags", "field 1", "field 2", "add ", "head at", "head big", "field pick",
    ]  # fmt: skip
    assert names({("pick",): True}, inline=False)[-3:] == ["head pick", "option a", "option b"]


def test_a_value_of_another_kind_is_json_and_never_shown_as_what_it_is_not() -> None:
    schema: Any = {
        "type": "object",
        "properties": {
            "s": {"type": "string"}, "n": {"type": "integer"}, "o": {"type": "object", "additionalProperties": False},
            "l": {"type": "array", "items": {"type": "string"}},
            "m": {"type": "array", "uniqueItems": True, "items": {"enum": ["a", "b"]}},
        },
    }  # fmt: skip
    found = rows(schema, {"s": 5, "n": "12", "o": [], "l": "x", "m": ["a", "a"]})
    assert [(line.role, line.note) for line in found] == [("json", w.OTHER_KIND)] * 5
    odd = rows(schema, {"s": "x\u202ey", "n": "abc", "m": ["z"]})
    assert [(line.name, line.role, line.note) for line in odd if line.role == "json"] == [
        ("s", "json", w.ODD_SIGNS), ("m", "json", w.OTHER_KIND),
    ]  # fmt: skip
    whole = rows(schema, [1, 2])
    assert [(line.path, line.role) for line in whole] == [((), "json")]


@pytest.mark.parametrize("schema", [{"type": "string"}, {"enum": ["a", "b"]}, {"type": "integer"}])
def test_an_answer_of_one_value_is_a_form_of_one_line(schema: Any) -> None:
    assert [(line.path, line.role) for line in rows(schema, "a")] == [((), "field")]
