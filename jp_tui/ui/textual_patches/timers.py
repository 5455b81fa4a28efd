"""Let a timer that fires once always fire.

If the process is held up for the timer's whole time just as the timer begins, Textual takes its only tick for one that
was missed and skips it.
"""

from __future__ import annotations

from typing import Any

from textual.timer import Timer

from jp_tui.ui.textual_patches.shape import takes, uses

textuals = Timer.__dict__.get("_run")
"""Textual's own `Timer._run`."""


def install() -> None:
    """Apply the patch."""
    run: Any = takes(Timer, "_run", "self")
    uses(Timer, "_run", "_repeat", "_skip")

    async def late_not_never(self: Timer) -> None:
        if self._repeat == 0:
            self._skip = False
        await run(self)

    Timer._run = late_not_never  # type: ignore[method-assign]
