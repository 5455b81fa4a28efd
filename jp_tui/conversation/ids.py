"""Forms of identifiers and timestamps. Generates nothing: new values are inputs."""

from __future__ import annotations

import hashlib
import json
import re
from datetime import UTC, datetime

_STAMP = re.compile(r"(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(?:\.(\d+))?([Zz]|[+-]\d\d:\d\d)?", re.ASCII)


def inquiry_id(call: str, question: str, attempt: int) -> str:
    """Return `<tool_call_id>.<question_id>.<attempt>`; never split again (inquiries.md R26, R28, R29)."""
    return f"{call}.{question}.{attempt}"


_LETTERS = "abcdefghjkmnpqrstvwxyz23456789"


def id_of(*parts: object) -> str:
    """Return a conversation's id made of these parts: twelve unambiguous characters, a letter first."""
    said = json.dumps([str(part) for part in parts])
    number = int.from_bytes(hashlib.sha256(said.encode()).digest()[:10])
    found = _LETTERS[number % 21]
    while len(found) < 12:
        number //= len(_LETTERS)
        found += _LETTERS[number % len(_LETTERS)]
    return found


def timestamp(at: datetime) -> str:
    """Return UTC `YYYY-MM-DD HH:MM:SS.ffffff`, trailing zeros trimmed, `.0` for zero (inquiries.md R58)."""
    utc = at.astimezone(UTC)
    fraction = f"{utc.microsecond:06d}".rstrip("0") or "0"
    return f"{utc.year:04d}-{utc:%m-%d %H:%M:%S}.{fraction}"


def read_timestamp(text: str) -> datetime:
    """Parse this form or RFC 3339 to an aware UTC datetime; raises ValueError (inquiries.md R58).

    Without an offset it is UTC; digits beyond microseconds are cut.
    """
    found = _STAMP.fullmatch(text)
    if found is None:
        raise ValueError(f"not a timestamp: {text[:40]!r}")
    day, clock, fraction, zone = found.groups()
    offset = "+00:00" if zone is None or zone in "Zz" else zone
    try:
        return datetime.fromisoformat(f"{day}T{clock}.{(fraction or '0')[:6]:0<6}{offset}").astimezone(UTC)
    except OverflowError:
        raise ValueError(f"not a timestamp: {text[:40]!r}") from None
