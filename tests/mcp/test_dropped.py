"""How much of a server is taken, and how fast it is read (mcp.md P51), without a server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="the extra mcp isn't installed")

import mcp_types as types

from jp_tui.mcp_host import dropped
from jp_tui.mcp_host.dropped import MESSAGES, UNANSWERED, Dropped, Pace
from jp_tui.mcp_host.log_file import LogFile


class Clock:
    """Time that passes only where something waits."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.worked = 0.0
        self.pauses: list[float] = []

    def monotonic(self) -> float:
        return self.now

    def process_time(self) -> float:
        return self.worked

    async def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(dropped, "time", made)
    monkeypatch.setattr(dropped, "asyncio", made)
    return made


def message(**keys: Any) -> Any:
    return types.jsonrpc_message_adapter.validate_python({"jsonrpc": "2.0", **keys})


async def test_messages_within_the_bound_are_read_without_a_pause(clock: Clock) -> None:
    """P51: also 1,000 at once."""
    pace = Pace()
    for _ in range(3):
        assert not pace.exceeded(MESSAGES)
        await pace.rest(piece=True)
        clock.now += 1
    assert clock.pauses == []


async def test_a_flood_is_read_in_pieces(clock: Clock) -> None:
    """P51: a pause after each piece, and one four times as long as the work; none once it is over."""
    pace = Pace()
    assert pace.exceeded(MESSAGES + 1)
    await pace.rest()
    assert clock.pauses == [], "in the middle of a piece that costs nothing"
    await pace.rest(piece=True)
    clock.worked += 0.5
    await pace.rest()
    assert clock.pauses == [0.05, 2.0]
    clock.now += 2
    await pace.rest(piece=True)
    assert len(clock.pauses) == 2 and not pace.exceeded()


async def test_a_steady_flood_gets_a_hundred_a_second(clock: Clock) -> None:
    """P51: spread over the second; once it is over, 1,000 again."""
    pace = Pace()
    assert pace.exceeded(MESSAGES + 1)
    taken = 0
    for _ in range(100):
        clock.now += 0.02
        taken += sum(not pace.exceeded() for _ in range(400))
    assert 190 <= taken <= 210
    clock.now += 3
    assert not pace.exceeded(MESSAGES)


async def test_requests_that_wait_have_a_bound(tmp_path: Path) -> None:
    """P51: a server that asks and reads no answer fills no memory; what it cancels, or is answered, is free."""
    log = LogFile(str(tmp_path / "log"))
    made = Dropped(log)
    for number in range(UNANSWERED):
        assert not made.refuses(message(id=number, method="ping"), exceeded=True)
    assert made.refuses(message(id="more", method="ping"), exceeded=False)
    assert not made.refuses(message(id=1, result={}), exceeded=True), "an answer is always taken"
    made.answered(message(id=3, result={}))
    assert not made.refuses(message(id="more", method="ping"), exceeded=False)
    cancelled = message(method="notifications/cancelled", params={"requestId": 5})
    assert not made.refuses(cancelled, exceeded=False)
    assert not made.refuses(message(id="again", method="ping"), exceeded=False)
    made.answered(message(id=7, error={"code": 1, "message": "no"}))
    assert made.refuses(message(id="again", method="ping"), exceeded=False), "its id isn't free"
    made.close()
    log.close()
    text = (tmp_path / "log").read_text()
    assert "dropped 1 requests while 1,000 wait for an answer" in text
    assert "dropped 1 requests with the id of one that waits" in text
