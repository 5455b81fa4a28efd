"""A change hunk by hunk: R251, E15, E26, E60, acceptance row 27."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from jp_tui.protocol.values import Answered, PartsTaken, PromptRequest
from jp_tui.questions.types import Part
from jp_tui.ui.sheets.areas.boolean import BooleanArea
from jp_tui.ui.sheets.areas.hunks import HunkArea, by_hunks
from jp_tui.view.questions.drafts import Draft
from tests.ui.sheet_host import HUNKS, Host, boolean, hunky, text_of

MANY = tuple(
    Part(str(n), f"d{n}", f"a.md, line {n}", f"@@ -{n},1 +{n},1 @@\n-old {n} word\n+new {n} word\n")
    for n in range(1, 41)
)
LARGE = (120, 48)  # all of it is on the screen


def some(*accepted: str, **comments: str) -> Answered:
    said = {name.removeprefix("h"): text for name, text in comments.items()}
    return Answered(value=bool(accepted), parts=PartsTaken(accepted=accepted, comments=said))


@pytest.mark.parametrize(
    ("keys", "answer"),
    [
        ("y", Answered(value=True)),
        ("n", Answered(value=False)),
        ("space y", some("2", "3")),
        ("] space y", some("1", "3")),
        ("] ] ] space [ space y", some("1")),
        ("space space y", Answered(value=True)),
        ("a ] space y", some("2")),
        ("a a y", Answered(value=True)),
        ("c o k enter y", some("1", "2", "3", h1="ok")),
        ("] c n o enter space y", some("1", "3", h2="no")),
        ("c n o enter n", some(h1="no")),
        ("space a y", Answered(value=True)),
        ("] space down enter", some("1", "3")),
        ("C t i d y enter y", Answered(value=True, note="tidy")),
    ],
)
async def test_e26_r251_keys_take_leave_and_comment(keys: str, answer: Answered) -> None:
    app = Host(hunky())
    async with app.run_test(size=LARGE) as pilot:
        await app.arm(pilot)
        await app.type(pilot, *keys.split())
        assert app.answers == [answer]


async def test_each_file_is_named_once_and_each_hunk_says_where_it_is_and_how_it_stands() -> None:
    app = Host(hunky())
    async with app.run_test(size=LARGE) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "]", "space", "c", *"why", "enter")
        seen = text_of(app)
        assert seen.count("docs/install.md") == 1 and seen.count("src/main.py") == 1
        assert "■ 1/3 line 4  +1 −1" in seen and "▌□ 2/3 after line 40  +2 −0  left" in seen
        assert "“why”" in seen and "2 of 3 hunks selected · +2 −3" in seen
        assert "@@" not in seen and "y yes  2 of 3" in seen


async def test_a_file_that_the_title_names_is_not_named_again() -> None:
    prompt = hunky(parts=HUNKS[:2])
    for subject, times in (("docs/install.md", 1), ("something else", 1)):
        app = Host(prompt.model_copy(update={"subject": type(prompt.subject)(subject)}))
        async with app.run_test(size=LARGE) as pilot:
            await app.arm(pilot)
            assert text_of(app).count("docs/install.md") == times


async def test_nothing_taken_is_no_yes() -> None:
    app = Host(hunky())
    async with app.run_test(size=LARGE) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "a", "enter", "y", "Y", "y")
        assert app.answers == [] and "No hunks selected" in text_of(app)


async def test_r251_a_partial_yes_is_never_remembered() -> None:
    app = Host(hunky())
    async with app.run_test(size=LARGE) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "space", "Y", "Y")
        assert app.answers == [] and "A selection of hunks can't be remembered" in text_of(app)
        await app.type(pilot, "space", "Y")
        assert app.answers == [Answered(value=True, remember=True)]


async def test_e15_hunks_that_were_not_on_the_screen_are_counted_and_yes_is_said_twice() -> None:
    app = Host(hunky(parts=MANY))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        area = app.sheet.area
        assert isinstance(area, HunkArea)
        unseen = area.view.parts_unseen
        assert 30 < unseen < 40 and f"{unseen} of 40 hunks not seen" in text_of(app)
        await app.type(pilot, "y")
        assert app.answers == [] and f"{unseen} of 40 hunks weren't on the screen" in " ".join(text_of(app).split())
        await app.type(pilot, *["]"] * 39)
        assert area.view.parts_unseen == 0 and "not seen" not in text_of(app)
        await app.type(pilot, "y")
        assert app.answers == [Answered(value=True)]


async def test_the_cursor_comes_along_when_one_reads_on() -> None:
    app = Host(hunky(parts=MANY))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        area = app.sheet.area
        assert isinstance(area, HunkArea)
        await app.type(pilot, *["ctrl+d"] * 4)
        at = area.view.at
        assert at > 3 and f"▌■ {at + 1}/40" in text_of(app)
        await app.type(pilot, "space", "y", "y")
        assert app.answers == [some(*(str(n) for n in range(1, 41) if n != at + 1))]


async def test_e60_by_mouse_alone() -> None:
    app = Host(hunky())
    async with app.run_test(size=LARGE) as pilot:
        await app.arm(pilot)
        app.now += 1
        await app.click_text(pilot, "2/3 after line 40")
        await app.click_text(pilot, "print(first, last)")
        area = app.sheet.area
        assert isinstance(area, HunkArea) and area.view.at == 2 and list(area.view.accepted) == ["1", "3"]
        await app.click_text(pilot, "select or clear")
        assert list(area.view.accepted) == ["1"]
        await app.click_text(pilot, "c comment")
        assert app.sheet.writing is area.comment
        await app.click_text(pilot, "Esc back")
        await app.click_text(pilot, "y yes")
        assert app.answers == [some("1")]


async def test_a_deaf_sheet_takes_and_leaves_nothing() -> None:
    app = Host(hunky())
    async with app.run_test(size=LARGE) as pilot:
        await pilot.pause()
        await app.click_text(pilot, "2/3 after line 40")
        await app.type(pilot, "space", "a", gap=0.05)
        area = app.sheet.area
        assert isinstance(area, HunkArea) and len(area.view.taken) == 3


async def test_e24_what_is_taken_and_every_comment_is_kept() -> None:
    app = Host(hunky())
    async with app.run_test(size=LARGE) as pilot:
        await app.arm(pilot)
        assert app.sheet.draft.stored() == ""
        await app.type(pilot, "space", "]", "c", *"half a")
        assert json.loads(app.sheet.draft.answer or "") == {"accepted": ["2", "3"], "comments": {"2": "half a"}}
        await app.until(pilot, lambda: bool(app.drafts) and "half a" in app.drafts[-1])
        kept = app.drafts[-1]
    fresh = Host(hunky())
    async with fresh.run_test(size=LARGE) as pilot:
        fresh.dock.restore_draft(("c1", "q1"), kept)
        await fresh.arm(pilot)
        assert "□ 1/3" in text_of(fresh) and "“half a”" in text_of(fresh)
        await fresh.type(pilot, "]", "c", *" word", "escape", "ctrl+d", "y")  # to the end: E15
        await fresh.until(pilot, lambda: bool(fresh.answers))
        assert fresh.answers == [some("2", "3", h2="half a word")]


@pytest.mark.parametrize(
    "odd", ["x", "[]", '{"accepted": 1}', '{"accepted": ["9", 3], "comments": {"9": "x", "1": 2}}']
)
async def test_an_odd_draft_loses_nothing_and_takes_nothing_unknown(odd: str) -> None:
    app = Host(hunky())
    async with app.run_test(size=LARGE) as pilot:
        app.dock.restore_draft(("c1", "q1"), Draft(answer=odd).stored())
        await app.arm(pilot)
        area = app.sheet.area
        assert isinstance(area, HunkArea)
        assert area.view.taken <= {"1", "2", "3"} and area.view.comments == {}


async def test_the_last_letter_of_a_comment_is_not_lost_to_a_fast_typist() -> None:
    app = Host(hunky())
    async with app.run_test(size=LARGE) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "c")
        app.now += 1
        app.burst("a", "b", "escape", "]", "c", "z", "enter")
        await app.settled(pilot)
        area = app.sheet.area
        assert isinstance(area, HunkArea) and area.view.comments == {"1": "ab", "2": "z"}


async def test_why_it_is_for_a_person_stands_above_the_hunks() -> None:
    app = Host(hunky(before="▲ touches .git/hooks, which git obeys\n\n"))
    async with app.run_test(size=LARGE) as pilot:
        await app.arm(pilot)
        assert "touches .git/hooks, which git obeys" in text_of(app)


def short(prompt: PromptRequest) -> PromptRequest:
    """The same, its parts not all of what is shown."""
    question = prompt.question
    return prompt.model_copy(update={"question": replace(question, parts=question.parts[:2])})


async def test_parts_that_are_not_all_of_what_is_shown_are_answered_as_a_whole() -> None:
    assert by_hunks(hunky()) and not by_hunks(short(hunky())) and not by_hunks(boolean())
    app = Host(short(hunky()))
    async with app.run_test(size=LARGE) as pilot:
        await app.arm(pilot)
        assert type(app.sheet.area) is BooleanArea
        await app.type(pilot, "space", "y")
        assert app.answers == [Answered(value=True)]


async def test_hostile_titles_and_lines_stay_in_their_box() -> None:
    parts = (
        Part("1", "d", "a\x1b[2J\u202e, line 1", "@@ -1,1 +1,1 @@\n-a\n+\u202eevil [red]x[/]\n"),
        Part("2", "e", "no place", "@@ -9,1 +9,1 @@\n-b\n+c\x1b]0;t\x07\n"),
    )
    app = Host(hunky(parts=parts))
    async with app.run_test(size=LARGE) as pilot:
        await app.arm(pilot)
        seen = text_of(app)
        assert "\x1b" not in seen and "\u202e" not in seen and "[red]x[/]" in seen and "\\u{202E}" in seen


async def test_word_marks_stand_in_one_column_and_in_two() -> None:
    app = Host(hunky())
    async with app.run_test(size=LARGE) as pilot:
        await app.arm(pilot)
        for _ in range(2):
            styles = {
                segment.text: segment.style
                for strip in app.screen._compositor.render_strips()
                for segment in strip
                if segment.text in ("pip", "pipx", "-tui")
            }
            assert set(styles) == {"pip", "pipx", "-tui"} and all(style and style.bold for style in styles.values())
            await app.type(pilot, "t")


async def test_the_menu_names_the_key_that_works_here() -> None:
    """`c` comments a hunk, so that the note on the whole has another key: the menu offered `c` all the same."""
    app = Host(hunky())
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        await app.type(pilot, "escape")
        keys = {row.id: row.key.plain if row.key else "" for row in app.sheet.menu.list.rows}
        assert keys["note"] == "C" and keys["reply"] == "r" and keys["ask"] == "?" and keys["end"] == "s"
        await app.type(pilot, "C")
        assert app.sheet.writing is app.sheet.reply_fields.note


async def test_hunks_that_change_nothing_are_answered_without_a_context() -> None:
    """R251: a tool may send such; nothing of them can be shown, so a yes wants to be said twice (E15)."""
    parts = tuple(Part(str(n), f"d{n}", f"a.md, line {n}", "") for n in (1, 2))
    prompt = boolean(context="")
    prompt = prompt.model_copy(update={"question": replace(prompt.question, parts=parts)})
    assert by_hunks(prompt)
    app = Host(prompt)
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        assert isinstance(app.sheet.area, HunkArea) and app.sheet.reading.context is None
        await app.type(pilot, "space", "]", "y")
        assert app.answers == [] and "2 of 2 hunks weren't on the screen" in text_of(app)
        await app.type(pilot, "y")
        assert app.answers == [Answered(value=True, parts=PartsTaken(accepted=("2",), comments={}))]
