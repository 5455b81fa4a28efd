"""Prompts for the tests of faces without a screen, and a human who types into `Lines`."""

from __future__ import annotations

import io
from typing import Any

from jp_tui.conversation.text import Foreign
from jp_tui.headless.forms.lines import Lines
from jp_tui.headless.forms.steps import Response
from jp_tui.protocol.values import Control, PromptRequest
from jp_tui.questions.types import AnswerType, BooleanAnswer, Question

NOTHING = object()
CONTROLS: frozenset[Control] = frozenset({"remember", "reply", "cancel", "end_turn", "edit"})


def prompt(
    answer: AnswerType, /, *, default: Any = NOTHING, text: str = "Which?", context: str | None = None, **more: Any
) -> PromptRequest:
    """A question of the tool `paint`."""
    given = {} if default is NOTHING else {"default": default, "has_default": True}
    question = Question("q", text, answer, context=context, **given)
    fields: dict[str, Any] = {
        "conversation": "c1",
        "inquiry": "k.q.1",
        "call": "k",
        "tool": "paint",
        "turn": 1,
        "digest": "d",
        "source": "tool",
        "question": question,
        "controls": CONTROLS,
        "remember_covers": "every q",
    }
    return PromptRequest(**{**fields, **more})


def permission(**more: Any) -> PromptRequest:
    """Leave to run a call of `paint`."""
    fields: dict[str, Any] = {
        "kind": "permission",
        "arguments": Foreign('{\n  "path": "a.txt"\n}'),
        "tool_kind": "local",
        "human_only": True,
        "controls": frozenset({"remember", "edit", "end_turn"}),
    }
    return prompt(BooleanAnswer(), text="", **{**fields, **more})


def delivery(**more: Any) -> PromptRequest:
    """Leave to deliver a result of `paint`."""
    fields: dict[str, Any] = {
        "kind": "delivery",
        "result": Foreign("one\ntwo"),
        "human_only": True,
        "controls": frozenset({"edit", "cancel", "end_turn"}),
    }
    return prompt(BooleanAnswer(), text="", **{**fields, **more})


def ask(asked: PromptRequest, *typed: str) -> tuple[Response | None, str]:
    """What the lines mean and what was shown; None at the end of input. All of them must have been read."""
    out, given = io.StringIO(), list(typed)
    lines = Lines(out, lambda: given.pop(0) if given else None)
    lines.show(asked)
    said = None
    while said is None and not lines.source.over:
        lines.source.fill()
        said = lines.take()
    assert not given, f"not everything was read: {given}, after {out.getvalue()}"
    return said, out.getvalue()
