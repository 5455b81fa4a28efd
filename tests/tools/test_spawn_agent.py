"""`spawn_agent` by itself (surface.md S40): what it reads, what it hands over, and what it refuses to begin."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from jp_tui.conversation.outcomes import Failure, Success
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.tools.port import Outcome, Spawn, ToolCall, spawns
from jp_tui.tools.registry import builtin

TOOL = builtin()["spawn_agent"]


def run(arguments: JsonObject, result: Success | Failure | None = None) -> tuple[Outcome, list[Spawn]]:
    """One call, and what it handed over; without a result there is nobody to hand it to."""
    wanted: list[Spawn] = []

    async def spawn(one: Spawn) -> Success | Failure:
        wanted.append(one)
        assert result is not None
        return result

    call = ToolCall(arguments, Path("/"), spawn=spawn if result is not None else None)
    return asyncio.run(TOOL.run(call)), wanted


@pytest.mark.parametrize("came", [Success("found it"), Failure("it broke")])
def test_the_task_is_handed_over_and_what_came_of_it_is_the_result(came: Success | Failure) -> None:
    outcome, wanted = run({"task": " look\nthere ", "name": " scout ", "model": "a/b", "tools": ["x", "y", "x"]}, came)
    assert outcome == came
    assert wanted == [Spawn(" look\nthere ", "scout", "a/b", ("x", "y"))], "a task is foreign text, taken as it is"


def test_no_list_means_all_tools_and_an_empty_one_none() -> None:
    assert run({"task": "t"}, Success(""))[1] == [Spawn("t", tools=None)]
    assert run({"task": "t", "tools": None}, Success(""))[1] == [Spawn("t", tools=None)]
    assert run({"task": "t", "tools": []}, Success(""))[1] == [Spawn("t", tools=())]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "`task` is required"),
        ({"task": 7}, "`task` must be text"),
        ({"task": ""}, "`task` must not be empty"),
        ({"task": " \n"}, "`task` must say what to do"),
        ({"task": "t", "name": "a\nb"}, "`name` must be one line"),
        ({"task": "t", "name": "n" * 61}, "`name` must be one line"),
        ({"task": "t", "model": 3}, "`model` must be text"),
        ({"task": "t", "tools": "all"}, "`tools` must be a list of texts"),
        ({"task": "t", "tools": [""]}, "`tools` must be a list of texts"),
        ({"task": "t", "wait": True}, "`wait` is not an argument"),
    ],
)
def test_wrong_arguments_start_nothing(arguments: JsonObject, said: str) -> None:
    outcome, wanted = run(arguments, Success("never"))
    assert isinstance(outcome, Failure) and said in outcome.message
    assert wanted == []


def test_where_nothing_can_be_started_it_says_so() -> None:
    """R224: one level deep."""
    outcome, _ = run({"task": "t"})
    assert isinstance(outcome, Failure) and "sub-agents do not start others" in outcome.message


def test_it_says_of_itself_that_it_starts_sub_agents_and_what_for() -> None:
    """So that nobody has to know its name."""
    assert [name for name, tool in builtin().items() if spawns(tool)] == ["spawn_agent"]
    assert TOOL.title({"task": "\n look there\nand here", "name": ""}) == "look there"
    assert TOOL.title({"task": "look", "name": "scout"}) == "scout"
    assert TOOL.title({"task": 7}) == "" and len(TOOL.title({"task": "x" * 999})) == 200
