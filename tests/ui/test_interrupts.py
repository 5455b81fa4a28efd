"""Interruptions on screen: at once in every state, as the settings say, never over a sheet (R211-R216, R233, R248)."""

from __future__ import annotations

from typing import Any

import pytest

from jp_tui.conversation.text import Foreign
from jp_tui.protocol import commands as cmd
from jp_tui.protocol import events as ev
from jp_tui.ui.transcript.interrupt_menu import InterruptMenu
from jp_tui.view.questions.interrupt_menu import InterruptWishes
from tests.fakes import scenes
from tests.fakes.link import CONVERSATION, FakeLink
from tests.ui.app_host import Host, opened, workspace


def phase(name: Any, **more: Any) -> ev.TurnPhase:
    return ev.TurnPhase(conversation=CONVERSATION, turn=1, phase=name, **more)


def asks(kind: str, inquiry: str = "call_2.__permission__.1") -> list[ev.Event]:
    prompt = scenes.prompt("boolean").model_copy(
        update={"kind": kind, "inquiry": inquiry, "arguments": Foreign("{}"), "remember_covers": ""}
    )
    return [ev.QuestionAsked(conversation=CONVERSATION, prompt=prompt)]


STATES: dict[str, tuple[list[ev.Event], str]] = {
    "waiting": (scenes.started(), "Abort"),
    "streaming": (scenes.streaming(), "Abort"),
    "retrying": ([*scenes.started(), phase("retrying", retry_in=9.0)], "Abort"),
    "resumed": ([ev.TurnStarted(conversation=CONVERSATION, turn=1, model="m", resumed=True)], "Abort"),
    "tools": (scenes.tools(), "Restart"),
    "reviewer": ([*scenes.tools(), scenes.call("fs_modify_file", "awaiting_assistant", id_="call_2")], "Restart"),
}


@pytest.mark.parametrize("state", list(STATES))
@pytest.mark.parametrize("key", ["escape", "ctrl+c"])
async def test_the_menu_is_there_in_the_next_refresh_and_its_command_at_once(state: str, key: str) -> None:
    """Issue 4, 9: no wait for the engine and none for a timer: one key, one refresh; one key, one command."""
    say, label = STATES[state]
    async with workspace(say=say) as (app, pilot):
        await pilot.press(key)
        assert label in app.screen_text() and isinstance(app.focused, InterruptMenu)
        await pilot.press("3")
        await pilot.pause()
        assert [one.action for one in app.link.of(cmd.InterruptTurn)] == ["stop"]


async def test_over_an_open_permission_escape_is_the_sheets_and_no_menu_stacks() -> None:
    """R216, R245; a folded one leaves Esc to the turn."""
    async with workspace(say=[*scenes.tools(), *asks("permission")]) as (app, pilot):
        await app.passes(pilot, 1.0)
        assert app.dock.open
        await pilot.press("escape")
        await pilot.pause()
        assert not app.column.menu_open and app.link.of(cmd.InterruptTurn) == []
        await app._main.action_interrupt_menu()
        assert not app.column.menu_open
        await pilot.press("escape", "ctrl+o")
        await pilot.pause()
        if app.dock.open:
            await pilot.press("ctrl+o")
            await pilot.pause()
        await pilot.press("escape")
        assert app.column.menu_open and not app.dock.open and "Restart" in app.screen_text()


def host(**wishes: Any) -> Host:
    """A workspace whose settings do not ask."""
    app = Host(FakeLink())
    app._main._interrupts = InterruptWishes(**wishes)
    return app


@pytest.mark.parametrize(
    ("say", "wishes", "action"),
    [
        (scenes.streaming(), {"streaming": "stop"}, "stop"),
        (scenes.streaming(), {"streaming": "abort"}, "abort"),
        (scenes.tools(), {"tool_call": "restart"}, "restart"),
        (scenes.tools(), {"tool_call": "stop"}, "stop"),
    ],
)
async def test_what_the_settings_say_is_done_without_a_menu(
    say: list[ev.Event], wishes: dict[str, Any], action: str
) -> None:
    """R233."""
    app = host(**wishes)
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(app, pilot)
        await app.says(pilot, *say)
        await pilot.press("escape")
        await pilot.pause()
        assert [one.action for one in app.link.of(cmd.InterruptTurn)] == [action]
        assert not app.column.menu_open and app.composer.display and "Interrupted: " in app.footer


