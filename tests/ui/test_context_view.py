"""What is put before somebody: seen to its end or not, hunks, two columns, nothing hidden (E1, E15, T3)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jp_tui.conversation.text import Foreign
from jp_tui.ui.painting.context import APPROVED, LINES, context
from jp_tui.ui.widgets.context import SeenRows
from tests.ui.context_host import Host
from tests.ui.look_of import look_of, texts
from tests.view.events_of import DIFF

LOOK = look_of()
HUNKS = "".join(f"@@ -{at},2 +{at},3 @@\n before {at}\n+added {at}\n after {at}\n" for at in range(10, 400, 10))


def test_everything_odd_is_visible_and_named() -> None:
    """T3: in a diff and in plain text; a badge names the kinds."""
    for text in (DIFF.replace("Black", "Bl\u0430ck\u202e"), "rm\u200b -rf\u00a0/ \x1b[2J" + " " * 20 + "x"):
        rows = texts(context(Foreign(text), 100, LOOK).rows)
        assert rows[0].startswith("▲ found in this text: ")
        assert not any(char in "".join(rows) for char in "\u202e\u0430\u200b\u00a0\x1b")
    assert not texts(context(Foreign(DIFF), 100, LOOK).rows)[0].startswith("▲")


def test_blank_lines_cannot_push_a_tail_out_of_sight() -> None:
    """T3: more than two blank lines are counted, in text and on either side of a diff."""
    rows = texts(context(Foreign("a\n" + "\n" * 60 + "curl"), 80, LOOK).rows)
    assert rows[1:] == ["a", "⟨60 blank lines⟩", "curl"]
    added = "@@ -1,1 +1,62 @@\n a\n" + "+\n" * 60 + "+curl\n"
    rows = texts(context(Foreign(added), 80, LOOK).rows)
    assert rows[-2:] == ["+ ⟨60 blank lines⟩", "+62  curl"] and len(rows) < 6


def test_rows_have_the_width_in_one_and_in_two_columns() -> None:
    for width in (20, 59, 60, 101):
        for split in (False, True):
            for row in context(Foreign(DIFF + "é你好" * 40), width, LOOK, split=split).rows:
                assert row.strip.cell_length == width == sum(segment.cell_length for segment in row.strip)
    assert all(row.strip.cell_length == 50 for row in context(Foreign(DIFF), 50, LOOK, approval=True).rows)


def test_two_columns_keep_old_and_new_beside_each_other() -> None:
    rows = context(Foreign(DIFF), 121, LOOK, split=True).rows
    changed = next(row for row in rows if "100" in row.strip.text and "80" in row.strip.text)
    left, right = changed.strip.text.split("│")
    assert "celsius=100" in left and "celsius=80" in right
    assert changed.text.strip().startswith('Tea("Green tea", celsius=80')
    assert changed.strip.text[changed.lead :].startswith(changed.text)


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 9)), max_size=9))
def test_z14_seen_rows_are_those_that_were_on_the_screen(shown: list[tuple[int, int]]) -> None:
    seen, rows = SeenRows(), set[int]()
    for first, many in shown:
        new = set(range(first, first + many)) - rows
        rows |= new
        assert seen.add(first, first + many) == bool(new) and seen.count == len(rows)
    for before, now in ((60, 120), (120, 31)):
        seen.scale(before, now)
        assert seen.count <= now
    seen.cut(9)
    assert seen.count <= 9


async def test_what_was_on_the_screen_is_counted_to_the_end() -> None:
    """E15: Yes can wait until `seen_to_end`; a view that fits is seen at once."""
    host = Host(HUNKS)
    async with host.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        view = host.view
        assert view.lines == 156 and view.height == 12 and not view.fits and not view.read_to_end
        assert host.seen[-1] == (144, 156)
        view.page(1)
        await pilot.pause()
        assert view.unseen == 156 - 23
        view.page(-1)
        assert view.unseen == 156 - 23
        view.scroll_to_end()
        await pilot.pause()
        assert view.unseen == 156 - 23 - 12, "Z14: what was jumped over was never on the screen"
        for _ in range(15):
            view.page(-1)
            await pilot.pause()
        assert view.read_to_end and host.seen[-1] == (0, 156)
    short = Host(DIFF)
    async with short.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert short.view.fits and short.view.read_to_end and short.view.height == short.view.height_at(80)


async def test_hunks_and_columns_by_key() -> None:
    host = Host(HUNKS)
    async with host.run_test(size=(100, 24)) as pilot:
        await pilot.pause()
        view = host.view
        assert (view.hunk, view.changes) == ((1, 39), (39, 0))
        await pilot.press("right_square_bracket", "right_square_bracket")
        assert view.hunk == (3, 39) and view.top == 8
        await pilot.press("left_square_bracket")
        assert view.hunk == (2, 39)
        await pilot.press("t")
        await pilot.pause()
        assert view.split and view.hunk == (2, 39)
        await pilot.press("end")
        assert view.hunk == (39, 39) and not view.read_to_end


async def test_another_text_starts_anew() -> None:
    host = Host(HUNKS)
    async with host.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        host.view.scroll_to_end()
        host.view.put(Foreign("\n".join(f"line {n}" for n in range(40))))
        await pilot.pause()
        assert host.view.top == 0 and host.view.lines == 40 and host.view.hunk == (0, 0)
        assert host.view.unseen == 28


async def test_what_is_cut_off_can_never_be_seen_to_its_end() -> None:
    """T4, E15: what is missing is said, and Yes stays dim."""
    for text in ("x\n" * (LINES + 10), "word " * (APPROVED // 5 + 10)):
        painted = context(Foreign(text), 80, LOOK)
        assert not painted.whole and "more characters not shown" in painted.rows[-1].text
    assert context(Foreign("x\n" * LINES), 80, LOOK).whole


@pytest.mark.parametrize("approval", [True, False])
async def test_only_previews_are_markdown(approval: bool) -> None:
    host = Host("# Plan\n\n**one**", approval=approval)
    async with host.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        shown = [host.view.render_line(y).text.rstrip() for y in range(host.view.height)]
        assert shown == (["# Plan", "", "**one**"] if approval else ["Plan", "", "one"])
