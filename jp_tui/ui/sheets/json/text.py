"""JSON as text for people: laid out, parsed strictly, mistakes with their place (R87, R186).

Unusual characters in a string (a bidirectional control, a lone surrogate) are JSON escapes, so that they are visible
and their value is kept. Pure: no widget; the engine checks a value against its schema.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from jp_tui.conversation import strict_json, visible
from jp_tui.conversation.strict_json import Json, JsonObject, JsonProblem
from jp_tui.conversation.strict_json_faults import look

_PLACED = ("duplicate_key", "not_finite", "too_many_digits", "lone_surrogate", "too_deep")
"""Faults of a text whose form is right."""
_ODD = re.compile(r"[^\x20-\x7e\n]")
_PLAIN = re.compile(r"[A-Za-z0-9_.-]{1,80}")
_BLANKS = re.compile(rf"\n((?:[ \t]*\n){{{visible.LINES + 1},}})")  # begins with a literal: a fast search
_END, _GUTTER = "\n", "\n  │ "
_NAME = re.compile(r"'|[^\W\d]\w*")
_VALUE, _KEY = "Expecting value", "Expecting property name enclosed in double quotes"
_WORDS = {
    _VALUE: "a value is missing here",
    _KEY: "a key in double quotes is missing here",
    "Expecting ':' delimiter": "a colon is missing between key and value",
    "Expecting ',' delimiter": "a comma or a closing bracket is missing here",
    "Extra data": "the JSON ends before this",
    "Unterminated string starting at": "the closing double quotes are missing",
    "Invalid control character at": "a text contains a line end or tab: write \\n or \\t",
    "Invalid \\escape": "unknown escape: write \\\\ for a backslash",
    "Invalid \\uXXXX escape": "\\u needs 4 digits of 0-9 and a-f",
    "Illegal trailing comma before end of object": "remove the comma before the end",
    "Illegal trailing comma before end of array": "remove the comma before the end",
}
BLOCK = 120
"""Characters from which a text is below its name, line by line, instead of beside it."""
INLINE = 72
"""Characters up to which a list of plain values is beside its name."""


def read(text: str) -> Json:
    """Parse one JSON value. Raises JsonProblem, with line and column where there is a place (else `line` is None)."""
    try:
        return strict_json.parse(text)
    except JsonProblem as problem:
        if problem.line is not None:
            raise JsonProblem(_describe_problem(text, problem), problem.line, problem.column) from None
        fault = next((one for one in look(text).faults if one.kind in _PLACED), None)
        if fault is None:
            raise
        raise JsonProblem(fault.wrong, fault.line, fault.column) from None


def _describe_problem(text: str, problem: JsonProblem) -> str:
    """Return a plain description of a syntax error; else the parser's message."""
    lines = text.split("\n")
    line, column = problem.line or 1, problem.column or 1
    before = "\n".join([*lines[: line - 1], lines[line - 1][: column - 1]]) if line <= len(lines) else text
    rest = text[len(before) :]
    if not text.strip():
        return "the text is empty"
    words = _WORDS.get(problem.message)
    if words is None:
        return problem.message
    if not rest.strip() and not problem.message.startswith("Unterminated"):
        return "the JSON is incomplete"
    if before.rstrip().endswith(",") and rest[:1] in "}]" and "Extra" not in problem.message:
        return "remove the comma before the end"
    if problem.message == _VALUE and (word := _NAME.match(rest)):
        more = "" if word.group() == "'" else ", except true, false, null and numbers"
        return f"put text in double quotes{more}"
    return words


def read_object(text: str) -> JsonObject:
    """Parse a JSON object, as `read` does."""
    value = read(text)
    if not isinstance(value, dict):
        raise JsonProblem("these are arguments: expected a JSON object, { … }", 1, 1)
    return value


def laid_out(value: Json) -> str:
    """Return a value indented by two, unusual characters as escapes; `read` returns the same value."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    return text if text.isascii() and "\x7f" not in text else _ODD.sub(_escaped, text)


def _escaped(match: re.Match[str]) -> str:
    char = match.group()
    if visible.odd(char) is None:
        return char
    return json.dumps(char)[1:-1]


def _beside(text: str) -> Iterator[str]:
    """Yield lines with a gutter, in pieces; none beside many blank ones, so that these can be folded (T3). The library
    scans the text, which is copied once."""
    if "\n" not in text:
        yield from (_GUTTER, text)
        return
    if not any(sign in text for sign in ("\n\n", "\n ", "\n\t")):
        yield from (_GUTTER, text.replace(_END, _GUTTER))
        return
    text, at = f"\n{text}\n", 1
    for run in _BLANKS.finditer(text):
        if run.start(1) > at:
            yield from (_GUTTER, text[at : run.start(1) - 1].replace(_END, _GUTTER))
        yield from (_END, run[1][:-1])
        at = run.end()
    if at < len(text):
        yield from (_GUTTER, text[at:-1].replace(_END, _GUTTER))


def readable(arguments: str) -> str:
    """Return arguments as they would run, to decide on: a name a line, a long text unchanged below its name.

    A gutter beside each line of such a text separates it from jp-tui's; text that isn't a JSON object stays as it is.
    """
    try:
        value = strict_json.parse_object(arguments)
    except JsonProblem:
        return arguments
    return "".join([*_lines(value)][1:]) if value else "no arguments"


def _short(value: Json) -> bool:
    """Return True for a list of plain values that fits in a line."""
    plain = isinstance(value, list) and not any(isinstance(one, (dict, list)) for one in value)
    return plain and len(json.dumps(value, ensure_ascii=False)) <= INLINE


def _lines(value: JsonObject) -> Iterator[str]:
    """Yield pieces; each line begins with its line end."""
    for name, one in value.items():
        shown = name if _PLAIN.fullmatch(name) else json.dumps(name, ensure_ascii=False)
        if isinstance(one, str) and ("\n" in one or len(one) > BLOCK):
            whole = one.endswith("\n")
            count = one.count("\n") + (not whole)
            end = " without a line end" if count > 1 and not whole else ""
            yield from (_END, shown, f": {count} {'line' if count == 1 else 'lines'}{end}")
            yield from _beside(one[:-1] if whole else one)
        elif isinstance(one, (dict, list)) and one and not _short(one):
            yield from (_END, shown, ":\n  ", json.dumps(one, indent=2, ensure_ascii=False).replace("\n", "\n  "))
        else:
            yield from (_END, shown, ": ", json.dumps(one, ensure_ascii=False))
