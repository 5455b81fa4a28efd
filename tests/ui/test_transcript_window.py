"""Only what is near the viewport is held, asked for and painted, however long the conversation is (T4, T21)."""

from __future__ import annotations

import random
import re

import pytest
from textual.geometry import Offset
from textual.selection import Selection

from jp_tui.protocol.values import StoredEvent
from jp_tui.ui.painting import painter
from jp_tui.ui.transcript import document
from jp_tui.ui.transcript.document import HELD, KEPT, ROWS
from jp_tui.view.transcript.loaded_ranges import RUN
from tests.ui.transcript_host import Host, chat, screen, settled
from tests.view.events_of import appended, delta

NUMBERS = re.compile(r"(?:Question|Answer) (\d+)")


def numbers(host: Host) -> list[int]:
    """The turns in sight, in order."""
    return [int(match[1]) for row in screen(host) if (match := NUMBERS.search(row))]


def whole(host: Host) -> bool:
    """Nothing in sight is missing, and turns follow each other without a gap."""
    seen = list(dict.fromkeys(numbers(host)))
    return not any(row.strip() == "⋯" for row in screen(host)) and seen == list(range(seen[0], seen[0] + len(seen)))


async def opening(count: int, monkeypatch: pytest.MonkeyPatch) -> tuple[int, int, int]:
    """Events given, pages asked for and blocks painted until a conversation of `count` events stands there."""
    painted: list[painter.Order] = []
    carry_out = painter.painted

    def counted(order: painter.Order) -> list[painter.Row]:
        painted.append(order)
        return carry_out(order)

    monkeypatch.setattr(painter, "painted", counted)
    host = Host(chat(count))
    async with host.run_test(size=(100, 30)) as pilot:
        await settled(pilot)
        assert whole(host) and numbers(host)[-1] == count // 3
        return host.given, len(host.asked), len(painted)


async def test_opening_costs_the_same_whatever_the_length(monkeypatch: pytest.MonkeyPatch) -> None:
    """T21: a count of work, not a time: 594 events against 15,012 (over 10,000 blocks), which end alike."""
    short = await opening(594, monkeypatch)
    long = await opening(15_012, monkeypatch)
    assert short == long
    assert short[0] == 400 and short[1] == 0 and short[2] < 120


async def test_home_and_back_ask_for_a_page_each() -> None:
    host = Host(chat(9_000))
    async with host.run_test(size=(100, 30)) as pilot:
        await settled(pilot)
        total = host.transcript.document.total
        await pilot.press("home")
        await settled(pilot)
        assert numbers(host)[0] == 1 and whole(host)
        assert len(host.asked) == 1 and host.given <= 400 + 256
        assert abs(host.transcript.document.total - total) < total / 10
        await pilot.press("end")
        await settled(pilot)
        assert numbers(host)[-1] == 3_000 and whole(host)
        assert len(host.asked) == 1


