"""Durations, token counts and models in short form. Pure; no widgets, no clock."""

from __future__ import annotations

from jp_tui.conversation.text import first_line


def duration(ms: int) -> str:
    """`38 ms`, `1.4 s`, `2 m 05 s`, `1 h 04 m`."""
    if ms < 1000:
        return f"{max(ms, 0)} ms"
    if ms < 60_000:
        return f"{ms / 1000:.1f} s" if ms < 59_950 else "60 s"
    minutes, seconds = divmod(round(ms / 1000), 60)
    if minutes < 60:
        return f"{minutes} m {seconds:02d} s"
    return f"{minutes // 60} h {minutes % 60:02d} m"


def seconds(elapsed: float) -> str:
    """Return a running duration in whole seconds: `0 s`, `59 s`, `2 m 05 s`. Changes once per second, so updates need
    no more."""
    whole = max(int(elapsed), 0)
    return f"{whole} s" if whole < 60 else duration(whole * 1000)


def age(elapsed: float) -> str:
    """Return an age in one figure: `now`, `40 s`, `12 m`, `3 h`, `5 d`."""
    whole = int(elapsed)
    for size, unit in ((86_400, "d"), (3600, "h"), (60, "m"), (1, "s")):
        if whole >= size * (2 if unit == "d" else 1):
            return f"{whole // size} {unit}"
    return "now"


def count(tokens: int) -> str:
    """`812`, `12.4k`, `128k`, `1.2M`."""
    if tokens < 1000:
        return str(tokens)
    if tokens < 99_950:
        return f"{tokens / 1000:.1f}k"
    if tokens < 999_500:
        return f"{tokens / 1000:.0f}k"
    return f"{tokens / 1_000_000:.1f}M"


def turns(number: int) -> str:
    """`1 turn`, `4 turns`."""
    return f"{number} turn{'s' if number != 1 else ''}"


def money(dollars: float) -> str:
    """Return `$0.0004`, `$0.03`, `$12.40`: two digits at least."""
    if dollars and dollars < 0.01:
        return f"${dollars:.2g}" if dollars >= 0.0001 else "less than $0.0001"
    return f"${dollars:.2f}"


def short_model(model: str) -> str:
    """Return a model without its provider, in one line."""
    name = first_line(model)
    return name.rpartition("/")[2] or name
