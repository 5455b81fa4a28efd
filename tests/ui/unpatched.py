"""Textual without our patches: `python -m tests.ui.unpatched`. Prints, as JSON, which of the faults it still has.

A patch whose fault is gone isn't needed any more with that version of Textual. Imports nothing of jp-tui.
"""

from __future__ import annotations

import asyncio
import gc
import itertools
import json
import weakref

from textual import _time
from textual._compositor import Compositor
from textual._styles_cache import StylesCache
from textual.app import App, ComposeResult
from textual.color import Color
from textual.geometry import Region
from textual.strip import Strip
from textual.widgets import Static, TextArea


class Counted(Static):
    """Counts the rows that it is asked for."""

    asked = 0

    def render_lines(self, crop: Region) -> list[Strip]:
        self.asked += crop.height
        return super().render_lines(crop)


class Host(App[None]):
    CSS = "Counted { height: 1fr; } TextArea { height: 3; }"

    def compose(self) -> ComposeResult:
        yield Counted("above", id="above")
        yield Counted("below", id="below")
        yield TextArea("a\nb\nc")


async def timer(app: App[None]) -> bool:
    """The only tick of a timer is skipped."""
    fired, later, now = list[int](), itertools.count(0.0, 0.01), _time.get_time
    _time.get_time = lambda: next(later)  # type: ignore[assignment]
    try:
        one = app.set_timer(0.002, lambda: fired.append(1))
        assert one._task is not None
        await one._task
    finally:
        _time.get_time = now
    return not fired


async def style_cache(app: App[None]) -> bool:
    """The cache of two colours holds the cache of a widget."""
    cache = StylesCache()
    cache.get_inner_outer(Color(0, 0, 0), Color(9, 9, 9))
    gone = weakref.ref(cache)
    del cache
    gc.collect()
    return gone() is not None


async def strips(app: App[None]) -> bool:
    """A new strip has caches that nothing was put into."""
    return Strip([])._crop_cache is not None


async def compositor(app: App[None]) -> bool:
    """A change at one place asks widgets elsewhere for rows, or for more rows than have changed."""
    below = app.query_one("#below", Counted)
    below.asked = 0
    screen = app.screen
    assert type(screen._compositor) is Compositor
    screen._compositor._dirty_regions = {Region(0, below.region.y, 5, 1)}
    screen._compositor.render_update()
    return below.asked > 1


async def text_colours(app: App[None]) -> bool:
    """Each row that is painted looks the colours up again."""
    area = app.query_one(TextArea)
    assert area._theme is not None
    asked = list[int]()
    area._theme.apply_css = lambda of: asked.append(1)  # type: ignore[method-assign]
    for _ in range(2):
        area.render_lines(Region(0, 0, 10, 1))
    return len(asked) == 2


async def driver(app: App[None]) -> bool:
    """The input thread wakes by the clock while nothing is typed."""
    from textual.drivers.linux_driver import LinuxDriver

    return 0.1 in LinuxDriver.run_input_thread.__code__.co_consts


async def crashes(app: App[None]) -> bool:
    """The traceback that is printed has the values of local variables."""
    return "show_locals" in str(App._fatal_error.__code__.co_consts)


FAULTS = {
    "timer": timer, "style cache": style_cache, "strips": strips,
    "compositor": compositor, "text colours": text_colours, "driver": driver, "crashes": crashes,
}  # fmt: skip


async def main() -> None:
    found = {}
    for name, still_there in FAULTS.items():
        async with Host().run_test(size=(40, 20)) as pilot:
            await pilot.pause()
            found[name] = await still_there(pilot.app)
    print(json.dumps(found))


if __name__ == "__main__":
    asyncio.run(main())