@pytest.mark.parametrize(
    ("say", "wishes", "action"),
    [(scenes.streaming(), {"streaming": "reply"}, "reply"), (scenes.tools(), {"tool_call": "respond"}, "respond")],
)
async def test_words_are_asked_for_at_once_and_escape_leads_to_the_menu(
    say: list[ev.Event], wishes: dict[str, Any], action: str
) -> None:
    """R233: reply and respond need words, so the composer asks for them."""
    app = host(**wishes)
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(app, pilot)
        await app.says(pilot, *say)
        await pilot.press("escape")
        await pilot.pause()
        assert app.focused is app.composer and "Type below" in app.screen_text()
        await pilot.press("escape")
        assert "Continue" in app.screen_text()
        await pilot.press("2", *"no", "enter")
        await pilot.pause()
        assert [(one.action, one.text) for one in app.link.of(cmd.InterruptTurn)] == [(action, "no")]


async def test_continue_sends_nothing_says_so_and_leaves_a_way_to_the_menu() -> None:
    app = host(streaming="continue")
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(app, pilot)
        await app.says(pilot, *scenes.streaming())
        await pilot.press("escape")
        await pilot.pause()
        assert app.link.of(cmd.InterruptTurn) == [] and not app.column.menu_open
        assert "Your settings continue the turn" in app.footer
        await pilot.press(*"/interrupt", "enter")
        await pilot.pause()
        await pilot.pause()
        assert app.column.menu_open and "Abort" in app.screen_text()


async def test_settings_come_through_the_constructor() -> None:
    from jp_tui.settings.themes import themes
    from jp_tui.ui.app import WorkspaceApp
    from tests.ui.app_host import STATE, Clock

    wishes = InterruptWishes(tool_call="stop")
    app = WorkspaceApp(
        link=FakeLink(), open_command=cmd.OpenConversation(), workspace="/w", theme="jp-night",
        themes=themes.names("/nonexistent"), state_dir=STATE, clock=Clock(), interrupts=wishes,
    )  # fmt: skip
    assert app._main._interrupts is wishes


async def test_a_turn_that_goes_on_says_so_and_its_question_comes_as_any() -> None:
    """R207, E52."""
    page = [one.model_dump() for one in scenes.page([*scenes.tools(), *scenes.asked()])]
    from tests.fakes.link import opened as first

    async with workspace(FakeLink(first(page=page, new=False, last_seq=7))) as (app, pilot):
        started = ev.TurnStarted(conversation=CONVERSATION, turn=1, model="demo/tour", resumed=True)
        await app.says(pilot, started)
        assert "resuming an unfinished turn" in app.screen_text().splitlines()[0]
        assert "↻ jp-tui ended here. The turn goes on below." in app.screen_text()
        await app.says(pilot, phase("tools"), *scenes.asked()[1:])
        assert "1 waiting for you" in app.screen_text()
        await app.passes(pilot, 1.5)
        assert app.dock.open and "Apply this change?" in app.screen_text()


async def test_an_answer_that_came_from_elsewhere_is_said_with_its_giver() -> None:
    """E53: the first answer wins and the other side says so."""
    async with workspace(say=[*scenes.tools(), *scenes.asked()]) as (app, pilot):
        await app.passes(pilot, 1.0)
        gone = ev.QuestionSettled(
            conversation=CONVERSATION, inquiry="call_2.apply_changes.1", how="answered", by="user"
        )
        await app.says(pilot, gone)
        await pilot.pause()
        assert not app.dock.open and "already answered by you" in app.screen_text()
