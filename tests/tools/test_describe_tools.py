"""`describe_tools` (R81, S40): what it serves, and what it says about the rest."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from jp_tui.conversation.outcomes import Failure, Success
from jp_tui.tools.documentation import Documented
from jp_tui.tools.port import ToolCall
from jp_tui.tools.registry import builtin

KNOWN = {
    "deploy": Documented(
        summary="Deploy it.",
        description="Deploys a version.\nCarefully.",
        examples="deploy 1.0",
        parameters={
            "version": {"type": "string", "required": True, "summary": "Which.", "description": "As tagged.\nExactly."},
            "steps": {
                "type": "array",
                "items": {"type": "object", "properties": {"n": {"type": "integer", "default": 1, "enum": [1, 2]}}},
            },
            "tags": {"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "object"}]}},
        },
    ),
    "plain": Documented(description="All of it was published.", parameters={"a": {"description": "A."}}),
    "inner": Documented(description="d", parameters={"a": {"properties": {"b": {"examples": ["x", 1]}}}}),
}


async def describe(**arguments: Any) -> Success | Failure:
    outcome = await builtin(KNOWN)["describe_tools"].run(ToolCall(arguments, Path("/")))
    assert isinstance(outcome, (Success, Failure))
    return outcome


async def test_sections_and_names_without_more() -> None:
    """R81: sections joined by a horizontal rule; names without extra documentation are listed."""
    found = await describe(tools=["deploy", "plain", "inner", "deploy", "gone"])
    assert isinstance(found, Success)
    deploy, inner, plain, gone = found.content.split("\n\n---\n\n")
    assert deploy == (
        "# deploy\n\nDeploy it.\n\nDeploys a version.\nCarefully.\n\n## Parameters\n\n"
        "- `version` (string, required)\n  Which.\n  As tagged.\n  Exactly.\n"
        "- `steps` (array of object)\n  - `n` (integer, default 1, one of 1, 2)\n"
        "- `tags` (array of string or object)\n\n"
        "## Examples\n\ndeploy 1.0"
    )
    assert inner.startswith("# inner") and 'For example: "x", 1' in inner
    assert plain == "No more documentation than you have already: plain."
    assert gone == "There is no tool with this name: gone. Tools are: deploy, plain, inner."


async def test_one_that_was_published_whole() -> None:
    """R80: without a summary the whole description was exposed."""
    found = await describe(tools=["plain"])
    assert found == Success("No more documentation than you have already: plain.")


@pytest.mark.parametrize(
    "arguments", [{}, {"tools": []}, {"tools": "deploy"}, {"tools": [1]}, {"tools": ["x"], "y": 1}]
)
async def test_what_is_refused(arguments: Any) -> None:
    found = await describe(**arguments)
    assert isinstance(found, Failure) and found.message.startswith("describe_tools: `")


async def test_nothing_known() -> None:
    found = await describe(tools=["x\x1b[31m"])
    assert isinstance(found, Failure) and found.message.isprintable()


def test_its_title_is_what_was_asked_for() -> None:
    tool = builtin()["describe_tools"]
    assert tool.title({"tools": ["a", 1, "b"]}) == "a, b"
    assert tool.title({"tools": "a"}) == "" and tool.source == "tool"
