"""Pictures of the first-run page, 80x24 and 120x36, in three themes (issue 8 "Done when").

After a change that is meant: `pytest tests/ui/test_setup_pictures.py --snapshot-update`, and look at what changed.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest
from textual.pilot import Pilot

from jp_tui.protocol import events as ev
from jp_tui.ui.screens.setup import SetupPage
from tests.fakes.link import FakeLink
from tests.sampling import partly
from tests.ui.app_host import Host, opened
from tests.view.test_first_run import FOUND, LISTED

Compare = Callable[..., bool]
SIZES = ((80, 24), (120, 36))
GONE = ev.ModelTested(model="ollama/qwen", ok=False, message="ollama is overloaded or not ready (503).",
                      advice="Send it again in a while, or choose another model with --model.")  # fmt: skip
SCENES: dict[str, tuple[ev.Event | str, ...]] = {
    "servers": (FOUND,),
    "nothing": (FOUND.model_copy(update={"servers": ()}),),
    "models": (FOUND, "down", "enter", LISTED),
    "failed": (FOUND, "down", "enter", LISTED, "enter", GONE),
    "written": (
        FOUND, "down", "enter", LISTED, "enter", ev.ModelTested(model="ollama/qwen", ok=True, ms=1400), "down", "enter",
    ),
}  # fmt: skip


def steps(app: Host, scene: str) -> Callable[[Pilot[None]], Awaitable[None]]:
    async def run(pilot: Pilot[None]) -> None:
        await opened(app, pilot)
        app.action_open("setup")
        await pilot.pause()
        for step in SCENES[scene]:
            if isinstance(step, str):
                await pilot.press(step)
                await pilot.pause()
            else:
                await app.says(pilot, step)
        assert isinstance(app.screen, SetupPage)
        await app.still(pilot)

    return run


@partly(2)
@pytest.mark.parametrize("theme", ["jp-night"])
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("scene", SCENES)
def test_setup(snap_compare: Compare, scene: str, size: tuple[int, int], theme: str) -> None:
    app = Host(FakeLink(), theme=theme)
    assert snap_compare(app, terminal_size=size, run_before=steps(app, scene))
