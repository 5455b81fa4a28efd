"""The recorded hostile arguments of ask_user, each case a test with its id, checked by the real checker of schemas.

Where a case and the law differ, the law holds: V17 refuses the dot of ASK-032, which its own words allow too.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from jp_tui.conversation.outcomes import Failure, Success
from jp_tui.conversation.strict_json import JsonObject, dump, parse_object
from jp_tui.conversation.strict_json_faults import look
from jp_tui.engine.schema_check.process import SchemaChecker
from jp_tui.questions.types import GivenAnswer, SchemaAnswer
from jp_tui.tools.port import Corrects, NeedsInput, Outcome, ToolCall
from jp_tui.tools.registry import builtin
from tests.hostile.recorded import ours

NUMBERS = [
    3, 9, 10, 11, 17, 18, 20, 24, 29, 31, 32, 33, 34, 38, 40, 42, 44, 49, 51, 52, 53, 56,
    61, 62, 63, 65, 66, 69, 73, 76, 78, 81, 86, 88, 90, 91, 96, 99, 100, 102, 105, 106, 109, 111, 120,
]  # fmt: skip
CASES = [f"ASK-{number:03}" for number in NUMBERS]
AT_THE_GATE = {
    "ASK-009": "appears twice",
    "ASK-105": "too large a number",
    "ASK-106": "too large a number",
    "ASK-109": "digits",
}
"""What the gate of T17 refuses (V19): the call does not run, and the model is told by the tool."""
LAW = {"ASK-032": "rejected_args"}
VALUES: dict[str, Any] = {"boolean": True, "text": "x", "select": None, "schema": 1e5}


@pytest.fixture
async def schemas() -> AsyncIterator[SchemaChecker]:
    made = SchemaChecker()
    yield made
    await made.close()


def _made(template: Any) -> Any:
    """A template with its repetitions written out."""
    if isinstance(template, dict) and "$repeat" in template:
        one, count = template["$repeat"], template["n"]
        return [{**one, "id": f"{one['id']}{n}"} if template.get("unique_ids") else one for n in range(count)]
    if isinstance(template, dict) and "$gen" in template:
        return [template["$gen"].replace("{i}", str(n)) for n in range(template["n"])]
    if isinstance(template, dict):
        return {key: _made(value) for key, value in template.items()}
    return [_made(one) for one in template] if isinstance(template, list) else template


def _source(payload: dict[str, Any]) -> str:
    """What came from the model, as JSON text."""
    if "raw_json" in payload:
        return str(payload["raw_json"])
    return json.dumps(payload["json"] if "json" in payload else _made(payload["template"]))


def test_no_case_is_left_out() -> None:
    assert list(ours("ask_user")) == CASES


@pytest.mark.parametrize("id", CASES)
async def test_each_case(id: str, schemas: SchemaChecker, tmp_path: Path) -> None:
    """R164: one structured error with its place, before anything is asked; or the question exactly as it was sent."""
    case = ours("ask_user")[id]
    outcome = LAW.get(case["id"], case["expect"]["outcome"])
    tool, read = builtin()["ask_user"], look(_source(case["payload"]))
    assert bool(read.faults) == (case["id"] in AT_THE_GATE)
    if read.faults:
        assert isinstance(tool, Corrects)
        found: Outcome = Failure(tool.misread("ask_user", read) or "")
        assert outcome == "rejected_args" and AT_THE_GATE[case["id"]] in str(found)
    else:
        arguments = parse_object(_source(case["payload"]))
        found = await tool.run(ToolCall(arguments, tmp_path, usable=schemas.usable))
    if outcome == "rejected_args":
        assert isinstance(found, Failure)
        told = json.loads(found.message)
        assert told["error"] == "invalid_arguments" and len(told["problems"]) >= 1
        assert "Traceback" not in found.message
        wanted = case["expect"].get("pointer")
        assert wanted is None or wanted in [one["path"] for one in told["problems"]]
        return
    assert isinstance(found, NeedsInput)
    await _round_trip(arguments, found, tmp_path)


async def _round_trip(arguments: JsonObject, found: NeedsInput, root: Path) -> None:
    """What is asked is what was sent, and the answer comes back under exactly its id."""
    listed: Any = arguments["questions"]
    sent, asked = listed[0], found.question
    assert (asked.id, asked.text, asked.exclusive, asked.persistence) == (sent["id"], sent["text"], True, "none")
    assert (asked.has_default, asked.default) == (sent.get("default") is not None, sent.get("default"))
    value = sent["options"][-1] if "options" in sent else VALUES[asked.answer_type.type]
    if isinstance(asked.answer_type, SchemaAnswer):
        assert asked.answer_type.schema == sent["schema"]
    done = await builtin()["ask_user"].run(ToolCall(arguments, root, answers={asked.id: GivenAnswer(value, "")}))
    assert isinstance(done, Success)
    assert parse_object(done.content) == {asked.id: value}
    assert dump(parse_object(done.content)) == dump({asked.id: value})
