"""What is kept of a painted screen for the next start: only what a resumed conversation would show as well."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from io import StringIO

import pytest
from rich.console import Console
from textual.pilot import Pilot

from jp_tui.first_frame.last_screen import painted, parse, written
from jp_tui.protocol.values import EventSpan
from jp_tui.ui.capture import last_screen_of
from tests.fakes import scenes
from tests.fakes.link import FakeLink, opened
from tests.first_frame.test_skeleton import as_painted, cells, shown
from tests.ui.app_host import Host, until
from tests.ui.app_host import opened as until_opened


@asynccontextmanager
async def resumed(size: tuple[int, int] = (80, 24)) -> AsyncIterator[tuple[Host, Pilot[None]]]:
    """A workspace with a conversation of one turn that is over."""
    page = scenes.page(scenes.failed())
    span = EventSpan(first=1, last=page[-1].seq, events=len(page), characters=400, lines=9)
    app = Host(FakeLink(opened(title="Tea", new=False, page=page, spans=(span,), last_seq=page[-1].seq)))
    app.console = Console(color_system="truecolor", force_terminal=True, file=StringIO(), width=size[0])
    async with app.run_test(size=size) as pilot:
        await until_opened(app, pilot)
        await app.still(pilot)
        yield app, pilot


@pytest.mark.parametrize("size", [(80, 24), (120, 36)], ids=str)
async def test_the_last_screen_is_what_is_painted_without_composer_and_keys(size: tuple[int, int]) -> None:
    async with resumed(size) as (app, _):
        found, real = last_screen_of(app._main), as_painted(app)
    assert found is not None
    assert (found.conversation, found.last_seq, found.title, found.size) == ("c1", 3, "Tea", size)
    text = written("facts", found.rows)
    assert text is not None
    rows = parse(text, "facts", *size)
    assert rows == found.rows
    drawn = cells(shown(size, "\x1b[?7l" + painted(rows)), list(range(size[1] - 4)))
    assert drawn == cells(shown(size, real), list(range(size[1] - 4)))
    assert all(y < size[1] - 1 and (x or y < size[1] - 4) for y, x, _ in found.rows)


@pytest.mark.parametrize("keys", ["a", "tab", "ctrl+p", "f1"])
async def test_nothing_is_kept_of_a_screen_with_more_on_it(keys: str) -> None:
    """Something is written, the conversation has the focus, another screen lies over it."""
    async with resumed() as (app, pilot):
        assert last_screen_of(app._main) is not None
        await pilot.press(keys)
        await until(pilot, lambda: last_screen_of(app._main) is None)


async def test_nothing_is_kept_while_something_happens_or_waits() -> None:
    async with resumed() as (app, pilot):
        await app.says(pilot, scenes.started()[0])
        assert last_screen_of(app._main) is None


async def test_nothing_is_kept_of_an_empty_conversation() -> None:
    app = Host(FakeLink())
    async with app.run_test(size=(80, 24)) as pilot:
        await until_opened(app, pilot)
        await app.still(pilot)
        assert last_screen_of(app._main) is None


async def test_nothing_is_kept_where_the_screen_was_scrolled_or_has_a_notice() -> None:
    async with resumed() as (app, pilot):
        app.column.transcript.hold()
        assert last_screen_of(app._main) is None
        app.column.transcript.scroll_to_end()
        await app.still(pilot)
        assert last_screen_of(app._main) is not None
        app._main.note("Something to know.")
        await until(pilot, lambda: last_screen_of(app._main) is None)
