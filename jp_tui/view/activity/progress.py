"""Progress in a few words: a share if the total is known, else the time.

The same wording for everything slow: tool calls, an import, a search, reading changes. Pure; reads no clock.
"""

from __future__ import annotations

from jp_tui.view.wording.amounts import seconds

CELLS = 10
SHORT = 1.0
"""Seconds below which no duration is shown."""


def progress(done: int, total: int, elapsed: float = 0.0) -> str:
    """Return `1,234 of 5,000 · 24 %` if the total is known, `1,234 · 12 s` if not, `12 s` without a count; empty if
    there is nothing to show yet. The time is added to a share once it is long."""
    took = seconds(elapsed) if elapsed >= SHORT else ""
    if total > 0:
        count = min(max(done, 0), total)
        parts = [f"{count:,} of {total:,}", f"{count * 100 // total} %", took]
    else:
        parts = [f"{done:,}" if done > 0 else "", took]
    return " · ".join(part for part in parts if part)


def bar(done: int, total: int, cells: int = CELLS) -> str:
    """Return `■■■□□□□□□□`; empty if the total is unknown. It is full only at the end."""
    if total <= 0 or cells <= 0:
        return ""
    full = min(max(done, 0), total) * cells // total
    return "■" * full + "□" * (cells - full)
