"""Messages that wait, on the screen: shown, taken back, dropped, held, never lost (issue 8, 3)."""

from __future__ import annotations

from jp_tui.protocol import commands as cmd
from jp_tui.protocol import events as ev
from tests.fakes import scenes
from tests.ui.app_host import workspace

C = "c1"


def waits(*texts: str, held: str = "") -> ev.QueueChanged:
    messages = tuple({"id": number, "text": text} for number, text in enumerate(texts, 1))
    return ev.QueueChanged.model_validate({"conversation": C, "messages": messages, "held": held})


async def test_what_is_sent_while_the_model_works_waits_above_the_composer() -> None:
    async with workspace(say=scenes.tools()) as (app, pilot):
        await pilot.press(*"then this", "enter")
        await pilot.pause()
        assert [one.text for one in app.link.of(cmd.QueueTurn)] == ["then this"] and not app.composer.text
        await app.says(pilot, waits("then this", "a\nb"))
        shown = app.screen_text()
        assert "⧗ next   then this" in shown and "⧗ then   a +1 line" in shown and "Alt+↑ edit" in shown


async def test_up_in_an_empty_composer_takes_the_last_one_back() -> None:
    async with workspace(say=[*scenes.tools(), waits("one", "two")]) as (app, pilot):
        await pilot.press("up")
        await pilot.pause()
        assert [(one.id, one.drop) for one in app.link.of(cmd.TakeQueued)] == [(2, False)]
        await pilot.press(*"typed meanwhile")
        taken = {"conversation": C, "message": {"id": 2, "text": "two"}}
        await app.says(pilot, ev.QueueTaken.model_validate(taken), waits("one"))
        assert app.composer.text == "two\ntyped meanwhile"


async def test_what_is_dropped_is_not_given_back() -> None:
    async with workspace(say=[*scenes.tools(), waits("one")]) as (app, pilot):
        await pilot.press("alt+x")
        await pilot.pause()
        assert [(one.id, one.drop) for one in app.link.of(cmd.TakeQueued)] == [(1, True)]
        taken = {"conversation": C, "message": {"id": 1, "text": "one"}, "dropped": True}
        await app.says(pilot, ev.QueueTaken.model_validate(taken), waits())
        assert app.composer.text == "" and "⧗" not in app.screen_text()


async def test_a_held_queue_says_why_and_enter_lets_it_go_on() -> None:
    async with workspace(say=[waits("one", held="the turn before it failed")]) as (app, pilot):
        assert "held: the turn before it failed · Enter send" in app.screen_text()
        await pilot.press("enter")
        await pilot.pause()
        assert len(app.link.of(cmd.SendQueued)) == 1 and app.starts() == []
        await pilot.press(*"first this", "enter")
        await pilot.pause()
        assert [(one.text, one.first) for one in app.link.of(cmd.QueueTurn)] == [("first this", True)]


async def test_what_the_engine_would_not_take_is_written_again() -> None:
    async with workspace(say=scenes.tools()) as (app, pilot):
        await pilot.press(*"then this", "enter")
        await pilot.press(*"more")
        await app.says(pilot, ev.Refused(command="queue_turn", message="No room.", conversation=C))
        assert app.composer.text == "then this\nmore"


async def test_on_a_small_screen_a_list_stands_alone_and_the_composer_in_sight() -> None:
    async with workspace(size=(80, 24), say=[*scenes.tools(), waits("one", "two")]) as (app, pilot):
        await pilot.press("ctrl+r")
        await pilot.pause()
        assert "⧗" not in app.screen_text() and app.composer.region.bottom <= 24
        await pilot.press("escape")
        await pilot.pause()
        assert "⧗ next   one" in app.screen_text()


async def test_what_could_not_be_begun_leaves_the_composer_free() -> None:
    async with workspace(say=[waits("one", held="the turn before it failed")]) as (app, pilot):
        await pilot.press(*"first this", "enter")
        await pilot.pause()
        assert app.composer.busy
        await app.says(pilot, waits("first this", "one", held="The image a.png was not sent."))
        assert not app.composer.busy and "held: The image a.png was not sent." in app.screen_text()
