"""A long context: its beginning stands at once, the rest is laid out beside the loop; E15 holds meanwhile (T4).

What is laid out comes when the test says so: nothing here waits for time.
"""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from textual.pilot import Pilot

from jp_tui.conversation.text import Foreign
from jp_tui.ui.painting import diff
from jp_tui.ui.painting.context import APPROVED, FIRST_LINES, beginning, context
from jp_tui.ui.widgets import context as widget
from jp_tui.ui.widgets.context import ContextView
from tests.sampling import partly
from tests.ui.context_host import Host
from tests.ui.look_of import look_of, texts

LOOK = look_of()
HUNKS = "".join(f"@@ -{at},2 +{at},2 @@\n before {at}\n-taken {at}\n+added {at}\n" for at in range(10, 6_010, 10))
PLAIN = "".join(f"line {n} of many words that are\tread\n" for n in range(3_000))


class Later:
    """Stands for the other thread: what was wanted last, made when the test says so."""

    wanted: Later | None = None

    def __init__(self, deliver: Callable[[Any], None]) -> None:
        self._deliver, self._make = deliver, None

    def want(self, make: Callable[[], Any] | None) -> None:
        self._make = make
        type(self).wanted = self

    def close(self) -> None:
        self._make = None

    def come(self, make: Any = None) -> None:
        make, self._make = make or self._make, None
        assert make is not None, "nothing is to be laid out"
        self._deliver(make())


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> type[Later]:
    monkeypatch.setattr(widget, "SlowPaint", Later)
    return Later


@asynccontextmanager
async def laid_out(text: str, later: type[Later], width: int) -> AsyncIterator[tuple[Host, Pilot[None]]]:
    """All of it, as it stands once the rest has come."""
    host = Host(text)
    async with host.run_test(size=(width, 24)) as pilot:
        await pilot.pause()
        assert later.wanted is not None
        later.wanted.come()
        await pilot.pause()
        yield host, pilot


@partly(4)
@pytest.mark.parametrize("split", [False, True])
@pytest.mark.parametrize("approval", [True, False])
@pytest.mark.parametrize("text", [HUNKS, PLAIN, "a" * 30_000, "# a\n\n- b *c*\n" * 300, "+\n" * 3_000], ids=range(5))
def test_the_beginning_is_that_of_the_whole(text: str, approval: bool, split: bool) -> None:
    for width in (40, 100):
        first = beginning(Foreign(text), width, LOOK, approval=approval, split=split)
        whole = context(Foreign(text), width, LOOK, approval=approval, split=split)
        assert first is not None and first.more and not first.whole and not any((first.added, first.removed))
        kept = texts(first.rows)[:-3]
        assert kept == texts(whole.rows)[: len(kept)] and len(first.rows) <= 500
        assert "loading the rest" in texts(first.rows[-1:])[0] and not whole.more


def test_of_a_short_context_all_is_laid_out_at_once() -> None:
    for text in (HUNKS[:3_000], "x\n" * 2 * FIRST_LINES):
        assert beginning(Foreign(text), 80, LOOK) is None


def read_to(view: ContextView, row: int) -> None:
    """Read page by page up to a row, which is then at the top."""
    for top in (*range(0, row, view.height), row):
        view.scroll_to_row(top)


async def test_e15_nothing_is_seen_to_its_end_before_all_of_it_is_there(later: type[Later]) -> None:
    host = Host(HUNKS)
    async with host.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        view, whole = host.view, context(Foreign(HUNKS), 79, LOOK)
        assert 12 < view.lines < 200 and not view.complete and not view.fits and view.changes == (0, 0)
        early = view.lines
        read_to(view, early)
        await pilot.pause()
        assert view.unseen == 1 and not view.read_to_end and view.top == early - 12
        assert later.wanted is not None
        later.wanted.come()
        await pilot.pause()
        assert view.complete and view.lines == len(whole.rows) == 2_400 and view.changes == (600, 600)
        assert view.top == early - 12 and view.unseen == 2_400 - early, "who paged there stays there"
        assert host.seen[-1] == (view.unseen, 2_400) and view.hunk[1] == 600
        read_to(view, 2_400)
        await pilot.pause()
        assert view.read_to_end and view.hunk == (600, 600)


