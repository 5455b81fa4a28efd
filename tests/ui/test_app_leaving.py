"""Two ways out of a turn, and the way out of the program (R211, R215, R216, R248; S1; M44)."""

from __future__ import annotations

import pytest
from textual.pilot import Pilot

from jp_tui.protocol import commands as cmd
from jp_tui.protocol import events as ev
from jp_tui.protocol.values import EndTurn
from jp_tui.ui.screens.small import Leaving
from jp_tui.ui.sheets.dock.dock import SheetDock
from tests.fakes import scenes
from tests.fakes.link import CONVERSATION, FakeLink
from tests.ui.app_host import Host, workspace


def interrupts(app: Host) -> list[tuple[str, str]]:
    return [(one.action, one.text) for one in app.link.of(cmd.InterruptTurn)]


async def ended(app: Host, pilot: Pilot[None]) -> int | None:
    """The status with which it ended, None while it goes on."""
    for _ in range(20):
        if app.return_code is not None:
            break
        await pilot.pause()
    return app.return_code


@pytest.mark.parametrize(
    ("say", "key", "action"),
    [
        (scenes.streaming(), "1", None),
        (scenes.streaming(), "3", "stop"),
        (scenes.streaming(), "4", "abort"),
        (scenes.started(), "3", "stop"),
        (scenes.tools(), "1", None),
        (scenes.tools(), "3", "stop"),
        (scenes.tools(), "4", "restart"),
    ],
)
async def test_the_menu_does_what_it_says(say: list[ev.Event], key: str, action: str | None) -> None:
    """R211: what may be done depends on what runs; Continue sends nothing."""
    async with workspace(say=say) as (app, pilot):
        await pilot.press("escape")
        assert "Interrupted" in app.screen_text() and not app.composer.display
        await pilot.press(key)
        await pilot.pause()
        assert interrupts(app) == ([(action, "")] if action else [])
        assert app.composer.display and app.focused is app.composer


@pytest.mark.parametrize(("say", "action"), [(scenes.streaming(), "reply"), (scenes.tools(), "respond")])
async def test_words_are_written_in_the_composer_and_its_draft_is_their_beginning(
    say: list[ev.Event], action: str
) -> None:
    """Whoever wrote while the model worked, and was told to interrupt, has the words ready."""
    async with workspace(say=say) as (app, pilot):
        await pilot.press(*"do this", "escape", "2")
        assert app.focused is app.composer and app.composer.text == "do this"
        for _ in range(500):  # it is kept after a moment; sent sooner, there would be nothing to forget
            if app.link.of(cmd.SaveDraft):
                break
            await pilot.pause(0.01)
        assert app.link.of(cmd.SaveDraft)[-1].text.startswith("do")
        await pilot.press(*" instead", "enter")
        await pilot.pause()
        assert interrupts(app) == [(action, "do this instead")]
        assert app.composer.text == "" and "Interrupted" not in app.screen_text()
        assert app.link.of(cmd.SaveDraft)[-1].text == ""


async def test_escape_leads_back_one_step_at_a_time_and_loses_no_word() -> None:
    """R215: Esc in the menu is Continue."""
    async with workspace(say=scenes.streaming()) as (app, pilot):
        await pilot.press("escape", "2", *"words", "escape")
        assert "Abort (discard & exit)" in app.screen_text()
        assert "Esc continue" in app.footer
        await pilot.press("escape")
        await pilot.pause()
        assert app.composer.text == "words" and app.composer.display and interrupts(app) == []


async def test_arrows_and_enter_and_a_click_take_a_choice() -> None:
    """E60."""
    async with workspace(say=scenes.tools()) as (app, pilot):
        await pilot.press("escape", "down", "down", "enter")
        await pilot.pause()
        assert interrupts(app) == [("stop", "")]
        await pilot.press("escape")
        rows = app.screen_text().splitlines()
        row = next(y for y, text in enumerate(rows) if "Restart" in text)
        await pilot.click(offset=(rows[row].index("Restart"), row))
        await pilot.pause()
        assert interrupts(app)[1:] == [("restart", "")]


async def test_keys_that_mean_nothing_in_the_menu_go_nowhere() -> None:
    async with workspace(say=scenes.tools()) as (app, pilot):
        await pilot.press("escape", "x", "9", "tab", "space")
        assert "Interrupted" in app.screen_text() and app.composer.text == "" and interrupts(app) == []


