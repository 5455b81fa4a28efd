"""Forms on the screen: R170, R175-R178, R182b, R194, E2, E3, E20, E23, E24, acceptance rows 18 and 20."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from jp_tui.protocol.values import Answered, PromptRequest, Restored, WentBack
from jp_tui.questions.types import FormView, Place, SelectAnswer
from jp_tui.ui.sheets import form_tabs as f
from jp_tui.ui.sheets.areas.select import SelectArea
from jp_tui.ui.sheets.dock.question_drafts import packed, unpacked
from jp_tui.view.questions.drafts import restored
from tests.ui.sheet_host import (
    OPTIONS,
    PLACES,
    Host,
    boolean,
    formed,
    key_event,
    multi,
    schema,
    secret,
    select,
    text,
    text_of,
)  # fmt: skip

BOTH = (
    Place("apply", "Apply it?", "answered", True),
    Place("region", "Which region?", "answered", "eu", fixed=True),
    Place("envs", "Where?", "answered", ["staging"]),
    Place("note", "What should the note say?", "current"),
)


def test_r175_progress_counts_what_is_skipped_too_and_is_none_for_one() -> None:
    places = (Place("a", "", "answered"), Place("b", "", "skipped"), Place("c", "", "current"))
    assert f.progress(formed(text(), *places)).plain == "[3/3]"  # type: ignore[union-attr]
    assert f.progress(formed(text(), Place("a", "", "current"))) is None


async def test_r175_e3_the_tabs_the_title_and_the_folded_line() -> None:
    app = Host(formed(multi()))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        seen = text_of(app)
        assert "Assistant · [2/4]" in seen
        assert "✓ apply    ● envs    ○ note   – settings   ▸ review" in seen
        assert "settings: asked only if `apply` is no" in seen, "E23: skipped, with the reason"
        await app.type(pilot, "ctrl+o")
        assert "Assistant · [2/4] asks: Which environments" in text_of(app)


async def test_r170_r194_a_list_of_one_looks_like_a_question_alone() -> None:
    looks = []
    for prompt in (select(), formed(select(), Place("env", "Which?", "current"), progress=(1, 1))):
        app = Host(prompt)
        async with app.run_test(size=(80, 24)) as pilot:
            await app.arm(pilot)
            looks.append(text_of(app))
    assert looks[0] == looks[1]
    assert "[1/1]" not in looks[0] and "review" not in looks[0]


async def test_r176_b_goes_back_to_what_was_answered_last() -> None:
    app = Host(formed(multi()))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        assert "b back" in text_of(app)
        await app.type(pilot, "b")
        assert app.answers == [WentBack(to="apply")]


async def test_r176_nothing_leads_back_from_the_first_question() -> None:
    app = Host(formed(boolean(context=None), Place("a", "", "current"), Place("b", "", "ahead")))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        assert "b back" not in text_of(app)
        await app.type(pilot, "b", "left", "shift+tab", "ctrl+pageup")
        assert app.answers == [] and "No answered question before this one." in text_of(app)


@pytest.mark.parametrize("key", ["shift+tab", "left", "ctrl+pageup"])
@pytest.mark.parametrize("kind", [multi, select, boolean])
async def test_r182b_keys_that_are_back(kind: Callable[[], PromptRequest], key: str) -> None:
    app = Host(formed(kind()))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, key)
        assert app.answers == [WentBack(to="apply")]


@pytest.mark.parametrize("key", ["shift+tab", "ctrl+pageup"])
async def test_r182b_from_a_field_too_but_not_by_an_arrow(key: str) -> None:
    app = Host(formed(text()))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "x", "left", "y")
        assert app.sheet.draft.answer == "yx" and app.answers == []
        await app.type(pilot, key)
        assert app.answers == [WentBack(to="apply")]


async def test_tab_in_a_reply_goes_nowhere() -> None:
    app = Host(formed(text()))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "escape", "r", "n", "o", "shift+tab", "tab")
        assert app.answers == [] and app.sheet.reply_fields.reply.text == "no"


@pytest.mark.parametrize("key", ["tab", "right", "ctrl+pagedown"])
async def test_r182b_forward_only_past_what_is_answered(key: str) -> None:
    app = Host(formed(multi()))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, key)
        assert app.answers == [] and "Answer this question first" in text_of(app)


@pytest.mark.parametrize("key", ["u", "tab", "right"])
async def test_e23_u_and_moving_on_bring_back_what_back_took_away(key: str) -> None:
    app = Host(formed(multi(), undo=("envs", "note"), prefill=(["staging"],)))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        seen = text_of(app)
        assert "Press u to restore the answers Back removed: envs, note" in seen and "↶ note" in seen
        await app.type(pilot, key)
        assert app.answers == [Restored()]


async def test_e23_back_says_before_which_later_answers_it_discards() -> None:
    """Back past one that a setting answers: that one is not counted (R172)."""
    app = Host(formed(text(), *BOTH))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        app.now += 1
        await app.click_text(pilot, "✓ apply")
        assert app.answers == []
        assert "Back to apply removes the answers to envs; u restores them" in " ".join(text_of(app).split())
        await app.click_text(pilot, "✓ apply")
        assert app.answers == [WentBack(to="apply")]


async def test_e60_clicks_on_tabs_that_lead_nowhere_say_why() -> None:
    app = Host(formed(select(), *BOTH[:2], *PLACES[1:]))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        for tab, says in (
            ("✓ region", "A setting answers region"), ("– settings   ", "settings: asked only if"),
            ("○ note", "Answer this question first"), ("▸ review", "Answer this question first"),
        ):  # fmt: skip
            app.now += 1
            await app.click_text(pilot, tab)
            assert says in text_of(app) and app.answers == []


async def test_back_and_bring_back_stand_in_the_menu_with_what_they_do() -> None:
    app = Host(formed(text(), undo=("envs",), prefill=("old",)))
    async with app.run_test(size=(100, 30)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "escape", "escape")
        seen = text_of(app)
        assert "Back" in seen and "to apply, to change the answer" in seen and "Restore" in seen
        app.now += 1
        await app.click_text(pilot, "Restore")
        assert app.answers == [Restored()]


PREFILLED = {
    "boolean": (boolean(context=None, default=True), False, "▸n no  your earlier answer"),
    "select": (select(has_default=True, default="staging"), "production", "▸ 3  production  your earlier answer"),
    "multi": (multi(has_default=True, default=["staging"]), ["production"], "■ production  your earlier answer"),
    "text": (text(has_default=True, default="of the asker"), "of mine", "of mine"),
}


@pytest.mark.parametrize("kind", PREFILLED)
async def test_r176_the_old_answer_is_there_and_enter_gives_it_again(kind: str) -> None:
    prompt, before, shows = PREFILLED[kind]
    app = Host(formed(prompt, prefill=(before,), undo=("envs",)))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        assert shows in text_of(app)
        assert app.sheet.draft.stored() == "", "nothing was typed"
        await app.type(pilot, "enter")
        assert app.answers == [Answered(value=before)]


EDITED = {
    "text": (text(), "of mine", "x", "tab tab", "Restored"),
    "text, u": (text(), "of mine", "x escape", "u u", "Restored"),
    "text, right": (text(), "of mine", "x escape", "right right", "Restored"),
    "text, submitted": (text(), "of mine", "x", "tab enter", "of minex"),
    "marks": (multi(), ["production"], "1", "tab tab", "Restored"),
    "marks, submitted": (multi(), ["production"], "1", "u enter", ["production", "eu-production"]),
    "secret": (secret(), "", "x", "tab tab", "Restored"),
}


@pytest.mark.parametrize("kind", EDITED)
async def test_e23_a_changed_answer_is_not_left_behind_without_a_word(kind: str) -> None:
    """It is said once that the change does not count and how it would; only the same key again goes on without it."""
    prompt, before, edit, keys, comes = EDITED[kind]
    app = Host(formed(prompt, prefill=(before,), undo=(prompt.question.id, "note")))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, *edit.split())
        first, second = keys.split()
        await app.type(pilot, first)
        assert app.answers == [] and "Your change isn't submitted. Enter submits it" in " ".join(text_of(app).split())
        await app.type(pilot, second)
        assert app.answers == [Restored() if comes == "Restored" else Answered(value=comes)]


async def test_e23_the_menu_says_that_bringing_back_leaves_a_change_behind() -> None:
    app = Host(formed(text(), prefill=("of mine",), undo=("message",)))
    async with app.run_test(size=(100, 30)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "escape", "escape")
        assert "Your change isn't submitted." not in text_of(app)
        await app.type(pilot, "escape", "x", "escape", "escape")
        rows = {row.id: row.detail.plain for row in app.sheet.menu.list.rows if row.detail}
        assert rows["restore"].endswith("Your change isn't submitted.")


async def test_e23_a_change_that_was_left_behind_is_named_at_the_question_that_follows() -> None:
    """Also one that Back was pressed in: `u` at a question before it goes past it."""
    app = Host(formed(text("c.2"), prefill=("of mine",), undo=("message", "note")))
    done = (PLACES[0], Place("message", "What should it say?", "answered", "of mine"), *PLACES[2:])
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "x", "shift+tab")
        app.dock.remove_settled(("c1", "c.2"))
        app.dock.ask(formed(select("c.1:2"), undo=("apply", "message", "note")))
        await app.arm(pilot)
        assert "not submitted" not in text_of(app)
        await app.type(pilot, "u")
        app.dock.remove_settled(("c1", "c.1:2"))
        app.dock.ask(formed(multi("c.3"), *done))
        await app.arm(pilot)
        assert app.answers == [WentBack(to="apply"), Restored()]
        assert "Your change to message isn't submitted" in " ".join(text_of(app).split())
        await app.type(pilot, "b")
        assert "not submitted" not in text_of(app), "it is said once"


async def test_a_form_s_next_question_takes_the_place_of_the_last() -> None:
    first = formed(select("c.1"))
    app = Host(first)
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "1")
        app.dock.remove_settled(("c1", "c.1"))
        await pilot.pause()
        assert app.dock.open and not app.composer.display, "no composer in between"
        app.dock.ask(formed(text("c.2")))
        await pilot.pause()
        assert app.dock.open and app.sheet.prompt.inquiry == "c.2" and app.dock.waiting == 1
        await app.until(pilot, lambda: app.sheet.armed)
        app.dock.ask(select("c.9"))
        assert app.sheet.prompt.inquiry == "c.2", "E12: a question of another form waits"


ANSWERED_AT_ONCE = ("1", *"two words", "enter", "y", "n", "2", "enter")
"""Keys of a form that is answered without a look: a choice, a text, two decisions, any of three."""


@pytest.mark.parametrize("late", [0, 1, 5, 40])
async def test_z13_a_form_answered_at_50_ms_a_key_loses_and_misplaces_none(late: int) -> None:
    """The next question is asked `late` keys after the answer, and takes those that came meanwhile, in order."""
    form = [
        formed(one)
        for one in (
            select("c.1"), text("c.2"), boolean("c.3", context=None, remember=False),
            boolean("c.4", context=None, remember=False), multi("c.5"),
        )
    ]  # fmt: skip
    form = [one.model_copy(update={"call": "call2", "tool": "ask_user"}) for one in form]
    app, waits = Host(form[0]), list[int]()
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        asked = 1
        for key in (*ANSWERED_AT_ONCE, *[""] * 200):
            if key:
                await app.type(pilot, key, gap=0.05)
            if len(app.answers) == asked < len(form):
                waits.append(1)
                if len(waits) > late:
                    waits.clear()
                    app.dock.remove_settled(("c1", form[asked - 1].inquiry))
                    app.dock.ask(form[asked])
                    asked += 1
                    await app.settled(pilot)
        said = [one.value for one in app.answers if isinstance(one, Answered)]
        assert said == ["eu-production", "two words", True, False, ["staging"]]
        assert app.composer.text == ""


async def test_z13_a_key_that_was_pressed_while_the_next_question_appeared_answers_that() -> None:
    """A busy screen handles it late: it counts by its order, not by its time."""
    app = Host(formed(select("c.1")), real_clock=True)
    async with app.run_test(size=(80, 24)) as pilot:
        await app.until(pilot, lambda: app.dock.open and app.sheet.armed)
        app.burst("1")
        await app.until(pilot, lambda: len(app.answers) == 1)
        await pilot.pause(0.1)
        late = key_event("2")
        app.dock.remove_settled(("c1", "c.1"))
        app.dock.ask(formed(select("c.2")))
        await app.until(pilot, lambda: app.sheet.prompt.inquiry == "c.2" and app.sheet.armed)
        app.post_message(late)
        await app.until(pilot, lambda: len(app.answers) == 2)
        assert app.answers[1] == Answered(value="staging") and app.composer.text == ""


async def test_e11_a_paste_between_two_questions_of_a_form_answers_nothing_and_is_no_draft() -> None:
    app = Host(formed(select("c.1")), real_clock=True)
    async with app.run_test(size=(80, 24)) as pilot:
        await app.until(pilot, lambda: app.dock.open and app.sheet.armed)
        app.burst("1")
        await app.until(pilot, lambda: len(app.answers) == 1)
        app.burst("2", "3")
        await pilot.pause()
        app.dock.remove_settled(("c1", "c.1"))
        app.dock.ask(formed(select("c.2")))
        await app.until(pilot, lambda: app.sheet.prompt.inquiry == "c.2" and app.sheet.armed)
        await app.settled(pilot)
        assert len(app.answers) == 1 and app.composer.text == ""


async def test_z13_keys_for_a_question_that_never_comes_are_no_words_for_the_composer() -> None:
    app = Host(formed(select("c.1")))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "1", "2", "x")
        app.dock.remove_settled(("c1", "c.1"))
        await app.until(pilot, lambda: app.dock.waiting == 0 and bool(app.composer.display))
        assert app.composer.text == "" and len(app.answers) == 1
        app.dock.ask(formed(select("c.2")))
        await app.arm(pilot)
        assert len(app.answers) == 1, "nor for one that comes later"


async def test_when_nothing_follows_the_composer_comes_back() -> None:
    app = Host(formed(select("c.1")))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "1")
        app.dock.remove_settled(("c1", "c.1"))
        await app.until(pilot, lambda: app.dock.waiting == 0 and bool(app.composer.display))


async def test_e24_what_was_typed_before_back_is_there_when_the_question_returns() -> None:
    """And journalled with the question that is open in between, so that it outlives the program."""
    first, second = formed(text("c.2")), formed(select("c.1:2"))
    app = Host(first)
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, *"half", "escape", "b")
        assert app.answers == [WentBack(to="apply")]
        app.dock.remove_settled(("c1", "c.2"))
        app.dock.ask(second)
        await app.settled(pilot)
        kept = app.drafts[-1]
        assert restored(unpacked(kept)[1]["message"][1]).answer == "half"
        await app.arm(pilot)
        await app.type(pilot, "1")
        app.dock.remove_settled(("c1", "c.1:2"))
        again = first.model_copy(update={"inquiry": "c.2:2"})
        app.dock.ask(again)
        await app.settled(pilot)
        assert app.sheet.draft.answer == "half" and restored(app.drafts[-1]).answer == "half"
    fresh = Host(second)
    async with fresh.run_test(size=(80, 24)) as pilot:
        fresh.dock.restore_draft(("c1", "c.1:2"), kept)
        await fresh.arm(pilot)
        await fresh.type(pilot, "1")
        fresh.dock.remove_settled(("c1", "c.1:2"))
        fresh.dock.ask(again)
        await fresh.settled(pilot)
        assert fresh.sheet.draft.answer == "half", "after a restart too"


async def test_e24_it_is_not_given_to_another_question_of_the_same_name() -> None:
    first = formed(text("c.2"))
    app = Host(first)
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, *"half", "shift+tab")
        app.dock.remove_settled(("c1", "c.2"))
        app.dock.ask(first.model_copy(update={"inquiry": "c.2:2", "digest": "another"}))
        await app.settled(pilot)
        assert app.sheet.draft.answer is None


def test_a_draft_of_any_other_form_is_the_question_s_own() -> None:
    for odd in ("", "{", "[1]", '{"shown": 1, "others": {}}', '{"answer": "x", "reply": ""}', '{"shown": "x"}'):
        assert unpacked(odd) == (odd, {})
    assert unpacked(packed("a", {"q": ("d", "t")})) == ("a", {"q": ("d", "t")})
    assert unpacked('{"shown": "x", "others": {"a": 1, "b": ["d"], "c": ["d", "t"]}}') == ("x", {"c": ("d", "t")})


@pytest.mark.parametrize("at", [0, 7, 25, 49])
@pytest.mark.parametrize("width", [20, 56, 76, 116])
def test_e28_fifty_questions_keep_one_row_of_tabs_around_the_current(at: int, width: int) -> None:
    places = tuple(Place(f"question-{n}", "", "current" if n == at else "ahead") for n in range(50))
    prompt = formed(text(), *places)
    shown = f.fitted(f.tabs(prompt, FormView(places)), at, width)
    end = shown[-1][0] + shown[-1][1].says.cell_length
    assert end <= width or len(shown) <= 3
    assert f"question-{at}" in [stop.id for _, stop in shown]
    hidden = [int(stop.says.plain.strip("‹›")) for _, stop in shown if not stop.id]
    assert sum(hidden) + sum(bool(stop.id) for _, stop in shown) == 51


def worded() -> PromptRequest:
    """A choice that any text answers too."""
    prompt = select()
    kind = SelectAnswer(OPTIONS, allow_other=True)
    return prompt.model_copy(update={"question": replace(prompt.question, answer_type=kind)})


async def test_r226_one_s_own_words_are_the_answer_where_the_question_allows_them() -> None:
    app = Host(worded())
    async with app.run_test(size=(100, 30)) as pilot:
        await app.arm(pilot)
        assert "Something else…" in text_of(app) and "your text is the answer" in text_of(app)
        await app.type(pilot, *["down"] * 4, *"my box", "up")
        assert app.sheet.draft.answer == "my box" and app.sheet.writing is None
        await app.type(pilot, "down", "enter")
        assert app.answers == [Answered(value="my box")]


async def test_r226_empty_words_are_no_answer_and_old_ones_come_back() -> None:
    app = Host(worded().model_copy(update={"prefill": ("my box",)}))
    async with app.run_test(size=(100, 30)) as pilot:
        await app.arm(pilot)
        assert isinstance(app.sheet.area, SelectArea) and app.sheet.draft.answer is None
        await app.type(pilot, "enter", *["backspace"] * 6, "enter")
        assert app.answers == [] and "No answer yet" in text_of(app)
        await app.type(pilot, *"x", "enter")
        assert app.answers == [Answered(value="x")]


async def test_a_schema_question_of_a_form_has_its_tabs_too() -> None:
    app = Host(formed(schema()))
    async with app.run_test(size=(100, 30)) as pilot:
        await app.arm(pilot)
        assert "● envs" in text_of(app)
        await app.type(pilot, "ctrl+pageup")
        assert app.answers == [WentBack(to="apply")]
