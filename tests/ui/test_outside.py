"""Questions of other programs in the workspace (intake.md N4, N6, N8): folded when they come, answered in a sheet."""

from __future__ import annotations

import pytest
from textual.pilot import Pilot

from jp_tui.conversation.text import Foreign
from jp_tui.protocol import commands as cmd
from jp_tui.protocol import events as ev
from jp_tui.protocol.outside import Asker
from jp_tui.protocol.values import WaitingInfo
from jp_tui.ui.screens.inbox import Inbox
from tests.fakes import scenes, waiting
from tests.fakes.link import FakeLink
from tests.ui.app_host import Host, workspace

ASKER = Asker(program="make", pid=4711, started="2026-01-01T00:00:00Z", folder="/srv/app", host="box")
ASKED = WaitingInfo(
    conversation="c7", title=Foreign(""), inquiry="ask.answer.1", tool="outside.make", source="outside",
    text=Foreign("Deploy to production?"), digest="d7", since=scenes.AT, asker=ASKER,
    question={"text": "Deploy to production?", "answer_type": {"type": "boolean"}},
)  # fmt: skip
KEY = ("c7", "ask.answer.1")


def asked(**question: object) -> WaitingInfo:
    return ASKED.model_copy(update={"question": {"text": "Deploy to production?", **question}})


async def opened(app: Host, pilot: Pilot[None]) -> None:
    """From the line to the sheet, which takes keys."""
    await pilot.press("ctrl+o")
    await pilot.pause()
    for _ in range(2):
        await app.passes(pilot, 2.0)


async def test_n6_it_arrives_folded_and_names_its_program() -> None:
    async with workspace(FakeLink(), say=scenes.tools()) as (app, pilot):
        await app.says(pilot, ev.WaitingListed(waiting=(ASKED,)))
        for _ in range(2):
            await app.passes(pilot, 40.0)
        assert app.dock.waiting == 1 and not app.dock.open
        assert "1 waiting" in app.screen_text() and "make in /srv/app" in app.screen_text()


@pytest.mark.parametrize(("arrive", "open_", "line"), [("sheet", True, 0), ("inbox", False, 0)])
async def test_n6_a_setting_opens_it_or_leaves_it_to_the_inbox(arrive: str, open_: bool, line: int) -> None:
    async with workspace(FakeLink(), say=scenes.tools()) as (app, pilot):
        await app.says(pilot, ev.WaitingListed(waiting=(ASKED,), arrive=arrive))  # type: ignore[arg-type]
        for _ in range(2):
            await app.passes(pilot, 2.0)
        assert app.dock.open is open_ and ("Ctrl+O opens" in app.screen_text()) is bool(line)
        assert app._main.inbox is not None and len(app._main.inbox.entries) == 1


async def test_n6_it_keeps_no_question_of_ours_folded() -> None:
    async with workspace(FakeLink(), say=scenes.tools()) as (app, pilot):
        await app.says(pilot, ev.WaitingListed(waiting=(ASKED,)))
        await app.says(pilot, *scenes.asked())
        for _ in range(2):
            await app.passes(pilot, 2.0)
        sheet = app.dock.shown()
        assert sheet is not None and (sheet.prompt.conversation, sheet.prompt.inquiry) != KEY


async def test_n6_it_is_answered_in_a_sheet_and_nothing_is_preselected() -> None:
    async with workspace(FakeLink(), say=scenes.tools()) as (app, pilot):
        await app.says(pilot, ev.WaitingListed(waiting=(ASKED,)))
        await opened(app, pilot)
        assert "make in /srv/app (pid 4711)" in app.screen_text() and "another conversation" not in app.screen_text()
        await pilot.press("enter")
        await pilot.pause()
        assert not app.link.of(cmd.OfferAnswer)
        await pilot.press("y")
        await pilot.press("enter")
        await pilot.pause()
        (offer,) = app.link.of(cmd.OfferAnswer)
        assert ((offer.conversation, offer.inquiry), offer.value, offer.decline) == (KEY, "yes", False)
        await app.says(pilot, ev.OfferSettled(status="accepted", inquiry=KEY[1], conversation=KEY[0], outside=True))
        assert app.dock.waiting == 0


async def test_n3_yes_is_remembered_for_the_session_where_it_may_be() -> None:
    one = asked(answer_type={"type": "boolean"}).model_copy(update={"covers": "exactly this command, and no other"})
    async with workspace(FakeLink(), say=scenes.tools()) as (app, pilot):
        await app.says(pilot, ev.WaitingListed(waiting=(one,)))
        await opened(app, pilot)
        assert "yes, this session" in app.screen_text() and "exactly this command" in app.screen_text()
        await pilot.press("Y")
        await pilot.pause()
        (offer,) = app.link.of(cmd.OfferAnswer)
        assert (offer.value, offer.remember) == ("yes", True)


