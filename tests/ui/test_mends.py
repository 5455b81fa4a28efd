"""What was open and is closed does not weigh: no sheet, no page and nothing that they painted stays in memory."""

from __future__ import annotations

import gc
from collections import Counter

import pytest
from textual._styles_cache import StylesCache
from textual.pilot import Pilot
from textual.widget import Widget

from jp_tui.protocol import events as ev
from tests.fakes import scenes
from tests.fakes.link import CONVERSATION
from tests.ui.app_host import Host, workspace


async def page(app: Host, pilot: Pilot[None]) -> None:
    app.action_settings()
    await pilot.pause()
    await pilot.press("escape")
    await pilot.pause()


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
