"""Verdicts on values and schemas by the worker process (V9, V18; T15, T16, T21c; inquiries.md section 17)."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from jp_tui.engine.schema_check.process import TOO_LONG, SchemaChecker, sentence
from tests.hostile.recorded import every
from tests.limits import LIMIT

PROJECT = Path(__file__).parents[2]
EVIL = "^(a+)+$"


@pytest_asyncio.fixture
async def schemas() -> AsyncIterator[SchemaChecker]:
    found = SchemaChecker(seconds=5)
    yield found
    await found.close()


FITS: list[tuple[dict[str, Any], Any, bool]] = [
    ({"type": "integer"}, 1.0, True),
    ({"type": "integer"}, 1.5, False),
    ({"type": "integer"}, True, False),
    ({"type": "number"}, False, False),
    ({"const": 1}, True, False),
    ({"const": True}, 1, False),
    ({"enum": [0, 1]}, False, False),
    ({"const": 1}, 1.0, True),
    ({"uniqueItems": True}, [1, True, "1"], True),
    ({"uniqueItems": True}, [1, 1.0], False),
    ({"multipleOf": 0.1}, 0.3, True),
    ({"multipleOf": 0.1}, 0.35, False),
    ({"multipleOf": 3}, 10**200, False),
    ({"type": ["string", "null"]}, None, True),
    ({}, {"anything": [1, None]}, True),
    ({"format": "date"}, "2026-02-29", False),
    ({"format": "date"}, "20260228", False),
    ({"format": "date-time"}, "2026-03-05T21:21:16.5+02:00", True),
    ({"format": "date-time"}, "2026-03-05", False),
    ({"format": "email"}, "a@b", True),
    ({"format": "email"}, "a b@c", False),
    ({"format": "ipv4"}, "256.1.1.1", False),
    ({"format": "ipv6"}, "::1", True),
    ({"format": "uri"}, "https://x.example/a?b#c", True),
    ({"format": "uri"}, "not a url", False),
    ({"format": "hostname"}, "-x.example", False),
    ({"format": "hostname"}, "x.example", True),
    ({"format": "uuid"}, "12345678-1234-1234-1234-123456789abc", True),
    ({"format": "made-up"}, "anything", True),
    ({"format": "date"}, 5, True),
]


async def test_what_fits(schemas: SchemaChecker) -> None:
    for schema, value, fits in FITS:
        assert (await schemas.check(schema, value) is None) is fits, (schema, value)


PORT = {"type": "integer", "minimum": 1, "maximum": 65535}


SEVERAL = "fits more than one of the allowed forms, and must fit exactly one"
TOLD: list[tuple[dict[str, Any], Any, list[tuple[str, str]]]] = [
    ({"type": "integer"}, "1", [("", "must be a whole number")]),
    ({"type": ["array", "null"]}, 1, [("", "must be a list or null")]),
    ({"properties": {"a/b~": PORT}}, {"a/b~": 0}, [("/a~1b~0", "must be at least 1")]),
    ({"items": PORT}, [1, 70000], [("/1", "must be at most 65535")]),
    ({"enum": ["a", None, 2]}, "b", [("", 'must be "a", null or 2')]),
    ({"required": ["b", "a"]}, {}, [("", "`a` is missing"), ("", "`b` is missing")]),
    (
        {"properties": {"a": {}}, "patternProperties": {"^x": {}}, "additionalProperties": False},
        {"a": 1, "x1": 1, "z\u202e": 1},
        [("", "has keys that are not allowed (z\\u202e)")],
    ),
    ({"minLength": 1}, "", [("", "must not be empty")]),
    ({"maxItems": 2}, [1, 2, 3], [("", "must have at most 2 entries")]),
    ({"minLength": 8}, "x", [("", "must have at least 8 characters")]),
    ({"pattern": "^[a-z]+$"}, "A", [("", "must match the pattern ^[a-z]+$")]),
    ({"format": "date"}, "x", [("", "must be a date like 2026-03-05")]),
    ({"uniqueItems": True}, [1, 1], [("", "must not have the same entry twice")]),
    ({"anyOf": [{"type": "string"}, {"type": "null"}]}, 1, [("", "must be text or null")]),
    ({"oneOf": [{"minimum": 1}, {"maximum": 9}]}, 5, [("", SEVERAL)]),
    ({"anyOf": [{"type": "null"}, {"properties": {"a": PORT}}]}, {"a": 0}, [("", "must be at least 1 (at `/a`)")]),
    ({"not": {"type": "string"}}, "x", [("", "must not be of this form")]),
    ({"properties": {"a": False}}, {"a": 1}, [("/a", "is not allowed")]),
    ({"exclusiveMinimum": 0}, 0, [("", "must be more than 0")]),
]


async def test_problems_are_in_the_readers_language(schemas: SchemaChecker) -> None:
    for schema, value, expected in TOLD:
        assert await schemas.problems(schema, value) == expected, schema
        assert await schemas.check(schema, value) == sentence(expected)


def test_a_sentence_of_several_problems() -> None:
    found = [("", "`name` is missing"), ("", "has keys that are not allowed (z)"), ("/a/b", "`c` is missing")]
    found += [("/port", "must be at least 1")] * 4
    assert sentence(found) == (
        "`name` is missing; it has keys that are not allowed (z); `c` is missing (in `/a/b`); "
        "`/port` must be at least 1; `/port` must be at least 1; and 2 more"
    )
    assert sentence([("", TOO_LONG)]) == TOO_LONG


async def test_many_problems_are_bounded(schemas: SchemaChecker) -> None:
    assert len(await schemas.problems({"items": {"type": "null"}}, list(range(5000)))) == 50


def laughs(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {}
    for _ in range(levels):
        schema = {"allOf": [schema, schema]}
    return schema


def nested(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(levels):
        schema = {"properties": {"a": schema}}
    return schema


TREE = {
    "$defs": {"node": {"type": "object", "properties": {"kids": {"items": {"$ref": "#/$defs/node"}}}}},
    "$ref": "#/$defs/node",
}
DOUBLING = {f"a{n}": {"allOf": [{"$ref": f"#/$defs/a{n - 1}"}] * 2} for n in range(1, 40)} | {"a0": {}}


ROUND = {"b": {"anyOf": [{"$ref": "#/$defs/c"}]}, "c": {"not": {"$ref": "#/$defs/b"}}}
DRAFT_7 = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "definitions": {"a": {}},
    "items": [{"$ref": "#/definitions/a"}],
}
USABLE: list[tuple[Any, str | None]] = [
    ({}, None),
    ({"type": "object", "properties": {"$ref": {"type": "string"}, "pattern": {"const": {"$ref": "x"}}}}, None),
    (TREE, None),
    ({"$defs": {"a": {"$anchor": "here", "type": "string"}}, "items": {"$ref": "#here"}}, None),
    (DRAFT_7, None),
    (nested(30), None),
    (True, "the schema is not a JSON object"),
    ([{}], "the schema is not a JSON object"),
    ({"type": "nope"}, "the schema is not valid: `/type` must be "),
    ({"properties": {"a": {"minimum": "1"}}}, "the schema is not valid: `/properties/a/minimum` must be a number"),
    ({"$ref": "#"}, "references lead only to themselves"),
    ({"items": {"$ref": "#/$defs/b"}, "$defs": ROUND}, "references lead only to themselves"),
    ({"$dynamicRef": "#"}, "references lead only to themselves"),
    ({"$ref": "#/$defs/none"}, "a reference of the schema names nothing in it: `#/$defs/none`"),
    (
        {"items": {"$ref": "file:///etc/passwd"}},
        "a reference of the schema leads out of it, and nothing is fetched: `file:///etc/passwd`",
    ),
    ({"$id": "http://x.example/", "$ref": "other"}, "a reference of the schema leads out of it"),
    ({"$ref": "https://json-schema.org/draft/2020-12/schema"}, "a reference of the schema leads out of it"),
    ({"const": 5, "$ref": "#/const"}, "a reference of the schema names something that is no schema"),
    ({"patternProperties": {"(": {}}}, "a pattern of the schema does not compile"),
    ({"items": {"pattern": "[z-a]"}}, "a pattern of the schema does not compile"),
    ({"enum": list(range(1001))}, "the schema has an `enum` of more than 1,000 entries"),
    ({"$defs": DOUBLING, "$ref": "#/$defs/a39"}, "the schema would take too long to check: its forms multiply"),
    (laughs(24), "the contents of the schema have more than 100,000 parts"),
    (nested(40), "the contents of the schema are more than 64 levels deep"),
    ({"default": "x" * (256 << 10)}, "the contents of the schema are larger than 256 KiB"),
    ({"default": float("nan")}, "a number is not finite (at `/default`)"),
    ({"title": "\ud83d"}, "a text has a lone surrogate"),
]


async def test_which_schemas_can_be_used(schemas: SchemaChecker) -> None:
    """V9, V18, V19."""
    for schema, why in USABLE:
        found = await schemas.usable(schema)
        assert (found or "").startswith(why or "") and (found is None) is (why is None), (str(schema)[:200], found)
        if why is not None and isinstance(schema, dict):
            assert await schemas.check(schema, "a value") is not None


async def test_values_are_bounded_before_anything_is_sent(schemas: SchemaChecker) -> None:
    deep: Any = 1
    for _ in range(70):
        deep = [deep]
    assert "levels deep" in str(await schemas.check({}, deep))
    assert "larger than 1 MB" in str(await schemas.check({}, "x" * 1_000_001))
    assert "not finite" in str(await schemas.check({}, [float("inf")]))
    assert schemas._worker is None


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        found.listen()
        found.setblocking(False)
        yield found


async def test_nothing_is_ever_fetched(schemas: SchemaChecker, listener: socket.socket, tmp_path: Path) -> None:
    """T15: neither from the network nor from a file, in use or when only looked at."""
    (tmp_path / "s.json").write_text('{"type": "string"}')
    for address in (f"http://127.0.0.1:{listener.getsockname()[1]}/s", (tmp_path / "s.json").as_uri()):
        for schema in ({"$ref": address}, {"$schema": address, "type": "integer"}, {"$id": address, "$ref": "s"}):
            await schemas.usable(schema)
            assert await schemas.check(schema, "x") is not None
    with pytest.raises(BlockingIOError):
        listener.accept()


def expand(template: Any) -> Any:
    """The generator of the recorded cases that schemas use: `$laughs` is a doubling `allOf`."""
    if isinstance(template, dict) and "$laughs" in template:
        return laughs(template["$laughs"])
    if isinstance(template, dict):
        return {key: expand(value) for key, value in template.items()}
    return [expand(one) for one in template] if isinstance(template, list) else template


@pytest.fixture
def recorded() -> list[Any]:
    """The schemas of the recorded cases."""
    return [expand(case["payload"]["json"]) for case in every() if case["payload"]["kind"] == "schema"]


async def test_recorded_hostile_schemas(schemas: SchemaChecker, recorded: list[Any]) -> None:
    """Refused, and within the time of a verdict."""
    assert recorded
    for schema in recorded:
        async with asyncio.timeout(LIMIT):  # against hanging; how long a verdict may take is tested with the worker
            assert await schemas.usable(schema) is not None
