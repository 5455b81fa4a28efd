"""Where questions live: arrival, fold, queue, focus, what the app is told (E1, E2, E10-E13, E24, R245)."""

from __future__ import annotations

import pytest

from jp_tui.protocol.values import Answered, EndTurn, PromptRequest
from jp_tui.questions.types import TextAnswer
from jp_tui.ui.sheets.dock.dock import SheetDock
from jp_tui.ui.sheets.dock.folded_sheet import FoldedSheet
from jp_tui.view.questions.queue import key_of
from tests.ui.sheet_host import LONG_DIFF, Host, boolean, hunky, select, text, text_of


def kinds(app: Host) -> list[str]:
    """The dock's messages by name, drafts and counts left out."""
    return [type(event).__name__ for event in app.posted if not isinstance(event, SheetDock.CountChanged)]


async def test_e10_a_question_opens_deaf_and_then_visibly_listens() -> None:
    app = Host(boolean(preselect=True))
    async with app.run_test(size=(120, 36)) as pilot:
        await app.step(pilot, 0.4)
        assert "Keys go to your draft" in text_of(app) and app.sheet.has_class("-deaf")
        await app.type(pilot, "y", gap=0.0)
        assert app.answers == []
        await app.step(pilot, 0.29)
        assert app.sheet.has_class("-deaf"), "0.3 s without a key are not over"
        await app.step(pilot, 0.02)
        assert not app.sheet.has_class("-deaf") and "Enter select" in text_of(app)
        await app.type(pilot, "y")
        assert app.answers == [Answered(value=True)]


async def test_e10_what_a_deaf_sheet_hears_goes_to_the_draft() -> None:
    app = Host()
    async with app.run_test(size=(120, 36)) as pilot:
        await app.type(pilot, *"looks ")
        app.now += 1
        app.dock.ask(boolean())
        await app.type(pilot, *"gx", "backspace", *"ood", "enter", gap=0.05)
        await pilot.pause()
        assert app.answers == []
        assert app.composer.text == "looks good"


async def test_e10_it_waits_folded_while_somebody_types_and_opens_after_a_second() -> None:
    app = Host()
    async with app.run_test(size=(120, 36)) as pilot:
        await app.type(pilot, *"hel")
        app.dock.ask(boolean())
        await app.type(pilot, *"lo", gap=0.5)
        assert not app.dock.open and app.composer.text == "hello"
        assert "? 1 waiting" in text_of(app)
        await app.step(pilot, 0.9)
        assert not app.dock.open
        await app.step(pilot, 0.2)
        assert app.dock.open and app.sheet.has_focus


async def test_e10_after_thirty_seconds_it_stays_folded_and_rings(monkeypatch: pytest.MonkeyPatch) -> None:
    app = Host()
    rung: list[float] = []
    monkeypatch.setattr(app, "bell", lambda: rung.append(app.now))
    async with app.run_test(size=(120, 36)) as pilot:
        await app.type(pilot, "a")
        start = app.now
        app.dock.ask(boolean())
        while app.now < start + 30:
            await app.step(pilot, 0.5)
            app.dock.note_typing(app.now)
        await app.step(pilot, 60)
        assert len(rung) == 1 and not app.dock.open
        await app.type(pilot, "ctrl+o")
        assert app.dock.open


async def test_e10_the_real_clock_opens_and_arms_without_being_asked() -> None:
    app = Host(boolean(), real_clock=True)
    async with app.run_test(size=(120, 36)) as pilot:
        await app.until(pilot, lambda: app.dock.open and app.sheet.armed)
        await pilot.press("y")
        await app.until(pilot, lambda: app.answers == [Answered(value=True)])


async def test_e2_fold_keeps_what_was_typed_and_gives_the_composer_back() -> None:
    app = Host(text())
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, *"half", "ctrl+o")
        assert not app.dock.open and app.composer.has_focus
        assert "? 1 waiting · Assistant asks: What should the commit message say? · Ctrl+O opens" in text_of(app)
        await app.type(pilot, *"yes", "enter", "ctrl+o")
        assert app.answers == []
        await app.arm(pilot)
        await app.type(pilot, "!", "enter")
        assert app.answers == [Answered(value="half!")]
        assert kinds(app)[:2] == ["Opened", "DraftChanged"] or "Folded" in kinds(app)


