"""Scripts of the demo provider: TOML in, values out, every mistake with file and line (surface.md S22).

A script is either a list of `turns` or a list of `walks`, which the user picks by number, name or word.
It refuses unknown keys: a wish that would not be honoured is not dropped silently. It speaks to nobody.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar, cast

from jp_tui.conversation.strict_json import Json, JsonObject, JsonProblem, dump, parse_object

MAX_BYTES = 256 * 1024
_DEEP_KEY = re.compile(r"""^[ \t\[]*(?:[\w-]+|"[^"]*"|'[^']*')(?:[ \t]*\.[ \t]*(?:[\w-]+|"[^"]*"|'[^']*')){32}""", re.M)
_AT = re.compile(r" \(at line (\d+), column (\d+)\)$")
T = TypeVar("T")


class ScriptProblem(ValueError):
    """A script that cannot be used; `str()` is `file:line: what is wrong`."""

    def __init__(self, path: Path, line: int | None, message: str) -> None:
        super().__init__(f"{path}:{line}: {message}" if line else f"{path}: {message}")
        self.path, self.line, self.message = path, line, message


@dataclass(frozen=True, slots=True)
class Expect:
    """What must have come before; every key that is given must fit.

    `user` stands in the last user text, `result` in a tool result of the last message (letter case ignored),
    `tool` names the tool that result came from, `answer` equals its JSON key `answer`.
    """

    user: str | None = None
    tool: str | None = None
    result: str | None = None
    is_error: bool | None = None
    answer: Json = None
    has_answer: bool = False


@dataclass(frozen=True, slots=True)
class Scripted:
    """One response: spoken as response number `step` (from 1), if `expect` fits."""

    step: int
    reasoning: str = ""
    text: str = ""
    calls: tuple[tuple[str, JsonObject], ...] = ()
    expect: Expect | None = None


@dataclass(frozen=True, slots=True)
class Walk:
    """A list of turns that starts again whenever the user picks it."""

    name: str
    number: int | None
    words: tuple[str, ...]
    turns: tuple[Scripted, ...]


@dataclass(frozen=True, slots=True)
class Script:
    """`rate` in characters a second, 0 at once; `sample` the folder that tools get scratch copies of."""

    path: Path
    greeting: str | None = None
    sample: Path | None = None
    rate: float = 0.0
    fallback: str = ""
    walks: tuple[Walk, ...] = ()
    turns: tuple[Scripted, ...] = ()


@dataclass(slots=True)
class _Reader:
    """Reads one table; knows where it stands in the file, so that a problem can say so."""

    path: Path
    source: str
    table: Mapping[str, object]
    header: str = ""
    nth: int = 0
    seen: set[str] = field(default_factory=set)

    def problem(self, key: str, message: str) -> ScriptProblem:
        return ScriptProblem(self.path, self._line(key), f"`{key}` {message}" if key else message)

    def _line(self, key: str) -> int | None:
        """tomllib gives no lines: find the nth `[[header]]`, then the key before the next header (T21b)."""
        left, inside, head = self.nth, not self.header, None
        for number, line in enumerate(self.source.splitlines(), 1):
            stripped = line.strip()
            if re.fullmatch(r"\[+[^\]]*\]+\s*(#.*)?", stripped):
                name = stripped.split("]")[0].strip("[ \t")
                if self.header and name == self.header:
                    left -= 1
                    inside = left < 0
                    head = number if left == -1 else head
                elif inside and name == f"{self.header}.{key}".lstrip("."):
                    return number
                else:
                    inside = inside and bool(self.header) and name.startswith(self.header + ".")
            elif inside and key and re.match(rf"""["']?{re.escape(key)}["']?\s*[.=]""", stripped):
                return number
        return head

    def take(self, key: str, kind: type[T], default: T) -> T:
        self.seen.add(key)
        value = self.table.get(key, default)
        if not isinstance(value, kind) or (kind is not bool and isinstance(value, bool)):
            words = {str: "text", int: "a whole number", bool: "true or false", list: "a list", dict: "a table"}
            raise self.problem(key, f"must be {words[kind]}")
        return value

    def text(self, key: str) -> str:
        return self.take(key, str, "")

    def tables(self, key: str) -> list[Mapping[str, object]]:
        found = self.take(key, list, [])
        if not all(isinstance(item, dict) for item in found):
            raise self.problem(key, "must be a list of tables")
        return cast("list[Mapping[str, object]]", found)

    def done(self) -> None:
        for key in self.table:
            if key not in self.seen:
                raise self.problem(key, f"is not a key here (known: {', '.join(sorted(self.seen))})")


def _load(path: Path) -> tuple[str, Mapping[str, object]]:
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise ScriptProblem(path, None, f"cannot be read: {error.strerror or error}") from None
    try:
        source = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ScriptProblem(path, raw[: error.start].count(b"\n") + 1, "is not UTF-8") from None
    if len(raw) > MAX_BYTES:
        raise ScriptProblem(path, None, f"is larger than {MAX_BYTES // 1024} KiB")
    if deep := _DEEP_KEY.search(source):  # tomllib takes seconds for these (T18)
        raise ScriptProblem(path, source.count("\n", 0, deep.start()) + 1, "a key of more than 32 parts")
    try:
        return source, tomllib.loads(source)
    except tomllib.TOMLDecodeError as error:
        at = _AT.search(str(error))
        words = _AT.sub("", str(error)).removesuffix(" (at end of document)")
        line = int(at[1]) if at else source.count("\n") + 1
        raise ScriptProblem(path, line, words + (f", column {at[2]}" if at else "")) from None
    except RecursionError:
        raise ScriptProblem(path, None, "is nested too deep") from None


def _expect(at: _Reader) -> Expect | None:
    table = at.take("expect", dict, {})
    if not table:
        return None
    inner = _Reader(at.path, at.source, table, at.header, at.nth)
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


def _calls(at: _Reader) -> tuple[tuple[str, JsonObject], ...]:
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


def _turns(at: _Reader, key: str, header: str, before: int) -> tuple[Scripted, ...]:
    found: list[Scripted] = []
    for index, table in enumerate(at.tables(key)):
        inner = _Reader(at.path, at.source, table, header, before + index)
        step = inner.take("step", int, found[-1].step + 1 if found else 1)
        if step < 1 or (found and not found[-1].step <= step <= found[-1].step + 1):
            raise inner.problem("step", "must be that of the turn before, or one more")
        turn = Scripted(step, inner.text("reasoning"), inner.text("text"), _calls(inner), _expect(inner))
        inner.done()
        if not turn.text and not turn.calls:
            raise inner.problem("", "a turn needs `text` or `calls`")
        found.append(turn)
    return tuple(found)


def _walks(at: _Reader) -> tuple[Walk, ...]:
    found: list[Walk] = []
    before = 0
    for index, table in enumerate(at.tables("walks")):
        inner = _Reader(at.path, at.source, table, "walks", index)
        name, words = inner.text("name"), inner.take("words", list, [])
        number = inner.take("number", int, 0) or None
        if not name.strip():
            raise inner.problem("name", "is missing")
        if not all(isinstance(word, str) and word.strip() for word in words):
            raise inner.problem("words", "must be a list of texts")
        if any(walk.name.casefold() == name.casefold() or (number and walk.number == number) for walk in found):
            raise inner.problem("name", "and `number` must differ from those of every other walk")
        turns = _turns(inner, "turns", "walks.turns", before)
        before += len(turns)
        inner.done()
        if not turns:
            raise inner.problem("turns", f"are missing in the walk `{name}`")
        found.append(Walk(name, number, tuple(words), turns))
    return tuple(found)


def read_script(path: Path) -> Script:
    """Read and check a script; `sample` is resolved beside it. Raises ScriptProblem."""
    source, table = _load(path)
    at = _Reader(path, source, table)
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
    )
    at.done()
    if bool(script.walks) == bool(script.turns):
        raise ScriptProblem(path, None, "needs either `[[turns]]` or `[[walks]]`, and not both")
    return script
