"""Several of several options, by keyboard and by mouse: R7, R8, R184, R192, E14, E20, E22, E24, E28."""

from __future__ import annotations

import json

import pytest

from jp_tui.protocol.values import Answered, Replied
from jp_tui.questions.types import Option
from tests.ui.sheet_host import Host, multi, text_of

MANY = tuple(Option(f"branch-{n}", f"feature {n}") for n in range(1, 31))
PLAIN = tuple(Option(name) for name in ("a-one", "b-two", "c-three"))


@pytest.mark.parametrize(
    ("keys", "value"),
    [
        ("space down down space enter", ["a-one", "c-three"]),
        ("3 1 enter", ["a-one", "c-three"]),
        ("3 1 3 enter", ["a-one"]),
        ("a enter", ["a-one", "b-two", "c-three"]),
        ("2 i enter", ["a-one", "c-three"]),
        ("a 2 enter", ["a-one", "c-three"]),
    ],
)
async def test_r8_what_is_marked_is_answered_in_the_order_of_the_options(keys: str, value: list[str]) -> None:
    app = Host(multi(options=PLAIN))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, *keys.split())
        assert app.answers == [Answered(value=value)]


async def test_r8_a_recommended_option_stands_first_and_is_answered_in_its_place() -> None:
    app = Host(multi())
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        assert text_of(app).index("eu-production") < text_of(app).index("staging")
        await app.type(pilot, "1", "2", "enter")
        assert app.answers == [Answered(value=["staging", "eu-production"])]


async def test_the_count_moves_and_all_and_none_are_one_key() -> None:
    app = Host(multi(options=MANY))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        assert "0 of 30 selected" in text_of(app)
        await app.type(pilot, "down", "space", "j", "space")
        assert "2 of 30 selected" in text_of(app)
        await app.type(pilot, "a")
        assert "30 of 30 selected" in text_of(app)
        await app.type(pilot, "a")
        assert "0 of 30 selected" in text_of(app) and app.answers == []


async def test_r192_e22_the_default_is_marked_and_enter_accepts_it() -> None:
    app = Host(multi(has_default=True, default=["staging", "no such"]))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        line = next(line for line in text_of(app).split("\n") if "staging" in line)
        assert "■" in line and "default" in line and "1 of 3 selected" in text_of(app)
        await app.type(pilot, "enter")
        assert app.answers == [Answered(value=["staging"])]


async def test_e14_nothing_marked_is_an_answer_only_when_it_is_said_twice() -> None:
    app = Host(multi(options=PLAIN))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "enter")
        assert app.answers == [] and "No options selected" in text_of(app)
        await app.type(pilot, "down", "enter")
        assert app.answers == [], "another key in between takes the first one back"
        await app.type(pilot, "enter", gap=0.03)
        assert app.answers == [], "the keyboard's repeat is not a second answer"
        await app.type(pilot, "enter", "enter")
        assert app.answers == [Answered(value=[])]


async def test_e14_or_chosen_on_purpose() -> None:
    app = Host(multi(options=PLAIN, has_default=True, default=["a-one"]))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "escape")
        assert app.answers == [] and "Empty on purpose" in text_of(app)
        await app.type(pilot, "down", "enter")
        assert app.answers == [Answered(value=[])]


async def test_e24_marks_are_drafts_and_come_back() -> None:
    app = Host(multi(options=PLAIN))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "3", "1", "2", "2")
        await app.until(pilot, lambda: bool(app.drafts))
        await app.until(pilot, lambda: json.loads(json.loads(app.drafts[-1])["answer"]) == ["a-one", "c-three"])
    again = Host()
    async with again.run_test(size=(80, 24)) as pilot:
        again.dock.restore_draft(("c1", "q4"), app.drafts[-1])
        again.dock.ask(multi(options=PLAIN))
        await again.arm(pilot)
        assert "2 of 3 selected" in text_of(again)
        await again.type(pilot, "enter")
        assert again.answers == [Answered(value=["a-one", "c-three"])]


@pytest.mark.parametrize("stored", ["[1, null]", "{}", "not json", '["gone"]', "[" * 5000])
async def test_a_draft_of_another_form_marks_nothing_that_is_not_there(stored: str) -> None:
    app = Host()
    async with app.run_test(size=(80, 24)) as pilot:
        app.dock.restore_draft(("c1", "q4"), json.dumps({"answer": stored, "reply": ""}))
        app.dock.ask(multi(options=PLAIN))
        await app.arm(pilot)
        assert "0 of 3 selected" in text_of(app)


async def test_e28_a_filter_finds_and_all_means_what_is_shown() -> None:
    app = Host(multi(options=MANY))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        assert "/ filter" in text_of(app)
        await app.type(pilot, "slash", *"branch-2", "enter", "a")
        assert "11 of 30 selected" in text_of(app) and app.answers == []
        await app.type(pilot, "i", "a", "i", "1", "enter")
        assert app.answers == [Answered(value=["branch-2"])]


async def test_e20_something_else_is_a_reply_in_words_and_keeps_the_marks() -> None:
    app = Host(multi(options=PLAIN))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "1", "4", *"ai", "up")
        assert "1 of 3 selected" in text_of(app), "letters of the reply mark nothing"
        await app.type(pilot, "down", "!", "enter")
        assert app.answers == [Replied(text="ai!")]


async def test_a_tools_own_question_has_no_row_of_ones_own() -> None:
    app = Host(multi(tool=True))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        assert "Something else" not in text_of(app)
        await app.type(pilot, "1", "c", *"only these", "enter", "enter")
        assert app.answers == [Answered(value=["eu-production"], note="only these")]


async def test_e60_a_click_marks_and_a_click_on_the_hint_submits() -> None:
    app = Host(multi(options=PLAIN))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        app.now += 1
        await app.click_text(pilot, "b-two")
        await app.settled(pilot)
        assert "1 of 3 selected" in text_of(app) and app.answers == []
        await app.click_text(pilot, "Enter submit")
        assert app.answers == [Answered(value=["b-two"])]


async def test_a_thousand_options_are_marked_and_answered() -> None:
    app = Host(multi(options=tuple(Option(f"o{n}") for n in range(1000))))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "end", "up", "space", "a", "enter")
        assert app.answers == [Answered(value=[f"o{n}" for n in range(1000)])]


async def test_the_first_space_marks_the_first_option_and_shows_the_cursor_there() -> None:
    app = Host(multi())
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "space")
        assert "▸ 1  ■ eu-production" in text_of(app)
        await app.type(pilot, "enter")
        assert app.answers == [Answered(value=["eu-production"])]
