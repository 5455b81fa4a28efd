"""Texts of a schema form: why a part is written as JSON, the valid values, problems, in few words. jp-tui's own text
and the schema's numbers only; callers add the schema's names.

Bounded for any schema (inquiries.md V18).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final

from jp_tui.conversation.strict_json import Json, JsonObject

LONG, LONGEST, SHORT = 200, 2_000, 40
"""Characters of a name, of a description, and of a quoted value."""

ANY: Final = "any JSON"
NOTHING: Final = "the schema allows no value"
BROKEN: Final = "this part of the schema isn't readable"
SEVERAL: Final = "several schemas apply"
EITHER: Final = "one of several shapes"
DEPENDS: Final = "depends on other values"
ELSEWHERE: Final = "defined elsewhere"
ITSELF: Final = "recursive"
DEEP: Final = "too deeply nested for a form"
ANY_KEYS: Final = "any key names"
TUPLE: Final = "entries of several types"
MANY_OPTIONS: Final = "too many values to list"
SEVERAL_TYPES: Final = "values of several types"
NULL, YES, NO = "null", "yes", "no"

NOT_NUMBER: Final = "not a number"
NOT_WHOLE: Final = "not a whole number"
TOO_LARGE: Final = "number too large"
OTHER_KIND: Final = "has a value of another type"
ODD_SIGNS: Final = "has characters that a field can't show"

_FORMATS = {
    "date": "date, like 2026-03-05", "time": "time, like 21:21:16Z", "date-time": "like 2026-03-05T21:21:16Z",
    "email": "e-mail address", "idn-email": "e-mail address", "uri": "URL", "uri-reference": "URL or part of one",
    "iri": "URL", "ipv4": "IPv4 address", "ipv6": "IPv6 address", "uuid": "UUID", "hostname": "host name",
    "regex": "regular expression", "duration": "duration, like P1DT12H", "json-pointer": "JSON pointer",
}  # fmt: skip
_MISSING = re.compile(r"`(.+)` is missing", re.DOTALL)


def hint(raw: JsonObject, kind: str) -> str:
    """Return the valid values: `1 to 10,000`, `date, like 2026-03-05`, `at most 3 entries`."""
    return ", ".join(_hints(raw, kind))[:LONG]


def _hints(raw: JsonObject, kind: str) -> Iterator[str]:
    if kind == "text":
        if isinstance(form := raw.get("format"), str):
            yield _FORMATS.get(form, form[:SHORT])
        yield from _range(raw.get("minLength"), raw.get("maxLength"), "character")
    elif kind in ("integer", "number"):
        if kind == "integer" and not number(raw.get("minimum")) and not number(raw.get("maximum")):
            yield "whole number"
        low, high = raw.get("minimum"), raw.get("maximum")
        yield from _range(low, high)
        if number(more := raw.get("exclusiveMinimum")):
            yield f"more than {_amount(more)}"
        if number(less := raw.get("exclusiveMaximum")):
            yield f"less than {_amount(less)}"
        if number(step := raw.get("multipleOf")) and step != 1:
            yield f"in steps of {_amount(step)}"
    elif kind == "list":
        yield from _range(raw.get("minItems"), raw.get("maxItems"), "entry")


def _range(low: Json, high: Json, what: str = "") -> Iterator[str]:
    def named(amount: Json) -> str:
        if not what:
            return ""
        return f" {what}" if amount == 1 else f" {'entries' if what == 'entry' else what + 's'}"

    if what and low == 0:
        low = None
    if number(low) and number(high):
        yield f"{_amount(low)} to {_amount(high)}{named(high)}" if low != high else f"{_amount(low)}{named(low)}"
    elif number(low):
        yield f"at least {_amount(low)}{named(low)}"
    elif number(high):
        yield f"at most {_amount(high)}{named(high)}"


def number(value: Json) -> bool:
    """True if it is a JSON number."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _amount(value: Json) -> str:
    if isinstance(value, int) and abs(value) < 10**15:
        return f"{value:,}"
    try:
        return short(json.dumps(value))
    except ValueError:  # more digits than Python formats
        return "…"


def short(text: str) -> str:
    """Truncate to the space of a line."""
    return text if len(text) <= SHORT else f"{text[: SHORT - 1]}…"


def missing(words: str) -> str | None:
    """Return the key that a verdict on an object reports as missing; None for any other verdict."""
    found = _MISSING.fullmatch(words)
    return found.group(1) if found else None
