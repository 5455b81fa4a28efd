"""What goes back and forth about an open question, through the workspace: verdicts, side questions (R186, E30)."""

from __future__ import annotations

from typing import Any

import pytest

from jp_tui.conversation.text import Foreign
from jp_tui.protocol import commands as cmd
from jp_tui.protocol import events as ev
from jp_tui.protocol.values import TurnError
from jp_tui.questions.types import Option, Question, SchemaAnswer, SelectAnswer
from jp_tui.questions.wire import digest
from jp_tui.ui.sidebar.sidebar import Sidebar
from tests.fakes import scenes
from tests.fakes.link import CONVERSATION
from tests.ui.app_host import Host, until, workspace

SCHEMA: dict[str, Any] = {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}}
INQUIRY = "call_2.tea.1"
HERE = {"conversation": CONVERSATION, "inquiry": INQUIRY}


def schema_prompt() -> ev.QuestionAsked:
    asks = Question("tea", "Which tea?", SchemaAnswer(SCHEMA))
    request = scenes.prompt("text").model_copy(
        update={"question": asks, "inquiry": INQUIRY, "digest": digest(asks), "remember_covers": ""}
    )
    return ev.QuestionAsked(conversation=CONVERSATION, prompt=request)


async def armed(app: Host, pilot: Any) -> None:
    await app.passes(pilot, 2.0)
    await app.passes(pilot, 2.0)


async def test_what_is_typed_is_checked_and_the_verdict_comes_back_to_its_sheet() -> None:
    """R186: sent with the revision of exactly that value; a verdict on an older one says nothing."""
    async with workspace(say=[*scenes.tools(), schema_prompt()]) as (app, pilot):
        await armed(app, pilot)
        await pilot.press(*"Assam")
        for _ in range(50):
            await pilot.pause(0.02)
            checks = app.link.of(cmd.CheckAnswer)
            if checks and checks[-1].value == {"name": "Assam"}:
                break
        last = app.link.of(cmd.CheckAnswer)[-1]
        assert (last.conversation, last.inquiry, last.value) == (CONVERSATION, INQUIRY, {"name": "Assam"})
        old = ev.AnswerChecked(**HERE, revision=last.revision - 1, problems=(("/name", "is of yesterday"),))
        await app.says(pilot, old)
        assert "of yesterday" not in app.screen_text()
        await app.says(pilot, ev.AnswerChecked(**HERE, revision=last.revision, problems=(("/name", "is no tea"),)))
        assert "is no tea" in app.screen_text()
        gone = ev.AnswerChecked(conversation=CONVERSATION, inquiry="of another", revision=1, problems=(("", "odd"),))
        await app.says(pilot, gone)
        assert "odd" not in app.screen_text()


async def ask_back(app: Host, pilot: Any) -> None:
    await armed(app, pilot)
    await pilot.press("question_mark", *"why", "enter")
    await pilot.pause()


async def test_a_side_question_goes_out_and_what_is_said_grows_in_the_sheet() -> None:
    """E30: the question stays open, and nothing of it answers."""
    async with workspace(say=[*scenes.tools(), *scenes.asked("select")]) as (app, pilot):
        await ask_back(app, pilot)
        (sent,) = app.link.of(cmd.AskAside)
        assert (sent.conversation, sent.text) == (CONVERSATION, "why") and app.link.of(cmd.AnswerQuestion) == []
        here = {"conversation": CONVERSATION, "inquiry": sent.inquiry}
        await app.says(pilot, ev.AsideDelta(**here, text=Foreign("Because it ")))
        await app.says(pilot, ev.AsideDelta(**here, text=Foreign("rains [/].")))
        assert "Because it rains [/]." in app.screen_text()
        await app.says(pilot, ev.AsideEnded(**here))
        await pilot.press(*"more", "enter")
        await pilot.pause()
        assert [one.text for one in app.link.of(cmd.AskAside)] == ["why", "more"]


@pytest.mark.parametrize("how", ["refused", "broken"])
async def test_a_side_question_that_comes_to_nothing_says_why_and_can_be_asked_again(how: str) -> None:
    async with workspace(say=[*scenes.tools(), *scenes.asked("select")]) as (app, pilot):
        await ask_back(app, pilot)
        (sent,) = app.link.of(cmd.AskAside)
        if how == "refused":
            event: ev.Event = ev.Refused(command="ask_aside", message="No model is there.", conversation=CONVERSATION)
        else:
            error = TurnError(kind="other", message="No model is there.")
            event = ev.AsideEnded(conversation=CONVERSATION, inquiry=sent.inquiry, error=error)
        await app.says(pilot, event)
        assert "No model is there." in app.screen_text()
        await pilot.press(*"again", "enter")
        await pilot.pause()
        assert [one.text for one in app.link.of(cmd.AskAside)] == ["why", "again"]


async def test_z14_what_is_open_stands_once_on_the_screen_and_comes_back_when_it_folds() -> None:
    """Its call keeps one line in the conversation and in the sidebar, which lists only what else waits."""
    async with workspace(say=[*scenes.tools(), *scenes.asked()]) as (app, pilot):
        await armed(app, pilot)
        await app.still(pilot)
        assert app.dock.open and app.screen_text().count("Apply this change?") == 1
        assert "Waiting for you" not in app.screen_text() and "fs_modify_file" in app.screen_text()
        await pilot.press("ctrl+o")
        await app.still(pilot)
        assert app.screen_text().count("Apply this change?") >= 3 and "Waiting for you" in app.screen_text()


async def test_e21_the_sidebar_makes_room_for_previews_until_it_is_wanted() -> None:
    asks = Question("way", "Which way?", SelectAnswer((Option("a", preview="one\ntwo"), Option("b"))))
    request = scenes.prompt("select").model_copy(update={"question": asks, "digest": digest(asks)})
    shown = ev.QuestionAsked(conversation=CONVERSATION, prompt=request)
    async with workspace(say=[*scenes.tools(), shown]) as (app, pilot):
        await armed(app, pilot)
        sidebar = app.screen.query_one(Sidebar)
        assert not sidebar.display and app.screen_text().count("two") == 1
        await pilot.press("ctrl+b")
        assert sidebar.display
        gone = ev.QuestionSettled(conversation=CONVERSATION, inquiry=request.inquiry, how="answered", by="user")
        await app.says(pilot, gone)
        await until(pilot, lambda: not app.dock.open)
        assert sidebar.display
