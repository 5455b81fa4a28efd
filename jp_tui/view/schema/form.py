"""Convert a JSON Schema to form fields (inquiries.md R11, issue 5 "Schema"; traps.md T15, T16).

Draft 2020-12, references inside the schema only, each part read on access, so that a large schema costs no more than
what is shown. A part that a form can't express is written as JSON, with the reason, so every schema can be answered.
Values aren't validated here: the engine does that.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

from jp_tui.conversation.strict_json import Json, JsonObject
from jp_tui.view.schema import texts as w
from jp_tui.view.schema.choices import NOTES, OPTIONS, EnumChoice, apart, choices_of, or_null, text_of

Kind = Literal["text", "integer", "number", "boolean", "choice", "many", "list", "object", "null", "json"]

DEEPEST, REFERENCES, NODES = 10, 32, 20_000
"""Nested containers, consecutive references, and parts searched for an anchor."""
_STRUCTURE = (
    "type", "properties", "items", "prefixItems", "enum", "const", "oneOf", "anyOf", "allOf", "required", "$ref",
    "additionalProperties", "patternProperties", "if", "then", "else", "dependentSchemas",
)  # fmt: skip
_BRANCHES = {
    "allOf": w.SEVERAL, "anyOf": w.EITHER, "oneOf": w.EITHER, "if": w.DEPENDS, "then": w.DEPENDS, "else": w.DEPENDS,
    "dependentSchemas": w.DEPENDS, "dependencies": w.DEPENDS, "$dynamicRef": w.ELSEWHERE, "$recursiveRef": w.ELSEWHERE,
}  # fmt: skip
_TYPES: dict[str, Kind] = {
    "string": "text", "integer": "integer", "number": "number", "boolean": "boolean", "array": "list",
    "object": "object", "null": "null",
}  # fmt: skip


@dataclass(eq=False)
class Shape:
    """One part of the answer. `note` says why it is written as JSON, `hint` describes the valid values."""

    kind: Kind
    form: SchemaOutline = field(repr=False)
    schema: JsonObject = field(default_factory=dict, repr=False)
    chain: tuple[str, ...] = ()
    depth: int = 0
    title: str = ""
    about: str = ""
    note: str = ""
    hint: str = ""
    choices: tuple[EnumChoice, ...] = ()
    nullable: bool = False

    @property
    def has_default(self) -> bool:
        """True if the schema gives an initial value."""
        return "default" in self.schema

    @cached_property
    def parts(self) -> dict[str, FormProperty]:
        """Return the properties of an object, in schema order, then required ones without a description."""
        given, required = self.schema.get("properties"), self.schema.get("required")
        wanted = [name for name in required if isinstance(name, str)] if isinstance(required, list) else []
        known = given if isinstance(given, dict) else {}
        must = frozenset(wanted)
        found = {str(name): FormProperty(str(name), raw, name in must, self) for name, raw in known.items()}
        return found | {name: FormProperty(name, True, True, self) for name in wanted if name not in found}

    @cached_property
    def order(self) -> dict[str, int]:
        """Return the position of each property."""
        return {name: place for place, name in enumerate(self.parts)}

    @cached_property
    def item(self) -> Shape:
        """Return the shape of a list's entries."""
        return self.form.shape(self.schema.get("items", True), self.chain, self.depth + 1)


@dataclass(eq=False)
class FormProperty:
    """One property of an object."""

    name: str
    raw: Json = field(repr=False)
    required: bool
    parent: Shape = field(repr=False)

    @cached_property
    def shape(self) -> Shape:
        """Return its shape; read on first access."""
        return self.parent.form.shape(self.raw, self.parent.chain, self.parent.depth + 1)