@pytest.mark.parametrize("seed", range(2))
async def test_wherever_one_goes_everything_in_sight_is_there(seed: int) -> None:
    """Pages, wheel, jumps by the mark: after each step the rows in sight are whole and in order."""
    rng, host = random.Random(seed), Host(chat(6_000))
    async with host.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        for _ in range(25):
            kind, pane = rng.random(), host.transcript
            if kind < 0.3:
                pane.scroll_to_row(rng.randint(0, pane.document.total))
            elif kind < 0.8:
                pane.scroll_pages(rng.choice((-3, -1, 1, 2)))
            else:
                pane.scroll_to_row(pane.top + rng.randint(-5, 5))
            await settled(pilot)
            assert whole(host)
            assert pane.document.painted_blocks <= KEPT * 5 // 4 + 60
            assert pane.document.painted_rows <= ROWS * 5 // 4 + 5 * 24
            held = sum(run.events for run in pane.document.pages.runs if run.held)
            assert held <= (HELD * 5 // 4 + 4) * RUN


async def test_a_day_of_events_leaves_only_what_is_near() -> None:
    """Issue 9, "a day of work": events that come one by one, and what is read again later is all there."""
    host, events = Host(chat(30)), chat(2_400)
    async with host.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        for event in events[30:]:
            host.log_events.append(event)
            host.transcript.apply(appended(event))
            if event.seq % 60 == 0:
                await settled(pilot)
        shown = host.transcript.document
        assert shown.painted_rows <= ROWS * 5 // 4 + 5 * 24
        assert sum(run.events for run in shown.pages.runs if run.held) <= (HELD * 5 // 4 + 1) * RUN
        assert len(shown.story._by_event) <= (HELD * 5 // 4 + 1) * RUN
        assert all(section.run is None or section.run.held for section in shown.positions._sections if section.blocks)
        await pilot.press("home")
        await settled(pilot)
        assert numbers(host)[0] == 1 and whole(host)


async def test_what_is_near_is_not_let_go_only_to_be_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A screen may reach over more runs than are to be held: it comes to rest."""
    monkeypatch.setattr(document, "HELD", 1)
    host = Host(chat(3_000), page=60)
    async with host.run_test(size=(80, 100)) as pilot:
        await settled(pilot)
        host.transcript.scroll_to_row(host.transcript.document.total // 2)
        await settled(pilot)
        assert whole(host) and len(host.asked) <= 8


async def test_reading_on_page_by_page_shows_every_turn_once() -> None:
    """Up from the end through several pages that are loaded on the way: nothing is skipped or doubled."""
    host = Host(chat(1_800))
    async with host.run_test(size=(80, 150)) as pilot:
        await settled(pilot)
        seen: list[int] = []
        while host.transcript.top > 0:
            seen += reversed(numbers(host))
            host.transcript.scroll_pages(-1)
            await settled(pilot)
        seen += reversed(numbers(host))
        assert list(dict.fromkeys(seen)) == list(range(600, 0, -1))


async def test_heights_that_become_known_above_do_not_move_what_is_read() -> None:
    host = Host(chat(3_000))
    async with host.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        pane = host.transcript
        pane.scroll_to_row(pane.document.total // 2)
        await settled(pilot)
        before = screen(host)
        pane.scroll_pages(-1)
        await settled(pilot)
        pane.scroll_pages(1)
        await settled(pilot)
        assert screen(host) == before


async def test_growth_at_the_end_does_not_move_what_is_read_far_above() -> None:
    host = Host(chat(3_000))
    async with host.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await pilot.press("home")
        await settled(pilot)
        before, events = screen(host), chat(3_300)
        for event in events[3_000:]:
            host.transcript.apply(delta(f"p{event.seq}", "words\n\n" * 3, turn=event.turn))
            host.transcript.apply(appended(event, f"p{event.seq}"))
        await settled(pilot)
        assert screen(host) == before
        await pilot.press("end")
        await settled(pilot)
        assert numbers(host)[-1] == 1_100 and whole(host)


async def test_copying_over_what_is_not_painted_gives_every_line_once() -> None:
    """Designs D: the source of a selection, also of rows that were never in sight; gaps are left out."""
    host = Host(chat(900))
    async with host.run_test(size=(60, 24)) as pilot:
        await settled(pilot)
        pane = host.transcript
        last = pane.document.total - 1
        first = pane.document.row_of(pane.document.positions.anchor(last - 700)) or 0
        text, _ = pane.get_selection(Selection(Offset(0, first), Offset(60, last))) or ("", "")
        turns = [int(match[1]) for line in text.split("\n") if (match := re.match(r"Question (\d+)\?$", line))]
        assert turns == list(range(turns[0], 301)) and len(turns) > 50
        answers = [line for line in text.split("\n") if line.startswith("Answer ")]
        expected = [str(one.event["message"]).split("\n")[0].rstrip() for one in chat(900) if "message" in one.event]
        assert [line.rstrip() for line in answers[1:]] == expected[-len(answers) + 1 :]
        everything, _ = pane.get_selection(Selection(None, None)) or ("", "")
        assert len(everything) < 100_000


async def test_another_width_paints_only_what_is_near(monkeypatch: pytest.MonkeyPatch) -> None:
    """Resize: the rest is an estimate until somebody looks."""
    host = Host(chat(1_200))
    async with host.run_test(size=(100, 30)) as pilot:
        await settled(pilot)
        for _ in range(10):
            host.transcript.scroll_pages(-1)
            await settled(pilot)
        painted: list[painter.Order] = []
        carry_out = painter.painted
        monkeypatch.setattr(painter, "painted", lambda order: painted.append(order) or carry_out(order))
        await pilot.resize_terminal(60, 30)
        await settled(pilot)
        assert whole(host)
        assert 0 < len(painted) < 160


async def test_a_gap_that_nobody_can_fill_is_asked_for_once() -> None:
    """A log with a hole must not make the pane ask for ever."""

    class Empty(Host):
        def on_transcript_need_events(self, event: object) -> None:
            self.log_events, kept = [], self.log_events
            super().on_transcript_need_events(event)  # type: ignore[arg-type]
            self.log_events = kept

    host = Empty(chat(900))
    async with host.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await pilot.press("home")
        await settled(pilot)
        assert 0 < len(host.asked) <= 4


def test_a_page_in_pieces_is_a_page() -> None:
    """Helpers of these tests: numbers without gaps."""
    events: list[StoredEvent] = chat(10)
    assert [event.seq for event in events] == list(range(1, 11))
