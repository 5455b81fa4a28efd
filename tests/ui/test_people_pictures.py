"""Pictures of questions that ask several people: the inbox with claims and approvals, a sheet that waits for others, an
approver's, a claimed one (store.md D14-D16, D19).

After a change that is meant: `pytest tests/ui/test_people_pictures.py --snapshot-update`, and look at what changed.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest
from textual.pilot import Pilot

from jp_tui.protocol import commands as cmd
from jp_tui.protocol import events as ev
from jp_tui.protocol.people import Approvals, PeopleListed, PersonInfo
from jp_tui.protocol.values import PromptRequest
from tests.fakes import scenes
from tests.ui.app_host import Host
from tests.ui.picturing import Compare, host, looks, taken
from tests.ui.sheet_host import boolean
from tests.ui.test_sheet_pictures import LARGE, SMALL, look
from tests.ui.test_store_pictures import NAMED, waits

ONE_OF_TWO = Approvals(needed=2, by=("second",))
ASKED = (
    waits(1, "Deploy to production?", title="Release 4", approvals=ONE_OF_TWO, to="role:ops", share="roles",
          owner="lead", machine="desk", folder="/home/lead/shop"),
    waits(2, "Remove the old index?", title="Search", claimed_by="second", to="role:ops", share="roles", owner="lead"),
    waits(3, "Which branch?", title="Nightly build"),
    waits(4, "Delete 12 files?", title="Clean up", to="lead", share="asked", yours=False, claimed_by="lead"),
    waits(5, "Rotate the key?", title="Keys", approvals=Approvals(needed=2), share="asked", yours=False),
)  # fmt: skip
STORE = PeopleListed(
    people=(
        PersonInfo(name="ada", you=True),
        PersonInfo(name="lead", groups=("ops", "dev"), away_until="2026-12-01T08:00:00Z"),
        PersonInfo(name="second", groups=("ops",)),
    ),
    groups=("role:dev", "role:ops"),
)
SIZES = pytest.mark.parametrize("size", [SMALL, LARGE], ids=["80x24", "120x36"])


@pytest.fixture(autouse=True)
def _colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)


def asks(*keys: str) -> tuple[Host, Callable[[Pilot[None]], Awaitable[None]]]:
    app = host("jp-night")
    app.link.answers[cmd.WatchWaiting] = lambda one: [ev.WaitingListed(waiting=ASKED)] if one.on else []

    async def then(app: Host, pilot: Pilot[None]) -> None:
        await pilot.press("f4", *keys)

    return app, taken(app, NAMED, *scenes.tools(), then=then)


@looks
def test_d19_inbox(snap_compare: Compare, size: tuple[int, int], theme: str) -> None:
    app, before = asks()
    assert snap_compare(app, terminal_size=size, run_before=before)


def test_d19_inbox_of_my_roles(snap_compare: Compare) -> None:
    app, before = asks("f", "f")
    assert snap_compare(app, terminal_size=SMALL, run_before=before)


def of(**people: object) -> PromptRequest:
    """Return a question that asks these people."""
    return boolean(remember=False).model_copy(update=people)


SHEETS: dict[str, PromptRequest] = {
    "waits": of(to="role:ops", approvals=ONE_OF_TWO, yours=False, claimed_by="third"),
    "approver": of(to="role:ops", approvals=ONE_OF_TWO),
    "claimed": of(to="role:ops", claimed_by="second"),
}


@SIZES
@pytest.mark.parametrize("name", SHEETS)
def test_d14_sheet(name: str, size: tuple[int, int], snap_compare: Compare) -> None:
    look(snap_compare, SHEETS[name], size=size, keys="y" if name == "claimed" else "")


def test_d14_withdrawing(snap_compare: Compare) -> None:
    look(snap_compare, SHEETS["waits"], size=SMALL, keys="escape")


def test_d14_why(snap_compare: Compare) -> None:
    look(snap_compare, SHEETS["approver"].model_copy(update={"why": "config.toml:4 wants 2 approvals."}), keys="w")


def test_d14_a_sheet_that_waits_by_day(snap_compare: Compare) -> None:
    look(snap_compare, SHEETS["waits"], size=LARGE, theme="jp-day")


@looks
def test_d16_handing_over(snap_compare: Compare, size: tuple[int, int], theme: str) -> None:
    app = host(theme)
    app.link.answers[cmd.ListPeople] = lambda _: [STORE]
    asked = scenes.prompt("boolean").model_copy(update={"to": "role:ops", "approvals": ONE_OF_TWO})

    async def then(app: Host, pilot: Pilot[None]) -> None:
        for _ in range(2):
            await app.passes(pilot, 2.0)
        await pilot.press("h")

    asks = ev.QuestionAsked(conversation=asked.conversation, prompt=asked)
    assert snap_compare(app, terminal_size=size, run_before=taken(app, NAMED, *scenes.tools(), asks, then=then))
