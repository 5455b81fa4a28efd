"""Replies of a script as a reviewer (surface.md S22): by question id, for both request methods.

They depend on the request alone. If no verdict fits, the result is an error, never an approval.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from jp_tui.conversation.model import (
    Call,
    CallRefused,
    Delta,
    Message,
    ModelError,
    ModelRequest,
    PartEnded,
    PartGrew,
    PartOpened,
    TextPart,
)
from jp_tui.conversation.strict_json import Json, JsonObject, JsonProblem, dump, parse_object
from jp_tui.providers.scripted.reader import ScriptTable

ANY = "*"
MAX_WAIT = 600.0


@dataclass(frozen=True, slots=True)
class ScriptedVerdict:
    """Reviewer's reply to the question `question` (`*`: any), of the tool `tool` if set, at its `nth` call in the turn
    if set (from 1), if `expect` occurs in the request (ignoring case).

    `reply` is the JSON reply, `raw` is sent instead of JSON, whatever it is; `prose` is sent first as text without a
    verdict, so that only the repair request gets the reply. `error` fails the request. `wait` in seconds, `rate` in
    characters per second.
    """

    question: str
    tool: str = ""
    nth: int = 0
    expect: str = ""
    reasoning: str = ""
    reply: JsonObject | None = None
    raw: str | None = None
    prose: str = ""
    error: str = ""
    wait: float = 0.0
    rate: float | None = None


# --- reading --------------------------------------------------------------------------------------------------


def read_verdicts(at: ScriptTable) -> tuple[ScriptedVerdict, ...]:
    """Read the tables `[[verdicts]]`. Raises ScriptProblem."""
    tables = enumerate(at.tables("verdicts"))
    return tuple(_read(ScriptTable(at.path, at.source, table, "verdicts", number)) for number, table in tables)


def _read(at: ScriptTable) -> ScriptedVerdict:
    question, nth = at.text("question"), at.take("nth", int, 0)
    if not question.strip():
        raise at.problem("question", "is missing: the id of a question, or *")
    if nth < 0 or ("nth" in at.table and nth == 0):
        raise at.problem("nth", "counts calls from 1")
    found = ScriptedVerdict(
        question,
        tool=at.text("tool"),
        nth=nth,
        expect=at.text("expect"),
        reasoning=at.text("reasoning"),
        reply=_reply(at),
        raw=at.text("raw") if "raw" in at.table else None,
        prose=at.text("prose"),
        error=at.text("error"),
        wait=at.number("wait", MAX_WAIT) or 0.0,
        rate=at.number("rate"),
    )
    at.done()
    ways = [found.reply is not None or bool(found.prose), found.raw is not None, bool(found.error)]
    if sum(ways) != 1:
        raise at.problem("", "a verdict needs `answer` (with a `reason`), `prose`, `raw` or `error`, and one of them")
    return found


def _reply(at: ScriptTable) -> JsonObject | None:
    """Build the reply with the reason first (R124)."""
    at.seen.update(("reason", "answer"))
    given = {key: cast(Json, at.table[key]) for key in ("reason", "answer") if key in at.table}
    if not given:
        return None
    if not isinstance(given.get("reason", ""), str):
        raise at.problem("reason", "must be text")
    if "answer" not in given:
        raise at.problem("reason", "stands without an `answer`")
    try:
        return parse_object(dump(given))
    except (JsonProblem, TypeError, ValueError):
        raise at.problem("answer", "is not JSON") from None


# --- replying -------------------------------------------------------------------------------------------------


def asks_verdict(request: ModelRequest) -> bool:
    """True if the request asks a reviewer, by a reply schema or a forced tool."""
    return bool(request.inquiry) and (request.output is not None or _forced(request))


def choose_verdict(script: Path, verdicts: Sequence[ScriptedVerdict], request: ModelRequest) -> ScriptedVerdict:
    """Return the first verdict that fits. Raises ModelError if none does, and for one that is an error."""
    tool, _, question = request.inquiry.partition(".")
    asked = _asked(request.messages)
    nth = _calls(request.messages, tool)
    for verdict in verdicts:
        if (
            verdict.question in (question, ANY)
            and verdict.tool in (tool, "")
            and verdict.nth in (nth, 0)
            and verdict.expect.casefold() in asked.casefold()
        ):
            if verdict.error:
                raise ModelError("other", verdict.error, "The script wants it so.")
            return verdict
    raise ModelError(
        "other",
        f"The script {script.name} has no verdict on {question} of {tool} (call {nth} in this turn).",
        f'Add a table [[verdicts]] with question = "{question}" to the script.',
    )


def replied(verdict: ScriptedVerdict, request: ModelRequest, call: str) -> Iterator[Delta]:
    """Yield the response; `call` is the id of the verdict's call if one is forced."""
    index = 0
    if verdict.reasoning:
        yield from (PartOpened(0, "reasoning"), PartGrew(0, verdict.reasoning.strip()), PartEnded(0))
        index = 1
    prose = bool(verdict.prose) and (verdict.reply is None or not _repair(request.messages))
    said = verdict.prose.strip() if prose else verdict.raw if verdict.raw is not None else dump(verdict.reply)
    if prose or not _forced(request):
        yield PartOpened(index, "message")
        if said:
            yield PartGrew(index, said)
        yield PartEnded(index)
        return
    yield PartOpened(index, "tool", call, request.tool_choice)
    if said:
        yield PartGrew(index, said)
    try:
        yield PartEnded(index, arguments=parse_object(said))
    except JsonProblem as problem:
        words = f"the arguments are not one JSON object: {problem.message}"
        yield CallRefused(index, call, request.tool_choice, said, words, misread=True)


def _forced(request: ModelRequest) -> bool:
    return request.tool_choice not in ("auto", "none", "required")


def _texts(message: Message) -> list[str]:
    return [part.text for part in message.parts if isinstance(part, TextPart)]


def _repair(messages: tuple[Message, ...]) -> bool:
    """True for a repair request: the former reply is between two messages and made no call."""
    if len(messages) < 3:
        return False
    before, mine, now = messages[-3:]
    calls = any(isinstance(part, Call) for part in mine.parts)
    return bool(mine.role == "assistant" and not calls and _texts(before) and _texts(now) and now.role == "user")


def _asked(messages: tuple[Message, ...]) -> str:
    """Return the original question."""
    at = -3 if _repair(messages) else -1
    said = _texts(messages[at]) if messages else []
    return said[-1] if said else ""


def _calls(messages: tuple[Message, ...], tool: str) -> int:
    """Count the calls of the tool since the last user message, at least the reviewed one."""
    count = 0
    for message in reversed(messages[: -3 if _repair(messages) else -1]):
        if message.role == "user" and _texts(message):
            break
        count += sum(isinstance(part, Call) and part.name == tool for part in message.parts)
    return max(1, count)
