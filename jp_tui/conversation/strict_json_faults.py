"""All faults of one JSON text with their places, so that its author can fix them (V19).

`strict_json` stops at the first fault, at the parser's speed; this runs token by token, only after a refusal. It
repairs nothing: values read past a fault are for diagnosis, never for execution (traps.md T20).
"""

from __future__ import annotations

import itertools
import json
import math
import re
from dataclasses import dataclass, field
from typing import Literal

from jp_tui.conversation.strict_json import MAX_BYTES, MAX_DEPTH, MAX_DIGITS, Json, JsonProblem, parse_object

FaultKind = Literal[
    "duplicate_key",
    "not_finite",
    "too_many_digits",
    "lone_surrogate",
    "too_deep",
    "too_large",
    "not_json",
    "not_an_object",
]
MOST = 200
"""Faults reported per text."""
_TOKENS = 200_000  # tokens read per text: 0.25 s
_TOKEN = re.compile(
    r'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)|[{}\[\]:,]|-?(?:NaN|Infinity)|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?', re.DOTALL
)  # of a text whose syntax is valid as far as it was read
_HALF = re.compile("[\ud800-\udfff]")
_NEAR = 24
_OBJECT = "send one JSON object, {…}"


@dataclass(frozen=True, slots=True)
class JsonFault:
    """One fault: `path` is the JSON pointer of its place, `line` and `column` count from 1; `wrong` describes it,
    `instead` is what a model should send. Both begin in lower case and end without a full stop."""

    kind: FaultKind
    path: str
    line: int
    column: int
    wrong: str
    instead: str

    @property
    def message(self) -> str:
        """Return one sentence with all of it."""
        return f"{self.wrong[:1].upper()}{self.wrong[1:]} (line {self.line}, column {self.column}); {self.instead}."


@dataclass(frozen=True, slots=True)
class Misread:
    """Text that should be a JSON object: its faults in order (empty if the strict parser accepts it), and the object's
    keys as far as readable.

    `value` is its content with the last of duplicate keys, 0 for unstorable numbers and lone surrogates as escapes;
    None without such a content. Never execute it.
    """

    faults: tuple[JsonFault, ...]
    keys: tuple[str, ...] = ()
    value: Json = None


def look(text: str) -> Misread:
    """Return all faults of a text that should be one JSON object, up to MOST; raises nothing."""
    try:
        value = parse_object(text)
    except JsonProblem as problem:
        return _misread(text, problem)
    return Misread((), tuple(value), value)


def _misread(text: str, problem: JsonProblem) -> Misread:
    if len(text) > MAX_BYTES:
        most = MAX_BYTES // 1024 // 1024
        return Misread((JsonFault("too_large", "", 1, 1, f"this is more than {most} MB of JSON", "send less"),))
    value, syntax = _tolerant(text)
    walk = _Walk(text if syntax is None else text[: syntax.pos])
    walk.go()
    if walk.deep:
        value = None
    elif syntax is not None:
        walk.found.append(_syntax(text, syntax, walk.path()))
    elif not isinstance(value, dict):
        kind = {list: "a list", str: "text", bool: "true or false", type(None): "null"}.get(type(value), "a number")
        walk.found.append(JsonFault("not_an_object", "", 1, 1, f"this is {kind}", _OBJECT))
    if not walk.found:  # the fault is beyond the limit
        line, column = problem.line or 1, problem.column or 1
        wrong = f"this isn't readable: {problem.message}"
        walk.found.append(JsonFault("not_json", "", line, column, wrong, _OBJECT))
    halves = any(fault.kind == "lone_surrogate" for fault in walk.found)
    return Misread(tuple(walk.found), tuple(walk.keys), _whole(value) if halves else value)


def _tolerant(text: str) -> tuple[Json, json.JSONDecodeError | None]:
    """Return the content of a valid text, else the error; None for both if it is too deep."""
    try:
        value: Json = json.loads(text, parse_constant=_zero, parse_int=_integer, parse_float=_number)
    except json.JSONDecodeError as error:
        return None, error
    except RecursionError:
        return None, None
    return value, None


def _zero(_: str) -> int:
    return 0


def _integer(digits: str) -> int:
    return 0 if _endless(digits) else int(digits)


def _number(digits: str) -> float:
    value = float(digits)
    return value if math.isfinite(value) else 0.0


def _endless(digits: str) -> bool:
    return len(digits.lstrip("-")) > MAX_DIGITS


def _whole(value: Json) -> Json:
    """Write lone surrogates as escapes, so that the value can be encoded; not deeper than MAX_DEPTH."""
    if isinstance(value, str):
        return _plain(value)
    if isinstance(value, list):
        return [_whole(one) for one in value]
    return {_plain(key): _whole(one) for key, one in value.items()} if isinstance(value, dict) else value


