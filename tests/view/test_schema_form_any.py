"""Whatever the schema and whatever is edited: documents read back as JSON, nothing raises (R11, T16, V17-V19)."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from jp_tui.conversation.strict_json import dump, parse, same
from jp_tui.view.schema.edit import (
    added,
    field_text,
    get,
    moved,
    parse_field,
    remove_at,
    set_field_text,
    skeleton,
    toggle_choice,
)
from jp_tui.view.schema.form import SchemaOutline
from jp_tui.view.schema.lines import FormLine, lines
from tests.hostile.recorded import every

NAMES = st.sampled_from(["a", "b", "__proto__", "a/b", "~", "", "naïve", "x" * 50])
LEAVES = st.sampled_from([
    {"type": "string"}, {"type": "integer", "minimum": 0}, {"type": "number"}, {"type": "boolean"},
    {"enum": ["x", 1, None]},
    {"type": ["string", "null"]}, {"type": ["boolean", "null"]}, {"const": "k"}, {"type": "null"}, {}, True, False, 7,
    {"oneOf": [{"type": "string"}, {"type": "null"}]}, {"oneOf": [{"const": 1, "title": "one"}, {"const": 2}]},
    {"type": "array", "uniqueItems": True, "items": {"enum": ["p", "q"]}}, {"$ref": "#"}, {"$ref": "#/$defs/d"},
    {"anyOf": [{"type": "string"}, {"type": "object"}]}, {"type": "string", "default": "d"},
    {"default": [1], "type": "integer"}, {"type": ["array", "null"], "items": {"type": "string"}},
    {"type": ["object", "null"], "properties": {"p": {"type": "string"}}, "required": ["p"]},
    {"allOf": [{"type": "string"}]}, {"anyOf": [{"enum": ["x", 1]}, {"type": "boolean"}, {"type": "null"}]},
])  # fmt: skip
SCHEMAS = st.recursive(
    LEAVES,
    lambda inner: st.builds(lambda item: {"type": "array", "items": item}, inner)
    | st.builds(
        lambda parts, must: {"type": "object", "properties": parts, "required": must},
        st.dictionaries(NAMES, inner, max_size=4), st.lists(NAMES, max_size=2),
    ),
    max_leaves=10,
)  # fmt: skip
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)
JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from([
            "type", "properties", "items", "enum", "const", "oneOf", "anyOf", "allOf", "$ref", "required", "default",
            "additionalProperties", "patternProperties", "prefixItems", "$anchor", "$id", "title", "minimum", "format",
            "x-enumNames", "maxLength", "uniqueItems", "minItems", "multipleOf",
        ]), inner, max_size=4,
    ),
    max_leaves=12,
)  # fmt: skip
TEXTS = st.text(max_size=8) | st.sampled_from(["1", "1e400", "-0", "\ud800", "9" * 400, "12 ", "null", '"'])


def do(form: SchemaOutline, document: Any, line: FormLine, act: int, text: str) -> Any:
    """One of the things that a line can do."""
    if line.role == "add" or (line.shape.kind == "list" and line.role == "head" and act % 3 == 0):
        return added(form, document, line.path)[0]
    if line.writes:
        return set_field_text(form, document, line.path, text)[0]
    if line.entry and act % 3 == 1:
        return moved(form, document, line.path, act % 5 - 2)[0]
    if act % 3 == 2:
        return remove_at(document, line.path)
    if line.shape.choices or line.shape.kind == "boolean":
        return toggle_choice(form, document, line.path, act % (len(line.shape.choices) or 2))
    return document


@settings(max_examples=200)
@given(SCHEMAS, VALUES | st.none(), st.lists(st.tuples(st.integers(0, 99), st.integers(0, 9), TEXTS), max_size=8))
def test_whatever_is_edited_reads_back_as_json_and_other_parts_stay(
    schema: Any, value: Any, acts: list[tuple[int, int, str]]
) -> None:
    form = SchemaOutline(schema)
    document = skeleton(form) if value is None else {"zz": value, **(value if isinstance(value, dict) else {})}
    everything = {line.path: True for line in lines(form, document, {}, lambda one: True)}
    for where, act, text in acts:
        rows = lines(form, document, everything, lambda one: True)
        if not rows:
            break
        line = rows[where % len(rows)]
        clean = text.encode("utf-8", "ignore").decode()
        changed = do(form, document, line, act, clean)
        if line.path[:1] not in ((), ("zz",)) and value is not None:
            assert changed["zz"] == document["zz"]
        assert same(parse(dump(changed)), changed)
        document = changed


@settings(max_examples=300)
@given(JUNK, VALUES)
def test_no_schema_raises(schema: Any, value: Any) -> None:
    form = SchemaOutline(schema)
    for document in (skeleton(form), value):
        for line in lines(form, document, {}, lambda one: False):
            field_text(line.shape, get(document, line.path))
            assert line.note or line.role != "json"
            assert form.at(line.path).kind == line.shape.kind or line.role == "json"


@given(SCHEMAS, TEXTS)
def test_what_is_typed_stands_in_the_field_again(schema: Any, text: str) -> None:
    """A text that a field can show comes back as it was typed, or as the same number."""
    clean = text.encode("utf-8", "ignore").decode()
    shape = SchemaOutline(schema).root
    if shape.kind in ("text", "integer", "number"):
        value, _ = parse_field(shape, clean)
        shown = field_text(shape, value)
        assert shown is None or parse_field(shape, shown)[0] == value


def drawn(part: Any) -> Any:
    if isinstance(part, dict) and "$gen" in part:
        return [str(part["$gen"]).replace("{i}", str(n)) for n in range(part["n"])]
    if isinstance(part, dict):
        return {key: drawn(value) for key, value in part.items()}
    return [drawn(value) for value in part] if isinstance(part, list) else part


def test_the_recorded_hostile_schemas() -> None:
    schemas = []
    for case in every():
        payload = case["payload"]
        if payload["kind"] == "schema":
            schemas.append(payload["json"])
        shaped = payload.get("json") or payload.get("template")
        questions = shaped.get("questions") if isinstance(shaped, dict) else None
        for question in questions if isinstance(questions, list) else ():
            if isinstance(question, dict) and "schema" in question:
                schemas.append(question["schema"])
    assert len(schemas) > 8
    for schema in schemas:
        form = SchemaOutline(drawn(schema))
        found = lines(form, skeleton(form), {}, lambda one: False)
        assert all(line.role != "json" or line.note for line in found)
