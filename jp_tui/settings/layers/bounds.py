"""The bounds that apply whatever is configured. `adjusted.py` reports the settings that they change (R130, Z4).

The engine, the providers and the tools import these constants, so that what is shown is what is used.
"""

from __future__ import annotations

from typing import Final, Literal

LEAST_BACKOFF_SECS: Final = 0.5
"""Before any retry: a server that fails at once would otherwise get a request for every round trip (Z21)."""
LONGEST_ASKED_WAIT_SECS: Final = 900
"""The longest wait that a server can ask for (Retry-After). After a request for more there is no retry."""
LEAST_REVIEW_TOKENS: Final = 1_024
"""Output tokens of a reviewer: with fewer, a forced tool call comes back empty (T30)."""
MOST_REVIEW_BYTES: Final = 1024 * 1024
"""Of one reply of a reviewer: thoughts, text and arguments together."""
MOST_FORMAT_SECS: Final = 30
"""Of a command that shows a tool's arguments, while the user waits for the question."""

_SECONDS = {"ms": 0.001, "s": 1, "m": 60, "h": 3_600, "d": 24 * 3_600}


def cache_seconds(cache: str) -> float | None:
    """Seconds of a `cache` setting that is a duration (R134); None for a word."""
    number = cache.rstrip("dhms")
    if not (number.isascii() and number.isdigit()):
        return None
    return int(number) * _SECONDS.get(cache.removeprefix(number), 1)


def cache_span(cache: str) -> Literal["off", "short", "long"]:
    """What a server that keeps prompts as asked offers for a `cache` setting: nothing, 5 minutes (`short`) or 1 hour
    (`long`)."""
    seconds = cache_seconds(cache)
    if seconds is not None:
        return "long" if seconds > 300 else "short" if seconds > 0 else "off"
    return "long" if cache == "long" else "off" if cache == "off" else "short"
