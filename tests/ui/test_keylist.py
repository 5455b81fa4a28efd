"""The page of keys by mouse alone: a button closes it and turns its pages, a click beside it closes it (E60)."""

from __future__ import annotations

import re

import pytest
from textual.containers import VerticalScroll
from textual.pilot import Pilot

from jp_tui.ui.app import WorkspaceApp
from jp_tui.ui.keys.scopes import TASKS
from jp_tui.ui.pages import COMMANDS
from jp_tui.ui.screens.keylist import KeyList, every_key, without_repeats
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
        await click(app, pilot, "PgDn down")
        assert page.scroll_offset.y > 0
        await click(app, pilot, "PgUp up")
        assert page.scroll_offset.y == 0
        await click(app, pilot, "Esc close")
        assert not isinstance(app.screen, KeyList) and app.focused is app.composer


async def test_a_click_beside_it_closes_it_one_on_it_does_not() -> None:
    async with workspace(size=(200, 50)) as (app, pilot):
        await opened(app, pilot)
        await click(app, pilot, "Reading")
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
        first = "".join(text_of(app).split("\n")[1:3])
        assert "Looking elsewhere" in first or "Conversations" in first, first
        assert "In " in first or "Selecting" in first, first
        await pilot.press("escape")
        await pilot.pause()
        assert app.screen is page


CONDITION = re.compile(r"^(In|On|While|With|For|Editing) [^:]+: ")


def test_keys_are_listed_by_task_and_none_twice_without_its_condition() -> None:
    """Issue 18, 8: reading, writing, deciding, conversations, looking elsewhere; a line that explains each key."""
    sections = without_repeats(every_key(WorkspaceApp, COMMANDS))
    tasks = [one.task for one in sections]
    assert sorted(set(tasks), key=tasks.index) == list(TASKS), "in this order, and together"
    assert tasks == sorted(tasks, key=TASKS.index)
    for one in sections:
        plain = [
            key
            for row in one.rows
            if not CONDITION.match(row.tooltip)
            for key in row.keys.split("  ")
            if not row.keys.startswith(("/", "@", "!"))
        ]
        assert len(set(plain)) == len(plain), (one.title, sorted(key for key in plain if plain.count(key) > 1))
        for row in one.rows:
            says = row.tooltip or row.does
            assert says[0].isupper() or not row.tooltip, f"{row.id}: {says}"
            assert not says.endswith(".") and len(says) <= (70 if row.id else 100), f"{row.id}: {says}"


def test_a_row_that_a_task_has_already_is_left_out_and_its_name_can_still_be_found() -> None:
    every = every_key(WorkspaceApp)
    shown = without_repeats(every)
    rows = [(one.task, row.keys, row.tooltip) for one in shown for row in one.rows if row.tooltip]
    assert len(set(rows)) == len(rows)
    assert "transcript.page_up" in {row.id for one in every for row in one.rows}
