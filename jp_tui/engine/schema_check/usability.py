"""Why a schema can't be used (inquiries.md V9, V18; traps.md T15, T16). For the child only.

Every subschema is checked once, also those that only a reference reaches: patterns are translated for Python in place,
references stay inside the schema, and no schema applies itself to the same value again. Reads no value, fetches
nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jsonschema.exceptions import best_match
from referencing import Registry
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012 as NEWEST
from referencing.jsonschema import EMPTY_REGISTRY, specification_with

from jp_tui.engine.schema_check.messages import pointer_of, words
from jp_tui.engine.schema_check.regex import NoPattern, pattern
from jp_tui.questions.bounds import short

MAX_ENTRIES = 1000
MAX_WORK = 100_000
"""Limit of schema applications per value, all alternatives and references counted each time."""

_SAME = ("allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "dependencies")
"""Keywords that apply to the same value again."""
_ONE = ("not", "if", "then", "else", "items", "additionalItems", "contains", "additionalProperties", "propertyNames",
        "unevaluatedItems", "unevaluatedProperties", "contentSchema")  # fmt: skip
_LISTS = ("allOf", "anyOf", "oneOf", "prefixItems", "items")
_MAPS = ("properties", "patternProperties", "dependentSchemas", "dependencies", "$defs", "definitions")
_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")


class _No(Exception):
    """The schema can't be used; the text gives the reason."""


def unusable(schema: Any, draft: Any) -> str | None:
    """Return the reason in plain text; None if it can be used. `draft` is a validator class of jsonschema."""
    try:
        _check_form(schema, draft)
        _Walk(schema).all()
    except _No as no:
        return str(no)
    return None


def _check_form(schema: Any, draft: Any) -> None:
    """Check that it is a valid JSON Schema, by the draft's meta-schema."""
    # a meta-schema refers only to its own parts, which the library contains
    error = best_match(draft(draft.META_SCHEMA).iter_errors(schema))
    if error is not None:
        where = pointer_of(error)
        raise _No(f"the schema is not valid: {f'`{where}` ' if where else 'it '}{words(error)}")


class _Walk:
    """One pass over all subschemas. Nodes are identified by identity: parsed JSON shares none."""

    def __init__(self, schema: Any) -> None:
        spec = specification_with(str(schema.get("$schema", "")), default=NEWEST)
        self._spec = spec
        resource = spec.create_resource(schema)
        base = resource.id() or ""
        registry: Registry[Any] = EMPTY_REGISTRY.with_resource(base, resource)
        self._root, self._resolver = schema, registry.resolver(base)
        self._work: dict[int, int] = {}
        self._open: set[int] = set()
        self._later: list[tuple[Any, Any]] = []
        self._patterned: list[dict[str, Any]] = []
        self._into_patterns = ""  # a reference to a part whose name is a pattern

    def all(self) -> None:
        self._later.append((self._root, self._resolver))
        while self._later:
            schema, resolver = self._later.pop()
            self._visit(schema, resolver)
        renamed = [_translate(schema) for schema in self._patterned]
        if any(renamed) and self._into_patterns:
            what = f"leads into its `patternProperties`, which is not supported: `{short(self._into_patterns)}`"
            raise _No(f"a reference of the schema {what}")

    def _visit(self, schema: Any, resolver: Any) -> int:
        """Return how many schemas apply to a value here; schemas for its parts are visited later."""
        if not isinstance(schema, dict):
            return 1
        known = self._work.get(id(schema))
        if known is not None:
            return known
        if id(schema) in self._open:
            raise _No("references lead only to themselves: the schema applies itself to the same value again")
        self._open.add(id(schema))
        _check_patterns(schema)
        if "pattern" in schema or "patternProperties" in schema:
            self._patterned.append(schema)
        _check_entries(schema)
        _spell_out(schema)
        if schema is not self._root:
            resolver = resolver.in_subresource(self._spec.create_resource(schema))
        work = 1
        for name in _REFERENCES:
            target = schema.get(name)
            if isinstance(target, str):
                work += self._follow(name, target, resolver)
        for keyword, inner in _inner(schema):
            if keyword in _SAME:
                work += self._visit(inner, resolver)
            elif isinstance(inner, dict) and id(inner) not in self._work:
                self._later.append((inner, resolver))
        if work > MAX_WORK:
            raise _No("the schema would take too long to check: its forms multiply")
        self._open.discard(id(schema))
        self._work[id(schema)] = work
        return work

    def _follow(self, name: str, target: str, resolver: Any) -> int:
        if "/patternProperties/" in target:
            self._into_patterns = target
        try:
            found = resolver.lookup(target)
        except (Unresolvable, ValueError):
            inside = target.startswith("#")
            why = "names nothing in it" if inside else "leads out of it, and nothing is fetched"
            raise _No(f"a reference of the schema {why}: `{short(target)}`") from None
        if not isinstance(found.contents, (dict, bool)):
            raise _No(f"a reference of the schema names something that is no schema: `{short(target)}`")
        return self._visit(found.contents, found.resolver)


def _inner(schema: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Iterate over the direct subschemas with their keywords."""
    for keyword in _ONE:
        if isinstance(schema.get(keyword), dict):
            yield keyword, schema[keyword]
    for keyword in _LISTS:
        if isinstance(schema.get(keyword), list):
            yield from ((keyword, one) for one in schema[keyword])
    for keyword in _MAPS:
        if isinstance(schema.get(keyword), dict):
            yield from ((keyword, one) for one in schema[keyword].values())


def _check_patterns(schema: dict[str, Any]) -> None:
    own = schema.get("pattern")
    named = schema.get("patternProperties")
    patterns = [own] if isinstance(own, str) else []
    patterns += list(named) if isinstance(named, dict) else []
    for one in patterns:
        try:
            pattern(one)
        except NoPattern as no:
            raise _No(f"a pattern of the schema {no}: {short(one)}") from None


def _translate(schema: dict[str, Any]) -> bool:
    """Translate patterns for Python, the only syntax the library knows; return True if a part's name changed."""
    own, named = schema.get("pattern"), schema.get("patternProperties")
    if isinstance(own, str):
        schema["pattern"] = pattern(own)
    if not isinstance(named, dict):
        return False
    schema["patternProperties"] = {pattern(name): one for name, one in named.items()}
    return any(name not in schema["patternProperties"] for name in named)


def _check_entries(schema: dict[str, Any]) -> None:
    listed = schema.get("enum")
    if isinstance(listed, list) and len(listed) > MAX_ENTRIES:
        raise _No(f"the schema has an `enum` of more than {MAX_ENTRIES:,} entries")


def _spell_out(schema: dict[str, Any]) -> None:
    """Replace `false` for a property by a schema that nothing fits: for plain `false` jsonschema doesn't report the
    place."""
    for keyword in ("properties", "patternProperties"):
        named = schema.get(keyword)
        if isinstance(named, dict):
            named.update({name: {"not": {}} for name, one in named.items() if one is False})
