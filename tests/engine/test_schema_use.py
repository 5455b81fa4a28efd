"""What counts as usable can be used: random schemas end, and agree with the library (V9, T16)."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from referencing import Registry

from jp_tui.engine.schema_check import worker

NAMES = ["a", "b", "c"]
REFS = st.sampled_from(["#", "#/$defs/a", "#/$defs/b", "#/$defs/c", "#/properties/a", "#none", "http://x.example/s"])
PLAIN = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["string", "integer", "object", "array", "null", ["string", "null"], "nope"]),
        "minimum": st.integers(-2, 2),
        "minLength": st.integers(-1, 3),
        "enum": st.lists(st.sampled_from([1, True, "x", None]), max_size=3),
        "const": st.sampled_from([1, False, {"$ref": "#"}]),
        "pattern": st.sampled_from(["^x", "(", "a|b"]),
        "required": st.lists(st.sampled_from(NAMES), max_size=2, unique=True),
        "$ref": REFS,
        "uniqueItems": st.booleans(),
    },
)


def _around(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    several, named = st.lists(inner, min_size=1, max_size=3), st.dictionaries(st.sampled_from(NAMES), inner, max_size=3)
    more = st.fixed_dictionaries(
        {},
        optional={
            "allOf": several,
            "anyOf": several,
            "oneOf": several,
            "not": inner,
            "if": inner,
            "then": inner,
            "properties": named,
            "items": inner,
            "additionalProperties": inner,
            "dependentSchemas": named,
            "$defs": named,
            "prefixItems": several,
        },
    )
    return st.builds(lambda one, other: {**one, **other}, PLAIN, more)


SCHEMAS = st.recursive(st.one_of(PLAIN, st.booleans()), _around, max_leaves=8).map(
    lambda one: one if isinstance(one, dict) else {"not": one}
)
VALUES = st.recursive(
    st.sampled_from([None, True, 0, 1, 1.0, "", "x", "abc"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=3),
    max_leaves=6,
)


def ask(do: str, schema: Any, value: Any = None) -> dict[str, Any]:
    return worker._answer({"do": do, "schema": json.dumps(schema), "value": json.dumps(value)})


@given(SCHEMAS, VALUES)
def test_what_is_usable_gives_the_verdict_of_the_library_and_ends(schema: dict[str, Any], value: Any) -> None:
    why = ask("usable", schema)["unusable"]
    found = ask("check", schema, value)["problems"]
    if why is not None:
        assert found == [["", f"it cannot be checked: {why}"]]
        return
    registry: Registry[Any] = Registry()
    assert (not found) is Draft202012Validator(schema, registry=registry).is_valid(value)
    for where, words in found:
        assert where == "" or where.startswith("/")
        assert words and words.isprintable() and len(words) < 600 and "cannot be checked" not in words


KEYS = [
    *NAMES, "$ref", "$id", "$anchor", "$schema", "$dynamicRef", "type", "properties", "items", "allOf", "enum",
    "pattern", "required", "format", "multipleOf",
]  # fmt: skip
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=10,
)


@given(st.dictionaries(st.sampled_from(KEYS), ANYTHING, max_size=4))
def test_no_schema_ends_the_worker(schema: dict[str, Any]) -> None:
    """Whatever is sent gets an answer: a reason, or that it can be used."""
    assert isinstance(ask("usable", schema)["unusable"], (str, type(None)))
    assert isinstance(ask("check", schema, {"a": [1]})["problems"], list)
