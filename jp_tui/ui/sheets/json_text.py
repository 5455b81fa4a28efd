"""JSON as a person reads and writes it in a sheet: laid out, read back strictly, mistakes with their place (R87, R186).

What is odd in a string (a bidirectional control, a lone surrogate) stands there as a JSON escape, so that it is seen
and its value kept. Pure: no widget, and what a value means to a schema is the engine's to say.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator

from jp_tui.conversation import strict_json, visible
from jp_tui.conversation.strict_json import Json, JsonObject, JsonProblem

_TOKEN = re.compile(
    r'"(?:[^"\\]|\\.)*"|[{}\[\]:,]|-?(?:NaN|Infinity)|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?', re.DOTALL
)  # of a text whose form is right: only what the parser of the standard library let through is looked for
_ODD = re.compile(r"[^\x20-\x7e\n]")
_PLAIN = re.compile(r"[A-Za-z0-9_.-]{1,80}")
BLOCK = 120
"""Characters of a text from which it stands under its name, line by line, instead of beside it."""


def read(text: str) -> Json:
    """One JSON value; JsonProblem, with line and column wherever there is a place (`line` None elsewhere)."""
    try:
        return strict_json.parse(text)
    except JsonProblem as problem:
        if problem.line is not None:
            raise
        at = _misplaced(text)
        if at is None:
            raise
        line, column = text.count("\n", 0, at) + 1, at - (text.rfind("\n", 0, at) + 1) + 1
        raise JsonProblem(problem.message, line, column) from None


def read_object(text: str) -> JsonObject:
    """As `read`, for a JSON object."""
    value = read(text)
    if not isinstance(value, dict):
        raise JsonProblem("these are arguments: expected a JSON object, { … }", 1, 1)
    return value


def laid_out(value: Json) -> str:
    """A value indented by two, odd characters as escapes: reads back as the same value."""
    return _ODD.sub(_escaped, json.dumps(value, indent=2, ensure_ascii=False))


def _escaped(match: re.Match[str]) -> str:
    char = match.group()
    if visible.odd(char) is None:
        return char
    return json.dumps(char)[1:-1]


def readable(arguments: str) -> str:
    """Arguments as they would run, for a person to decide on: a name a line, a long text below its name as it is.

    A gutter beside each line of such a text tells it from what is ours; text that is no JSON object stays as it is.
    """
    try:
        value = strict_json.parse_object(arguments)
    except JsonProblem:
        return arguments
    return "\n".join(_lines(value)) if value else "no arguments"


def _lines(value: JsonObject) -> Iterator[str]:
    for name, one in value.items():
        shown = name if _PLAIN.fullmatch(name) else json.dumps(name, ensure_ascii=False)
        if isinstance(one, str) and ("\n" in one or len(one) > BLOCK):
            lines = one.split("\n")
            end = " and no line end" if len(lines) > 1 and lines[-1] else ""
            count = len(lines) - (not lines[-1])
            yield f"{shown}: {count} {'line' if count == 1 else 'lines'}{end}"
            yield from (f"  │ {line}" for line in lines[:count])
        elif isinstance(one, (dict, list)) and one:
            yield f"{shown}:"
            yield from (f"  {line}" for line in json.dumps(one, indent=2, ensure_ascii=False).split("\n"))
        else:
            yield f"{shown}: {json.dumps(one, ensure_ascii=False)}"


def _misplaced(text: str) -> int | None:
    """Where a text of the right form holds what is not allowed: a key twice, NaN, an endless number, a half sign."""
    keys: list[set[str] | None] = []
    last, last_at = "", 0
    for match in _TOKEN.finditer(text):
        token, at = match.group(), match.start()
        if token in "{[":
            keys.append(set() if token == "{" else None)
            if len(keys) > strict_json.MAX_DEPTH:
                return at
        elif token in "}]":
            if keys:
                keys.pop()
        elif token == ":" and keys and keys[-1] is not None:
            name = _string(last)
            if name in keys[-1]:
                return last_at
            keys[-1].add(name)
        elif token[0] == '"':
            if _broken(_string(token)):
                return at
        elif token != "," and token != ":" and _refused(token):
            return at
        last, last_at = token, at
    return None


def _string(token: str) -> str:
    try:
        found = json.loads(token, strict=False)
    except ValueError:
        return token
    return found if isinstance(found, str) else token


def _broken(text: str) -> bool:
    return any("\ud800" <= char <= "\udfff" for char in text)


def _refused(token: str) -> bool:
    if token.lstrip("-") in ("NaN", "Infinity"):
        return True
    if token.lstrip("-").isdigit():
        return len(token.lstrip("-")) > strict_json.MAX_DIGITS
    return not math.isfinite(float(token))