async def test_e2_the_line_names_the_next_key_only_when_more_wait() -> None:
    app = Host(boolean(), select())
    async with app.run_test(size=(100, 24)) as pilot:
        await app.type(pilot, "ctrl+o")
        assert "? 2 waiting · fs_modify_file asks: Apply this change? · Ctrl+O opens · Ctrl+T next" in text_of(app)


@pytest.mark.parametrize("width", [60, 80, 200])
async def test_e2_count_and_keys_stay_at_any_width(width: int) -> None:
    app = Host(boolean(text="Apply this change to every file below docs? " * 5), select())
    async with app.run_test(size=(width, 24)) as pilot:
        await app.type(pilot, "ctrl+o")
        line = next(line for line in text_of(app).split("\n") if "waiting" in line)
        assert line.lstrip().startswith("? 2 waiting") and line.rstrip().endswith("Ctrl+O opens · Ctrl+T next")


async def test_e60_the_folded_line_is_a_button() -> None:
    app = Host(boolean(), select())
    async with app.run_test(size=(100, 24)) as pilot:
        await app.type(pilot, "ctrl+o")
        await app.click_text(pilot, "Ctrl+T next")
        assert app.sheet.prompt.inquiry == "q2"
        await app.type(pilot, "ctrl+o")
        await app.click_text(pilot, "2 waiting")
        assert app.sheet.prompt.inquiry == "q2"


async def test_e12_a_second_question_queues_and_the_count_moves() -> None:
    app = Host(boolean())
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        app.dock.ask(select())
        await pilot.pause()
        assert app.sheet.prompt.inquiry == "q1" and app.sheet.armed
        assert "1 of 2 waiting" in text_of(app)
        await app.type(pilot, "ctrl+t")
        assert app.sheet.prompt.inquiry == "q2" and "2 of 2 waiting" in text_of(app)


async def test_apui_009_the_second_question_has_its_own_guard() -> None:
    """Enter is held: it answers the first, and not the second."""
    app = Host(boolean(preselect=True), boolean("q2", preselect=True))
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "enter")
        app.dock.remove_settled(("c1", "q1"))
        for _ in range(40):
            await app.type(pilot, "enter", gap=0.03)
            await app.step(pilot, 0.0)
        assert len(app.answers) == 1 and app.sheet.prompt.inquiry == "q2"
        await app.arm(pilot)
        await app.type(pilot, "enter")
        assert len(app.answers) == 2


async def test_an_answer_is_sent_once_and_the_sheet_waits_for_the_engine() -> None:
    app = Host(boolean())
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        app.burst("y", "n", "y")
        await app.type(pilot, "n", "Y")
        assert app.answers == [Answered(value=True)]
        assert "sent, waiting" in text_of(app)
        app.dock.remove_settled(("c1", "q1"))
        await pilot.pause()
        assert kinds(app)[-1] == "Emptied" and app.composer.has_focus and app.dock.waiting == 0
        assert "no longer waits" not in text_of(app)


async def test_a_refused_answer_gives_the_sheet_back_with_what_was_typed() -> None:
    app = Host(text())
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, *"half", "enter")
        app.dock.refused(("c1", "q3"), "the disk is full", gone=False)
        await pilot.pause()
        assert "Not accepted: the disk is full" in text_of(app)
        await app.arm(pilot)
        await app.type(pilot, "!", "enter")
        assert app.answers == [Answered(value="half"), Answered(value="half!")]


