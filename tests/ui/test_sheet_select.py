"""One of several options: R9, R184, R192, R238, E20, E21, E22, E28."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from jp_tui.protocol.values import Answered, PromptRequest, Replied
from jp_tui.questions.types import Option
from jp_tui.ui.sheets.choice_list import ChoiceList
from tests.ui.sheet_host import Host, multi, select, text_of

MANY = tuple(Option(f"branch-{n}", f"last touched by team {n % 7}") for n in range(1, 1001))
PREVIEWS = (Option("rebase", preview="history stays flat"), Option("merge", preview="both lines stay"))


async def test_e22_the_recommended_option_comes_first_and_says_so() -> None:
    app = Host(select())
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        assert "1  eu-production  (recommended)" in text_of(app)
        await app.type(pilot, "1")
        assert app.answers == [Answered(value="eu-production")]


async def test_r192_a_default_is_highlighted_and_enter_takes_it() -> None:
    app = Host(select(has_default=True, default="production"))
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        assert "▸ 3  production  default" in text_of(app)
        await app.type(pilot, "enter")
        assert app.answers == [Answered(value="production")]


async def test_e22_without_a_default_the_cursor_is_on_the_first_row_and_enter_takes_it() -> None:
    app = Host(select())
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        assert "▸ 1  eu-production" in text_of(app)
        await app.type(pilot, "enter")
        assert app.answers == [Answered(value="eu-production")]


@pytest.mark.parametrize("ask", [select, multi])
async def test_z11_where_nothing_is_preselected_enter_alone_takes_nothing(ask: Callable[[], PromptRequest]) -> None:
    app = Host(ask().model_copy(update={"preselect": False}))
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "enter")
        assert app.answers == [] and "selected" in text_of(app)
        await app.type(pilot, "down", "enter" if ask is select else "space", "enter")
        assert app.answers in ([Answered(value="staging")], [Answered(value=["staging"])])


@pytest.mark.parametrize(
    ("keys", "value"), [("3", "production"), ("j j k enter", "staging"), ("end up enter", "production")]
)
async def test_keys_choose(keys: str, value: str) -> None:
    app = Host(select())
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, *keys.split())
        assert app.answers == [Answered(value=value)]


async def test_e20_the_last_row_is_a_reply_in_words_and_says_so() -> None:
    app = Host(select())
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        assert "4  Something else…  reply with text" in text_of(app)
        await app.type(pilot, *["down"] * 4, *"neither, wait")
        assert "Enter send the reply" in text_of(app)
        await app.type(pilot, "up", "up")
        assert app.sheet.writing is None and "neither, wait" in text_of(app), "kept while the cursor visits other rows"
        await app.type(pilot, "down", "down", "!", "enter")
        assert app.answers == [Replied(text="neither, wait!")]


async def test_e20_letters_move_onto_the_row_without_typing_into_it() -> None:
    app = Host(select())
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, *["j"] * 9)
        assert app.sheet.reply_fields.reply.text == "" and app.sheet.writing is None
        await app.type(pilot, "down", "j")
        assert app.sheet.reply_fields.reply.text == "j"
        await app.type(pilot, "escape", "k", "j", "enter", "k")
        assert app.sheet.reply_fields.reply.text == "jk"


async def test_e20_a_tool_s_own_question_has_no_such_row() -> None:
    app = Host(select(tool=True))
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        assert "Something else" not in text_of(app)
        await app.type(pilot, "4", "end", "enter")
        assert app.answers == [Answered(value="production")]


async def test_r179_a_reply_to_the_model_may_be_without_words_when_it_is_meant() -> None:
    app = Host(select())
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "r", "enter")
        assert app.answers == [] and "Press Enter again" in text_of(app)
        await app.type(pilot, "enter", gap=0.04)
        assert app.answers == [], "a held Enter is not meant"
        await app.type(pilot, "enter", "enter")
        assert app.answers == [Replied(text=None)]


@pytest.mark.parametrize(("width", "beside"), [(120, True), (90, False)])
async def test_e21_a_preview_stands_beside_from_100_columns_on_else_below(width: int, beside: bool) -> None:
    app = Host(select(options=PREVIEWS))
    async with app.run_test(size=(width, 36)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "down")
        await pilot.pause()
        lines = text_of(app).split("\n")
        choice = next(line for line in lines if "rebase" in line)
        shown = next(line for line in lines if "both lines stay" in line)
        assert (lines.index(shown) <= lines.index(choice)) == beside
        assert "history stays flat" not in text_of(app)


async def test_e21_the_preview_of_a_default_is_there_at_once() -> None:
    app = Host(select(options=PREVIEWS, has_default=True, default="merge"))
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        assert "both lines stay" in text_of(app)


async def test_e28_the_filter_finds_and_a_second_enter_answers() -> None:
    app = Host(select(options=MANY))
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        assert "/ filter" in text_of(app)
        await app.type(pilot, "slash", *"h-77", "down", "down")
        assert "branch-771" in text_of(app) and "branch-2 " not in text_of(app)
        await app.type(pilot, "enter")
        assert app.answers == []
        await app.type(pilot, "enter")
        assert app.answers == [Answered(value="branch-771")]


async def test_e28_esc_shows_all_again_and_no_match_is_said() -> None:
    app = Host(select(options=MANY, tool=True))
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "slash", *"nowhere", "enter")
        assert "No matching options" in text_of(app) and app.answers == []
        await app.type(pilot, "slash", "escape")
        assert len(app.sheet.query_one("#options", ChoiceList).rows) == 1000


async def test_the_filter_s_hint_shows_from_ten_options_on() -> None:
    for count, hinted in ((9, False), (10, True)):
        app = Host(select(options=MANY[:count]))
        async with app.run_test(size=(120, 36)) as pilot:
            await app.arm(pilot)
            assert ("/ filter" in text_of(app)) == hinted


async def test_e28_a_thousand_options_open_and_scroll_without_lag() -> None:
    app = Host(select(options=MANY))
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        rows = app.sheet.query_one("#options", ChoiceList)
        started = time.process_time()
        for _ in range(200):
            rows.move(1)
            [rows.render_line(y) for y in range(rows.size.height)]
        assert (time.process_time() - started) / 200 < 0.05
        await app.type(pilot, "end", "up")
        assert "branch-1000" in text_of(app)


async def test_options_are_answered_by_value_and_shown_as_they_are() -> None:
    odd = ("[red]", "a\nb", "  x  ", "", "\x1b[31mred", "\u202eevil", "y" * 10_000)
    app = Host(select(options=tuple(Option(value) for value in odd)))
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        seen = text_of(app)
        assert "[red]" in seen and "\x1b" not in seen and "\u202e" not in seen
        assert "(empty)" in seen
        await app.type(pilot, "4")
        assert app.answers == [Answered(value="")]


async def test_e60_a_click_on_an_option_answers_and_one_on_the_last_row_writes() -> None:
    app = Host(select())
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        app.now += 1
        await app.click_text(pilot, "Something else")
        assert app.sheet.writing is app.sheet.reply_fields.reply and app.answers == []
        await app.click_text(pilot, "refreshed 06:10")
        assert app.answers == [Answered(value="staging")]


@pytest.mark.parametrize("prompt", [select(), multi()], ids=["select", "multi"])
async def test_e20_end_opens_the_field_of_the_last_row_as_down_does(prompt: PromptRequest) -> None:
    """Else the letters that follow would be keys: `s` ends the turn."""
    app = Host(prompt)
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "end", *"so")
        assert app.sheet.mode == "write" and app.sheet.reply_fields.reply.text == "so"
        await app.type(pilot, "enter")
        assert app.answers == [Replied(text="so")]
