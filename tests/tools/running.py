"""Local tools as tests write them: a script beside the workspace, run as it is, questions answered on the way."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from jp_tui.conversation.outcomes import Failure, Success
from jp_tui.conversation.strict_json import Json, JsonObject, parse_object
from jp_tui.questions.types import GivenAnswer, Question
from jp_tui.questions.wire import digest
from jp_tui.tools.local.spec import LocalSpec
from jp_tui.tools.port import NeedsInput, Outcome, Tool, ToolCall
from jp_tui.tools.registry import local


def python(code: str, **named: Any) -> LocalSpec:
    """A tool that is this program."""
    return LocalSpec("t", sys.executable, ("-I", "-c", code), **named)


def shell(script: str, **named: Any) -> LocalSpec:
    """A tool that is this script, as a file's content would be: nothing in it is a template."""
    return LocalSpec("t", "/bin/sh", ("-c", f"{{% raw %}}{script}{{% endraw %}}"), **named)


def prints(text: str) -> LocalSpec:
    """A tool that prints this, byte for byte."""
    return LocalSpec("t", "cat", stdin=f"{{% raw %}}{text}{{% endraw %}}")


async def once(spec: LocalSpec, root: Path, arguments: JsonObject | None = None, **named: Any) -> Outcome:
    return await local(spec).run(ToolCall(arguments or {}, root, **named))


def failure(outcome: Outcome) -> JsonObject:
    """The error JSON of M29."""
    assert isinstance(outcome, Failure)
    return parse_object(outcome.message)


def content(outcome: Outcome) -> str:
    assert isinstance(outcome, Success), outcome
    return outcome.content


async def to_the_end(
    tool: Tool,
    root: Path,
    arguments: JsonObject,
    answers: Mapping[str, Json | Callable[[Question], Json]],
    options: JsonObject | None = None,
) -> tuple[Success | Failure, list[Question]]:
    """Run until it does not ask any more (R97); a function is called while its question is open."""
    given: dict[str, GivenAnswer] = {}
    asked: list[Question] = []
    while True:
        outcome = await tool.run(ToolCall(arguments, root, answers=given, options=options or {}))
        if not isinstance(outcome, NeedsInput):
            return outcome, asked
        question = outcome.question
        asked.append(question)
        assert len(asked) < 20, "it never stops asking"
        answer = answers[question.id]
        given[question.id] = GivenAnswer(answer(question) if callable(answer) else answer, digest(question))