class SchemaOutline:
    """Form of one schema."""

    def __init__(self, schema: Json) -> None:
        self._schema = schema
        self._anchors: dict[str, Json] | None = None

    @cached_property
    def root(self) -> Shape:
        """Return the shape of the whole answer."""
        return self.shape(self._schema, (), 0)

    def at(self, path: tuple[str | int, ...]) -> Shape:
        """Return the part at a path; any JSON for an unknown one."""
        here = self.root
        for step in path:
            if isinstance(step, int):
                here = here.item if here.kind == "list" else self._json(w.ANY)
            else:
                part = here.parts.get(step) if here.kind == "object" else None
                here = part.shape if part is not None else self._json(w.ANY)
        return here

    def shape(self, raw: Json, chain: tuple[str, ...], depth: int) -> Shape:
        """Return the shape for a part of the schema. `chain`: the references that led to it."""
        if raw is True or raw == {}:
            return self._json(w.ANY)
        if not isinstance(raw, dict):
            return self._json(w.NOTHING if raw is False else w.BROKEN)
        own = "$id" in raw and depth > 0
        for _ in range(REFERENCES):
            if own or "$ref" not in raw:
                break
            found = self._referred(raw, chain)
            if isinstance(found, str):
                return self._json(found, raw)
            raw, chain = found
        else:
            return self._json(w.ELSEWHERE, raw)
        if own:
            return self._json(w.ELSEWHERE, raw)
        return self._read(Shape("json", self, raw, chain, depth, text_of(raw, "title"), text_of(raw, "description")))

    def _json(self, note: str, raw: JsonObject | None = None) -> Shape:
        raw = raw or {}
        return Shape("json", self, raw, title=text_of(raw, "title"), about=text_of(raw, "description"), note=note)

    # References

    def _referred(self, raw: JsonObject, chain: tuple[str, ...]) -> tuple[JsonObject, tuple[str, ...]] | str:
        """Resolve a reference with its sibling keys; return why if that fails."""
        ref = raw["$ref"]
        if not isinstance(ref, str) or not ref.startswith("#"):
            return w.ELSEWHERE
        if ref in chain:
            return w.ITSELF
        beside = {key: value for key, value in raw.items() if key not in ("$ref", "$defs", "definitions")}
        if any(key in beside for key in _STRUCTURE):
            return w.SEVERAL
        target = self._target(ref[1:])
        if not isinstance(target, dict):
            return w.ANY if target is True else w.ELSEWHERE
        return {**target, **beside}, (*chain, ref)

    def _target(self, name: str) -> Json:
        if name and not name.startswith("/"):
            if self._anchors is None:
                self._anchors = dict(_anchors(self._schema))
            return self._anchors.get(name)
        here: Json = self._schema
        for step in name.split("/")[1:]:
            step = _unquoted(step).replace("~1", "/").replace("~0", "~")
            if isinstance(here, dict):
                here = here.get(step)
            elif isinstance(here, list) and step.isascii() and step.isdigit() and len(step) < 9:
                here = here[int(step)] if int(step) < len(here) else None
            else:
                return None
        return here

    # Kinds

    def _read(self, shape: Shape) -> Shape:
        raw = shape.schema
        choices = choices_of(raw)
        if choices is not None:
            if len(choices) > OPTIONS:
                return replace(shape, note=w.MANY_OPTIONS)
            return replace(shape, kind="choice", choices=apart(choices), hint=w.hint(raw, "choice"))
        other = or_null(raw)
        if other is not None:
            return _with_null(self._within(shape, other))
        only = _only(raw)
        if only is not None:
            return self._within(shape, only)
        for key, note in _BRANCHES.items():
            if key in raw:
                return replace(shape, note=note)
        kind, nullable = _kind(raw)
        if kind == "object":
            return self._object(shape, nullable)
        if kind == "list":
            return self._list(shape, nullable)
        if kind == "json":
            return replace(shape, note=w.SEVERAL_TYPES if isinstance(raw.get("type"), list) else w.ANY)
        shape = replace(shape, kind=kind, hint=w.hint(raw, kind))
        return _with_null(shape) if nullable else shape

    def _within(self, shape: Shape, raw: Json) -> Shape:
        """Return the only alternative of a schema, with the outer title, description and default taking precedence."""
        inner = self.shape(raw, shape.chain, shape.depth)
        schema = {**inner.schema, **{key: shape.schema[key] for key in shape.schema if key in NOTES}}
        return replace(inner, schema=schema, title=shape.title or inner.title, about=shape.about or inner.about)

    def _object(self, shape: Shape, nullable: bool) -> Shape:
        raw = shape.schema
        note = ""
        more, unevaluated = raw.get("additionalProperties"), raw.get("unevaluatedProperties")
        properties = raw.get("properties")
        if shape.depth >= DEEPEST:
            note = w.DEEP
        elif "patternProperties" in raw or any(isinstance(one, dict) and one for one in (more, unevaluated)):
            note = w.ANY_KEYS
        elif properties is not None and not isinstance(properties, dict):
            note = w.BROKEN
        elif not properties and more is not False and not raw.get("required"):
            note = w.ANY_KEYS
        if note:
            return replace(shape, note=note)
        shape = replace(shape, kind="object", hint=w.hint(raw, "object"))
        return _with_null(shape) if nullable else shape

    def _list(self, shape: Shape, nullable: bool) -> Shape:
        raw = shape.schema
        note = ""
        if shape.depth >= DEEPEST:
            note = w.DEEP
        elif "prefixItems" in raw or isinstance(raw.get("items"), list) or "unevaluatedItems" in raw:
            note = w.TUPLE
        elif "items" not in raw:
            note = w.ANY
        if note:
            return replace(shape, note=note)
        shape = replace(shape, kind="list", hint=w.hint(raw, "list"))
        item = shape.item
        if item.kind == "json":
            return replace(shape, kind="json", note=item.note)
        if item.kind == "choice" and raw.get("uniqueItems") is True:
            shape = replace(shape, kind="many", choices=item.choices)
        return _with_null(shape) if nullable else shape


