"""vi's keys in the composer (S55)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from textual.pilot import Pilot

from jp_tui.protocol import events as ev
from tests.fakes import scenes
from tests.fakes.link import FakeLink
from tests.ui.app_host import Host, opened


@asynccontextmanager
async def vi(*said: ev.Event, history: Sequence[str] = (), on: bool = True) -> AsyncIterator[tuple[Host, Pilot[None]]]:
    app = Host(FakeLink(history=history), vi=on)
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(app, pilot)
        if said:
            await app.says(pilot, *said)
        yield app, pilot


async def test_s55_words_are_changed_and_deleted_and_u_undoes_it() -> None:
    async with vi() as (app, pilot):
        await pilot.press(*"one two three", "escape", *"bbciw", *"2", "escape")
        assert app.composer.text == "one 2 three" and "NORMAL" in app.screen_text()
        await pilot.press(*"wdw")
        assert app.composer.text == "one 2 "
        await pilot.press("u")
        assert app.composer.text == "one 2 three"
        await pilot.press("ctrl+r")
        assert app.composer.text == "one 2 "


async def test_s55_letters_of_normal_mode_write_nothing_and_enter_sends_and_begins_in_insert_mode() -> None:
    async with vi() as (app, pilot):
        await pilot.press(*"hi", "escape", *"zqgz")
        assert app.composer.text == "hi"
        await pilot.press("enter", *"next")
        assert app.starts() == ["hi"] and app.composer.text == "next" and "NORMAL" not in app.screen_text()


async def test_s55_a_burst_of_keys_comes_out_in_order() -> None:
    async with vi() as (app, pilot):
        app.burst(*"abc def", "escape", *"0cw", *"XY", "escape", *"A!")
        await pilot.pause()
        assert app.composer.text == "XY def!"


async def test_s55_k_and_j_walk_the_history_at_the_first_and_the_last_line() -> None:
    async with vi(history=["old"]) as (app, pilot):
        await pilot.press(*"new", "escape", "k")
        assert app.composer.text == "old"
        await pilot.press("j")
        assert app.composer.text == "new"


async def test_s55_esc_closes_a_list_first_then_leaves_insert_mode_and_then_is_the_screens() -> None:
    async with vi(*scenes.streaming()) as (app, pilot):
        await pilot.press("/")
        await pilot.pause()
        await pilot.press("escape")
        await pilot.pause()
        assert "NORMAL" not in app.screen_text()
        await pilot.press("escape")
        await pilot.pause()
        assert "NORMAL" in app.screen_text() and "Interrupted" not in app.screen_text()
        assert "Esc interrupt" in app.footer
        await pilot.press("escape")
        await pilot.pause()
        assert "Interrupted" in app.screen_text()


async def test_s55_a_paste_mark_is_deleted_as_a_whole() -> None:
    async with vi() as (app, pilot):
        await pilot.press(*"see ")
        app.composer.type_in("x" * 30_000)
        await pilot.press("escape", "x")
        await pilot.pause()
        assert app.composer.text == "see " or len(app.composer.written) < 10


async def test_s55_without_the_setting_esc_and_letters_are_as_before() -> None:
    async with vi(on=False) as (app, pilot):
        await pilot.press(*"ab", "escape", *"cw")
        assert app.composer.text == "abcw" and "normal mode" not in app.footer
