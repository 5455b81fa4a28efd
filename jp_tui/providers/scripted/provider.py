"""Scripted model with the same interface as any other, so that the tour and rehearsals are real (surface.md S22).

Its reply depends on the request alone; it stores nothing between requests. An unknown prompt gets the script's
fallback, and an unmet expectation is an error.
"""

from __future__ import annotations

import os
import re
from asyncio import sleep
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

from jp_tui.conversation.model import (
    Call,
    Delta,
    Finished,
    Message,
    ModelError,
    ModelRequest,
    PartEnded,
    PartGrew,
    PartOpened,
    Picture,
    ReasoningPart,
    Result,
    StopReason,
    TextPart,
    Usage,
)
from jp_tui.conversation.strict_json import Json, JsonProblem, dump, parse, same
from jp_tui.providers.catalogue import ListedModel
from jp_tui.providers.scripted.people import ScriptedPerson
from jp_tui.providers.scripted.script import Expect, Script, Scripted, ScriptWalk, read_script
from jp_tui.providers.scripted.verdicts import asks_verdict, choose_verdict, replied
from jp_tui.settings.data import DEMO

MAX_WORDS = 6  # a longer text isn't a menu choice, even with a keyword in it
TICK = 0.02  # seconds between two pieces while streaming; smooth to the eye
SUMMARY = "conversation.summary"  # that of a request for a summary (context.md K24)
SUMMARISED = "Goal: the scripted conversation goes on. State: a script says what comes next; nothing else is known."
SAMPLING = "mcp.sampling"  # that of a request for an MCP server (mcp.md P46)
SAMPLED = "This is the scripted reply to an MCP server."
TITLE = "title"  # the `inquiry` of a request for a title
CHARS_PER_TOKEN = 3  # an estimate, as in inquiries.md R133: no tokenizer is involved


def open_provider(model: str) -> DemoProvider:
    """Open the built-in `tour` or the script PATH.toml (surface S20, S22). Raises ScriptProblem with file and line."""
    path = Path(DEMO, "tour.toml") if model == "tour" else Path(os.path.abspath(os.path.expanduser(model)))
    return DemoProvider(read_script(path))


class DemoProvider:
    """Model that plays a script."""

    def __init__(self, script: Script) -> None:
        self._script = script

    @property
    def greeting(self) -> str | None:
        return self._script.greeting

    @property
    def sample(self) -> Path | None:
        return self._script.sample

    @property
    def titles(self) -> bool:
        """True if it can generate a title."""
        return bool(self._script.title)

    def reviews(self, messages: tuple[Message, ...]) -> frozenset[str]:
        """Return the tool questions that its own verdicts answer now, unless a reviewer is configured."""
        walk = find_walk(self._script, _last_user(messages)[0])
        return frozenset(walk.reviewer if walk else ())

    def people(self, messages: tuple[Message, ...]) -> tuple[ScriptedPerson, ...]:
        """Return the people who answer questions of the current walk."""
        walk = find_walk(self._script, _last_user(messages)[0])
        return walk.people if walk else ()

    async def stream(self, request: ModelRequest) -> AsyncIterator[Delta]:
        """Implement the port. Raises ModelError if no turn or verdict of the script fits."""
        rate, said = self._script.rate, 0
        calls = sum(isinstance(part, Call) for message in request.messages for part in message.parts)
        if request.inquiry == TITLE:
            deltas = _deltas(Scripted(1, text=self._script.title), {}, 0)
        elif request.inquiry == SUMMARY:
            deltas = _deltas(Scripted(1, text=SUMMARISED), {}, 0)
        elif request.inquiry == SAMPLING:
            deltas = _deltas(Scripted(1, text=SAMPLED), {}, 0)
        elif asks_verdict(request):
            verdict = choose_verdict(self._script.path, self._script.verdicts, request)
            deltas = replied(verdict, request, f"demo_{calls + 1}")
            rate = rate if verdict.rate is None else verdict.rate
            await sleep(verdict.wait)
        else:
            turn = choose(self._script, request.messages)
            deltas = _deltas(turn, _values(request.messages), calls + 1)
        ends: StopReason = "end"
        for delta in deltas:
            if isinstance(delta, PartOpened) and delta.kind == "tool":
                ends = "tools"
            if not isinstance(delta, PartGrew):
                yield delta
                continue
            said += len(delta.text)
            for piece in _pieces(delta.text, rate):
                if rate:
                    await sleep(len(piece) / rate)
                yield PartGrew(delta.index, piece)
        if not rate:
            await sleep(0)  # other tasks run even if the turn is instant
        yield Finished(ends, Usage(input=_tokens(_length(request)), output=_tokens(said)))

    async def models(self) -> tuple[ListedModel, ...]:
        """Return the tour; scripts are selected by path."""
        return (ListedModel("tour"),)

    async def close(self) -> None:
        """Nothing to close."""


