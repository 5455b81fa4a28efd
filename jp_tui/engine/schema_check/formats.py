"""Asserted JSON Schema formats, and decimal multiples. For the child only.

Formats that aren't listed here aren't asserted, as the standard allows. No lookups.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime
from decimal import Decimal
from ipaddress import IPv4Address, IPv6Address
from typing import Any
from uuid import UUID

from jsonschema import FormatChecker
from jsonschema.exceptions import ValidationError

from jp_tui.engine.schema_check.regex import NoPattern, pattern

FORMATS = FormatChecker(formats=())
_LABEL = "[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_TIME = r"([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)(\.[0-9]+)?([Zz]|[+-]([01][0-9]|2[0-3]):[0-5][0-9])"
_PATTERNS = {
    "time": _TIME,
    "email": r"[^@\s]+@[^@\s]+",
    "uri": r"[A-Za-z][A-Za-z0-9+.-]*:[^\s<>\"{}|\\^`]+",
    "uri-reference": r"[^\s<>\"{}|\\^`]*",
    "hostname": rf"(?=.{{1,253}}\Z){_LABEL}(\.{_LABEL})*",
    "json-pointer": r"(/([^~/]|~[01])*)*",
    "duration": r"P(?=.)([0-9]+W|([0-9]+Y)?([0-9]+M)?([0-9]+D)?(T(?=[0-9])([0-9]+H)?([0-9]+M)?([0-9]+(\.[0-9]+)?S)?)?)",
}
for _name, _pattern in _PATTERNS.items():
    FORMATS.checks(_name)(
        lambda value, made=re.compile(_pattern): not isinstance(value, str) or made.fullmatch(value) is not None
    )


@FORMATS.checks("date", raises=ValueError)
def _date(value: object) -> bool:
    return not isinstance(value, str) or (re.fullmatch(r"\d{4}-\d\d-\d\d", value, re.A) is not None and _day(value))


@FORMATS.checks("date-time", raises=ValueError)
def _date_time(value: object) -> bool:
    if not isinstance(value, str):
        return True
    day, clock = value[:10], value[11:]
    return value[10:11] in ("T", "t", " ") and _date(day) and re.fullmatch(_TIME, clock, re.A) is not None


@FORMATS.checks("ipv4", raises=ValueError)
def _ipv4(value: object) -> bool:
    return not isinstance(value, str) or bool(IPv4Address(value))


@FORMATS.checks("ipv6", raises=ValueError)
def _ipv6(value: object) -> bool:
    return not isinstance(value, str) or ("%" not in value and IPv6Address(value) is not None)


@FORMATS.checks("uuid", raises=ValueError)
def _uuid(value: object) -> bool:
    return not isinstance(value, str) or str(UUID(value)) == value.lower()


@FORMATS.checks("regex", raises=NoPattern)
def _regex(value: object) -> bool:
    return not isinstance(value, str) or pattern(value) is not None


def _day(value: str) -> bool:
    return date.fromisoformat(value) <= date.max and datetime.fromisoformat(value) is not None


def multiple_of(validator: Any, factor: Any, instance: object, schema: Any) -> Iterator[ValidationError]:
    """0.3 is a multiple of 0.1: compare by the written digits, not the nearest binary fractions."""
    if isinstance(instance, bool) or not isinstance(instance, (int, float)) or abs(instance) > 10**300:
        return
    if isinstance(instance, int) and isinstance(factor, int):
        fits = instance % factor == 0
    else:
        share = Decimal(repr(instance)) / Decimal(repr(factor))
        fits = share == share.to_integral_value()
    if not fits:
        yield ValidationError(f"{instance!r} is not a multiple of {factor}")
