"""Scripts of the demo provider: TOML in, values out, every mistake with file and line (surface.md S22).

A script is either a list of `turns` or a list of `walks`, which the user selects by number, name or word; with them, or
alone, `verdicts` are its replies as a reviewer. Unknown keys are refused, because ignoring one would hide a mistake.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from jp_tui.conversation.strict_json import Json, JsonObject, JsonProblem, dump, parse_object
from jp_tui.providers.scripted.people import ScriptedPerson, read_people
from jp_tui.providers.scripted.reader import ScriptProblem as ScriptProblem
from jp_tui.providers.scripted.reader import ScriptTable, load
from jp_tui.providers.scripted.verdicts import ScriptedVerdict, read_verdicts


@dataclass(frozen=True, slots=True)
class Expect:
    """Conditions on the request; all given keys must match.

    `user` is contained in the last user text, `result` in a tool result of the last message (ignoring case), `tool` is
    the tool of that result, `answer` equals its JSON key `answer`.
    """

    user: str | None = None
    tool: str | None = None
    result: str | None = None
    is_error: bool | None = None
    answer: Json = None
    has_answer: bool = False


@dataclass(frozen=True, slots=True)
class Scripted:
    """One response: used as response number `step` (from 1), if `expect` matches."""

    step: int
    reasoning: str = ""
    text: str = ""
    calls: tuple[tuple[str, JsonObject], ...] = ()
    expect: Expect | None = None


@dataclass(frozen=True, slots=True)
class ScriptWalk:
    """List of turns that restarts each time the user selects it. `reviewer` names tool questions that the script's own
    verdicts answer in it, unless a reviewer is configured; `people` are others who answer questions of it."""

    name: str
    number: int | None
    words: tuple[str, ...]
    turns: tuple[Scripted, ...]
    reviewer: tuple[str, ...] = ()
    people: tuple[ScriptedPerson, ...] = ()


@dataclass(frozen=True, slots=True)
class Script:
    """`rate` in characters per second, 0 for instant; `sample` the folder that tools get copies of; `title` the title
    it gives a conversation, empty if it gives none."""

    path: Path
    greeting: str | None = None
    sample: Path | None = None
    rate: float = 0.0
    fallback: str = ""
    walks: tuple[ScriptWalk, ...] = ()
    turns: tuple[Scripted, ...] = ()
    verdicts: tuple[ScriptedVerdict, ...] = ()
    title: str = ""


def _expect(at: ScriptTable) -> Expect | None:
    table = at.take("expect", dict, {})
    if not table:
        return None
    inner = ScriptTable(at.path, at.source, table, at.header, at.nth)
    inner.seen.add("answer")
    found = Expect(
        user=inner.text("user") if "user" in table else None,
        tool=inner.text("tool") if "tool" in table else None,
        result=inner.text("result") if "result" in table else None,
        is_error=inner.take("is_error", bool, False) if "is_error" in table else None,
        answer=cast(Json, table.get("answer")),
        has_answer="answer" in table,
    )
    try:
        inner.done()
    except ScriptProblem as problem:
        raise at.problem("expect", f"has a key it does not know: {problem.message}") from None
    return found


def _calls(at: ScriptTable) -> tuple[tuple[str, JsonObject], ...]:
    found = []
    for table in at.tables("calls"):
        name, arguments = table.get("name"), table.get("arguments", {})
        if (
            not isinstance(name, str)
            or not name
            or not isinstance(arguments, dict)
            or set(table) - {"name", "arguments"}
        ):
            raise at.problem("calls", "must be tables of `name` (text) and `arguments` (a table)")
        try:
            found.append((name, parse_object(dump(arguments))))
        except (JsonProblem, TypeError, ValueError):
            raise at.problem("calls", f"has arguments of {name} that are not JSON") from None
    return tuple(found)


def _turns(at: ScriptTable, key: str, header: str, before: int) -> tuple[Scripted, ...]:
    found: list[Scripted] = []
    for index, table in enumerate(at.tables(key)):
        inner = ScriptTable(at.path, at.source, table, header, before + index)
        step = inner.take("step", int, found[-1].step + 1 if found else 1)
        if step < 1 or (found and not found[-1].step <= step <= found[-1].step + 1):
            raise inner.problem("step", "must be that of the turn before, or one more")
        turn = Scripted(step, inner.text("reasoning"), inner.text("text"), _calls(inner), _expect(inner))
        inner.done()
        if not turn.text and not turn.calls:
            raise inner.problem("", "a turn needs `text` or `calls`")
        found.append(turn)
    return tuple(found)


def _walks(at: ScriptTable) -> tuple[ScriptWalk, ...]:
    found: list[ScriptWalk] = []
    before = met = 0
    for index, table in enumerate(at.tables("walks")):
        inner = ScriptTable(at.path, at.source, table, "walks", index)
        name, words, reviewer = inner.text("name"), inner.take("words", list, []), inner.take("reviewer", list, [])
        number = inner.take("number", int, 0) or None
        if not name.strip():
            raise inner.problem("name", "is missing")
        if not all(isinstance(word, str) and word.strip() for word in words):
            raise inner.problem("words", "must be a list of texts")
        if not all(isinstance(question, str) and question.strip() for question in reviewer):
            raise inner.problem("reviewer", "must be a list of questions' ids")
        if any(walk.name.casefold() == name.casefold() or (number and walk.number == number) for walk in found):
            raise inner.problem("name", "and `number` must differ from those of every other walk")
        turns = _turns(inner, "turns", "walks.turns", before)
        before += len(turns)
        people = read_people(inner, "walks.people", met)
        met += len(people)
        inner.done()
        if not turns:
            raise inner.problem("turns", f"are missing in the walk `{name}`")
        found.append(ScriptWalk(name, number, tuple(words), turns, tuple(reviewer), people))
    return tuple(found)


def read_script(path: Path) -> Script:
    """Read and validate a script; `sample` is relative to its folder. Raises ScriptProblem."""
    source, table = load(path)
    at = ScriptTable(path, source, table)
    at.seen.add("rate")
    rate = table.get("rate", 0)
    if isinstance(rate, bool) or not isinstance(rate, (int, float)) or not math.isfinite(rate) or rate < 0:
        raise at.problem("rate", "must be characters a second, or 0 for at once")
    sample: Path | None = None
    if name := at.text("sample"):
        sample = path.parent / name
        if not sample.is_dir():
            raise at.problem("sample", f"names no folder: {sample}")
    script = Script(
        path=path,
        greeting=at.text("greeting").strip() or None,
        sample=sample,
        rate=float(rate),
        fallback=at.text("fallback").strip(),
        walks=_walks(at),
        turns=_turns(at, "turns", "turns", 0),
        verdicts=read_verdicts(at),
        title=at.text("title").strip(),
    )
    at.done()
    if (script.walks and script.turns) or not (script.walks or script.turns or script.verdicts):
        raise ScriptProblem(path, None, "needs either `[[turns]]` or `[[walks]]`, and not both, or `[[verdicts]]`")
    return script
