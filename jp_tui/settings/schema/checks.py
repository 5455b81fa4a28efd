"""Checks for configuration values; each returns the value in its normal form or raises BadValue with the value found
and the allowed ones.

The caller, which knows file and key, makes a SettingsProblem of it. No check reads another key, a file or an
environment. `True` is never a number here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

MAX_STRING = 64 * 1024

Check = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Kind:
    """Accepted values of a check, for front ends: the names of a choice, the bounds of a number."""

    name: Literal["boolean", "integer", "number", "text", "choice", "other"]
    names: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None


_KINDS: dict[Check, Kind] = {}


def _is(kind: Kind, check: Check) -> Check:
    _KINDS[check] = kind
    return check


def kind_of(check: Check) -> Kind:
    """Return the kind of a check from this module; of any other, an empty one."""
    return _KINDS.get(check) or Kind({boolean: "boolean", text: "text"}.get(check, "other"))  # type: ignore[arg-type]


class BadValue(Exception):
    """Invalid value; `allowed` names the valid ones, `inside` the place in it, `nearest` the probable name."""

    def __init__(
        self, message: str, allowed: tuple[str, ...] = (), inside: tuple[str | int, ...] = (), nearest: str = ""
    ) -> None:
        super().__init__(message)
        self.message, self.allowed, self.inside, self.nearest = message, allowed, inside, nearest


def describe_value(value: object) -> str:
    """Describe the value found, as short TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, str):
        return f'"{value[:60]}…" ({len(value):,} characters)' if len(value) > 60 else f'"{value}"'
    return str(value)[:60] if isinstance(value, int | float) else "a date or time"


def boolean(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    raise BadValue(f"expected true or false, found {describe_value(value)}", ("true", "false"))


def integer(low: int, high: int) -> Check:
    def check(value: Any) -> int:
        if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high:
            return value
        raise BadValue(f"expected a whole number from {low} to {high}, found {describe_value(value)}")

    return _is(Kind("integer", low=low, high=high), check)


def number(low: float, high: float) -> Check:
    def check(value: Any) -> float:
        if isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high:
            return float(value)
        raise BadValue(f"expected a number from {low:g} to {high:g}, found {describe_value(value)}")

    return _is(Kind("number", low=low, high=high), check)


def text(value: Any) -> str:
    if not isinstance(value, str):
        raise BadValue(f"expected text, found {describe_value(value)}")
    if len(value) > MAX_STRING:
        raise BadValue(f"text of {len(value)} characters is longer than {MAX_STRING}")
    return value


def choice(*names: str) -> Check:
    def check(value: Any) -> str:
        if isinstance(value, str) and value in names:
            return value
        raise BadValue(f"found {describe_value(value)}", names)

    return _is(Kind("choice", names), check)


def text_or_count(*names: str) -> Check:
    """Accept one of `names`, or a number of lines."""

    def check(value: Any) -> str | int:
        if isinstance(value, str) and value in names:
            return value
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 1_000_000:
            return value
        raise BadValue(f"found {describe_value(value)}", (*names, "a number of lines"))

    return check


def matching(pattern: str, what: str, *, quoted: bool = True) -> Check:
    """Accept text that matches `pattern` as a whole; `what` describes the expected text. `quoted=False` keeps the value
    out of the error: users paste keys there."""
    compiled: list[re.Pattern[str]] = []  # compiled on first use: most keys are not set

    def check(value: Any) -> str:
        if not compiled:
            compiled.append(re.compile(pattern))
        if compiled[0].fullmatch(text(value)):
            return str(value)
        raise BadValue(f"expected {what}" + (f", found {describe_value(value)}" if quoted else ""))

    return _is(Kind("text"), check)


def json_value(value: Any) -> Any:
    """Accept any value that JSON can express (no dates, no inf or nan)."""
    if isinstance(value, dict):
        for key, item in value.items():
            _inside(key, item)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            _inside(index, item)
    elif isinstance(value, float):
        if value != value or value in (float("inf"), float("-inf")):
            raise BadValue(f"expected a finite number, found {value}")
    elif not isinstance(value, str | int):
        raise BadValue(f"expected a value that JSON has too, found {describe_value(value)}")
    return value


def _inside(key: str | int, item: Any) -> None:
    inside(key, json_value, item)


def inside(key: str | int, check: Check, item: Any) -> Any:
    """Run `check(item)`; report its error at `key`."""
    try:
        return check(item)
    except BadValue as bad:
        raise BadValue(bad.message, bad.allowed, (key, *bad.inside), bad.nearest) from None


model_id = matching(r"[A-Za-z0-9_-]+/\S(.*\S)?|[A-Za-z0-9_.-]+", "provider/model, or an alias")
full_model_id = matching(r"[A-Za-z0-9_-]+/\S(.*\S)?", "provider/model")
variable = matching(r"[A-Za-z_][A-Za-z0-9_]*", "the name of an environment variable, never the key", quoted=False)
_NAME = "[A-Za-z0-9_-]+"
source = matching(
    rf"(builtin|local)(\.{_NAME})?|mcp\.{_NAME}(\.[A-Za-z0-9_.-]{{1,128}})?",
    "builtin, builtin.NAME, local, local.NAME, mcp.SERVER or mcp.SERVER.TOOL",
)
_url = matching(r"https?://(\[[0-9A-Fa-f:.]+\]|[^\s/?#@\[\]:]+)(:\d{1,5})?(/[^\s?#]*)?", "an http or https address")


def base_url(value: Any) -> str:
    """Accept an address without user, query or fragment; strip a trailing slash (S20b)."""
    if isinstance(value, str) and re.match(r"https?://[^/]*@", value):
        raise BadValue("an address can't have a user or password. Set api_key_env to a variable")
    if isinstance(value, str) and ("?" in value or "#" in value):
        raise BadValue("expected an http or https address that ends before any ? or #")
    return str(_url(value)).rstrip("/")


def proxy(value: Any) -> str:
    """Accept the address of a proxy, or an empty text for none."""
    if isinstance(value, str) and (not value or re.fullmatch(r"(https?|socks5h?)://[^\s/]+/?", value)):
        return value
    raise BadValue('expected the address of a proxy such as http://HOST:PORT, or "" for none')


def command(value: Any) -> list[str]:
    """Accept a list of words: a program and its arguments."""
    if isinstance(value, list) and value and all(isinstance(word, str) and word and "\0" not in word for word in value):
        return value
    raise BadValue('expected a list of words such as ["PROGRAM", "ARGUMENT"]')


def header(value: Any) -> str:
    """Accept the value of a header: visible ASCII on one line."""
    if isinstance(value, str) and value.isascii() and value.isprintable():
        return text(value)
    raise BadValue("expected one line of printable ASCII")


def enable(value: Any) -> dict[str, Any]:
    """R54: true, false, on, off, always, explicit → a table with both fields; a table stays unchanged."""
    forms: dict[Any, tuple[bool, str]] = {
        "true": (True, "any"),
        "on": (True, "any"),
        "false": (False, "any"),
        "off": (False, "any"),
        "always": (True, "never"),
        "explicit": (False, "if_named"),
    }
    if isinstance(value, bool):
        value = "on" if value else "off"
    if isinstance(value, str) and value in forms:
        state, toggle = forms[value]
        return {"state": state, "allow_toggle": toggle}
    raise BadValue(f"found {describe_value(value)}", ("true", "false", "on", "off", "always", "explicit", "a table"))
