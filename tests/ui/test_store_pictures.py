"""Pictures of a workspace on a shared store: the inbox of three machines, without the store, an answer that wasn't sent
(store.md D12; asking.md E51).

After a change that is meant: `pytest tests/ui/test_store_pictures.py --snapshot-update`, and look at what changed.
"""

from __future__ import annotations

import pytest
from textual.pilot import Pilot

from jp_tui.protocol import commands as cmd
from jp_tui.protocol import events as ev
from jp_tui.protocol.values import WaitingInfo
from tests.fakes import scenes
from tests.fakes.link import CONVERSATION
from tests.ui.app_host import Host
from tests.ui.picturing import SIZES, Compare, host, looks, taken
from tests.ui.test_offline import LOST

NAMED = ev.StoreState(name="db.example.org/jp")
BOOLEAN = {"text": "", "answer_type": {"type": "boolean"}}


def waits(number: int, text: str, **more: object) -> WaitingInfo:
    given = {
        "conversation": f"c{number}", "inquiry": f"call_{number}.q.1", "title": "Fix the build", "tool": "deploy",
        "source": "tool", "text": text, "digest": f"d{number}", "since": f"2026-03-05 2{number % 2}:0{number}:00",
        "question": BOOLEAN,
    }  # fmt: skip
    return WaitingInfo.model_validate({**given, **more})


HOLDER = "ada on desk (jp-tui, process 7) since 2026-03-05 20:00 UTC"
THREE = (
    waits(1, "Deploy to production?", title="Release 4"),
    waits(2, "Remove the old index?", machine="desk", held_by=HOLDER, title="Search"),
    waits(3, "Which branch?", machine="build-box", title="Nightly build"),
    waits(4, "Delete 12 files?", machine="desk", held_by=HOLDER, folder="/home/ada/src/clean", title="Clean up"),
    waits(5, "Rotate the key?", machine="build-box", folder="/srv/deploy/production/eu", title="Keys"),
)


@pytest.fixture(autouse=True)
def _colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)


light = pytest.mark.parametrize("size", SIZES[:1], ids=["80x24"])


@looks
def test_inbox_of_three_machines(snap_compare: Compare, size: tuple[int, int], theme: str) -> None:
    inbox_of_three(snap_compare, size, theme)


@light
def test_inbox_of_three_machines_in_light(snap_compare: Compare, size: tuple[int, int]) -> None:
    inbox_of_three(snap_compare, size, "jp-day")


def inbox_of_three(snap_compare: Compare, size: tuple[int, int], theme: str) -> None:
    app = host(theme)
    app.link.answers[cmd.WatchWaiting] = lambda one: [ev.WaitingListed(waiting=THREE)] if one.on else []

    async def then(app: Host, pilot: Pilot[None]) -> None:
        await pilot.press("f4")

    assert snap_compare(app, terminal_size=size, run_before=taken(app, NAMED, *scenes.tools(), then=then))


@looks
def test_offline(snap_compare: Compare, size: tuple[int, int], theme: str) -> None:
    """The notice stays until Esc; messages wait above the composer."""
    offline(snap_compare, size, theme)


@light
def test_offline_in_light(snap_compare: Compare, size: tuple[int, int]) -> None:
    offline(snap_compare, size, "jp-day")


def offline(snap_compare: Compare, size: tuple[int, int], theme: str) -> None:
    app = host(theme)
    messages = [{"id": 1, "text": "and then run the tests"}, {"id": 2, "text": "push it\nwhen they pass"}]
    waiting = {"conversation": CONVERSATION, "messages": messages, "held": "not sent, the store doesn't answer"}
    say = [NAMED, ev.QueueChanged.model_validate({**waiting, "unsent": True}), LOST]
    assert snap_compare(app, terminal_size=size, run_before=taken(app, *say))


@looks
def test_an_answer_that_was_not_sent(snap_compare: Compare, size: tuple[int, int], theme: str) -> None:
    app = host(theme)

    async def then(app: Host, pilot: Pilot[None]) -> None:
        for _ in range(2):
            await app.passes(pilot, 2.0)
        await pilot.press("y", "enter")
        await pilot.pause()
        asked = app.link.of(cmd.AnswerQuestion)[0]
        await app.says(pilot, ev.AnswerHeld(conversation=asked.conversation, inquiry=asked.inquiry, held=True))

    say = [NAMED, *scenes.tools(), *scenes.asked("boolean"), LOST]
    assert snap_compare(app, terminal_size=size, run_before=taken(app, *say, then=then))
