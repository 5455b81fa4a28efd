"""Diffs before somebody: one row to name a file, every changed word marked, where it begins (E1, E26)."""

from __future__ import annotations

import asyncio
import time

import pytest
from textual.app import App, ComposeResult

from jp_tui.conversation.text import Foreign
from jp_tui.ui.painting import diff
from jp_tui.ui.painting.context import context
from jp_tui.ui.widgets.context import ContextView
from tests.limits import LIMIT
from tests.ui.look_of import look_of
from tests.ui.sheet_host import Host, boolean

LOOK = look_of()


class Viewed(App[None]):
    """One view alone."""

    def __init__(self, text: Foreign) -> None:
        super().__init__()
        self.view = ContextView(text)

    def compose(self) -> ComposeResult:
        yield self.view


def test_the_head_of_a_diff_is_one_row_and_none_for_a_file_that_is_named() -> None:
    text = Foreign("--- a/x.md\n+++ b/x.md\n@@ -1,1 +1,1 @@\n-a\n+b\n--- /dev/null\n+++ b/new\n@@ -0,0 +1,1 @@\n+c\n")
    rows = [row.strip.text.strip() for row in context(text, 60, LOOK, named="x.md").rows]
    assert rows == ["@@ -1,1 +1,1 @@", "-1  a", "+1  b", "new (new file)", "@@ -0,0 +1,1 @@", "+1  c"]
    rows = [row.strip.text.strip() for row in context(text, 60, LOOK, named="y.md").rows]
    assert rows[0] == "x.md"


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ("a/x", "b/x", "x"), ("x", "x", "x"), ("a/x", "b/y", "a/x → b/y"), ("/dev/null", "b/x", "x (new file)"),
        ("a/x", "/dev/null", "x (deleted)"), ("a/x\t2024", "b/x", "a/x\t2024 → b/x"),
    ],
)  # fmt: skip
def test_what_a_file_of_a_diff_is_called(old: str, new: str, name: str) -> None:
    assert diff.file_name(old, new) == name


@pytest.mark.parametrize(
    ("before", "after", "old", "new"),
    [
        ("send(a, b) # old", "send(a, c) # new", ["b", "old"], ["c", "new"]),
        ("one two three four", "one 2 3 four", ["two three"], ["2 3"]),
        ("\tkeep this", "\tkeep that", ["this"], ["that"]),
        ("value = 1", "value = 1  # why not", [], ["  # why not"]),
    ],
)
def test_every_word_that_changed_is_marked(before: str, after: str, old: list[str], new: list[str]) -> None:
    spans = diff.word_spans(before, after)
    assert spans is not None
    for text, places, words in zip((before, after), spans, (old, new), strict=True):
        assert [text.expandtabs(4)[start:end] for start, end in places] == words


def test_lines_with_nothing_in_common_and_long_ones_are_not_compared() -> None:
    assert diff.word_spans("abc def", "uvw xyz") is None
    assert diff.word_spans("a " * 300, "b " * 300) is None
    assert diff.word_spans("same", "same") is None


def test_a_diff_of_many_changed_lines_is_painted_soon() -> None:
    lines = [
        f"-    value_{n} = compute(first_{n}, second, third)\n+    value_{n} = compute(second, {n})\n"
        for n in range(4000)
    ]
    began = time.process_time()
    found = context(Foreign("@@ -1,4000 +1,4000 @@\n" + "".join(lines)), 100, LOOK)
    assert len(found.rows) > 8000 and time.process_time() - began < 3


async def test_in_few_rows_a_diff_begins_just_above_its_first_change() -> None:
    lines = "".join(f" line {n}\n" for n in range(6))
    app = Viewed(Foreign(f"@@ -1,40 +1,41 @@\n{lines}+new\n" + "".join(f" line {n}\n" for n in range(6, 40))))
    async with app.run_test(size=(60, 30)) as pilot:
        await pilot.pause()
        for height, top in ((5, 6), (4, 5)):
            app.view.styles.height = height
            async with asyncio.timeout(LIMIT):
                while app.view.size.height != height:
                    await pilot.pause(0.01)
            await pilot.pause()
            assert app.view.top == top and not app.view.fits, "what the user scrolled to stays"
            app.view.line(-1)


@pytest.mark.parametrize(
    ("hunks", "split"),
    [
        ("@@ -0,0 +1,2 @@\n+a\n+b", False), ("@@ -1,2 +0,0 @@\n-a\n-b", False), ("@@ -1 +1 @@\n-a\n+b", True),
        ("@@ -0,0 +1 @@\n+a\n@@ -9,0 +10,2 @@\n+b\n+c", False), ("@@ -0,0 +1 @@\n+a\n@@ -9,2 +9,0 @@\n-b\n-c", True),
    ],
)  # fmt: skip
async def test_a_diff_is_side_by_side_where_there_is_room_and_something_on_both_sides(hunks: str, split: bool) -> None:
    app = Host(boolean(context=hunks))
    async with app.run_test(size=(160, 40)) as pilot:
        await app.arm(pilot)
        context = app.sheet.reading.context
        assert context is not None and context.split == split
        await app.type(pilot, "t")
        assert context.split != split
