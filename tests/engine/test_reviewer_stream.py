"""What a reviewer's response shows of itself while it streams (E40, R135)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Literal

from jp_tui.conversation import model as m
from jp_tui.engine.reviewer.stream import Response, ReviewStreamRelay


class Listener:
    """Keeps what is said."""

    def __init__(self) -> None:
        self.said: list[tuple[str, str, bool]] = []

    def asks(self, model: str) -> None: ...

    def says(self, kind: Literal["thought", "reason"], text: str, *, fresh: bool = False) -> None:
        self.said.append((kind, text, fresh))

    def waits(self, detail: str = "", seconds: float | None = None) -> None: ...


def stream(*deltas: m.Delta) -> Sequence[tuple[str, str, bool]]:
    """What a listener is told of a plain text response made of these."""

    async def source() -> AsyncIterator[m.Delta]:
        for delta in deltas:
            yield delta

    listener = Listener()
    asyncio.run(Response("", ReviewStreamRelay(listener)).consume(source()))
    return listener.said


def test_an_attempt_that_said_nothing_makes_nothing_void() -> None:
    """E40: a new attempt clears what was shown, and there is nothing to clear before the first word."""
    listener = Listener()
    ear = ReviewStreamRelay(listener)
    ear.afresh()
    ear.says("reason", "")
    ear.afresh()
    assert listener.said == []
    ear.says("reason", "Because")
    ear.afresh()
    ear.afresh()
    assert listener.said == [("reason", "Because", False), ("reason", "", True)]


def test_the_reason_is_read_from_the_first_text_of_a_reply() -> None:
    """E40: a second text has no reason of its own; the reply is refused as a whole later."""
    said = stream(
        m.PartOpened(0, "message"),
        m.PartOpened(1, "message"),
        m.PartGrew(1, '{"reason": "another", "answer": true}'),
        m.PartGrew(0, '{"reason": "the first", "answer": false}'),
        m.Finished("end"),
    )
    assert said == [("reason", "the first", False)]