async def test_n8_it_is_declined_in_words() -> None:
    async with workspace(FakeLink(), say=scenes.tools()) as (app, pilot):
        await app.says(pilot, ev.WaitingListed(waiting=(ASKED,)))
        await opened(app, pilot)
        await pilot.press("r", *"later", "enter")
        await pilot.pause()
        (offer,) = app.link.of(cmd.OfferAnswer)
        assert (offer.decline, offer.note, offer.value) == (True, "later", "")


async def test_n8_it_is_declined_in_the_menu() -> None:
    async with workspace(FakeLink(), say=scenes.tools()) as (app, pilot):
        await app.says(pilot, ev.WaitingListed(waiting=(ASKED,)))
        await opened(app, pilot)
        await pilot.press("escape")
        await pilot.pause()
        assert "ends with status 4" in app.screen_text() and "the model" not in app.screen_text().split("Decline")[1]


async def test_n3_declined_permission_runs_nothing() -> None:
    one = ASKED.model_copy(update={"tool": "claude-code.Bash"})
    async with workspace(FakeLink(), say=scenes.tools()) as (app, pilot):
        await app.says(pilot, ev.WaitingListed(waiting=(one,)))
        await opened(app, pilot)
        await pilot.press("escape")
        await pilot.pause()
        assert "call doesn't run" in app.screen_text() and "status 4" not in app.screen_text()


@pytest.mark.parametrize(
    ("one", "keys", "value"),
    [
        (asked(answer_type={"type": "text"}), "soon", "soon"),
        (asked(answer_type={"type": "secret"}), "hunter2", "hunter2"),
        (asked(answer_type={"type": "select", "options": [{"value": "a"}, {"value": "b"}]}), "2", "b"),
    ],
    ids=["text", "secret", "select"],
)
async def test_n8_every_kind_of_answer_is_taken(one: WaitingInfo, keys: str, value: str) -> None:
    async with workspace(FakeLink(), say=scenes.tools()) as (app, pilot):
        await app.says(pilot, ev.WaitingListed(waiting=(one,)))
        await opened(app, pilot)
        await pilot.press(*keys, "enter")
        await pilot.pause()
        (offer,) = app.link.of(cmd.OfferAnswer)
        assert (offer.value, offer.hidden) == (value, True)


async def test_n6_it_goes_when_it_is_answered_elsewhere() -> None:
    async with workspace(FakeLink(), say=scenes.tools()) as (app, pilot):
        await app.says(pilot, ev.WaitingListed(waiting=(ASKED,)))
        await app.says(pilot, ev.WaitingListed(waiting=()))
        assert app.dock.waiting == 0


async def test_n6_the_inbox_lists_this_folder_first() -> None:
    elsewhere = ASKER.model_copy(update={"folder": "/elsewhere"})
    before = {"conversation": "c1", "since": "2020-01-01 00:00:00", "folder": "/elsewhere", "text": Foreign("Push?")}
    there = ASKED.model_copy(update={**before, "asker": elsewhere})
    link = FakeLink()
    link.answers[cmd.WatchWaiting] = lambda one: [ev.WaitingListed(waiting=(there, ASKED))] if one.on else []
    async with workspace(link, say=scenes.tools()) as (app, pilot):
        await pilot.press("f4")
        await pilot.pause()
        assert isinstance(app.screen, Inbox)
        text = app.screen_text()
        assert text.index("make in /srv/app") < text.index("make in /elsewhere") and "Enter answer" in text


@pytest.mark.parametrize(
    ("keys", "rule"),
    [
        ("Y enter", ("file", "conversation")),
        ("l Y enter", ("file", "folder")),
        ("+ Y enter", ("folder", "conversation")),
    ],
)
async def test_ar18_its_answer_makes_the_rule_that_is_shown(keys: str, rule: tuple[str, str]) -> None:
    async with workspace(FakeLink(), say=scenes.tools()) as (app, pilot):
        await app.says(pilot, waiting.permission_outside())
        await opened(app, pilot)
        for key in keys.split():
            await pilot.press(key)
            await pilot.pause()
        (offer,) = app.link.of(cmd.OfferAnswer)
        assert offer.value == "yes" and offer.rule is not None
        assert (offer.rule.scope, offer.rule.lifetime) == rule


async def test_n21_its_arguments_are_edited() -> None:
    async with workspace(FakeLink(), say=scenes.tools()) as (app, pilot):
        await app.says(pilot, waiting.permission_outside())
        await opened(app, pilot)
        await pilot.press("e")
        await pilot.pause()
        assert "restarts" not in app.screen_text() and '"new_string": "MOST = 100"' in app.screen_text()
        await pilot.press("enter")
        await pilot.pause()
        (offer,) = app.link.of(cmd.OfferAnswer)
        assert offer.value == "yes" and offer.arguments is not None and offer.arguments["new_string"] == "MOST = 100"
