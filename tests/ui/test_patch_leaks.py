"""What was open and is closed does not weigh: no sheet, no page and nothing that they painted stays in memory."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import itertools
import weakref
from collections import Counter

import pytest
from textual import _time
from textual._styles_cache import StylesCache
from textual.pilot import Pilot
from textual.widget import Widget

from jp_tui.protocol import events as ev
from tests.fakes import scenes
from tests.fakes.link import CONVERSATION
from tests.limits import LIMIT
from tests.ui.app_host import Host, workspace


async def page(app: Host, pilot: Pilot[None]) -> None:
    app.action_open("settings")
    await pilot.pause()
    opened = weakref.ref(app.screen)
    await pilot.press("escape")
    with contextlib.suppress(TimeoutError):  # the count below says what is left
        async with asyncio.timeout(LIMIT):
            while opened() is not None:  # its task ends some time after it left the screen
                await pilot.pause(0.01)
                gc.collect()


async def sheet(app: Host, pilot: Pilot[None]) -> None:
    await app.says(pilot, *scenes.asked())
    await app.passes(pilot, 2.0)
    await app.passes(pilot, 2.0)
    inquiry = "call_2.apply_changes.1"
    await app.says(pilot, ev.QuestionSettled(conversation=CONVERSATION, inquiry=inquiry, how="answered"))
    await app.passes(pilot, 2.0)


@pytest.mark.parametrize("opens", [page, sheet])
async def test_what_was_closed_is_gone(opens: object) -> None:
    async with workspace(say=scenes.tools()) as (app, pilot):
        counts = []
        for _ in range(3):
            for _ in range(2):
                await opens(app, pilot)  # type: ignore[operator]
            gc.collect()
            alive = Counter(type(one).__name__ for one in gc.get_objects() if isinstance(one, Widget | StylesCache))
            counts.append(alive)
        assert counts[2] == counts[1], counts[2] - counts[1]


async def test_a_timer_that_begins_while_the_machine_is_held_up_fires_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with workspace() as (app, _):
        fired, later = asyncio.Event(), itertools.count(0.0, 0.01)
        with monkeypatch.context() as held:
            held.setattr(_time, "get_time", lambda: next(later))
            app.set_timer(0.002, fired.set)
            await asyncio.wait_for(fired.wait(), LIMIT)
