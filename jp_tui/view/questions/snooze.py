"""Snooze of a question, stored with its typed text, so that a restart loses neither (asking.md E24, E51).

One text for both: drafts follow a question wherever it is asked again. Pure; times are seconds since 1970, since no
other clock survives the program.
"""

from __future__ import annotations

import json
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Snooze:
    """End time, None until nothing else waits; `digest` is that of the snoozed content: other content isn't snoozed."""

    until: float | None
    digest: str


def packed(text: str, off: Snooze | None) -> str:
    """Encode the typed text and the snooze as one text."""
    if off is None:
        return text
    return json.dumps({"typed": text, "off": {"until": off.until, "digest": off.digest}}, ensure_ascii=False)


def unpacked(text: str) -> tuple[str, Snooze | None]:
    """Decode it; any other text is the typed one."""
    try:
        found = json.loads(text) if text.startswith("{") else None
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or set(found) != {"typed", "off"} or not isinstance(found["typed"], str):
        return text, None
    off = found["off"]
    if not isinstance(off, dict) or set(off) != {"until", "digest"} or not isinstance(off["digest"], str):
        return text, None
    until = off["until"]
    if until is not None and (isinstance(until, bool) or not isinstance(until, int | float)):
        return text, None
    return found["typed"], Snooze(until, off["digest"])
