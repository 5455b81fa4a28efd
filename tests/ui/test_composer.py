"""The composer: every key exact and in order, history, pastes, drafts (issue 3, 7; E6, E24; designs.md A, traps)."""

from __future__ import annotations

import random

import pytest
from textual import events

from jp_tui.protocol import commands as cmd
from jp_tui.ui.composer.composer import Composer
from tests.fakes import scenes
from tests.fakes.link import FakeLink, opened
from tests.ui.app_host import Host, workspace
from tests.ui.app_host import opened as conversation_opened


async def test_a_bound_key_is_not_overtaken_by_what_is_typed_after_it() -> None:
    """The trap itself: `hello ^A X` gave `helloX` in a bare TextArea."""
    async with workspace() as (app, pilot):
        app.burst(*"hello", "ctrl+a", *"X ", "end", *"!", "left", "backspace", *"0")
        await pilot.pause()
        assert app.composer.text == "X hell0!"


async def test_long_bursts_of_edits_come_out_as_if_typed_slowly() -> None:
    """Random edits in one read against the same edits on a plain string."""
    draw = random.Random(20260305)
    for _ in range(5):
        text, at, keys = "", 0, []
        for _ in range(150):
            key = draw.choice([*"abc é", "backspace", "left", "right", "home", "end", "delete"])
            keys.append(key)
            match key:
                case "backspace":
                    text, at = text[: max(at - 1, 0)] + text[at:], max(at - 1, 0)
                case "delete":
                    text = text[:at] + text[at + 1 :]
                case "left":
                    at = max(at - 1, 0)
                case "right":
                    at = min(at + 1, len(text))
                case "home":
                    at = 0
                case "end":
                    at = len(text)
                case _:
                    text, at = text[:at] + key + text[at:], at + 1
        async with workspace() as (app, pilot):
            app.burst(*keys)
            await pilot.pause()
            assert app.composer.text == text


@pytest.mark.parametrize("key", ["shift+enter", "alt+enter", "ctrl+j", "ctrl+enter"])
async def test_new_lines(key: str) -> None:
    async with workspace() as (app, pilot):
        await pilot.press("a", key, "b")
        assert app.composer.text == "a\nb" and app.starts() == []


async def test_it_grows_with_its_lines_to_a_third_of_the_screen() -> None:
    async with workspace(size=(80, 30)) as (app, pilot):
        assert app.composer.outer_size.height == 3
        await pilot.press("a", *["ctrl+j"] * 3)
        await pilot.pause()
        assert app.composer.outer_size.height == 6
        await pilot.press(*["ctrl+j"] * 30)
        await pilot.pause()
        assert app.composer.outer_size.height <= 10


async def test_up_and_down_walk_what_was_sent_and_come_back_to_what_was_being_written() -> None:
    async with workspace(FakeLink(history=["one", "two\nlines"])) as (app, pilot):
        await pilot.press(*"half", "up")
        assert app.composer.text == "two\nlines"
        await pilot.press("up")
        assert app.composer.text == "one"
        await pilot.press("up")
        assert app.composer.text == "one"
        await pilot.press("down", "down", "down")
        assert app.composer.text == "half"


async def test_up_moves_in_the_text_before_it_leaves_it() -> None:
    async with workspace(FakeLink(history=["old"])) as (app, pilot):
        await pilot.press("a", "ctrl+j", "b", "up", "X")
        assert app.composer.text == "aX\nb"
        await pilot.press("up")
        assert app.composer.text == "old"


async def test_what_this_run_sent_is_in_the_history_at_once() -> None:
    async with workspace(FakeLink(history=["old"])) as (app, pilot):
        await pilot.press(*"new", "enter", "up")
        assert app.composer.text == "new"


async def test_enter_on_nothing_sends_nothing() -> None:
    """E14."""
    async with workspace() as (app, pilot):
        await pilot.press("space", "enter")
        assert app.starts() == [] and app.composer.text == " "


async def paste(app: Host, text: str) -> None:
    app.post_message(events.Paste(text))


async def test_a_paste_of_any_size_is_sent_whole_and_does_not_hold_the_loop() -> None:
    """T4: a line of 3 MB in a TextArea would hold the loop for half a minute."""
    big = "x" * 3_000_000 + "\nend"
    async with workspace() as (app, pilot):
        await pilot.press(*"see ")
        await paste(app, big)
        await pilot.press(*" !")
        assert len(app.composer.text) < 100
        await pilot.press("enter")
        await pilot.pause()
        assert app.starts() == [f"see {big} !"]


async def test_a_small_paste_stands_as_it_is_without_its_controls() -> None:
    async with workspace() as (app, pilot):
        await paste(app, "a\r\nb\x1b[31m\x07")
        await pilot.pause()
        assert app.composer.text == "a\nb[31m"


async def test_a_mark_goes_as_a_whole_and_undo_brings_it_back() -> None:
    async with workspace() as (app, pilot):
        await paste(app, "y" * 10_000)
        await pilot.press("!", "left", "backspace")
        assert app.composer.text == "!"
        await pilot.press("ctrl+underscore")
        assert app.composer.written == "y" * 10_000 + "!"


async def test_typing_inside_a_mark_goes_behind_it() -> None:
    async with workspace() as (app, pilot):
        await paste(app, "y" * 10_000)
        await pilot.press(*["left"] * 5, *"ab")
        assert app.composer.written == "y" * 10_000 + "ab"


