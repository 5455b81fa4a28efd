"""Faults of Textual that are repaired in place: closed widgets that stay in memory, and a timer that never fires.

A cache of two styles has the widget's own cache object in its key, and so keeps the last thousand widgets with their
strips: every sheet and page that was ever open would take memory and slow down each collection of garbage.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from textual.color import Color
from textual.style import Style
from textual.timer import Timer

from jp_tui.ui.textual_patches.shape import Unfit, needs, takes, uses


@lru_cache(1024)
def backgrounds(base_background: Color, background: Color) -> tuple[Style, Style]:
    """Return the inner and the outer background, for any widget."""
    return Style(background=base_background + background), Style(background=base_background)


def share_backgrounds() -> None:
    """Cache the backgrounds by colour alone."""
    from textual._styles_cache import StylesCache

    needs(StylesCache, "get_inner_outer")
    made = getattr(StylesCache.get_inner_outer, "__wrapped__", None)
    code = getattr(made, "__code__", None)
    if code is None or code.co_varnames[: code.co_argcount] != ("cls", "base_background", "background"):
        raise Unfit("StylesCache.get_inner_outer isn't a cached function of a class and two colours")
    StylesCache.get_inner_outer = staticmethod(backgrounds)  # type: ignore[method-assign, assignment]


def fire_late_timers() -> None:
    """Let a timer that fires once always fire.

    If the process is delayed for the timer's whole time just as the timer begins, Textual counts its only tick as
    missed and skips it.
    """
    run: Any = takes(Timer, "_run", "self")
    uses(Timer, "_run", "_repeat", "_skip")

    async def late_not_never(self: Timer) -> None:
        if self._repeat == 0:
            self._skip = False
        await run(self)

    Timer._run = late_not_never  # type: ignore[method-assign]
