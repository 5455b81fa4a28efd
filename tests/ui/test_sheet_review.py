"""The review of a form: R182b, E3, E23, E60."""

from __future__ import annotations

import pytest

from jp_tui.conversation.strict_json import Json
from jp_tui.protocol.values import EndTurn, Replied, Submitted, WentBack
from jp_tui.questions.types import Place
from jp_tui.ui.sheets.areas.form_summary import answer_content
from jp_tui.ui.sheets.choice_list import ChoiceList
from tests.ui.sheet_host import Host, formed, review, text, text_of


async def test_r182b_all_questions_with_their_answers_and_a_row_that_submits() -> None:
    app = Host(review())
    async with app.run_test(size=(100, 30)) as pilot:
        await app.arm(pilot)
        seen = text_of(app)
        assert "Assistant · review" in seen and "Review your answers, then submit" in seen
        assert "✓ apply  Apply the migration?" in seen and "staging, eu-production" in seen
        assert "– settings  Which settings?" in seen and "skipped: asked only if `apply` is no" in seen
        assert "✓ region  Which region?  set" in seen
        assert "▸    Submit" in seen
        await app.type(pilot, "enter")
        assert app.answers == [Submitted()]


async def test_e21_the_scrollbar_of_a_long_list_stands_where_its_cursor_is() -> None:
    """It appears after the list was scrolled, or before: by how busy the machine is."""
    many = [Place(f"question-{n}", f"Question {n}?", "answered", "yes") for n in range(1, 41)]
    app = Host(review("r1", *many))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.still(pilot)
        rows = app.sheet.query_one(ChoiceList)
        assert rows.show_vertical_scrollbar and rows.scroll_y == rows.max_scroll_y > 0
        assert rows.vertical_scrollbar.position == rows.scroll_y


async def test_r182b_digits_move_and_never_submit() -> None:
    app = Host(review())
    async with app.run_test(size=(100, 30)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, *"123456789", "4")
        assert app.answers == []
        await app.type(pilot, "enter")
        assert app.answers == [WentBack(to="note")]


async def test_e23_enter_on_an_earlier_row_says_first_what_goes() -> None:
    app = Host(review())
    async with app.run_test(size=(100, 30)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "home", "enter")
        assert app.answers == []
        assert "Back to apply removes the answers to envs, note" in text_of(app)
        await app.type(pilot, "enter")
        assert app.answers == [WentBack(to="apply")]


async def test_what_cannot_be_changed_says_why() -> None:
    app = Host(review())
    async with app.run_test(size=(100, 30)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "2", "enter")
        assert "A setting answers region" in text_of(app)
        await app.type(pilot, "5", "enter")
        assert "settings: asked only if `apply` is no" in text_of(app)
        assert app.answers == []


async def test_e60_by_mouse_alone() -> None:
    app = Host(review())
    async with app.run_test(size=(100, 30)) as pilot:
        await app.arm(pilot)
        app.now += 1
        await app.click_text(pilot, "What should the note say?")
        assert app.answers == [WentBack(to="note")]
    app = Host(review())
    async with app.run_test(size=(100, 30)) as pilot:
        await app.arm(pilot)
        app.now += 1
        await app.click_text(pilot, "the model gets these answers")
        assert app.answers == [Submitted()]


@pytest.mark.parametrize(
    ("keys", "answer"),
    [
        ("b", WentBack(to="note")), ("shift+tab", WentBack(to="note")), ("left", WentBack(to="note")),
        ("r n o enter", Replied(text="no")), ("s s", EndTurn()), ("escape down enter", WentBack(to="note")),
    ],
)  # fmt: skip
async def test_back_reply_and_end_turn_as_everywhere(keys: str, answer: object) -> None:
    app = Host(review())
    async with app.run_test(size=(100, 30)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, *keys.split())
        assert app.answers == [answer]


async def test_e28_fifty_answers_scroll_and_submit_stays_in_reach() -> None:
    places = tuple(Place(f"q{n}", f"Question {n}?", "answered", f"answer {n}") for n in range(1, 51))
    app = Host(review("r1", *places))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        assert "answer 50" in text_of(app) and "Submit" in text_of(app)
        await app.type(pilot, "home")
        assert "answer 1" in text_of(app) and "Submit" not in text_of(app)
        await app.type(pilot, "end", "enter")
        assert app.answers == [Submitted()]


async def test_folded_it_is_one_line() -> None:
    app = Host(review())
    async with app.run_test(size=(100, 30)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "ctrl+o")
        assert "Assistant · review asks: Review your answers" in text_of(app)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (True, "yes"), (False, "no"), ("", "empty on purpose"), ([], "empty on purpose"), ("a\nb", "a ⏎ b"),
        (["a", "b"], "a, b"), ({"a": 1}, '{"a":1}'), ("\x1b[31m", "␛[31m"), (None, "null"),
    ],
)  # fmt: skip
def test_an_answer_as_a_person_says_it(value: Json, shown: str) -> None:
    assert answer_content(value).plain == shown


def test_a_long_answer_says_how_much_is_missing() -> None:
    assert answer_content("x" * 1000).plain.endswith("… 700 more characters")


async def test_e24_what_was_begun_at_a_review_survives_back_and_a_kill() -> None:
    """The answers change, and with them the digest: the words are still the user's."""
    app = Host(review())
    async with app.run_test(size=(100, 30)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "r", *"no", "escape", "b")
        assert [type(one) for one in app.answers] == [WentBack]
        app.dock.remove_settled(("c1", "r1"))
        app.dock.ask(formed(text("t9"), prefill=("x",)))
        await app.until(pilot, lambda: any("no" in one for one in app.drafts))
        await app.arm(pilot)
        await app.type(pilot, "y", "enter")
        kept = app.drafts[-1]
        app.dock.remove_settled(("c1", "t9"))
        app.dock.ask(review("r2"))
        await app.arm(pilot)
        assert app.sheet.reply_fields.reply.text == "no" and app.sheet.prompt.digest == "digest-r2"
    fresh = Host()
    async with fresh.run_test(size=(100, 30)) as pilot:
        fresh.dock.restore_draft(("c1", "t9"), kept)
        fresh.dock.ask(formed(text("t9"), prefill=("x",)))
        await fresh.arm(pilot)
        await fresh.type(pilot, "enter")
        fresh.dock.remove_settled(("c1", "t9"))
        fresh.dock.ask(review("r3"))
        await fresh.arm(pilot)
        assert fresh.sheet.reply_fields.reply.text == "no"
