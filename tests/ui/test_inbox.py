"""The inbox in the workspace: what waits anywhere, jump, put off, several alike, what went (E51, E53; issue 7, 3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import OptionList

from jp_tui.conversation.ids import read_timestamp
from jp_tui.conversation.text import Foreign
from jp_tui.protocol import commands as cmd
from jp_tui.protocol import events as ev
from jp_tui.protocol.values import Answered, PromptRequest, WaitingInfo
from jp_tui.settings.schema.notify import Notify
from jp_tui.ui.screens.inbox import Inbox
from jp_tui.ui.sidebar.sidebar import Sidebar
from jp_tui.view.questions.snooze import Snooze, packed, unpacked
from tests.fakes import scenes, waiting
from tests.fakes.link import CONVERSATION, FakeLink
from tests.ui.app_host import Host, until, workspace
from tests.ui.app_host import opened as is_open

WALL = read_timestamp(scenes.AT).timestamp() + 120
HERE = scenes.prompt("boolean")
TEXT = scenes.prompt("text", call_id="call_3")
THERE = scenes.prompt("boolean").model_copy(
    update={"conversation": "c2", "tool": "git_push", "source_name": "git_push", "digest": "d2"}
)
RECORDED = WaitingInfo(
    conversation="c7", title=Foreign("Fix the build"), inquiry="call_9.go_on.1", tool="deploy", source="tool",
    text=Foreign("Deploy to production?"), digest="d7", since="2026-03-05 20:00:00",
)  # fmt: skip


def asks(*prompts: PromptRequest) -> list[ev.Event]:
    return [ev.QuestionAsked(conversation=one.conversation, prompt=one) for one in prompts]


def settled(prompt: PromptRequest, how: str = "answered", by: str = "user") -> ev.QuestionSettled:
    fields = {"conversation": prompt.conversation, "inquiry": prompt.inquiry, "how": how, "by": by}
    return ev.QuestionSettled.model_validate(fields)


def listing(*waiting: WaitingInfo) -> FakeLink:
    """An engine that lists these as waiting."""
    link = FakeLink()
    link.answers[cmd.WatchWaiting] = lambda command: [ev.WaitingListed(waiting=waiting)] if command.on else []
    return link


async def armed(app: Host, pilot: Pilot[None]) -> None:
    await app.passes(pilot, 2.0)
    await app.passes(pilot, 2.0)


async def inbox(app: Host, pilot: Pilot[None]) -> Inbox:
    app.wall = lambda: WALL  # type: ignore[method-assign]
    await press(pilot, "f4")
    assert isinstance(app.screen, Inbox)
    return app.screen


async def press(pilot: Pilot[None], *keys: str) -> None:
    for key in keys:
        await pilot.press(key)
        await pilot.pause()
    await pilot.pause()


def watches(app: Host) -> list[bool]:
    return [one.on for one in app.link.of(cmd.WatchWaiting)]


async def test_e50_what_waits_elsewhere_is_looked_at_once_and_then_nothing_is_asked() -> None:
    """Idle costs nothing: no list is followed while the inbox is closed (T24)."""
    async with workspace(listing(RECORDED)) as (app, pilot):
        await until(pilot, lambda: "1 waiting elsewhere" in app.screen_text())
        await until(pilot, lambda: len(watches(app)) > 1)
        assert watches(app) == [True, False]
        app.app_focus = False
        await pilot.pause()
        app.app_focus = True
        await until(pilot, lambda: len(watches(app)) > 3)
        await pilot.pause()
        assert watches(app) == [True, False, True, False], "and again when somebody comes back to the window"


async def test_e51_all_that_waits_with_who_what_where_and_since_when() -> None:
    say = [*scenes.tools(), *asks(HERE, THERE)]
    async with workspace(listing(RECORDED), say=say) as (app, pilot):
        assert "2 waiting for you · 1 elsewhere" in app.screen_text()
        await inbox(app, pilot)
        shown = app.screen_text()
        assert "Deploy to production?" in shown and "deploy · question · “Fix the build” · 1 h · not open" in shown
        assert shown.count("Apply this change?") >= 2 and "git_push · question · 2 m" in shown
        assert "Enter resume" in shown
        await press(pilot, "down")
        assert "Enter answer  z snooze  Esc close" in app.screen_text()
        assert watches(app)[-1] is True
        await press(pilot, "escape")
        assert watches(app)[-1] is False and app.screen is app._main


async def test_it_is_open_to_a_sheet_and_enter_turns_to_what_is_meant() -> None:
    async with workspace(say=[*scenes.tools(), *asks(HERE, TEXT, THERE)]) as (app, pilot):
        await armed(app, pilot)
        await inbox(app, pilot)
        await press(pilot, "down", "down", "enter")
        sheet = app.dock.shown()
        assert app.screen is app._main and sheet is not None and sheet.prompt == THERE
        assert not sheet.armed, "the key that led here answers nothing (E10)"
        await press(pilot, "enter", "y")
        assert app.link.of(cmd.AnswerQuestion) == []
        assert "in another conversation" in app.screen_text(), "E4"
        await armed(app, pilot)
        await press(pilot, "y")
        await until(pilot, lambda: app.link.of(cmd.AnswerQuestion) != [])
        assert [(one.conversation, one.digest) for one in app.link.of(cmd.AnswerQuestion)] == [("c2", "d2")]


async def test_e24_a_half_typed_answer_is_there_when_one_comes_back() -> None:
    async with workspace(say=[*scenes.tools(), *asks(TEXT, HERE)]) as (app, pilot):
        await armed(app, pilot)
        await pilot.press(*"half")
        await inbox(app, pilot)
        await press(pilot, "down", "enter")
        assert app.dock.shown().prompt == HERE  # type: ignore[union-attr]
        await press(pilot, "f4", "enter")
        assert app.dock.shown().prompt == TEXT and "half" in app.screen_text()  # type: ignore[union-attr]


async def test_e51_what_is_not_open_here_is_taken_up_and_opens_when_it_is_asked() -> None:
    asked = scenes.prompt("boolean", inquiry=RECORDED.inquiry).model_copy(update={"conversation": "c7"})
    async with workspace(listing(RECORDED)) as (app, pilot):
        await inbox(app, pilot)
        await press(pilot, "enter")
        assert [one.conversation for one in app.link.of(cmd.CarryOn)] == ["c7"] and "Fix the build" in app.footer
        await app.says(pilot, *asks(asked))
        await armed(app, pilot)
        sheet = app.dock.shown()
        assert sheet is not None and sheet.prompt == asked and "in “Fix the build”" in app.screen_text()
        assert "1 waiting for you" in app.screen_text() and "elsewhere" not in app.screen_text()


async def test_what_is_taken_up_never_comes_over_another_that_is_open() -> None:
    """E12."""
    asked = scenes.prompt("boolean", inquiry=RECORDED.inquiry).model_copy(update={"conversation": "c7"})
    async with workspace(listing(RECORDED)) as (app, pilot):
        await inbox(app, pilot)
        await press(pilot, "enter")
        await app.says(pilot, *asks(TEXT))
        await armed(app, pilot)
        await pilot.press("x")
        await app.says(pilot, *asks(asked))
        await armed(app, pilot)
        assert app.dock.shown().prompt == TEXT and "Ctrl+T" in app.footer  # type: ignore[union-attr]


async def test_what_cannot_be_taken_up_is_said_with_the_reason() -> None:
    async with workspace(listing(RECORDED)) as (app, pilot):
        await inbox(app, pilot)
        await press(pilot, "enter")
        refused = ev.Refused(command="carry_on", message="This conversation is open in jp-tui 4711.")
        await app.says(pilot, refused)
        assert "open in jp-tui 4711" in app.screen_text()


# -- put off


async def test_e51_put_off_it_leaves_the_queue_and_is_back_by_itself() -> None:
    async with workspace(say=[*scenes.tools(), *asks(HERE, TEXT)]) as (app, pilot):
        await armed(app, pilot)
        await inbox(app, pilot)
        await press(pilot, "z")
        assert "Snooze for how long?" in app.screen_text()
        await press(pilot, "1")
        assert "snoozed for 5 m more" in app.screen_text() and app.dock.waiting == 1
        await press(pilot, "escape")
        assert "1 waiting for you · 1 snoozed" in app.screen_text()
        assert app.dock.shown().prompt == TEXT  # type: ignore[union-attr]
        await pilot.press("x", "y")
        app.time.now += 299
        app._main.waits.unsnooze_due()  # type: ignore[union-attr]
        await pilot.pause()
        assert app.dock.waiting == 1
        app.time.now += 2
        app._main.waits.unsnooze_due()  # type: ignore[union-attr]
        await pilot.pause()
        sheet = app.dock.shown()
        assert app.dock.waiting == 2 and sheet is not None and sheet.prompt == TEXT, "and takes nobody's place (E12)"
        assert "2 waiting for you" in app.screen_text() and app.link.of(cmd.AnswerQuestion) == []


async def test_the_smallest_terminal_shows_every_choice_of_how_long() -> None:
    async with workspace(size=(60, 16), say=[*scenes.tools(), *asks(HERE, TEXT)]) as (app, pilot):
        await armed(app, pilot)
        await inbox(app, pilot)
        await press(pilot, "z")
        assert "1 5 min  2 30 min  3 after all others  Esc cancel" in app.screen_text()


async def test_put_off_until_nothing_else_waits() -> None:
    async with workspace(say=[*scenes.tools(), *asks(HERE, TEXT)]) as (app, pilot):
        await armed(app, pilot)
        await inbox(app, pilot)
        await press(pilot, "z", "3", "escape")
        await app.says(pilot, settled(TEXT))
        assert app.dock.waiting == 0
        app.time.now += 2
        app._main.waits.unsnooze_due()  # type: ignore[union-attr]
        await armed(app, pilot)
        assert app.dock.shown().prompt == HERE  # type: ignore[union-attr]


async def test_with_nothing_else_it_cannot_be_put_off_until_then_and_escape_keeps_it() -> None:
    async with workspace(say=[*scenes.tools(), *asks(HERE)]) as (app, pilot):
        await armed(app, pilot)
        await inbox(app, pilot)
        await press(pilot, "z", "3", "escape")
        assert app.dock.waiting == 1 and isinstance(app.screen, Inbox), "the first Esc only says: not now"
        await press(pilot, "escape")
        assert app.screen is app._main


async def test_what_was_put_off_can_be_taken_back_opened_and_settled_by_others() -> None:
    async with workspace(say=[*scenes.tools(), *asks(TEXT, HERE, THERE)]) as (app, pilot):
        await armed(app, pilot)
        await pilot.press(*"half")
        await inbox(app, pilot)
        await press(pilot, "z", "2", "z")
        assert app.dock.waiting == 3, "z again takes it back"
        await press(pilot, "z", "2", "down", "z", "2", "down", "z", "2")
        assert app.dock.waiting == 0 and not app.dock.open
        await app.says(pilot, settled(HERE, by="another process"))
        assert "answered by another process" in app.screen_text()
        await press(pilot, "home", "enter")
        await armed(app, pilot)
        assert app.dock.shown().prompt == TEXT and "half" in app.screen_text()  # type: ignore[union-attr]
        assert app.dock.waiting == 1 and "1 snoozed" in app.screen_text()


@pytest.mark.parametrize("choice", ["1", "3"])
async def test_what_was_put_off_is_so_after_a_restart_with_what_was_typed(choice: str) -> None:
    """E24, E51: kept in the database, with the draft; taken back it is a draft like any other."""
    async with workspace(say=[*scenes.tools(), *asks(TEXT, HERE)]) as (app, pilot):
        await armed(app, pilot)
        await pilot.press(*"half")
        await inbox(app, pilot)
        await press(pilot, "z", choice, "escape")
        app._main.drafts.flush()
        kept = [one.text for one in app.link.of(cmd.SaveDraft) if one.key == TEXT.inquiry][-1]
    again = [event.model_copy(update={"draft": kept}) if event.prompt == TEXT else event for event in asks(TEXT, HERE)]
    async with workspace(say=[*scenes.tools(), *again]) as (app, pilot):
        await armed(app, pilot)
        assert "1 waiting for you · 1 snoozed" in app.screen_text()
        assert app.dock.shown().prompt == HERE  # type: ignore[union-attr]
        await app.says(pilot, *again)
        assert app.dock.waiting == 1
        await inbox(app, pilot)
        await press(pilot, "home", "enter")
        await armed(app, pilot)
        assert app.dock.shown().prompt == TEXT and "half" in app.screen_text()  # type: ignore[union-attr]
        app._main.drafts.flush()
        kept = [one.text for one in app.link.of(cmd.SaveDraft) if one.key == TEXT.inquiry][-1]
        assert unpacked(kept)[1] is None and "half" in kept
        await app.says(pilot, *again)
        assert app.dock.waiting == 2, "what was kept before does not put it off once more"


async def test_another_question_under_its_id_and_one_whose_time_is_over_are_not_put_off() -> None:
    over = packed("typed", Snooze(1.0, TEXT.digest))
    other = packed("typed", Snooze(None, "another"))
    for kept in (over, other):
        told = ev.QuestionAsked(conversation=TEXT.conversation, prompt=TEXT, draft=kept)
        async with workspace(say=[*scenes.tools(), told]) as (app, pilot):
            await armed(app, pilot)
            assert app.dock.shown().prompt == TEXT and "snoozed" not in app.screen_text()  # type: ignore[union-attr]
            await until(pilot, lambda: "typed" in app.screen_text())


async def test_the_same_told_again_stays_put_off() -> None:
    """F3 to its conversation and back tells a face again what waits there."""
    async with workspace(say=[*scenes.tools(), *asks(HERE)]) as (app, pilot):
        await armed(app, pilot)
        await inbox(app, pilot)
        await press(pilot, "z", "1", "escape")
        await app.says(pilot, *asks(HERE))
        await armed(app, pilot)
        assert app.dock.waiting == 0 and not app.dock.open and "1 snoozed" in app.screen_text()


async def test_e50_whoever_does_not_look_is_told_once_more_when_it_is_back() -> None:
    link, told = FakeLink(), list[tuple[str, str]]()
    app = Host(link, notify=Notify())
    async with app.run_test(size=(120, 36)) as pilot:
        await is_open(app, pilot)
        await app.says(pilot, *scenes.tools(), *asks(HERE))
        app.notifier.snooze_ended = lambda *key: told.append(key)  # type: ignore[method-assign,assignment]
        await inbox(app, pilot)
        await press(pilot, "z", "1", "escape")
        app.time.now += 301
        app._main.waits.unsnooze_due()  # type: ignore[union-attr]
        await pilot.pause()
        assert told == [(CONVERSATION, HERE.inquiry)]


async def test_what_comes_while_the_inbox_is_open_can_be_put_off_unseen() -> None:
    async with workspace(say=scenes.tools()) as (app, pilot):
        app.action_open("inbox")
        await pilot.pause()
        assert "Nothing is waiting for you." in app.screen_text()
        await app.says(pilot, *asks(HERE))
        assert "Apply this change?" in app.screen_text()
        await press(pilot, "z", "1", "escape")
        await armed(app, pilot)
        assert not app.dock.open and "1 snoozed" in app.screen_text()


# -- several alike


def alike(number: int) -> list[PromptRequest]:
    return [HERE.model_copy(update={"conversation": f"c{at}"}) for at in range(1, number + 1)]


async def all_shown(app: Host, pilot: Pilot[None], prompts: Sequence[PromptRequest]) -> None:
    await armed(app, pilot)
    for _ in prompts[1:]:
        await press(pilot, "ctrl+t")
        await armed(app, pilot)


def sent(app: Host) -> list[tuple[str, str, Any]]:
    return [(one.conversation, one.digest, one.response) for one in app.link.of(cmd.AnswerQuestion)]


async def test_e51_one_answer_for_several_that_are_the_same_once_all_were_shown() -> None:
    three = alike(3)
    async with workspace(say=[*scenes.tools(), *asks(*three)]) as (app, pilot):
        await armed(app, pilot)
        await inbox(app, pilot)
        assert "alike" not in app.screen_text()
        await press(pilot, "a")
        assert isinstance(app.screen, Inbox), "not while two of them were never shown"
        await press(pilot, "escape")
        await all_shown(app, pilot, three)
        await inbox(app, pilot)
        assert "3 alike" in app.screen_text()
        await press(pilot, "a")
        await armed(app, pilot)
        assert "Your answer applies to all 3 identical questions · Ctrl+O: only one" in app.screen_text()
        assert sent(app) == []
        await press(pilot, "n")
        await until(pilot, lambda: sent(app) != [])
        await pilot.pause()
        assert sent(app) == [(one.conversation, HERE.digest, Answered(value=False)) for one in three]
        await app.says(pilot, *(settled(one) for one in three))
        assert app.dock.waiting == 0 and "no longer waits" not in app.screen_text()


@pytest.mark.parametrize("away", ["ctrl+o", "ctrl+t"])
async def test_folding_or_turning_makes_it_one_answer_for_one_again(away: str) -> None:
    two = alike(2)
    async with workspace(say=[*scenes.tools(), *asks(*two)]) as (app, pilot):
        await all_shown(app, pilot, two)
        await inbox(app, pilot)
        await press(pilot, "a", away)
        if not app.dock.open:
            await press(pilot, away)
        await armed(app, pilot)
        assert "alike" not in app.screen_text()
        await press(pilot, "n")
        await until(pilot, lambda: sent(app) != [])
        await pilot.pause()
        assert len(sent(app)) == 1


async def test_leaving_is_for_one_alone_and_what_changed_meanwhile_gets_no_answer() -> None:
    three = alike(3)
    async with workspace(say=[*scenes.tools(), *asks(*three)]) as (app, pilot):
        await all_shown(app, pilot, three)
        await inbox(app, pilot)
        await press(pilot, "a")
        await armed(app, pilot)
        await app.says(pilot, settled(three[1]), *asks(three[2].model_copy(update={"digest": "changed"})))
        await press(pilot, "n")
        await until(pilot, lambda: sent(app) != [])
        await pilot.pause()
        assert sent(app) == [("c1", HERE.digest, Answered(value=False))]
    async with workspace(say=[*scenes.tools(), *asks(*three)]) as (app, pilot):
        await all_shown(app, pilot, three)
        await inbox(app, pilot)
        await press(pilot, "a")
        await armed(app, pilot)
        await press(pilot, "s")
        app.time.now += 1
        await press(pilot, "s")
        await until(pilot, lambda: sent(app) != [])
        await pilot.pause()
        assert [one[0] for one in sent(app)] == ["c1"]


# -- what goes


async def test_e51_a_question_that_is_withdrawn_disappears_and_says_so() -> None:
    async with workspace(say=[*scenes.tools(), *asks(HERE, THERE)]) as (app, pilot):
        await inbox(app, pilot)
        await app.says(pilot, settled(THERE, how="withdrawn", by=""))
        assert "git_push withdrew" in app.screen_text()
        assert "git_push · question" not in app.screen_text()
        await app.says(pilot, settled(HERE, by="jp-tui answer, another process"))
        assert "answered by jp-tui answer, another process: fs_modify_file asked" in app.screen_text()
        assert "Nothing is waiting for you." in app.screen_text()


# -- the sidebar


async def test_a_click_on_what_waits_in_the_sidebar_turns_to_it() -> None:
    """E60; ids are foreign: what stands behind a click is no text that could be read as an action."""
    odd = THERE.model_copy(update={"inquiry": "x'), app.leave(", "conversation": "c2"})
    async with workspace(listing(RECORDED), say=[*scenes.tools(), *asks(HERE, odd)]) as (app, pilot):
        await press(pilot, "ctrl+o")
        rows = app.screen_text().split("\n")
        left = app._main.query_one(Sidebar).region.x
        row = next(at for at, line in enumerate(rows) if "git_push" in line[left:])
        await pilot.click(offset=(left + 6, row))
        await pilot.pause()
        assert app.dock.shown().prompt == odd and app.link.of(cmd.Shutdown) == []  # type: ignore[union-attr]
        row = next(at for at, line in enumerate(app.screen_text().split("\n")) if "Deploy to" in line[left:])
        await pilot.click(offset=(left + 6, row))
        await pilot.pause()
        assert [one.conversation for one in app.link.of(cmd.CarryOn)] == ["c7"]


async def test_what_others_wrote_shows_as_it_is() -> None:
    """T1, T2."""
    evil = Foreign("[/]\x1b[31m[@click=app.quit]x[/]\u202ey")
    told = RECORDED.model_copy(update={"text": evil, "title": evil, "tool": evil.raw})
    async with workspace(listing(told)) as (app, pilot):
        await inbox(app, pilot)
        assert "[@click=app.quit]" in app.screen_text() and "\x1b" not in app.screen_text()
        await app.says(pilot, ev.WaitingListed(waiting=()))
        assert "no longer open" in app.screen_text() and "\u202e" not in app.screen_text()


@pytest.mark.parametrize("outcome", ["done", "failed"])
async def test_the_end_of_what_went_on_in_the_background_is_told(outcome: Any) -> None:
    """Issue 7, 6: what was taken up from the inbox; another conversation's end is nobody's business here."""
    async with workspace(listing(RECORDED), say=scenes.tools()) as (app, pilot):
        await inbox(app, pilot)
        await press(pilot, "enter")
        assert [one.conversation for one in app.link.of(cmd.CarryOn)] == ["c7"]
        await app.says(pilot, ev.TurnCompleted(conversation="c9", turn=1, outcome="done"))
        assert "finished in the" not in app.screen_text()
        await app.says(pilot, ev.TurnCompleted(conversation="c7", turn=1, outcome=outcome))
        assert f"Fix the build {'finished' if outcome == 'done' else outcome} in the background." in app.screen_text()


async def test_a_thousand_are_counted_and_those_that_wait_longest_are_listed() -> None:
    """Issue 7, "Reliability": what is listed moves up as the first are answered."""
    many = [HERE.model_copy(update={"conversation": f"c{n % 50}", "inquiry": f"q{n}"}) for n in range(1000)]
    async with workspace(say=scenes.tools()) as (app, pilot):
        app.dock.note_typing(app.time.now)
        await app.says(pilot, *asks(*many))
        await until(pilot, lambda: "1000 waiting for you" in app.screen_text())
        assert app.dock.waiting == 1000
        screen = await inbox(app, pilot)
        assert screen.query_one(OptionList).option_count == 200 and "800 more after these" in app.screen_text()
        await app.says(pilot, *(settled(one) for one in many[:900]))
        await until(pilot, lambda: screen.query_one(OptionList).option_count == 100)
        assert "after these" not in app.screen_text()


async def test_e4_below_the_list_stand_the_task_and_what_is_cut_above() -> None:
    """Of a sub-agent whose tool asks the row names the tool; at 80 columns “put off until nothing …” is cut."""
    async with workspace(say=waiting.agents(), size=(80, 24)) as (app, pilot):
        await inbox(app, pilot)
        await press(pilot, "down", "down")
        shown = app.screen_text()
        assert f"task: {waiting.TASTER.task.raw[:40]}" in shown and "asked by taster › fs_delete_file" in shown
        await press(pilot, "up", "z", "3")
        assert "snoozed until nothing else is waiting" in app.screen_text()
