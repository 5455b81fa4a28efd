"""The approval mode in the status line (AR30), and the line that says what Y and N do (AR18), in pictures."""

from __future__ import annotations

import pytest
from textual.pilot import Pilot

from jp_tui.protocol import events as ev
from tests.fakes import scenes
from tests.fakes.link import CONVERSATION
from tests.ui.app_host import Host
from tests.ui.picturing import Compare, host, looks, taken
from tests.view.test_rule_choice import SCOPES


@pytest.fixture(autouse=True)
def _still(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)


@looks
def test_ar30_the_status_line(snap_compare: Compare, size: tuple[int, int], theme: str) -> None:
    app = host(theme)
    mode = ev.ApprovalModeSet(conversation=CONVERSATION, mode="unattended", chosen="unattended")
    assert snap_compare(app, terminal_size=size, run_before=taken(app, *scenes.tools(), mode))


def asking() -> list[ev.Event]:
    prompt = scenes.prompt("boolean").model_copy(update={"scopes": SCOPES, "remember_covers": ""})
    return [*scenes.started(), ev.QuestionAsked(conversation=CONVERSATION, prompt=prompt)]


@looks
def test_ar18_the_line_of_scopes(snap_compare: Compare, size: tuple[int, int], theme: str) -> None:
    app = host(theme)

    async def then(app: Host, pilot: Pilot[None]) -> None:
        await app.passes(pilot, 2.0)

    assert snap_compare(app, terminal_size=size, run_before=taken(app, *asking(), then=then))


def test_ar18_narrowed_for_the_conversation_without_colour(
    snap_compare: Compare, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = host("jp-night")

    async def then(app: Host, pilot: Pilot[None]) -> None:
        await app.passes(pilot, 2.0)
        await pilot.press("minus", "l")

    assert snap_compare(app, terminal_size=(80, 24), run_before=taken(app, *asking(), then=then))