async def test_the_menu_closes_with_the_turn_and_keeps_the_words() -> None:
    async with workspace(say=scenes.streaming()) as (app, pilot):
        await pilot.press("escape", "2", *"late")
        await app.says(pilot, *scenes.done())
        assert "Interrupted" not in app.screen_text() and app.composer.text == "late"
        await pilot.press("enter")
        await pilot.pause()
        assert app.starts() == ["late"]


async def test_escape_at_rest_opens_no_menu() -> None:
    async with workspace() as (app, pilot):
        await pilot.press("escape")
        assert "Interrupted" not in app.screen_text() and "interrupt" not in app.footer


async def test_a_question_waits_behind_the_menu_and_comes_when_it_is_gone() -> None:
    """R216 the other way round, E10: it never opens under somebody's hands."""
    async with workspace(say=scenes.tools()) as (app, pilot):
        await pilot.press("escape")
        await app.says(pilot, *scenes.asked())
        assert "1 waiting for you" in app.screen_text() and not app.dock.open
        await pilot.press("escape")
        await pilot.pause()
        assert not app.dock.open
        await app.passes(pilot, 1.1)
        assert app.dock.open


async def test_a_question_that_hesitated_does_not_open_over_the_menu() -> None:
    async with workspace(say=scenes.tools()) as (app, pilot):
        await pilot.press("x")
        await app.says(pilot, *scenes.asked())
        await pilot.press("escape")
        await app.passes(pilot, 1.5)
        assert "Interrupted" in app.screen_text() and not app.dock.open
        await pilot.press("escape")
        await pilot.pause()
        assert app.dock.open and not app.composer.display


async def test_ctrl_c_at_rest_says_what_the_next_one_does_and_that_leaves() -> None:
    async with workspace() as (app, pilot):
        await pilot.press("ctrl+c")
        assert app.footer == "Press Ctrl+C again to quit"
        app.time.now += 1.2
        await pilot.press("ctrl+c")
        assert app.link.of(cmd.Shutdown) == []
        app.time.now += 0.5
        await pilot.press("ctrl+c")
        assert await ended(app, pilot) == 0
    assert len(app.link.of(cmd.Shutdown)) == 1 and app.link.closed


async def test_ctrl_c_interrupts_what_runs_and_a_second_one_leaves() -> None:
    """R248."""
    async with workspace(say=scenes.streaming()) as (app, pilot):
        await pilot.press("ctrl+c")
        assert "Interrupted" in app.screen_text() and app.link.of(cmd.Shutdown) == []
        app.time.now += 30
        await pilot.press("ctrl+c")
        assert await ended(app, pilot) == 0


async def test_s50_ctrl_c_clears_a_draft_first_and_up_restores_it() -> None:
    async with workspace() as (app, pilot):
        await pilot.press(*"half a thought", "ctrl+c")
        assert app.composer.text == "" and app.footer == "Draft cleared · ↑ restores it"
        assert app.link.of(cmd.Shutdown) == []
        app.time.now += 1.2
        await pilot.press("up")
        assert app.composer.text == "half a thought"


async def test_s50_a_second_ctrl_c_leaves_and_the_draft_is_kept() -> None:
    async with workspace() as (app, pilot):
        await pilot.press(*"half", "ctrl+c", "ctrl+c")
        assert await ended(app, pilot) == 0
    assert [one.text for one in app.link.of(cmd.SaveDraft)][-1:] == ["half"]


async def test_s50_while_something_runs_ctrl_c_interrupts_and_the_draft_stays() -> None:
    async with workspace(say=scenes.streaming()) as (app, pilot):
        await pilot.press(*"half", "ctrl+c")
        assert app.composer.text == "half" and "Interrupted" in app.screen_text()


async def test_while_it_leaves_ctrl_c_leaves_at_once() -> None:
    """R215: a further Ctrl+C waits for nothing."""
    async with workspace(FakeLink(stops=False)) as (app, pilot):
        await pilot.press("ctrl+c", "ctrl+c")
        await pilot.pause()
        assert app.return_code is None and isinstance(app.screen, Leaving)
        await pilot.press("ctrl+c")
        assert await ended(app, pilot) == 0


