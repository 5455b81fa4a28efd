"""ask_user's flat and choices shapes as the coordinator runs it: stateless, the assistant's own, for a human only
(R157-R168, R179, R226, R227)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from jp_tui.conversation.outcomes import Failure, Success
from jp_tui.questions.types import BooleanAnswer, Option, SelectAnswer, TextAnswer
from jp_tui.questions.wire import digest
from jp_tui.tools.port import FormLeft, GivenAnswer, NeedsInput, Outcome, ToolCall
from jp_tui.tools.registry import builtin

HERE = Path()


async def run(arguments: dict[str, Any], **rest: Any) -> Outcome:
    return await builtin()["ask_user"].run(ToolCall(arguments, HERE, **rest))


async def test_the_first_run_asks_the_one_question() -> None:
    """R166, R167: id `answer`; R158: exclusive, never remembered; source assistant (R18)."""
    found = await run({"question": "Go on?", "context": "a\nb", "answer_type": "boolean", "default": False})
    assert isinstance(found, NeedsInput)
    asked = found.question
    assert (asked.id, asked.text, asked.context, asked.answer_type) == ("answer", "Go on?", "a\nb", BooleanAnswer())
    assert (asked.exclusive, asked.persistence, asked.floor) == (True, "none", False)
    assert (asked.default, asked.has_default) == (False, True)
    assert builtin()["ask_user"].source == "assistant"


@pytest.mark.parametrize(
    ("arguments", "value", "body"),
    [
        ({"question": "?", "answer_type": "boolean"}, False, '{"answer_type": "boolean", "answer": false}'),
        ({"question": "?"}, "", '{"answer_type": "text", "answer": ""}'),
        ({"question": "?"}, 'é"\n', '{"answer_type": "text", "answer": "é\\"\\n"}'),
        (
            {"question": "?", "answer_type": "select", "options": ["a", {"value": "b"}]},
            "b",
            '{"answer_type": "select", "answer": "b"}',
        ),
    ],
)
async def test_the_body_of_an_answer(arguments: dict[str, Any], value: Any, body: str) -> None:
    """R167: this text, keys in this order."""
    assert await run(arguments, answers={"answer": GivenAnswer(value, "")}) == Success(body)


@pytest.mark.parametrize(
    ("kind", "value"), [("boolean", 1), ("boolean", "true"), ("text", None), ("select", "c"), ("select", 1)]
)
async def test_an_answer_that_does_not_fit_is_refused_again(kind: str, value: Any) -> None:
    """R168, M26."""
    arguments: dict[str, Any] = {"question": "?", "answer_type": kind}
    if kind == "select":
        arguments["options"] = ["a", "b"]
    found = await run(arguments, answers={"answer": GivenAnswer(value, "")})
    assert found == Failure("the accumulated answer does not match the requested answer type")


@pytest.mark.parametrize(
    ("text", "body"),
    [
        (None, {"cancelled": True, "answered": {}}),
        ("", {"cancelled": True, "answered": {}}),
        ("later", {"cancelled": True, "answered": {}, "reply": "later"}),
    ],
)
async def test_a_reply_cancels_with_words(text: str | None, body: dict[str, Any]) -> None:
    """R179, M43: a success, `answered` empty in the flat shape."""
    found = await run({"question": "?"}, replied=FormLeft(text))
    assert isinstance(found, Success)
    assert list(json.loads(found.content).items()) == list(body.items())
    assert found.content.startswith('{"cancelled": true, "answered": {}')


async def test_nothing_is_asked_when_a_rule_is_broken() -> None:
    """R164: validation happens before anything is asked, one sentence a problem (M25b)."""
    found = await run({"question": "a\nb", "answer_type": "select", "exclusive": False})
    assert isinstance(found, Failure)
    lines = found.message.splitlines()
    assert len(lines) == 3
    assert all(line.startswith("ask_user: ") for line in lines)


async def test_running_again_asks_the_same_question() -> None:
    """R97, R235: the same arguments, the same digest."""
    first, second = [await run({"question": "?", "context": "x"}) for _ in range(2)]
    assert isinstance(first, NeedsInput)
    assert isinstance(second, NeedsInput)
    assert digest(first.question) == digest(second.question)


def test_the_title_is_the_question() -> None:
    """R225: its first 60 characters, else the tool's name."""
    tool = builtin()["ask_user"]
    assert tool.title({"question": "x" * 70}) == "x" * 60
    assert tool.title({}) == tool.title({"question": 3}) == "ask_user"
    assert tool.title({"questions": [{"text": "y" * 70}, {"text": "z"}]}) == "y" * 60
    for odd in ([], "x", [3], [{"text": " "}], [{}], None):
        assert tool.title({"questions": odd}) == "ask_user"


@pytest.mark.parametrize(
    ("value", "body"),
    [
        ("b", '{"answer_type": "select", "answer": "b"}'),
        ("neither of them", '{"answer_type": "text", "answer": "neither of them"}'),
        ("", '{"answer_type": "text", "answer": ""}'),
        ("B", '{"answer_type": "text", "answer": "B"}'),
    ],
)
async def test_choices_and_other_words(value: str, body: str) -> None:
    """R226, R227: a choice that takes free text; the type in the body says which it was. R168 asks for text only."""
    arguments = {"question": "Which?", "choices": ["a", "b"]}
    found = await run(arguments)
    assert isinstance(found, NeedsInput)
    assert found.question.answer_type == SelectAnswer((Option("a"), Option("b")), allow_other=True)
    assert (found.question.id, found.form, found.question.exclusive) == ("answer", None, True)
    assert await run(arguments, answers={"answer": GivenAnswer(value, "")}) == Success(body)
    assert isinstance(await run(arguments, answers={"answer": GivenAnswer(3, "")}), Failure)


async def test_without_choices_it_is_text() -> None:
    """R161 (c)."""
    found = await run({"question": "Name?", "choices": []})
    assert isinstance(found, NeedsInput)
    assert found.question.answer_type == TextAnswer()
    body = '{"answer_type": "text", "answer": "x"}'
    assert await run({"question": "Name?", "choices": []}, answers={"answer": GivenAnswer("x", "")}) == Success(body)
    left = await run({"question": "Name?", "choices": ["a"]}, replied=FormLeft("no"))
    assert left == Success('{"cancelled": true, "answered": {}, "reply": "no"}')


async def test_one_question_is_never_reviewed() -> None:
    """E3: it shows no tabs and submits at once."""
    found = await run({"question": "?"}, answers={"answer": GivenAnswer("x", "")}, reviews=True)
    assert isinstance(found, Success)
