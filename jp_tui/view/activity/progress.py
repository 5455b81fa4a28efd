"""How far something is, in the few words of a line: a share where the length is known, the time where it is not.

One wording for everything that takes long: calls of tools, an import, a search, reading changes. Pure; reads no clock.
"""

from __future__ import annotations

from jp_tui.view.wording.amounts import seconds

CELLS = 10
SHORT = 1.0
"""Seconds below which nobody needs to be told how long something takes."""


def progress(done: int, total: int, elapsed: float = 0.0) -> str:
    """`1,234 of 5,000 · 24 %` where the length is known, `1,234 · 12 s` where it is not, `12 s` where nothing counts;
    empty when there is nothing to tell yet. Time stands beside a share, too, once it has become long."""
    took = seconds(elapsed) if elapsed >= SHORT else ""
    if total > 0:
        count = min(max(done, 0), total)
        parts = [f"{count:,} of {total:,}", f"{count * 100 // total} %", took]
    else:
        parts = [f"{done:,}" if done > 0 else "", took]
    return " · ".join(part for part in parts if part)


def bar(done: int, total: int, cells: int = CELLS) -> str:
    """`■■■□□□□□□□`; empty where the length is not known. It is full only when all is done."""
    if total <= 0 or cells <= 0:
        return ""
    full = min(max(done, 0), total) * cells // total
    return "■" * full + "□" * (cells - full)
