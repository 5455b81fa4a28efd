"""The arguments of a local tool against its declared parameters (R82, M28)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from jp_tui.tools.local.parameters import BadArguments, checked_arguments, refusal
from jp_tui.tools.local.spec import LocalSpec
from tests.tools.running import failure, once

DECLARED: Any = {
    "path": {"type": "string", "required": True},
    "count": {"type": "integer", "default": 3},
    "ratio": {"type": "number"},
    "deep": {
        "type": "object",
        "properties": {
            "flag": {"type": "boolean", "default": True},
            "mode": {"type": "string", "required": True, "enum": ["a", "b"]},
        },
    },
    "list": {"type": "array", "items": {"type": "object", "properties": {"n": {"type": "integer", "default": 1}}}},
    "any": {},
    "mixed": {"type": ["boolean", "string"]},
    "none": {"type": ["null", "integer"]},
}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"path": "p"}, {"path": "p", "count": 3}),
        ({"count": "7", "path": "7"}, {"path": "7", "count": 7}),
        ({"path": "p", "count": 2.0}, {"path": "p", "count": 2}),
        ({"path": "p", "ratio": "1e3"}, {"path": "p", "count": 3, "ratio": 1000.0}),
        ({"path": "p", "deep": '{"mode": "a"}'}, {"path": "p", "count": 3, "deep": {"flag": True, "mode": "a"}}),
        (
            {"path": "p", "deep": {"mode": "b", "flag": "false"}},
            {"path": "p", "count": 3, "deep": {"flag": False, "mode": "b"}},
        ),
        ({"path": "p", "list": '[{}, {"n": "2"}]'}, {"path": "p", "count": 3, "list": [{"n": 1}, {"n": 2}]}),
        ({"path": "p", "any": '{"a": 1}'}, {"path": "p", "count": 3, "any": '{"a": 1}'}),
        ({"path": "p", "mixed": "true"}, {"path": "p", "count": 3, "mixed": "true"}),
        ({"path": "p", "none": "null"}, {"path": "p", "count": 3, "none": None}),
        ({"path": "p", "ratio": None, "count": None}, {"path": "p", "count": 3}),
        ({"path": "null"}, {"path": "null", "count": 3}),
    ],
)
def test_what_is_taken(given: Any, expected: Any) -> None:
    """R82: text that is JSON of the declared type becomes that, defaults are filled in at every depth."""
    before = repr(given)
    found = checked_arguments(DECLARED, given)
    assert found == expected and repr(given) == before
    assert {key: type(value) for key, value in found.items()} == {key: type(expected[key]) for key in found}
    assert list(found) == [key for key in DECLARED if key in found]  # the declared order


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, ["`path` is required."]),
        ({"path": None}, ["`path` must be text, and is null."]),
        ({"path": 1}, ["`path` must be text, and is 1."]),
        ({"path": "p", "count": True}, ["`count` must be a whole number, and is true."]),
        ({"path": "p", "count": "x"}, ['`count` must be a whole number, and is the text "x".']),
        ({"path": "p", "count": "1.5"}, ["`count` must be a whole number"]),
        ({"path": "p", "count": "NaN"}, ["`count` must be a whole number"]),
        ({"path": "p", "ratio": "9" * 5000}, ["`ratio` must be a number"]),
        ({"path": "p", "deep": {"flag": 1}}, ["`deep.mode` is required.", "`deep.flag` must be true or false"]),
        ({"path": "p", "deep": {"mode": "c"}}, ['`deep.mode` must be one of "a", "b", and is the text "c".']),
        (
            {"path": "p", "list": [{"n": []}, {"m": 1}]},
            ["`list[0].n`", "`list[1].m` is not a parameter; known"],
        ),
        ({"path": "p", "list": "[" * 10_000}, ["`list` must be a list"]),
        ({"path": "p", "other\x1b[2J": 1}, ["`other\\x1b[2J` is not a parameter", "`path`, `count`"]),
        ({"path": "a" * (5 << 20)}, ["larger than 4 MB"]),
    ],
)
async def test_what_is_refused(given: Any, words: list[str], tmp_path: Path) -> None:
    with pytest.raises(BadArguments) as caught:
        checked_arguments(DECLARED, given)
    assert all(word in str(caught.value) for word in words), str(caught.value)
    assert str(caught.value).isprintable()
    spec = LocalSpec("t", "touch", ("ran",), parameters=DECLARED)
    outcome: Any = await once(spec, tmp_path, given)
    assert outcome.message == refusal("t", str(caught.value)) and not (tmp_path / "ran").exists()


async def test_m28_to_the_letter(tmp_path: Path) -> None:
    outcome: Any = await once(LocalSpec("my_tool", "true", parameters={"a": {"required": True}}), tmp_path)
    assert outcome.message == (
        "Invalid arguments: `a` is required.\n\n"
        'You can call `describe_tools(tools: ["my_tool"])` to learn more about how to use the tool correctly.'
    )


def test_many_problems_are_told_and_the_rest_is_counted() -> None:
    with pytest.raises(BadArguments, match="980 more problems were found"):
        checked_arguments({}, {f"k{number}": 1 for number in range(1000)})


async def test_a_default_is_the_tools_own_copy(tmp_path: Path) -> None:
    declared: Any = {"list": {"type": "array", "default": [{"a": 1}]}}
    found: Any = checked_arguments(declared, {})
    found["list"][0]["a"] = 2
    assert declared["list"]["default"] == [{"a": 1}]
    outcome = await once(LocalSpec("t", "false", parameters=declared), tmp_path)
    assert failure(outcome)["message"] == "Tool 't' execution failed."
