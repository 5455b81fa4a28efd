"""The page of keys by mouse alone: a button closes it and turns its pages, a click beside it closes it (E60)."""

from __future__ import annotations

import pytest
from textual.containers import VerticalScroll
from textual.pilot import Pilot

from jp_tui.ui.screens.keylist import KeyList
from tests.ui.app_host import Host, workspace
from tests.ui.sheet_host import text_of


async def opened(app: Host, pilot: Pilot[None]) -> VerticalScroll:
    await pilot.press("f1")
    await pilot.pause()
    assert isinstance(app.screen, KeyList)
    return app.screen.query_one(VerticalScroll)


async def click(app: Host, pilot: Pilot[None], words: str) -> None:
    rows = text_of(app).split("\n")
    y = next(y for y, row in enumerate(rows) if words in row)
    await pilot.click(offset=(rows[y].index(words) + 1, y))
    await pilot.pause()


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (200, 50)])
async def test_e60_its_button_closes_it(size: tuple[int, int]) -> None:
    async with workspace(size=size) as (app, pilot):
        page = await opened(app, pilot)
        await click(app, pilot, "pgdn on")
        assert page.scroll_offset.y > 0
        await click(app, pilot, "pgup back")
        assert page.scroll_offset.y == 0
        await click(app, pilot, "esc close")
        assert not isinstance(app.screen, KeyList) and app.focused is app.composer


async def test_a_click_beside_it_closes_it_one_on_it_does_not() -> None:
    async with workspace(size=(200, 50)) as (app, pilot):
        await opened(app, pilot)
        await click(app, pilot, "Everywhere")
        assert isinstance(app.screen, KeyList)
        await pilot.click(offset=(3, 20))
        await pilot.pause()
        assert not isinstance(app.screen, KeyList)


@pytest.mark.parametrize("command", ["/diff", "/settings", "/theme", "/conversations"])
async def test_the_keys_of_a_page_are_a_key_away_on_it(command: str) -> None:
    """Issue 8, 4: a page over the workspace hears no key of the app, but that one; its own keys stand first."""
    async with workspace() as (app, pilot):
        app.burst(*command, "enter")
        await pilot.pause()
        page = app.screen
        assert page is not app.screen_stack[0]
        await opened(app, pilot)
        first = text_of(app).split("\n")[1]
        assert "Everywhere" not in first, first
        await pilot.press("escape")
        await pilot.pause()
        assert app.screen is page