async def test_whoever_went_to_the_end_gets_there(later: type[Later]) -> None:
    host = Host(PLAIN)
    async with host.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        view = host.view
        view.focus()
        await pilot.press("end")
        assert not view.read_to_end and later.wanted is not None
        later.wanted.come()
        await pilot.pause()
        assert not view.read_to_end and view.top == 3_000 - 12, "what it jumped over was not on the screen"


async def test_what_was_there_stays_until_it_is_laid_out_at_another_width(later: type[Later]) -> None:
    """Neither the place nor what was seen is lost, and what is cut off meanwhile does not count as seen."""
    async with laid_out(PLAIN, later, 80) as (host, pilot):
        view = host.view
        read_to(view, 1_488)
        await pilot.pause()
        assert view.unseen == 1_500 and host.top_row.startswith("line 1488 ")
        await pilot.resize_terminal(30, 24)
        await pilot.pause()
        assert view.lines == 3_000 and host.top_row.startswith("line 1488 ") and view.unseen == 1_500
        view.page(1)
        assert view.unseen == 1_500 and host.top_row.startswith("line 1499 ") and later.wanted is not None
        later.wanted.come()
        await pilot.pause()
        assert view.lines == 6_000 and view.top == 1_499 and view.unseen == 3_000
        await pilot.resize_terminal(90, 24)
        await pilot.resize_terminal(30, 24)
        await pilot.pause()
        assert view.lines == 6_000 and view.complete
        later.wanted.come()  # of the width between
        await pilot.pause()
        assert view.lines == 6_000


async def test_two_columns_come_with_the_hunk_that_was_at_the_top(later: type[Later]) -> None:
    async with laid_out(HUNKS, later, 100) as (host, pilot):
        view = host.view
        view.scroll_to_row(4 * 299)
        view.focus()
        await pilot.press("t")
        assert view.hunk == (300, 600) and "│" not in host.top_row and later.wanted is not None
        later.wanted.come()
        await pilot.pause()
        assert view.hunk == (300, 600) and view.lines == 1_800
        assert "│" in view.render_line(1).text and "before 3000" in view.render_line(1).text


async def test_late_rows_of_another_text_are_let_go(later: type[Later]) -> None:
    host = Host(HUNKS)
    async with host.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert later.wanted is not None
        late = later.wanted._make
        host.view.put(Foreign("short"))
        await pilot.pause()
        assert host.view.lines == 1 and host.view.read_to_end and host.view.changes == (0, 0)
        later.wanted.come(late)
        await pilot.pause()
        assert host.view.lines == 1 and host.top_row == "short"


async def test_what_cannot_be_laid_out_is_told_and_was_never_seen(
    later: type[Later], monkeypatch: pytest.MonkeyPatch
) -> None:
    def tripped(*_: object, **__: object) -> None:
        raise ValueError("tripped")

    host = Host(PLAIN)
    async with host.run_test(size=(80, 24)) as pilot:
        monkeypatch.setattr(widget, "context", tripped)
        await pilot.resize_terminal(81, 24)
        await pilot.pause()
        assert later.wanted is not None
        later.wanted.come()
        await pilot.pause()
        assert host.top_row == "⟨this couldn't be displayed⟩" and host.view.unseen and not host.view.read_to_end


@pytest.mark.parametrize("text", [HUNKS, "y" * APPROVED], ids=["diff", "line"])
async def test_on_the_loop_only_the_beginning_is_laid_out(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """T4: the rest on a thread of its own; opened, made narrower and put in two columns."""
    ours, made, emit = threading.get_ident(), [0, 0], diff.Frame.emit

    def counted(self: Any, *given: Any, **named: Any) -> Any:
        made[threading.get_ident() != ours] += 1
        return emit(self, *given, **named)

    monkeypatch.setattr(diff.Frame, "emit", counted)
    host = Host(text)
    async with host.run_test(size=(100, 24)) as pilot:
        await pilot.pause()
        await pilot.resize_terminal(90, 24)
        await pilot.pause()
        host.view.action_split()
        await pilot.pause()
        assert host.view.complete and host.view.lines > 1_500
        assert made[0] < 2_500 and made[1] > 7_000, made