async def test_the_draft_is_saved_soon_and_given_back_with_the_conversation() -> None:
    """E6, E24; S10: it is there again after a restart."""
    async with workspace() as (app, pilot):
        await pilot.press(*"half a thought")
        for _ in range(100):
            if [one.text for one in app.link.of(cmd.SaveDraft)][-1:] == ["half a thought"]:
                break
            await pilot.pause(0.01)
        last = app.link.of(cmd.SaveDraft)[-1]
        assert (last.key, last.text) == ("composer", "half a thought")
    async with workspace(FakeLink(opened(drafts={"composer": "half a thought"}))) as (app, pilot):
        assert app.composer.text == "half a thought" and app.link.of(cmd.SaveDraft) == []
        await pilot.press(*" more")
        assert app.composer.text == "half a thought more"


async def test_what_was_typed_before_the_conversation_was_there_stays() -> None:
    app = Host(FakeLink())
    app.link.answers.pop(cmd.OpenConversation)
    async with app.run_test() as pilot:
        await pilot.press(*"early")
        await app.says(pilot, opened(drafts={"composer": "saved"}))
        assert app.composer.text == "saved\nearly"


async def test_leaving_saves_what_is_not_saved_yet() -> None:
    async with workspace() as (app, pilot):
        await pilot.press("x", "ctrl+q")
        await pilot.pause()
    kinds = [command.type for command in app.link.sent]
    assert kinds.index("save_draft") < kinds.index("shutdown") and app.return_code == 0


async def test_no_key_is_lost_when_a_question_arrives_between_them() -> None:
    """E6, E10: before, while and after a sheet arrives, until the user has been silent, all goes to the draft."""
    async with workspace(say=scenes.tools()) as (app, pilot):
        app.burst(*"the first, ")
        await app.says(pilot, *scenes.asked())
        app.burst(*"the second ", "backspace", *", ")
        await pilot.pause()
        await app.passes(pilot, 0.5)
        assert not app.dock.open
        app.burst(*"the third, ")
        await pilot.pause()
        await app.passes(pilot, 1.1)
        assert app.dock.open
        app.burst(*"yyyn and", "backspace", *"d the last")
        await pilot.pause()
        await pilot.pause()
        assert app.composer.text == "the first, the second, the third, yyyn and the last"
        assert app.link.of(cmd.AnswerQuestion) == []
        await app.passes(pilot, 1.0)
        await pilot.press("y")
        await pilot.pause()
        assert len(app.link.of(cmd.AnswerQuestion)) == 1
        await app.says(pilot, *scenes.answered(), *scenes.done())
        assert app.focused is app.composer
        assert app.composer.text == "the first, the second, the third, yyyn and the last"


async def test_keys_typed_where_nothing_writes_go_to_the_composer() -> None:
    async with workspace() as (app, pilot):
        app._main.set_focus(None)
        app.burst(*"found")
        await pilot.pause()
        assert app.composer.text == "found" and app.focused is app.composer


async def test_the_editors_text_comes_back_and_its_failure_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    async with workspace() as (app, pilot):
        given = []

        def edit(text: str) -> str:
            given.append(text)
            if len(given) > 1:
                raise OSError("no editor found: set $EDITOR")
            return "edited\ntext"

        assert app._main._controller is not None
        monkeypatch.setattr(app._main._controller.composing, "_editor", edit)
        await pilot.press(*"raw", "ctrl+g")
        await pilot.pause()
        assert (given, app.composer.text) == (["raw"], "edited\ntext")
        await pilot.press("ctrl+g")
        await pilot.pause()
        assert app.composer.text == "edited\ntext" and "no editor found" in app.screen_text()


def test_every_key_has_an_id_a_description_and_a_tooltip() -> None:
    for binding in Composer.BINDINGS:
        assert binding.id and binding.description and binding.tooltip, binding


async def test_ctrl_r_searches_what_was_typed_and_enter_takes_it() -> None:
    """Issue 8, 3: filtered as one types; the same key goes on to what is older; nothing is sent."""
    async with workspace(FakeLink(history=["fix the tests", "say hello", "run the tests\nagain"])) as (app, pilot):
        app.burst(*"half", "ctrl+r", *"tests the")
        await pilot.pause()
        shown = app.screen_text()
        assert "❯ run the tests" in shown and "  fix the tests" in shown and "say hello" not in shown
        await pilot.press("ctrl+r", "enter")
        assert app.composer.text == "fix the tests" and app.starts() == []
        await pilot.pause()
        assert "typed before" not in app.screen_text()


async def test_esc_leaves_what_was_there_as_it_was() -> None:
    async with workspace(FakeLink(history=["old"])) as (app, pilot):
        await pilot.press(*"half", "ctrl+r", *"zzz")
        await pilot.pause()
        assert "no matches" in app.screen_text()
        await pilot.press("enter", "escape", "!")
        assert app.composer.text == "half!"


async def test_s50_a_text_that_returns_after_an_error_is_selected_and_typing_replaces_it() -> None:
    async with workspace() as (app, pilot):
        await pilot.press(*"why", "enter")
        await app.says(pilot, *scenes.failed())
        assert app.composer.text == scenes.PROMPT == app.composer.selected_text
        await pilot.press("x")
        assert app.composer.text == "x"
        await pilot.press("up")
        assert app.composer.text == "why", "and it isn't lost"


async def test_s50_ctrl_c_clears_a_restored_text_instead_of_copying_it() -> None:
    async with workspace() as (app, pilot):
        await pilot.press(*"why", "enter")
        await app.says(pilot, *scenes.failed())
        await pilot.press("ctrl+c")
        assert app.composer.text == "" and app.clipboard == ""


async def test_e6_what_was_typed_before_there_was_a_conversation_is_saved_as_its_draft() -> None:
    app = Host(FakeLink())
    async with app.run_test(size=(120, 36)) as pilot:
        app.composer.typed_ahead("early", 5)
        await conversation_opened(app, pilot)
        app._main.drafts.flush()
        assert [one.text for one in app.link.of(cmd.SaveDraft) if one.key == "composer"] == ["early"]