async def test_ctrl_c_copies_what_is_selected_and_then_is_itself_again() -> None:
    async with workspace(say=scenes.streaming()) as (app, pilot):
        await pilot.press(*"abc", "shift+left", "shift+left", "ctrl+c")
        await pilot.pause()
        assert app.clipboard == "bc" and "Interrupted" not in app.screen_text()
        await pilot.press("ctrl+c")
        assert "Interrupted" in app.screen_text()


async def test_in_a_sheet_ctrl_c_belongs_to_the_sheet() -> None:
    """R248: as Esc, twice within a second ends the turn; the program stays."""
    async with workspace(say=[*scenes.tools(), *scenes.asked()]) as (app, pilot):
        await app.passes(pilot, 1.0)
        await pilot.press("ctrl+c")
        await pilot.pause()
        assert app.link.of(cmd.AnswerQuestion) == [] and app.link.of(cmd.Shutdown) == []
        app.time.now += 0.3
        await pilot.press("ctrl+c")
        await pilot.pause()
        assert [one.response for one in app.link.of(cmd.AnswerQuestion)] == [EndTurn()]
        assert app.return_code is None


async def test_an_answer_goes_out_with_id_and_digest() -> None:
    """R235."""
    async with workspace(say=[*scenes.tools(), *scenes.asked("text")]) as (app, pilot):
        await app.passes(pilot, 1.0)
        for key in "fix it":
            app.time.now += 0.2
            await pilot.press("space" if key == " " else key)
        app.time.now += 0.2
        for _ in range(100):  # a draft on its way is a timer, and soon over
            if app.link.of(cmd.SaveDraft):
                break
            await pilot.pause(0.02)
        await pilot.press("enter")
        await pilot.pause()
        asks = scenes.prompt("text")
        sent = app.link.of(cmd.AnswerQuestion)
        assert [(one.conversation, one.inquiry, one.digest) for one in sent] == [
            (CONVERSATION, asks.inquiry, asks.digest)
        ]
        assert sent[0].response.model_dump()["value"] == "fix it"
        assert asks.inquiry in {one.key for one in app.link.of(cmd.SaveDraft)}


async def test_a_question_that_goes_before_it_is_shown_leaves_nothing_behind() -> None:
    gone = ev.QuestionSettled(
        conversation=CONVERSATION, inquiry=scenes.prompt("boolean").inquiry, how="withdrawn", by="engine"
    )
    async with workspace(say=[*scenes.tools(), *scenes.asked(), gone]) as (app, pilot):
        await pilot.pause()
        assert app.dock.waiting == 0 and app.composer.display
        assert "waiting for you" not in app.screen_text().splitlines()[0]


async def test_folded_the_composer_is_back_and_ctrl_o_opens_again() -> None:
    """E2."""
    async with workspace(say=[*scenes.tools(), *scenes.asked()]) as (app, pilot):
        await app.passes(pilot, 1.0)
        assert not app.composer.display
        await pilot.press("ctrl+o")
        await pilot.pause()
        assert app.composer.display and app.focused is app.composer and "Ctrl+O question" in app.footer
        await pilot.press(*"draft", "ctrl+o")
        await pilot.pause()
        assert app.dock.open and app.composer.text == "draft"


async def test_an_open_sheet_keeps_the_focus_whatever_is_clicked() -> None:
    """R245; scrolling above it goes on working."""
    async with workspace(say=[*scenes.tools(), *scenes.asked()]) as (app, pilot):
        await app.passes(pilot, 1.0)
        holder = app.focused
        await pilot.click("#transcript")
        await pilot.click("#sidebar")
        await pilot.press("tab", "pageup")
        assert app.focused is holder and holder is not None
        await pilot.press("x")
        assert app.composer.text == "" and app.link.of(cmd.AnswerQuestion) == []


async def test_a_question_does_not_open_behind_another_screen() -> None:
    """E10: what opens unseen would be armed when it is seen."""
    async with workspace(say=scenes.tools()) as (app, pilot):
        await pilot.press("x")
        await app.says(pilot, *scenes.asked())
        await pilot.press("f1")
        await app.passes(pilot, 1.5)
        assert not app.dock.open
        await pilot.press("escape")
        await pilot.pause()
        await pilot.pause()
        assert app.dock.open and not app.column.query_one(SheetDock).shown().armed  # type: ignore[union-attr]
