"""A turn that was left open is closed once, and one that has ended never again (R207)."""

from __future__ import annotations

import asyncio
from functools import partial
from types import SimpleNamespace
from typing import Any

from jp_tui.conversation import events as ev
from jp_tui.conversation.model import Usage
from jp_tui.conversation.reading import read_event
from jp_tui.engine.record.log import PIECE, Log
from jp_tui.engine.recovery import repair_log
from jp_tui.engine.recovery.resume_turn import cut_off
from jp_tui.journal.port import NewEvent, Stored
from jp_tui.protocol.values import UsageTotals

AT = "2026-03-05 00:00:00.0"


def event(**fields: Any) -> ev.Event:
    return read_event({"timestamp": AT, **fields})


START, SAID = event(type="turn_start"), event(type="chat_request", content="go")
ENDED = event(type="turn_outcome", outcome="done")
LATER = event(type="config_delta", delta={})


def settled(*turn: ev.Event) -> list[ev.Event]:
    """What is appended to a log whose last turn is this."""
    appended: list[ev.Event] = []

    async def append(events: list[ev.Event], *_: object) -> None:
        appended.extend(events)

    log: Any = SimpleNamespace(
        id="c1",
        turn=1,
        model="fake/model",
        total=UsageTotals(),
        last_kind=lambda: turn[-1].wire()["type"],
        turn_so_far=lambda number: list(turn),
        append=append,
        setup=SimpleNamespace(journal=SimpleNamespace(partials=lambda id_: [], clear_draft=lambda *_: None)),
    )
    asyncio.run(repair_log.close_old_turn(log, None))
    return appended


def test_an_open_turn_is_closed_before_the_next_one() -> None:
    assert [one.wire()["type"] for one in settled(START, SAID)] == ["turn_outcome"]


def test_a_turn_that_has_ended_is_not_closed_again_for_what_came_after_it() -> None:
    """Settings that were changed between two turns stand behind the end of the first."""
    assert settled(START, SAID, ENDED, LATER) == []


async def test_a_long_turn_is_read_in_pieces_with_other_work_between_them() -> None:
    """R247 reads a whole turn; keys and tokens go on meanwhile."""
    rows = [
        Stored("c1", number, NewEvent("chat_request", 1, f'{{"type":"chat_request","content":"{number}"}}', at=AT))
        for number in range(3 * PIECE)
    ]
    log: Any = SimpleNamespace(
        id="c1", exists=True, setup=SimpleNamespace(journal=SimpleNamespace(turn_events=lambda id_, turn: rows))
    )
    log._patiently = partial(Log._patiently, log)
    steps = 0

    async def other() -> None:
        nonlocal steps
        while True:
            steps += 1
            await asyncio.sleep(0)

    beside = asyncio.create_task(other())
    found = await Log.turn_in_pieces(log, 1)
    beside.cancel()
    assert len(found) == 3 * PIECE and steps >= 3


def test_a_turn_that_was_cut_before_any_response_has_used_nothing() -> None:
    """R207: its tokens are counted from what its calls have beside them."""
    cut = cut_off([START, SAID])
    assert (cut.usage, cut.context) == (Usage(), 0)
