"""Yes or no by keyboard and by mouse: R113, R183, R192, R236, R248, E15, E22, M33."""

from __future__ import annotations

import pytest
from textual import events

from jp_tui.protocol.values import Answered, Cancelled, EndTurn, Replied
from jp_tui.ui.sheets.choice_list import ChoiceList
from tests.ui.sheet_host import LONG_DIFF, Host, boolean, text_of


@pytest.mark.parametrize(
    ("key", "value", "remember"), [("y", True, False), ("Y", True, True), ("n", False, False), ("N", False, True)]
)
async def test_r113_each_key_is_its_answer(key: str, value: bool, remember: bool) -> None:
    app = Host(boolean())
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, key)
        assert app.answers == [Answered(value=value, remember=remember)]


@pytest.mark.parametrize("key", ["Y", "N"])
async def test_r183_nothing_is_remembered_where_the_prompt_does_not_allow_it(key: str) -> None:
    app = Host(boolean(remember=False))
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, key)
        assert app.answers == []
        assert "remember" not in text_of(app)
        await app.type(pilot, "y")
        assert app.answers == [Answered(value=True)]


async def test_z14_and_r236_the_choices_and_what_they_cover_stand_there_before_a_key_is_pressed() -> None:
    app = Host(boolean())
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        seen = text_of(app)
        assert "y yes   n no   Y yes, this turn   N no, this turn" in seen
        assert "Y/N: every `apply_changes` of fs_modify_file" in seen


async def test_r192_enter_accepts_the_default_that_is_shown_as_one() -> None:
    app = Host(boolean(preselect=True))
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        assert "y yes  default" in text_of(app)
        await app.type(pilot, "enter")
        assert app.answers == [Answered(value=True)]


async def test_z11_nothing_that_changes_something_is_preselected() -> None:
    """Enter alone chooses nothing and says so, whatever the default is."""
    app = Host(boolean())
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        assert "default" not in text_of(app) and "Enter select" not in text_of(app)
        await app.type(pilot, "enter", "enter")
        assert app.answers == [] and "No answer selected" in text_of(app)
        await app.type(pilot, "right", "right", "enter")
        assert app.answers == [Answered(value=False)]


async def test_r192_enter_accepts_nothing_without_a_default() -> None:
    app = Host(boolean(has_default=False, default=None))
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "enter")
        assert app.answers == [] and "No answer selected" in text_of(app)
        await app.type(pilot, "down", "enter")
        assert app.answers == [Answered(value=True)]


async def test_r192_where_only_a_human_may_decide_enter_accepts_nothing_before_a_move() -> None:
    app = Host(boolean(human_only=True, preselect=True))
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        assert "Enter select" not in text_of(app)
        await app.type(pilot, "enter", "enter")
        assert app.answers == [] and "Press y or n" in text_of(app)
        await app.type(pilot, "down", "up")
        assert "Enter select" in text_of(app)
        await app.type(pilot, "enter")
        assert app.answers == [Answered(value=True)]


@pytest.mark.parametrize(
    ("keys", "value"),
    [
        ("down enter", False),
        ("right enter", False),
        ("end k k enter", False),
        ("ctrl+n ctrl+p enter", True),
        ("home enter", True),
    ],
)
async def test_the_cursor_goes_by_arrows_letters_and_ends(keys: str, value: bool) -> None:
    app = Host(boolean(preselect=True))
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, *keys.split())
        assert app.answers == [Answered(value=value)]


async def test_e15_yes_to_what_was_not_seen_is_counted_and_wants_to_be_said_twice() -> None:
    app = Host(boolean(context=LONG_DIFF))
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        assert "lines not seen" in text_of(app)
        await app.type(pilot, "y")
        assert app.answers == [] and "weren't on the screen" in text_of(app)
        await app.type(pilot, "y", gap=0.05)
        assert app.answers == [], "the keyboard's repeat is not a second answer"
        await app.type(pilot, "n")
        assert app.answers == [Answered(value=False)], "a no needs no reading"


async def test_e15_the_second_yes_counts_when_it_is_meant() -> None:
    app = Host(boolean(context=LONG_DIFF))
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "y", "w", "y")
        assert app.answers == [], "another key in between takes the first one back"
        await app.type(pilot, "y")
        assert app.answers == [Answered(value=True)]


async def test_e15_once_the_end_was_on_the_screen_one_yes_is_enough() -> None:
    app = Host(boolean(context=LONG_DIFF))
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, *["ctrl+d"] * 12)
        await pilot.pause()
        assert "line 90 of the new file" in text_of(app) and "not seen" not in text_of(app)
        await app.type(pilot, *["ctrl+u"] * 12, "y")
        assert app.answers == [Answered(value=True)]


