"""Two conversations with inquiries of one id: an answer reaches only the question it was typed for (E4, E51, R235)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jp_tui.conversation.text import Foreign
from jp_tui.protocol import commands as cmd
from jp_tui.protocol import events as ev
from jp_tui.protocol.values import PromptRequest, TurnError
from jp_tui.questions.types import FormView, Place
from tests.fakes import scenes
from tests.fakes.link import CONVERSATION
from tests.ui.app_host import until, workspace

HERE = scenes.prompt("text")
THERE = HERE.model_copy(update={"conversation": "c2", "digest": "of the other", "tool": "git_commit"})
ID = HERE.inquiry


def asks(prompt: PromptRequest, draft: str = "") -> ev.QuestionAsked:
    return ev.QuestionAsked(conversation=prompt.conversation, prompt=prompt, draft=draft)


async def test_each_answer_goes_to_its_own_with_its_own_digest() -> None:
    async with workspace(say=[*scenes.tools(), asks(HERE), asks(THERE)]) as (app, pilot):
        await app.passes(pilot, 2.0)
        await app.passes(pilot, 2.0)
        assert app.dock.waiting == 2
        await pilot.press(*"one", "ctrl+t")
        await app.passes(pilot, 2.0)
        await pilot.press(*"two", "enter")
        await until(pilot, lambda: app.link.of(cmd.AnswerQuestion) != [])
        (sent,) = app.link.of(cmd.AnswerQuestion)
        assert (sent.conversation, sent.inquiry, sent.digest) == ("c2", ID, "of the other")
        refused = ev.AnswerRefused(conversation="c2", inquiry=ID, reason="the disk is full")
        await app.says(pilot, refused)
        shown = app.dock.shown()
        assert shown is not None and shown.prompt == THERE and "the disk is full" in app.screen_text()
        await app.says(pilot, ev.QuestionSettled(conversation="c2", inquiry=ID, how="answered", by="user"))
        await app.passes(pilot, 2.0)
        assert app.dock.waiting == 1 and "fs_modify_file" in app.screen_text()
        await pilot.press("!", "enter")
        await until(pilot, lambda: len(app.link.of(cmd.AnswerQuestion)) > 1)
        last = app.link.of(cmd.AnswerQuestion)[-1]
        assert (last.conversation, last.digest) == (CONVERSATION, HERE.digest)
        assert getattr(last.response, "value", None) == "one!", "what was typed stayed with its question (E24)"


async def test_drafts_are_kept_with_their_own_conversation() -> None:
    """E24."""
    async with workspace(say=[*scenes.tools(), asks(HERE, "first"), asks(THERE, "second")]) as (app, pilot):
        await app.passes(pilot, 2.0)
        await app.passes(pilot, 2.0)
        assert "first" in app.screen_text()
        await pilot.press("ctrl+t")
        await app.passes(pilot, 2.0)
        assert "second" in app.screen_text()
        await pilot.press("x")
        saved: list[cmd.SaveDraft] = []
        for _ in range(200):
            await pilot.pause(0.01)
            if saved := [one for one in app.link.of(cmd.SaveDraft) if one.key == ID]:
                break
        assert [(one.conversation, "secondx" in one.text) for one in saved] == [("c2", True)]


@pytest.mark.parametrize("how", ["answered", "withdrawn"])
async def test_one_that_goes_leaves_the_other(how: str) -> None:
    async with workspace(say=[*scenes.tools(), asks(HERE), asks(THERE)]) as (app, pilot):
        await app.passes(pilot, 2.0)
        await app.passes(pilot, 2.0)
        gone = ev.QuestionSettled.model_validate({"conversation": "c2", "inquiry": ID, "how": how, "by": ""})
        await app.says(pilot, gone)
        shown = app.dock.shown()
        assert app.dock.waiting == 1 and shown is not None and shown.prompt == HERE and shown.armed
        assert "1 waiting for you" in app.screen_text()


async def test_asides_and_verdicts_reach_their_own_sheet() -> None:
    """E30, R186."""
    async with workspace(say=[*scenes.tools(), asks(HERE), asks(THERE)]) as (app, pilot):
        await app.passes(pilot, 2.0)
        await app.passes(pilot, 2.0)
        await app.says(pilot, ev.AsideDelta(conversation="c2", inquiry=ID, text=Foreign("for the other")))
        assert "for the other" not in app.screen_text()
        broken = TurnError(kind="other", message="of the other")
        await app.says(pilot, ev.AsideEnded(conversation="c2", inquiry=ID, error=broken))
        assert "of the other" not in app.screen_text()


def of_a_form(name: str, other: str, inquiry: str) -> PromptRequest:
    """A question of a form of two; `other` is the one that is not asked now."""
    states = ("current", "ahead") if name < other else ("answered", "current")
    places = tuple(Place(one, f"{one}?", state) for one, state in zip(sorted((name, other)), states, strict=True))  # type: ignore[arg-type]
    question = replace(HERE.question, id=name, text=f"{name}?")
    changes = {"form": FormView(places), "question": question, "inquiry": inquiry, "digest": name, "call": "form"}
    return HERE.model_copy(update=changes)


async def test_nobody_is_torn_out_of_a_form_by_what_else_waits() -> None:
    """E12: the next question of the form comes in its place, before others that waited longer or come meanwhile."""
    first, second = of_a_form("alpha", "beta", "form.alpha.1"), of_a_form("beta", "alpha", "form.beta.1")
    async with workspace(say=[*scenes.tools(), asks(first), asks(THERE)]) as (app, pilot):
        await app.passes(pilot, 2.0)
        await app.passes(pilot, 2.0)
        await pilot.press("x", "enter")
        await app.says(
            pilot,
            ev.QuestionSettled(conversation=CONVERSATION, inquiry=first.inquiry, how="answered", by="user"),
            asks(THERE.model_copy(update={"conversation": "c3"})),
        )
        shown = app.dock.shown()
        assert shown is None or shown.prompt == first, "it lingers; nothing of another takes its place"
        await app.says(pilot, asks(second))
        shown = app.dock.shown()
        assert shown is not None and shown.prompt == second and app.dock.waiting == 3
