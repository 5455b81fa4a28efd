"""Taking pictures of the workspace: one theme, two sizes, a clock that stands still, and a screen that is still.

`looks` makes one test a theme and a size; `taken` is what happens before the picture. It compares nothing itself.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest
from textual.pilot import Pilot

from jp_tui.conversation.ids import read_timestamp
from jp_tui.conversation.text import Foreign
from jp_tui.protocol import events as ev
from tests.fakes.link import FakeLink, opened
from tests.sampling import partly
from tests.ui.app_host import Host
from tests.ui.app_host import opened as is_open

Compare = Callable[..., bool]
Then = Callable[[Host, Pilot[None]], Awaitable[None]]
SIZES = ((80, 24), (120, 36))
THEMES = ("jp-night",)
"""One theme for each state: what the others make of it is a sample, `test_theme` and `test_markdown`."""
NOW = "2026-03-05 21:24:00"


def looks(test: Callable[..., None]) -> Callable[..., None]:
    """One test a theme and a size: arguments `theme` and `size`. Each run has every state, in one of the sizes."""
    sized = pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
    return partly(len(SIZES))(pytest.mark.parametrize("theme", THEMES)(sized(test)))


def host(theme: str, link: FakeLink | None = None, **first: object) -> Host:
    """The workspace at NOW; `first` are fields of the conversation that is opened."""
    app = Host(link or FakeLink(opened(**{"title": Foreign("rfd-links"), "new": False, **first})), theme=theme)
    app.wall = lambda: read_timestamp(NOW).timestamp()  # type: ignore[method-assign]
    return app


def taken(app: Host, *say: ev.Event, then: Then | None = None) -> Callable[[Pilot[None]], Awaitable[None]]:
    """Open, report `say`, do `then`, wait until nothing moves."""

    async def run(pilot: Pilot[None]) -> None:
        await is_open(app, pilot)
        await app.says(pilot, *say)
        if then is not None:
            await then(app, pilot)
        await app.still(pilot)

    return run
