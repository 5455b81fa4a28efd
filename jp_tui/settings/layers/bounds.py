"""Bounds that apply whatever is configured.

`adjusted.py` reports the settings they change (R130, Z4). Engine, providers and tools import these constants, so the
reported value is the one in use.
"""

from __future__ import annotations

from typing import Final, Literal

LEAST_BACKOFF_SECS: Final = 0.5
"""Minimum wait before any retry: without it, a server that fails at once would get one request per round trip (Z21)."""
LONGEST_ASKED_WAIT_SECS: Final = 900
"""Longest wait that a server can request (Retry-After). A longer request means no retry."""
LEAST_REVIEW_TOKENS: Final = 1_024
"""Minimum output tokens of a reviewer: with fewer, a forced tool call returns empty (T30)."""
MOST_REVIEW_BYTES: Final = 1024 * 1024
"""Maximum size of one reviewer reply: thoughts, text and arguments together."""
MOST_FORMAT_SECS: Final = 30
"""Limit for a command that formats a tool's arguments; the question is delayed until it ends."""

_SECONDS = {"ms": 0.001, "s": 1, "m": 60, "h": 3_600, "d": 24 * 3_600}


def cache_seconds(cache: str) -> float | None:
    """Return the seconds of a `cache` setting that is a duration (R134); None for a keyword."""
    number = cache.rstrip("dhms")
    if not (number.isascii() and number.isdigit()):
        return None
    return int(number) * _SECONDS.get(cache.removeprefix(number), 1)


def cache_span(cache: str) -> Literal["off", "short", "long"]:
    """Return the caching that a server with fixed durations offers for a `cache` setting: none, 5 minutes (`short`) or
    1 hour (`long`)."""
    seconds = cache_seconds(cache)
    if seconds is not None:
        return "long" if seconds > 300 else "short" if seconds > 0 else "off"
    return "long" if cache == "long" else "off" if cache == "off" else "short"