@dataclass(slots=True)
class _Level:
    """Open container: names seen in an object with their offsets (None: a list), and the step into it."""

    names: dict[str, int] | None
    step: str | int
    key_next: bool


@dataclass(slots=True)
class _Walk:
    """One pass over the tokens of a text with valid syntax."""

    text: str
    found: list[JsonFault] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    levels: list[_Level] = field(default_factory=list)
    deep: bool = False

    def go(self) -> None:
        for match in itertools.islice(_TOKEN.finditer(self.text), _TOKENS):
            self._token(match.group(), match.start())
            if self.deep or len(self.found) >= MOST:
                return

    def path(self) -> str:
        """Return the JSON pointer of the current position."""
        steps = (str(level.step) for level in self.levels if level.step != "")
        return "".join("/" + _plain(step).replace("~", "~0").replace("/", "~1") for step in steps)

    def _token(self, token: str, at: int) -> None:
        level = self.levels[-1] if self.levels else None
        match token[0]:
            case "{" | "[":
                if len(self.levels) == MAX_DEPTH:
                    self.deep = True
                    self._add_fault("too_deep", at, f"this is more than {MAX_DEPTH} levels deep", "use less nesting")
                    return
                self.levels.append(_Level({}, "", True) if token == "{" else _Level(None, 0, False))
            case "}" | "]":
                self.levels.pop()
            case ",":
                if level is not None and isinstance(level.step, int):
                    level.step += 1
                elif level is not None:
                    level.step, level.key_next = "", True
            case ":":
                if level is not None:
                    level.key_next = False
            case '"':
                self._string(token, at, level)
            case _:
                self._number(token, at)

    def _string(self, token: str, at: int, level: _Level | None) -> None:
        value = _decoded(token)
        if level is not None and level.names is not None and level.key_next:
            level.step = value
            self._key(value, at, level.names)
        if half := _HALF.search(value):
            code = f"\\u{ord(half.group()):04x}"
            self._add_fault(
                "lone_surrogate", at, f"`{code}` in a string is half of a character", "send the whole character"
            )

    def _key(self, name: str, at: int, names: dict[str, int]) -> None:
        if len(self.levels) == 1 and name not in names:
            self.keys.append(_plain(name))
        if name in names:
            line, column = _place(self.text, names[name])
            wrong = f"the key '{_short(name)}' appears twice in an object, first at line {line}, column {column}"
            self._add_fault("duplicate_key", at, wrong, "send it once")
        else:
            names[name] = at

    def _number(self, token: str, at: int) -> None:
        plain = token.lstrip("-")
        if plain in ("NaN", "Infinity"):
            self._add_fault("not_finite", at, f"{token} isn't JSON", "send a finite number or null")
        elif plain.isdigit():
            if _endless(token):
                wrong = f"an integer of {len(plain):,} digits is too long (at most {MAX_DIGITS})"
                self._add_fault("too_many_digits", at, wrong, "send a shorter number, or text")
        elif not math.isfinite(float(token)):
            self._add_fault("not_finite", at, f"{_short(token)} is too large a number", "send a smaller number")

    def _add_fault(self, kind: FaultKind, at: int, wrong: str, instead: str) -> None:
        line, column = _place(self.text, at)
        self.found.append(JsonFault(kind, self.path(), line, column, wrong, instead))


def _decoded(token: str) -> str:
    if "\\" not in token:
        return token[1:-1] if token[-1] == '"' and len(token) > 1 else token[1:]
    try:
        found = json.loads(token, strict=False)
    except ValueError:  # the string in which the valid syntax ends
        return token[1:]
    return found if isinstance(found, str) else token


def _syntax(text: str, error: json.JSONDecodeError, path: str) -> JsonFault:
    what = error.msg[:1].lower() + error.msg[1:].removesuffix(" at")
    if error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated"):
        wrong, instead = f"the JSON is incomplete: {what}", "send all of it"
    else:
        wrong, instead = f"the JSON isn't valid before `{_short(text[error.pos : error.pos + _NEAR])}`: {what}", _OBJECT
    return JsonFault("not_json", path, error.lineno, error.colno, wrong, instead)


def _place(text: str, at: int) -> tuple[int, int]:
    """Return line and column of an offset, from 1."""
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)


def _plain(text: str) -> str:
    """Write lone surrogates as escapes, so that the text can be encoded."""
    return text.encode("utf-8", "backslashreplace").decode()


def _short(text: str) -> str:
    """Return an untrusted text for a sentence: one line, printable, at most 60 characters."""
    plain = text if text.isprintable() else text.encode("unicode_escape", "replace").decode()
    return plain if len(plain) <= 60 else plain[:59] + "…"
