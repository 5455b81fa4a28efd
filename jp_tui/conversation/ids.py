"""Forms of identifiers and timestamps. Mints nothing: whatever is new arrives as an input."""

from __future__ import annotations

from datetime import UTC, datetime


def inquiry_id(call: str, question: str, attempt: int) -> str:
    """`<tool_call_id>.<question_id>.<attempt>`; never split again (inquiries.md R26, R28, R29)."""
    return f"{call}.{question}.{attempt}"


def timestamp(at: datetime) -> str:
    """UTC `YYYY-MM-DD HH:MM:SS.ffffff`, trailing zeros trimmed, `.0` when zero (inquiries.md R58)."""
    utc = at.astimezone(UTC)
    fraction = f"{utc.microsecond:06d}".rstrip("0") or "0"
    return f"{utc:%Y-%m-%d %H:%M:%S}.{fraction}"


def read_timestamp(text: str) -> datetime:
    """Our form or RFC 3339, as an aware UTC datetime; ValueError otherwise (inquiries.md R58)."""
    head, dot, fraction = text.partition(".")
    if dot and fraction.isdigit():
        text = f"{head}.{fraction[:6]:0<6}"
    at = datetime.fromisoformat(text)
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
