"""The plan in the sidebar, and the plan that a person accepts (K40, K42), in pictures at 80 and 120 columns."""

from __future__ import annotations

import pytest
from textual.pilot import Pilot

from jp_tui.conversation import events as stored
from jp_tui.conversation.strict_json import Json
from jp_tui.conversation.text import Foreign
from jp_tui.protocol import events as ev
from jp_tui.questions.wire import digest
from jp_tui.tools.submit_plan import question
from tests.fakes import scenes
from tests.fakes.link import CONVERSATION
from tests.ui.app_host import Host
from tests.ui.picturing import Compare, host, looks, taken

STEPS = ("Read the tests of the brewer", "Change brew.py and its table", "Run the tests", "Write the changelog")
PLAN = """\
The brewer boils green tea. **brew.py** reads `docs/brewing.md`, but ignores the temperature.

- take the temperature from the table
- leave black tea at 100 °C
"""


@pytest.fixture(autouse=True)
def _still(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)


def planned() -> list[ev.Event]:
    states = ("completed", "in_progress", "pending", "pending")
    steps: list[Json] = [{"step": step, "status": status} for step, status in zip(STEPS, states, strict=True)]
    head = {"timestamp": scenes.AT}
    return [
        scenes.appended(3, stored.Unknown({**head, "type": "plan", "steps": steps})),
        scenes.appended(4, stored.Unknown({**head, "type": "mode", "mode": "plan"})),
    ]


@looks
def test_k40_the_sidebar(snap_compare: Compare, size: tuple[int, int], theme: str) -> None:
    app = host(theme)

    async def then(app: Host, pilot: Pilot[None]) -> None:
        if size[0] < 100:
            await pilot.press("ctrl+b")

    events = [*scenes.started(), *planned()]
    assert snap_compare(app, terminal_size=size, run_before=taken(app, *events, then=then))


@looks
def test_k42_the_sheet(snap_compare: Compare, size: tuple[int, int], theme: str) -> None:
    app = host(theme)
    asks = question(PLAN, STEPS)
    prompt = scenes.prompt("select").model_copy(
        update={
            "inquiry": "call_2.accept_plan.1", "tool": "submit_plan", "source_name": "submit_plan", "question": asks,
            "digest": digest(asks), "subject": Foreign(""), "human_only": True, "preselect": False,
            "controls": frozenset({"reply", "end_turn", "cancel"}),
        }
    )  # fmt: skip
    asked = ev.QuestionAsked(conversation=CONVERSATION, prompt=prompt)

    async def then(app: Host, pilot: Pilot[None]) -> None:
        await app.passes(pilot, 2)

    assert snap_compare(app, terminal_size=size, run_before=taken(app, *scenes.started(), asked, then=then))
