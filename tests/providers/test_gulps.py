"""A stream of drops is read fifteen times a second, anything else as fast as it comes; nothing is lost or reordered."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jp_tui.conversation.model import Delta, PartEnded, PartGrew, PartOpened
from jp_tui.providers.pacing import AT_ONCE, GULP, MUCH, ReadPacer, joined

DROPS = 200


class Line:
    """What a network is: what is written waits until it is read, all of it at once."""

    def __init__(self) -> None:
        self._there, self._came = b"", asyncio.Event()

    def write(self, data: bytes) -> None:
        self._there += data
        self._came.set()

    async def chunks(self) -> AsyncIterator[bytes]:
        while True:
            await asyncio.sleep(0)  # a network always looks at its socket
            await self._came.wait()
            self._came.clear()
            data, self._there = self._there, b""
            if data.endswith(b"."):
                yield data
                return
            yield data


async def test_drops_are_read_in_gulps_and_none_is_lost() -> None:
    line, loop = Line(), asyncio.get_running_loop()

    async def drip() -> None:
        for _ in range(DROPS):
            line.write(b"x")
            await asyncio.sleep(0.002)
        line.write(b".")

    dripping, gulps = asyncio.create_task(drip()), ReadPacer(line.chunks())
    began, found = loop.time(), list[bytes]()
    while (chunk := await gulps.next()) is not None:
        found.append(chunk)
    await dripping
    assert b"".join(found) == b"x" * DROPS + b"."
    assert AT_ONCE < len(found) <= AT_ONCE + (loop.time() - began) / GULP + 2
    assert {len(one) for one in found[: AT_ONCE // 2]} == {1}, "the first ones come at once"


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long was waited, though nothing is."""
    found: list[float] = []

    async def noted(seconds: float) -> None:
        found.append(seconds)

    monkeypatch.setattr("jp_tui.providers.pacing.asyncio.sleep", noted)
    return found


async def test_chunks_that_came_together_are_not_waited_between(pauses: list[float]) -> None:
    """An HTTP library cuts what it read into the server's chunks."""

    async def chunks() -> AsyncIterator[bytes]:
        for _ in range(1000):
            yield b"x"

    gulps = ReadPacer(chunks())
    while await gulps.next() is not None:
        pass
    assert pauses == []


async def test_a_stream_that_has_much_to_say_is_not_held_up(pauses: list[float]) -> None:
    async def chunks(size: int) -> AsyncIterator[bytes]:
        for _ in range(100):
            waits = asyncio.get_running_loop().create_future()
            asyncio.get_running_loop().call_soon(waits.set_result, None)
            await waits
            yield b"x" * size

    for size, waited in ((MUCH, False), (10, True)):
        gulps = ReadPacer(chunks(size))
        while await gulps.next() is not None:
            pass
        assert bool(pauses) == waited


pieces = st.builds(PartGrew, st.integers(0, 2), st.text(max_size=3))
others = st.builds(PartOpened, st.integers(0, 2), st.just("message")) | st.builds(PartEnded, st.integers(0, 2))


@given(st.lists(pieces | others, max_size=30))
def test_joined_says_the_same(deltas: list[Delta]) -> None:
    def spelled(listed: list[Delta]) -> list[object]:
        found: list[object] = []
        for one in listed:
            found += [(one.index, letter) for letter in one.text] if isinstance(one, PartGrew) else [one]
        return found

    after = joined(deltas)
    assert spelled(after) == spelled(deltas)
    near = pairwise(after)
    assert not any(isinstance(a, PartGrew) and isinstance(b, PartGrew) and a.index == b.index for a, b in near)