async def test_e53_a_question_that_is_settled_elsewhere_goes_and_says_so() -> None:
    app = Host(boolean(), select())
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        app.dock.remove_settled(("c1", "q1"))
        await pilot.pause()
        assert "fs_modify_file's question was" in text_of(app)
        assert app.sheet.prompt.inquiry == "q2" and not app.sheet.armed
        app.dock.refused(("c1", "q2"), "it was answered by the other process", gone=True)
        await pilot.pause()
        assert "it was answered by the other process" in text_of(app) and app.dock.waiting == 0


async def test_r249_what_the_user_s_own_end_of_the_turn_closes_is_no_news() -> None:
    app = Host(boolean(), select())
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "s", "enter")
        assert app.answers == [EndTurn()]
        app.dock.remove_settled(("c1", "q1"))
        app.dock.remove_settled(("c1", "q2"))
        await pilot.pause()
        assert app.dock.waiting == 0 and "no longer waits" not in text_of(app)


async def test_one_that_waits_behind_goes_without_a_word() -> None:
    app = Host(boolean(), select())
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        app.dock.remove_settled(("c1", "q2"))
        await pilot.pause()
        assert "no longer waits" not in text_of(app) and app.sheet.armed and app.dock.waiting == 1


async def test_r235_asked_anew_with_another_digest_it_is_another_sheet_with_its_own_guard() -> None:
    app = Host(boolean(context="-a\n+b"))
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        app.dock.ask(boolean(context="-a\n+rm -rf"))
        await app.type(pilot, "y")
        assert app.answers == []
        await app.until(pilot, lambda: "+rm -rf" in text_of(app) and "+b" not in text_of(app))


async def test_r245_nothing_but_its_own_controls_answers_and_global_keys_pass() -> None:
    app = Host(boolean(has_default=False, default=None))
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "tab", "space", "x", "shift+tab", "backspace", "f1", "pageup")
        assert app.answers == [] and app.sheet.has_focus and app.composer.text == ""
        assert app.global_keys == ["f1", "pageup"]


async def test_r245_it_takes_the_focus_back() -> None:
    app = Host(boolean())
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        app.composer.display = True
        app.composer.focus()
        await pilot.pause()
        assert app.sheet.has_focus


async def test_e1_ctrl_f_gives_the_whole_screen_and_back() -> None:
    app = Host(boolean(context=LONG_DIFF))
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        before = app.sheet.size.height
        await app.type(pilot, "ctrl+f")
        await pilot.pause()
        assert app.sheet.size.height > before + 8 and "Ctrl+F back" in text_of(app)
        await app.type(pilot, "pagedown")
        await pilot.pause()
        assert "line 40 of the new file" in text_of(app) and app.global_keys == []
        await app.type(pilot, "ctrl+f")
        await pilot.pause()
        assert app.sheet.size.height == before
        await app.type(pilot, "ctrl+f", "n")
        app.dock.remove_settled(("c1", "q1"))
        await pilot.pause()
        assert app.answers == [Answered(value=False)] and app.screen.maximized is None


@pytest.mark.parametrize("size", [(60, 16), (80, 24), (120, 36), (200, 50)])
async def test_e1_the_conversation_keeps_a_third_of_a_tall_terminal_and_every_answer_is_visible(
    size: tuple[int, int],
) -> None:
    app = Host(boolean(context=LONG_DIFF))
    async with app.run_test(size=size) as pilot:
        await app.arm(pilot)
        seen = text_of(app)
        assert app.query_one("#talk").size.height * (3 if size[1] > 16 else 8) >= size[1], "Z14 comes first"
        for words in ("Apply this change?", "y yes", "n no", "N no, this turn"):
            assert words in seen


async def test_apui_011_what_is_too_small_to_review_cannot_be_answered() -> None:
    app = Host(boolean())
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        await pilot.resize_terminal(20, 5)
        await app.type(pilot, "y", "Y", "n", "enter")
        assert app.answers == []
        assert "Too small" in " ".join(text_of(app).split())
        await pilot.resize_terminal(120, 36)
        await pilot.pause()
        await app.type(pilot, "y")
        assert app.answers == [Answered(value=True)]


