"""Request to a reviewer: the limited snapshot, the question, and the form of the reply (inquiries.md R121-R129, R133,
R134; traps.md T30).

The conversation's tools may be listed but are never callable: a forced tool is the only one. Pure except for the random
source, an argument.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from jp_tui.conversation.model import Message, ModelRequest, TextPart, ToolSpec
from jp_tui.conversation.strict_json import JsonObject, dump
from jp_tui.conversation.text import shortened
from jp_tui.engine.base.dependencies import ModelSetup, ReviewQuestion
from jp_tui.engine.reviewer import context_budget as fitting
from jp_tui.engine.reviewer.prompt import Evidence, calls, evidence, prompt
from jp_tui.engine.reviewer.reply_schema import reply_schema, verdict_tool
from jp_tui.settings.layers.bounds import LEAST_REVIEW_TOKENS

LEAST, ENOUGH = LEAST_REVIEW_TOKENS, 8_192
"""Output tokens: the minimum, and the default with space for thoughts and a reason."""
QUOTED = 1_000
"""Characters of an invalid reply that are quoted in the repair request."""
AMEND = "That was no answer: {}. Call the tool `{}` once, with `reason` and then `answer`."


class ReviewTooLong(Exception):
    """The question can't be shown whole (R247); the message explains it."""


@dataclass(frozen=True, slots=True)
class ReviewRequest:
    """Shared parts of the requests of one inquiry. `alone`: without the conversation. `size` are the bytes of
    conversation and question, `saw` describes what is shown."""

    asked: ReviewQuestion
    model: ModelSetup
    tools: tuple[ToolSpec, ...]
    schema: JsonObject
    messages: tuple[Message, ...]
    alone: bool
    size: int
    saw: str

    def request(self, *, native: bool, wrong: str = "", said: str = "") -> ModelRequest:
        """Build a request. `native`: the server enforces the schema; else the reply comes by one forced tool. `wrong`
        is the problem of the reply it `said` before."""
        tool = verdict_tool(self.schema)
        model, messages = self.model, list(self.messages)
        if wrong:
            if said.strip():
                fitting.add(messages, Message("assistant", (TextPart(shortened(said.strip(), QUOTED)),)))
            fitting.add(messages, Message("user", (TextPart(AMEND.format(wrong, tool.name)),)))
        return ModelRequest(
            model=model.name,
            messages=tuple(messages),
            system=model.system,
            tools=self.tools if native else (tool,),  # not every server forces the right one of several tools
            tool_choice="none" if native else tool.name,
            max_tokens=output_tokens(model),
            temperature=0.0 if model.temperature is None else model.temperature,
            output=self.schema if native else None,
            cache=model.cache,
            cache_at=None if model.cache == "off" else len(self.messages) - 2,
            effort=model.effort,
            inquiry=f"{self.asked.tool}.{self.asked.question.id}",
            extra=model.extra,
        )


def make_case(
    asked: ReviewQuestion, model: ModelSetup, *, lists: bool, room: int | None, draw: Callable[[], str]
) -> ReviewRequest:
    """Build the inquiry's requests. `lists`: include the conversation's tools. `room`: bytes for conversation and
    question that the server is known to accept. Raises ReviewTooLong."""
    same = model.id == asked.model.id and model.system == asked.model.system
    model = replace(model, system=asked.briefing.reviewed(model.system, same=same))
    tools = asked.tools if lists else ()
    schema = reply_schema(asked.question.answer_type)
    told = fitting.readable(asked.told, thoughts=model.id == asked.model.id)
    call = calls(told, asked)
    shown, whole = evidence(asked), evidence(asked, call)
    text = prompt(asked, shown, draw)
    question, least = _size(text, schema), _size(prompt(asked, whole, draw), schema)
    limit = _limit(model, tools, whole, least)
    if room is not None:
        limit = max(room, least) if limit is None else min(limit, max(room, least))
    fitted = fitting.fit(told, question, limit)
    if not fitted.messages and told:
        shown, text = whole, prompt(asked, whole, draw)
    messages = list(fitted.messages)
    fitting.add(messages, Message("user", (TextPart(text),)))
    return ReviewRequest(
        asked=asked,
        model=model,
        tools=tools,
        schema=schema,
        messages=tuple(messages),
        alone=not fitted.messages,
        size=fitting.measure(messages) + fitting.size(dump(schema)),
        saw=_saw(asked, shown, told, fitted),
    )


def output_tokens(model: ModelSetup) -> int | None:
    """Return the output limit; None leaves it to the server, if the model's own parameters may have one."""
    if model.max_tokens is not None:
        return max(LEAST, model.max_tokens)
    if model.extra:
        return None
    return ENOUGH if model.window is None else min(ENOUGH, max(LEAST, model.window // 8))


def _size(text: str, schema: JsonObject) -> int:
    return fitting.size(text, dump(schema))


def _limit(model: ModelSetup, tools: tuple[ToolSpec, ...], whole: Evidence, least: int) -> int | None:
    """Return the bytes for conversation and question, None if unknown. Raises ReviewTooLong if the question exceeds
    it."""
    if model.window is None:
        if whole.size > fitting.MOST:
            raise ReviewTooLong(
                f"what it was to see has {whole.size:,} characters, and more than {fitting.MOST:,} are shown to no "
                "model whose context window is not known"
            )
        return None
    fixed = fitting.size(model.system) + fitting.listed(tools)
    limit = fitting.budget(model.window, output_tokens(model) or LEAST, fixed)
    if least > limit:
        raise ReviewTooLong(
            f"what it was to see does not fit whole: about {least // fitting.TOKEN:,} tokens, and its context window "
            f"of {model.window:,} has room for {limit // fitting.TOKEN:,}"
        )
    return limit


def _saw(asked: ReviewQuestion, shown: Evidence, told: tuple[Message, ...], fitted: fitting.Fitted) -> str:
    """Describe what the reviewer sees: the reviewed data, and how much of the conversation."""
    question = asked.question
    changes = bool(question.parts or question.targets)
    what = "the whole change" if changes else "the whole context" if question.context else "the question"
    size = shown.bytes
    what += f", {_bytes(size)}" if size else ""
    before = len(told) - (1 if told and told[-1].role == "user" else 0)  # the last message contains the question
    kept = max(0, before - fitted.left_out)
    if before <= 0:
        return what
    if not kept:
        return f"{what}, and none of the {_messages(before)} before it"
    older = f" ({fitted.left_out:,} older left out)" if fitted.left_out else ""
    return f"{what}, and {_messages(kept)} before it{older}"


def _messages(count: int) -> str:
    return f"{count:,} message{'s' if count != 1 else ''}"


def _bytes(count: int) -> str:
    if count < 1_000:
        return f"{count} bytes"
    return f"{count / 1_000:.1f} KB" if count < 1_000_000 else f"{count / 1_000_000:.1f} MB"