def choose(script: Script, messages: tuple[Message, ...]) -> Scripted:
    """Return the next turn. In walks, steps count from the last user text, else from the start."""
    user, at = _last_user(messages)
    if script.walks:
        walk = find_walk(script, user)
        turns, spoken = (walk.turns, _replies(messages[at:])) if walk else ((), 0)
    else:
        turns, spoken = script.turns, _replies(messages)
    candidates = [turn for turn in turns if turn.step == spoken + 1]
    for turn in candidates:
        if turn.expect is None or _fits(turn.expect, user, messages):
            return turn
    if candidates:
        raise ModelError(
            "other",
            f"The script {script.path.name} expected something else before its turn {spoken + 1}.",
            "Compare `expect` in the script with what was said and with what the tools returned.",
        )
    if script.fallback:
        return Scripted(1, text=script.fallback)
    raise ModelError(
        "other",
        f"The script {script.path.name} has no turn {spoken + 1}.",
        "Add a turn to the script, or a `fallback` text.",
    )


def find_walk(script: Script, text: str) -> ScriptWalk | None:
    """Find a walk by number, by name, or by a keyword in a short text, ignoring case and punctuation."""
    words = re.findall(r"\w+", text.casefold())
    plain = " ".join(words)
    number = re.fullmatch(r"(?:(?:walk|number|option|no) )?(\d{1,4})", plain)
    for walk in script.walks:
        if (number and int(number[1]) == walk.number) or plain == walk.name.casefold():
            return walk
    if len(words) <= MAX_WORDS:
        for walk in script.walks:
            if any(f" {word.casefold()} " in f" {plain} " for word in (walk.name, *walk.words)):
                return walk
    return None


def _last_user(messages: tuple[Message, ...]) -> tuple[str, int]:
    """Return the last user text and the number of the message after it."""
    for at in range(len(messages) - 1, -1, -1):
        said = [part.text for part in messages[at].parts if isinstance(part, TextPart)]
        if messages[at].role == "user" and said:
            return said[-1], at + 1
    return "", 0


def _replies(messages: tuple[Message, ...]) -> int:
    """Count the responses so far; neighbouring assistant messages are one."""
    roles = [message.role for message in messages]
    return sum(role == "assistant" and roles[at - 1 : at] != ["assistant"] for at, role in enumerate(roles))


def _results(messages: tuple[Message, ...]) -> list[Result]:
    """Return the tool results after the last response."""
    found: list[Result] = []
    for message in reversed(messages):
        if message.role == "assistant":
            break
        found[:0] = [part for part in message.parts if isinstance(part, Result)]
    return found


def _answer(result: Result) -> tuple[Json] | None:
    try:
        body = parse(result.content)
    except JsonProblem:
        return None
    return (body["answer"],) if isinstance(body, dict) and "answer" in body else None


def _fits(expect: Expect, user: str, messages: tuple[Message, ...]) -> bool:
    if expect.user is not None and expect.user.casefold() not in user.casefold():
        return False
    if expect.tool is None and expect.result is None and expect.is_error is None and not expect.has_answer:
        return True
    return any(_result_fits(expect, result) for result in _results(messages))


def _result_fits(expect: Expect, result: Result) -> bool:
    if expect.has_answer:
        answer = _answer(result)
        if answer is None or not same(answer[0], expect.answer):
            return False
    return (
        (expect.tool is None or result.name == expect.tool)
        and (expect.is_error is None or result.is_error == expect.is_error)
        and (expect.result is None or expect.result.casefold() in result.content.casefold())
    )


def _values(messages: tuple[Message, ...]) -> dict[str, str]:
    """Return the values of `{user}` and `{answer}` in a script's text."""
    found = {"user": _last_user(messages)[0]}
    for result in _results(messages):
        if (answer := _answer(result)) is not None:
            found["answer"] = answer[0] if isinstance(answer[0], str) else dump(answer[0])
    return found


def _deltas(turn: Scripted, values: dict[str, str], first_call: int) -> Iterator[Delta]:
    index = 0
    parts: list[ReasoningPart | TextPart] = [ReasoningPart(turn.reasoning)] if turn.reasoning else []
    parts += [TextPart(turn.text)] if turn.text else []
    for part in parts:
        yield PartOpened(index, "reasoning" if isinstance(part, ReasoningPart) else "message")
        yield PartGrew(index, re.sub(r"\{(user|answer)\}", lambda at: values.get(at[1], at[0]), part.text.strip()))
        yield PartEnded(index)
        index += 1
    for at, (name, arguments) in enumerate(turn.calls):
        yield PartOpened(index, "tool", f"demo_{first_call + at}", name)
        yield PartGrew(index, dump(arguments))
        yield PartEnded(index, arguments=arguments)
        index += 1


def _pieces(text: str, rate: float) -> list[str]:
    """Split into pieces of about one tick each, after spaces if one is near."""
    if not rate:
        return [text]
    size = max(1, int(rate * TICK))
    return re.findall(rf"(?s).{{1,{size}}}(?:\S{{0,{size}}}\s)?", text)


def _tokens(characters: int) -> int:
    return -(-characters // CHARS_PER_TOKEN)


def _length(request: ModelRequest) -> int:
    found = len(request.system)
    for message in request.messages:
        for part in message.parts:
            match part:
                case TextPart(text) | ReasoningPart(text):
                    found += len(text)
                case Call(arguments=arguments):
                    found += len(dump(arguments))
                case Result(content=content):
                    found += len(content)
                case Picture():
                    pass  # no script refers to an image
    return found
