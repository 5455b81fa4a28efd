"""Thousands of hunks: what is known before anything is painted, and that what is shown is never a guess (T3, T4)."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from jp_tui.protocol.values import Answered, PartsTaken
from jp_tui.questions.types import Part
from jp_tui.ui.painting import diff, hunks
from jp_tui.ui.painting.hunks import FEW, Pile, Standing
from jp_tui.ui.painting.hunks_outline import beside, outline, rows_about
from jp_tui.ui.painting.hunks_stretches import LINES, Stretch, stretches
from jp_tui.ui.painting.look import look
from jp_tui.ui.sheets.areas.hunks import HunkArea, by_hunks
from tests.sampling import partly
from tests.ui.sheet_host import Host, hunky, text_of

LOOK = look({})
ODD = ["\twith\ttabs", "wide 漢字 " * 12, "an \x1b odd one", "long " * 60, "", "", "", "é" * 130, "a" + " " * 20 + "b"]


def part(number: int, *lines: str) -> Part:
    """A hunk with these lines, signs included, as a tool makes it."""
    old = sum(line[0] in " -" for line in lines)
    new = sum(line[0] in " +" for line in lines)
    text = f"@@ -{number},{old} +{number},{new} @@\n" + "".join(f"{line}\n" for line in lines)
    return Part(str(number), f"d{number}", f"a.py, line {number}", text)


def some(count: int, seed: int, odd: bool) -> tuple[Part, ...]:
    """So many hunks of a few lines, by a seed; with `odd`, some of the lines are long, wide, blank or strange."""
    rand = random.Random(seed)
    words = ["plain text", "x = call(first, second)", "    indented"] + (ODD if odd else [])
    return tuple(
        part(number, *(rand.choice(" +-") + rand.choice(words) for _ in range(rand.randint(1, 9))), "+end")
        for number in range(1, count + 1)
    )


def long(number: int, odd: bool = False) -> Part:
    """A hunk of more than a thousand lines: a few of each kind by turns, many, and many that stand for others."""
    rand = random.Random(number)
    words = ["plain text", "x = call(first, second)", "    indented"] + (ODD if odd else [])
    turns = [sign for _ in range(60) for sign in "-" * rand.randint(0, 3) + "+" * rand.randint(1, 3) + "  "]
    signs = [*turns, *("-" * 300), *("+" * 500), *(" " * 300), *("+" * 250)]
    return part(number, *(sign + rand.choice(words) for sign in signs))


def standing(parts: tuple[Part, ...], at: int = 0, **comments: str) -> Standing:
    names = [one.id for one in parts]
    return Standing(names, frozenset(names[::2]), at, {name.removeprefix("h"): said for name, said in comments.items()})


@partly(4)
@pytest.mark.parametrize("width", [30, 79, 119, 199])
@pytest.mark.parametrize("split", [False, True])
@pytest.mark.parametrize("short", [False, True])
def test_the_rows_of_plain_text_are_known_before_it_is_painted(width: int, split: bool, short: bool) -> None:
    split = split and width > 60
    for one in (*some(40, width, odd=False), long(1), long(2)):
        for stretch in stretches(0, one, outline(one.diff), split=split):
            painted = hunks._body(stretch, LOOK, width, split=split, short=short)
            about = rows_about(stretch.known, width, split=split, cut=stretch.cut(short))
            assert about == len(painted), one.diff


@pytest.mark.parametrize("width", [40, 80, 120])
@pytest.mark.parametrize("split", [False, True])
def test_what_is_in_sight_is_settled_and_is_what_all_of_it_painted_gives(width: int, split: bool) -> None:
    parts = (*some(FEW + 20, width, odd=True), long(71, odd=True), long(72))
    stands = standing(parts, 3, h2="a comment that is long enough " * 6, h60="short", h71="and this")
    pile = Pile(parts, width, LOOK, split=split, named="a.py")
    found, top = pile.rows(stands), 0
    while top < len(found.rows):  # a screen of 20 rows at a time, as one reads on
        while found.settle(top, top + 20):
            found = pile.rows(stands)
        top += 20
    all_of_it = [row for at in range(len(pile._all)) for row in pile._painted(at, stands)]
    assert [row.text for row in found.rows] == [row.text for row in all_of_it]
    assert found.ends[-1] == len(all_of_it) and not found.settle(0, len(all_of_it))


def test_an_outline_counts_as_the_reader_does() -> None:
    hostile = Part("1", "d", "a, line 1", "@@ -1,1 +1,1 @@\n-a\n+b\n+more than the head says\n")
    for one in (
        *some(40, 7, odd=True),
        hostile,
        Part("2", "d", "b", "no head\n+x\n"),
        part(9, "-a", "+b", "\\ No end"),
    ):
        known = outline(one.diff)
        assert (known.added, known.removed) == diff.counts(diff.read(one.diff))[1:], one.diff
    assert not outline(hostile.diff).sound


def test_parts_that_are_not_the_whole_change_are_not_taken_apart() -> None:
    parts = some(3, 1, odd=True)
    whole = "".join(one.diff for one in parts)
    assert beside(f"Before\n{whole}After", parts) == "Before\nAfter"
    assert beside(whole.replace("+end", "+other", 1), parts) is None
    assert beside("x" + whole, parts) is None, "a part begins where a line begins"
    prompt = hunky(parts=parts)
    assert by_hunks(prompt)
    more = f"{prompt.question.context}\n```diff\n@@ -90,1 +90,1 @@\n-this too\n+is changed\n```"
    assert not by_hunks(prompt.model_copy(update={"question": replace(prompt.question, context=more)}))


@pytest.fixture
def painted(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often a part is painted."""
    counts: Counter[str] = Counter()
    paint = Pile._paint

    def counting(self: Pile, *given: Any) -> Any:
        counts["parts"] += 1
        return paint(self, *given)

    monkeypatch.setattr(Pile, "_paint", counting)
    return counts