def _kind(raw: JsonObject) -> tuple[Kind, bool]:
    """Return the kind from `type`, and True if null is also allowed."""
    named = raw.get("type")
    if isinstance(named, list):
        kinds = [kind for kind in named if kind != "null"]
        nullable = len(kinds) < len(named)
        named = kinds[0] if len(kinds) == 1 else None if kinds else "null"
    elif named is None and isinstance(raw.get("properties"), dict):
        return "object", False
    elif named is None and "items" in raw:
        return "list", False
    else:
        nullable = False
    return (_TYPES.get(named, "json") if isinstance(named, str) else "json"), nullable and named != "null"


def _with_null(shape: Shape) -> Shape:
    """Return the shape with null allowed."""
    if shape.kind in ("json", "null") or shape.nullable:
        return shape
    if shape.kind == "choice" and all(choice.value is not None for choice in shape.choices):
        shape = replace(shape, choices=apart((*shape.choices, EnumChoice(None, w.NULL))))
    hint = shape.hint
    if shape.kind not in ("choice", "boolean"):  # those show it as one of their values
        hint = f"{hint}, or null" if hint else "or null"
    return replace(shape, nullable=True, hint=hint)


def _only(raw: JsonObject) -> Json | None:
    """Return the only alternative of a one-item list without other constraints; else None."""
    for key in ("allOf", "anyOf", "oneOf"):
        each = raw.get(key)
        if isinstance(each, list) and len(each) == 1 and not set(raw) - NOTES - {key}:
            return each[0] if isinstance(each[0], dict) else None
    return None


def _unquoted(step: str) -> str:
    if "%" not in step:
        return step
    from urllib.parse import unquote

    return unquote(step)


def _anchors(schema: Json) -> Iterator[tuple[str, Json]]:
    """Iterate over the named parts."""
    todo: list[Json] = [schema]
    for _ in range(NODES):
        if not todo:
            return
        here = todo.pop()
        if isinstance(here, dict):
            name = here.get("$anchor")
            if isinstance(name, str):
                yield name, here
            todo.extend(here.values())
        elif isinstance(here, list):
            todo.extend(here)
