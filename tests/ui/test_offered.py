"""Questions that another process holds, answered from here (S12, E53; issue 7, 6)."""

from __future__ import annotations

from typing import Any

import pytest
from textual.pilot import Pilot

from jp_tui.conversation.text import Foreign
from jp_tui.protocol import commands as cmd
from jp_tui.protocol import events as ev
from jp_tui.protocol.values import WaitingInfo
from jp_tui.ui.screens.inbox import Inbox
from tests.fakes import scenes
from tests.fakes.link import FakeLink
from tests.ui.app_host import Host, workspace

HELD = WaitingInfo(
    conversation="c7", title=Foreign("Fix the build"), inquiry="call_9.go_on.1", tool="deploy", source="tool",
    text=Foreign("Deploy to production?"), digest="d7", since=scenes.AT, held_by="jp-tui (process 7 on box, since now)",
    question={"text": "Deploy to production?", "answer_type": {"type": "boolean"}},
)  # fmt: skip
KEY = ("c7", "call_9.go_on.1")


def elsewhere(*waiting: WaitingInfo) -> FakeLink:
    link = FakeLink()
    link.answers[cmd.WatchWaiting] = lambda command: [ev.WaitingListed(waiting=waiting)] if command.on else []
    return link


async def taken(app: Host, pilot: Pilot[None]) -> None:
    """From the inbox to the sheet."""
    await pilot.press("f4")
    await pilot.pause()
    assert isinstance(app.screen, Inbox) and "open in jp-tui" in app.screen_text()
    await pilot.press("enter")
    await pilot.pause()
    for _ in range(2):
        await app.passes(pilot, 2.0)


def outcome(status: str, **more: Any) -> ev.OfferSettled:
    fields = {"status": status, "inquiry": KEY[1], "conversation": KEY[0], **more}
    return ev.OfferSettled.model_validate(fields)


async def test_s12_its_answer_goes_to_the_holder() -> None:
    """Asked in a sheet like any, offered and not sent as ours; nothing is taken up."""
    async with workspace(elsewhere(HELD), say=scenes.tools()) as (app, pilot):
        await taken(app, pilot)
        sheet = app.dock.shown()
        assert sheet is not None and (sheet.prompt.conversation, sheet.prompt.inquiry) == KEY
        await pilot.press("y")
        await pilot.press("enter")
        await pilot.pause()
        assert [(one.conversation, one.inquiry, one.value) for one in app.link.of(cmd.OfferAnswer)] == [(*KEY, "yes")]
        assert not app.link.of(cmd.AnswerQuestion) and not app.link.of(cmd.CarryOn)
        await app.says(pilot, outcome("accepted"))
        assert app.dock.waiting == 0 and app.link.of(cmd.WatchWaiting)[-1].on is False


async def test_e53_the_first_answer_wins_and_it_is_said_by_whom() -> None:
    async with workspace(elsewhere(HELD), say=scenes.tools()) as (app, pilot):
        await taken(app, pilot)
        await pilot.press("n")
        await pilot.press("enter")
        await pilot.pause()
        assert app.link.of(cmd.OfferAnswer)[0].value == "no"
        await app.says(pilot, outcome("answered", by="user", message="It was already answered (user)."))
        assert app.dock.waiting == 0 and "you, elsewhere" in app.screen_text()


async def test_one_whose_holder_did_not_react_can_be_sent_again() -> None:
    async with workspace(elsewhere(HELD), say=scenes.tools()) as (app, pilot):
        await taken(app, pilot)
        await pilot.press("y")
        await pilot.press("enter")
        await pilot.pause()
        await app.says(pilot, outcome("no_reaction", message="jp-tui holds the conversation and did not react."))
        assert "did not react" in app.screen_text() and app.dock.waiting == 1
        await app.passes(pilot, 2.0)
        await pilot.press("y")
        await pilot.press("enter")
        await pilot.pause()
        assert len(app.link.of(cmd.OfferAnswer)) == 2


async def test_e51_what_is_answered_there_disappears_here() -> None:
    async with workspace(elsewhere(HELD), say=scenes.tools()) as (app, pilot):
        await taken(app, pilot)
        assert app.link.of(cmd.WatchWaiting)[-1].on is True, "it is followed as long as it stands here"
        await app.says(pilot, ev.WaitingListed(waiting=()))
        assert app.dock.waiting == 0 and not app.link.of(cmd.OfferAnswer)


SECRET = HELD.model_copy(update={"question": {"text": "Token?", "answer_type": {"type": "secret"}}})
SCHEMA = HELD.model_copy(update={"question": {"text": "Which?", "answer_type": {"type": "schema", "schema": {}}}})


@pytest.mark.parametrize("one", [SECRET, SCHEMA], ids=["secret", "schema"])
async def test_what_a_line_cannot_answer_is_answered_where_it_is_held(one: WaitingInfo) -> None:
    async with workspace(elsewhere(one), say=scenes.tools()) as (app, pilot):
        await pilot.press("f4")
        await pilot.pause()
        assert "Enter answer" not in app.screen_text() and "Enter resume" not in app.screen_text()
        await pilot.press("enter")
        await pilot.pause()
        assert app.dock.waiting == 0
        assert not app.link.of(cmd.CarryOn)


@pytest.mark.parametrize("why", ["", "no setting answers for you"], ids=["no_rule", "a_rule"])
async def test_only_keys_that_work_are_offered_for_it(why: str) -> None:
    """What goes to the holder is a bare answer: no talk aside, no note; `why` only where a rule stands on record."""
    async with workspace(elsewhere(HELD.model_copy(update={"why": why})), say=scenes.tools()) as (app, pilot):
        await taken(app, pilot)
        sheet = app.dock.shown()
        assert sheet is not None
        offered = {hint.action for hint in sheet.hints()}
        assert offered.isdisjoint({"ask_back", "note", "reply", "end_turn"}) and ("why" in offered) == bool(why)
        await pilot.press("question_mark")
        await pilot.press("w")
        await pilot.press("c")
        await pilot.pause()
        assert sheet.writing is None and (sheet.reading.shown_text == "why") == bool(why)
        await pilot.press("escape")
        await pilot.pause()
        assert {row.id for row in sheet.menu.list.rows}.isdisjoint({"ask", "note", "reply", "cancel", "end"})
        assert not app.link.of(cmd.AskAside)