async def test_e11_the_click_that_gave_the_window_its_focus_does_not_answer() -> None:
    app = Host(boolean())
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        app.app_focus = False
        await pilot.pause()
        app.app_focus = True
        app.now += 0.1
        await app.click_text(pilot, "n no")
        assert app.answers == []
        app.now += 0.2
        await app.click_text(pilot, "n no")
        assert app.answers == [Answered(value=False)]


async def test_e10_a_click_on_a_deaf_sheet_does_nothing() -> None:
    app = Host(boolean())
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.pause()
        await app.click_text(pilot, "n no")
        await app.step(pilot, 1)
        assert app.answers == []


async def test_apui_017_a_hundred_questions_are_counted_and_none_answers_itself() -> None:
    app = Host(*(boolean(f"q{n}") for n in range(100)))
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        assert app.dock.waiting == 100 and "1 of 100 waiting" in text_of(app)
        assert len(app.query(FoldedSheet)) == 1 and len(app.query("Sheet")) == 1
        assert app.answers == []


async def test_what_comes_and_goes_together_is_shown_once_at_its_end() -> None:
    """Issue 7, "Reliability": of ninety that go at once none opens for a moment, and the count moves once."""
    asked = [boolean(f"q{n}") for n in range(100)]
    app = Host()
    async with app.run_test(size=(120, 36)) as pilot:
        with app.dock.together():
            for prompt in asked:
                app.dock.ask(prompt)
        await app.arm(pilot)
        with app.dock.together():
            for prompt in asked[:90]:
                app.dock.remove_settled(key_of(prompt), "a second window")
        await pilot.pause()
        await app.arm(pilot)
        assert [one.waiting for one in app.posted if isinstance(one, SheetDock.CountChanged)] == [100, 10]
        assert "1 of 10 waiting" in text_of(app) and app.sheet.prompt == asked[90]
        assert len(app.query("Sheet")) == 1 and text_of(app).count("a second window") == 1
        with app.dock.together():
            for prompt in asked[90:]:
                app.dock.remove_settled(key_of(prompt))
        await pilot.pause()
        assert kinds(app)[-1] == "Emptied" and app.dock.waiting == 0 and not app.dock.open


async def test_it_costs_nothing_while_nothing_waits() -> None:
    app = Host()
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.pause()
        assert not app.dock.display and app.dock.waiting == 0
        await app.type(pilot, "ctrl+o", "ctrl+t")
        assert kinds(app) == []


@pytest.mark.parametrize("size", [(80, 24), (110, 32), (120, 36)])
async def test_e15_only_what_was_on_the_screen_counts_as_seen(size: tuple[int, int]) -> None:
    """From the first frame on: a sheet that is laid out twice must not have seen everything in between."""
    app = Host(real_clock=True)
    async with app.run_test(size=size) as pilot:
        app.dock.ask(boolean(context=LONG_DIFF))
        await app.until(pilot, lambda: app.dock.open and app.sheet.armed)
        await pilot.pause()
        context = app.sheet.reading.context
        assert context is not None and context.lines == 91
        assert context.lines - context.unseen <= context.size.height + 2, "two rows may go to the keys when it listens"
        assert "lines not seen" in text_of(app)


@pytest.mark.parametrize("prompt", [boolean(), text("q1"), hunky()], ids=["boolean", "text", "hunks"])
async def test_an_answer_from_the_menu_that_is_refused_leads_back_to_the_question(prompt: PromptRequest) -> None:
    app = Host(prompt)
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, *(["escape"] if app.sheet.writing else []), "escape", "s")
        assert app.answers == [] and app.sheet.mode == "menu"
        await app.type(pilot, "s")
        assert app.answers == [EndTurn()]
        app.dock.refused(("c1", "q1"), "the disk is full", gone=False)
        await app.arm(pilot)
        assert app.sheet.mode != "menu" and "End Turn" not in text_of(app)
        assert "the disk is full" in text_of(app)
        assert (app.sheet.writing is not None) == isinstance(prompt.question.answer_type, TextAnswer)
