"""Strict parser for untrusted JSON (traps.md T17, inquiries.md V19).

All JSON of models, servers and tools passes here. It refuses what Python's parser accepts or fails on: depth, NaN and
infinities, huge integers, duplicate keys, lone surrogates.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from itertools import accumulate
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    Json = dict[str, "Json"] | list["Json"] | str | int | float | bool | None
else:
    Json = Any  # models with JSON fields receive values that were already parsed here

JsonObject = dict[str, Json]

MAX_DEPTH = 64
MAX_DIGITS = 300
MAX_BYTES = 16 * 1024 * 1024
MANY = 50_000
"""Containers visited one by one; beyond that, brackets are counted."""

_HALF = re.compile(r"\\u[dD][89a-fA-F]")
"""An escape that may be a lone surrogate: without one, and in encodable text, every string is valid."""


_STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"')
_STEPS = [(byte in b"[{") - (byte in b"]}") for byte in range(256)]
_NO_BRACKETS = bytes(byte for byte in range(256) if not _STEPS[byte])


class JsonProblem(ValueError):
    """Refused JSON; the message gives the reason, `line` and `column` (from 1) the place, if known."""

    def __init__(self, message: str, line: int | None = None, column: int | None = None) -> None:
        super().__init__(message)
        self.message, self.line, self.column = message, line, column


def _constant(name: str) -> Json:
    raise JsonProblem(f"{name} isn't JSON")


def _integer(digits: str) -> int:
    if len(digits) > MAX_DIGITS and len(digits.lstrip("-")) > MAX_DIGITS:
        raise JsonProblem(f"an integer of more than {MAX_DIGITS} digits")
    return int(digits)


def _number(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise JsonProblem("a number that is not finite")
    return value


def _text(value: str) -> str:
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            raise JsonProblem("a lone surrogate in a string") from None
    return value


def _object(pairs: list[tuple[str, Json]]) -> JsonObject:
    found = dict(pairs)
    if len(found) < len(pairs):
        for key, _ in pairs:  # the first time takes it out of `found`, the second finds nothing
            if key not in found:
                break
            del found[key]
        raise JsonProblem(f"duplicate key {_text(key)[:80]!r} in an object")
    return found


# one decoder for all: to make one takes as long as an event of a stream
_DECODER = json.JSONDecoder(
    parse_constant=_constant, parse_int=_integer, parse_float=_number, object_pairs_hook=_object
)


def _inside(item: Json) -> Iterable[Json]:
    if isinstance(item, dict):
        return item.values()
    return item if isinstance(item, list) else ()


def _too_deep(value: Json, most: int, text: str) -> bool:
    """True if the value of this text is nested more than `most` levels deep."""
    level, met = [value] if isinstance(value, (dict, list)) else [], 0
    for _ in range(most):
        met += len(level)
        if not level or met > MANY:
            break
        level = [inner for item in level for inner in _inside(item) if isinstance(inner, (dict, list))]
    return bool(level) if met <= MANY else _depth(text) > most


def _depth(text: str) -> int:
    """Return the number of levels, counted by the brackets of the text: visiting millions of small containers would
    block everything else for seconds."""
    brackets = _STRING.sub("", text).encode().translate(None, _NO_BRACKETS)
    return max(accumulate(map(_STEPS.__getitem__, brackets)), default=0)


def _check_strings(value: Json) -> None:
    todo: list[Json] = [value]
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            _text(item)
        elif isinstance(item, dict):
            todo.extend(item)
        todo.extend(_inside(item))


def _whole(text: str) -> Json:
    """Decode a text. Most have no space around them, which is faster to read."""
    value: Json
    if text[:1] in ("{", "["):
        value, end = _DECODER.raw_decode(text)
        if end == len(text):
            return value
    value = _DECODER.decode(text)
    return value


def parse(source: str | bytes, *, max_bytes: int = MAX_BYTES, max_depth: int = MAX_DEPTH) -> Json:
    """Parse one JSON value of untrusted text. Raises JsonProblem, never anything else."""
    if len(source) > max_bytes:
        raise JsonProblem(f"more than {max_bytes} bytes of JSON")
    try:
        text = source.decode("utf-8") if isinstance(source, bytes) else source
    except UnicodeDecodeError as error:
        raise JsonProblem(f"not UTF-8 at byte {error.start}") from None
    _text(text)
    try:
        value = _whole(text)
    except JsonProblem:
        raise
    except json.JSONDecodeError as error:
        raise JsonProblem(error.msg, error.lineno, error.colno) from None
    except RecursionError:
        raise JsonProblem(f"more than {max_depth} levels deep") from None
    except ValueError as error:
        raise JsonProblem(str(error)) from None
    if text.count("[") + text.count("{") > max_depth and _too_deep(value, max_depth, text):
        raise JsonProblem(f"more than {max_depth} levels deep")
    if _HALF.search(text):
        _check_strings(value)
    return value


def parse_object(source: str | bytes, **limits: int) -> JsonObject:
    """As `parse`, for one JSON object; anything else is a JsonProblem."""
    value = parse(source, **limits)
    if not isinstance(value, dict):
        raise JsonProblem("not a JSON object")
    return value


def same(left: Json, right: Json) -> bool:
    """Compare JSON with strict types: true is not 1, "1" is not 1, 1 is 1.0 (inquiries.md R173)."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, (int, float)) and isinstance(right, (int, float)):
        return left == right
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(value, right[key]) for key, value in left.items())
    return type(left) is type(right) and left == right


def dump(value: object) -> str:
    """Return compact JSON text, key order kept, no NaN (inquiries.md section 17)."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def text_of(found: Json) -> str:
    """Return a text value; empty for any other type."""
    return found if isinstance(found, str) else ""


def integer_of(found: Json) -> int | None:
    """Return a whole number; None for any other value."""
    return found if isinstance(found, int) and not isinstance(found, bool) else None
