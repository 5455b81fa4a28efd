"""The frugal compositor shows what Textual's own would show, whatever has changed, and asks only for that."""

from __future__ import annotations

import random
import re

import pyte
from textual._compositor import Compositor, CompositorUpdate
from textual.app import App, ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.geometry import Region
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input, Static

from jp_tui.ui.text import ours
from jp_tui.ui.textual_patches.compositing import ChangesCompositor


class Counted(Static):
    """Counts the rows that it is asked for."""

    asked = 0

    def render_lines(self, crop: Region) -> list[Strip]:
        self.asked += crop.height
        return super().render_lines(crop)


class Main(Screen[None]):
    """Columns, something scrolled out of sight, and a box that lies over both."""

    CSS = """
    Main { layers: base over; }
    #left { width: 1fr; border: round red; }
    #far { height: 60; }
    #right { width: 25; }
    #over { layer: over; width: 20; height: 6; offset: 30 4; border: heavy green; background: blue 50%; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._compositor = ChangesCompositor()

    def compose(self) -> ComposeResult:
        with Horizontal():
            with Vertical(id="left"):
                with VerticalScroll():
                    yield Counted(ours("\n".join(f"row {number}" for number in range(60))), id="far")
                yield Input()
            with Vertical(id="right"):
                yield Counted(ours("at the right"), id="near")
        yield Static(ours("over it"), id="over")


class Host(App[None]):
    """The screen alone."""

    def get_default_screen(self) -> Screen[None]:
        return Main()


def shown(screen: Screen[None], region: Region) -> str:
    """What is written to the terminal when a region has changed."""
    screen._compositor._dirty_regions = {region}
    update = screen._compositor.render_update()
    assert isinstance(update, CompositorUpdate)
    return update.render_segments(screen.app.console)


def cells(written: str) -> dict[tuple[int, int], pyte.screens.Char]:
    """What stands where in a terminal that was full of something else."""
    terminal = pyte.Screen(80, 24)
    pyte.Stream(terminal).feed("".join(f"\x1b[{row};1H{'#' * 80}" for row in range(1, 25)) + written)
    return {(x, y): terminal.buffer[y][x] for x in range(80) for y in range(24)}


async def test_whatever_has_changed_is_shown_as_textual_shows_it() -> None:
    rand = random.Random(9)
    async with Host().run_test(size=(80, 24)) as pilot:
        screen = pilot.app.screen
        for scrolled in (0, 7):
            screen.query_one(VerticalScroll).scroll_to(y=scrolled, animate=False)
            await pilot.pause()
            screen._compositor.__class__ = Compositor  # Textual's own: all of the screen
            whole = cells(shown(screen, screen.region))
            screen._compositor.__class__ = ChangesCompositor
            assert cells(shown(screen, screen.region)) == whole
            areas = [widget.region.intersection(screen.region) for widget in screen.walk_children(Widget)]
            for _ in range(30):
                x, y = rand.randrange(80), rand.randrange(24)
                areas.append(Region(x, y, rand.randint(1, 80 - x), rand.randint(1, 24 - y)))
            for area in filter(None, areas):
                for place, cell in cells(shown(screen, area)).items():
                    untouched = cell.data == "#" and not area.contains(*place)
                    assert untouched or cell == whole[place], (area, place)


async def test_what_lies_elsewhere_and_rows_that_have_not_changed_are_not_asked_for() -> None:
    async with Host().run_test(size=(80, 24)) as pilot:
        far, near = pilot.app.screen.query_one("#far", Counted), pilot.app.screen.query_one("#near", Counted)
        far.asked = near.asked = 0
        shown(pilot.app.screen, Region(1, 5, 10, 2))
        assert (far.asked, near.asked) == (2, 0)


async def test_a_widget_without_rows_yet_leaves_no_hole() -> None:
    """Where no widget gives anything a frame is line feeds alone, which scroll the terminal: the line of keys was gone
    after typing through the start."""

    class Unready(Counted):
        def render_lines(self, crop: Region) -> list[Strip]:
            return [Strip([])] * crop.height

    async with Host().run_test(size=(80, 24)) as pilot:
        screen = pilot.app.screen
        far = screen.query_one("#far", Counted)
        far.__class__ = Unready
        area = far.region.intersection(Region(1, 1, 50, 5))
        painted = cells(shown(screen, area))
        assert all(painted[x, y].data != "#" for x in range(area.x, area.right) for y in range(area.y, area.bottom))


async def test_rows_that_changed_are_written_each_at_its_place_and_nothing_else_moves_the_cursor() -> None:
    async with Host().run_test(size=(80, 24)) as pilot:
        written = shown(pilot.app.screen, Region(1, 21, 10, 3))
        assert "\n" not in written, "behind the last row of a screen it would scroll it"
        assert {int(row) for row in re.findall(r"\x1b\[(\d+);\d+H", written)} == {22, 23, 24}