async def test_issue_5_two_thousand_hunks_are_painted_as_they_come_into_sight(painted: Counter[str]) -> None:
    parts = some(2000, 1, odd=False)
    app = Host(hunky(parts=parts))
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        area = app.sheet.area
        assert isinstance(area, HunkArea)
        assert painted["parts"] < 60
        await app.type(pilot, "a", "a", "t", "t", *["]"] * 5, "space", "c", *"no", "enter")
        assert painted["parts"] < 400 and "1999 of 2000 hunks selected" in text_of(app)
        area.view.scroll_to_end()
        await pilot.pause()
        assert "2000/2000" in text_of(app) and painted["parts"] < 500
        await app.type(pilot, "y", "y")
        every = tuple(one.id for one in parts if one.id != "6")
        assert app.answers == [Answered(value=True, parts=PartsTaken(accepted=every, comments={"6": "no"}))]


async def test_a_guess_that_was_wrong_moves_nothing_that_is_read(painted: Counter[str]) -> None:
    parts = some(300, 5, odd=True)
    app = Host(hunky(parts=parts))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.arm(pilot)
        area = app.sheet.area
        assert isinstance(area, HunkArea)
        view = area.view
        for _ in range(40):
            await app.type(pilot, "]")
            found = view._now()
            assert not found.settle(view.top, view.top + view.height), "what is in sight is settled"
            assert view.top <= found.hunks[view.at] < view.top + view.height, "the cursor's head is in sight"
        assert view.at == 40 and painted["parts"] < 300


@pytest.mark.parametrize("split", [False, True])
def test_a_long_hunk_is_taken_apart_where_nothing_is_lost_and_nothing_moves(split: bool) -> None:
    one = long(3)
    found = stretches(0, one, outline(one.diff), split=split)
    lines = [change for stretch in found for change in stretch.changes]
    every = diff.read(one.diff)[1:]
    assert sorted(map(str, lines)) == sorted(map(str, every)) and len(found) > 5
    assert all(len(stretch.changes) <= LINES for stretch in found)
    for sign in ("+", "-", " "):
        order = [change for change in lines if change.sign == sign]
        assert order == [change for change in every if change.sign == sign], "each side in its order"
    assert split or lines == every
    assert [(stretch.first, stretch.last) for stretch in found if stretch.first or stretch.last] == [(1, 0), (0, 1)]


@pytest.mark.parametrize(
    "text",
    ["@@ -1,2 +1,2 @@\n same\n-old\n+new\n" + "".join(f"- item {number}\n" for number in range(900)),
     "".join(f"+line {number}\n" for number in range(900)),
     "--- a/x\n+++ b/x\n" + long(4).diff + "@@ -9000,2 +9000,1 @@\n-a\n-b\n+c\n" + "words behind\n" * 300],
    ids=["more than the head counts", "no head", "two heads and a file's name"],
)  # fmt: skip
@pytest.mark.parametrize("short", [False, True])
@pytest.mark.parametrize("split", [False, True])
def test_t4_a_long_part_that_is_not_what_its_head_says_is_taken_apart_as_well(
    text: str, split: bool, short: bool
) -> None:
    one = Part("1", "d", "a, line 1", text)
    known = outline(text)
    assert not known.sound
    found = stretches(0, one, known, split=split)
    assert len(found) > 3 and all(len(stretch.changes) <= LINES for stretch in found)
    rows, every = (
        [row.text for each in them for row in hunks._body(each, LOOK, 120, split=split, short=short)]
        for them in (found, [Stretch(0, one, known)])
    )
    if short:  # what does not change is left out of the first and the last stretch only
        assert set(every) <= set(rows)
    else:
        assert rows == every if not split else sorted(rows) == sorted(every)


async def test_t4_of_a_hunk_of_thousands_of_lines_only_what_is_in_sight_is_painted(painted: Counter[str]) -> None:
    parts = (part(9, *(f"+line {number}" for number in range(5000))), *some(2, 1, odd=False))
    app = Host(hunky(parts=parts))
    async with app.run_test(size=(120, 36)) as pilot:
        await app.arm(pilot)
        area = app.sheet.area
        assert isinstance(area, HunkArea)
        await app.type(pilot, "space", "]", "[")
        assert painted["parts"] < 12
        area.view.scroll_to_end()
        await pilot.pause()
        assert "3/3 line 2" in text_of(app) and painted["parts"] < 20


def test_a_hunk_of_white_space_says_so_and_a_pair_in_two_stretches_is_marked() -> None:
    """Z26"""
    small, many = part(1, "-\tx", "+    x"), part(2, *["-a"] * (LINES + 50), *["+a "] * (LINES + 50))
    pile = Pile((small, many), 100, LOOK, split=False, named="a.py")
    rows = [row.text for row in pile.rows(standing((small, many))).rows]
    assert sum("only white space changed (· space, → tab, ␍ CR)" in row for row in rows) == 2
    assert sum(row.endswith("a·") for row in rows) == LINES + 50 and any("→x" in row for row in rows)