async def test_r236_with_no_room_for_what_is_covered_it_is_said_before_it_counts() -> None:
    covers = f"until this turn ends, {'every call of it, ' * 9}whatever it does"
    app = Host(boolean().model_copy(update={"remember_covers": covers}))
    async with app.run_test(size=(60, 22)) as pilot:
        await app.arm(pilot)
        assert "whatever it does" not in text_of(app) and "…" in text_of(app)
        await app.type(pilot, "Y")
        assert app.answers == [] and "whatever it does" in text_of(app)
        await app.type(pilot, "Y")
        assert app.answers == [Answered(value=True, remember=True)]


async def test_r248_esc_opens_the_menu_and_never_answers() -> None:
    app = Host(boolean())
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "escape")
        seen = text_of(app)
        assert all(line in seen for line in ("Answer", "Reply", "Cancel", "End Turn"))
        await app.type(pilot, "y", "Y", "n")
        assert app.answers == [], "in the menu the letters of the answer are not there"
        await app.type(pilot, "escape")
        assert app.answers == [] and app.sheet.mode == "answer"
        await app.type(pilot, "y")
        assert app.answers == [Answered(value=True)]


async def test_r210_the_menu_cancels() -> None:
    app = Host(boolean())
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "escape", "down", "down", "enter")
        assert app.answers == [Cancelled()]


async def test_r248_the_menu_names_what_would_be_lost() -> None:
    app = Host(boolean(), boolean("q2"), boolean("q3"))
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "r", *"no", "escape", "escape")
        seen = " ".join(text_of(app).split())
        assert "2 more waiting questions close too" in seen
        assert "what you typed here is not sent" in seen


@pytest.mark.parametrize("keys", [["s", "s"], ["s", "enter"], ["escape", "s", "s"], ["escape", "s", "enter"]])
async def test_end_turn_asks_once_more(keys: list[str]) -> None:
    app = Host(boolean())
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, *keys[:-1])
        assert app.answers == []
        await app.type(pilot, keys[-1])
        assert app.answers == [EndTurn()]


async def test_a_held_s_does_not_end_the_turn() -> None:
    app = Host(boolean())
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, *["s"] * 10, gap=0.03)
        assert app.answers == []


async def test_r248_ctrl_c_once_is_esc_and_twice_within_a_second_ends_the_turn() -> None:
    app = Host(boolean())
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "ctrl+c")
        assert app.sheet.mode == "menu" and app.answers == []
        await app.type(pilot, "ctrl+c", gap=1.5)
        assert app.sheet.mode == "answer" and app.answers == []
        await app.type(pilot, "ctrl+c", gap=0.5)
        assert app.answers == [EndTurn()]


async def test_t5_letters_typed_into_the_reply_never_answer() -> None:
    app = Host(boolean())
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "r", *"yYnNs1 yes", "left", "backspace", "delete", "home", "end", "up", "down")
        assert app.answers == []
        await app.type(pilot, "enter")
        assert app.answers == [Replied(text="yYnNs1 y")]


async def test_t5_keys_that_arrive_in_one_burst_go_where_the_first_of_them_leads() -> None:
    """`ryes` in one read: Textual sends all four to the sheet before it has seen the first."""
    app = Host(boolean())
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        app.burst("r", "y", "e", "s", "backspace", "s", "n", "o")
        await pilot.pause()
        assert app.answers == []
        assert app.sheet.reply_fields.reply.text == "yesno"


async def test_the_reply_is_kept_when_it_is_left() -> None:
    app = Host(boolean())
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "r", *"not yet", "escape", "ctrl+o", "ctrl+o")
        await app.arm(pilot)
        await app.type(pilot, "r", "!", "enter")
        assert app.answers == [Replied(text="not yet!")]


async def test_m47_an_empty_reply_to_a_tool_is_not_sent() -> None:
    app = Host(boolean())
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "r", "enter", "enter", "enter")
        assert app.answers == [] and "No reply yet" in text_of(app)


async def test_e42_w_says_why_one_is_asked() -> None:
    app = Host(boolean())
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        assert "shows why you are asked" not in text_of(app)
        await app.type(pilot, "w")
        assert "fs_modify_file.apply_changes has no answer set" in text_of(app)


async def test_e60_a_click_on_an_answer_answers() -> None:
    app = Host(boolean())
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        app.now += 1
        rows = app.sheet.query_one("#answers", ChoiceList)
        await pilot.click(rows, offset=(11, 0))
        assert app.answers == [Answered(value=False)]


async def test_e60_hints_are_buttons() -> None:
    app = Host(boolean())
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        app.now += 1
        await app.click_text(pilot, "Esc menu")
        assert app.sheet.mode == "menu"
        await app.click_text(pilot, "Cancel")
        assert app.answers == [Cancelled()]


async def test_the_wheel_moves_the_cursor() -> None:
    app = Host(boolean(preselect=True))
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        rows = app.sheet.query_one("#answers", ChoiceList)
        await pilot._post_mouse_events([events.MouseScrollDown], rows)
        assert rows.cursor == 1
