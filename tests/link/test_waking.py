"""How often a face is woken: at once for a fact, for text no oftener than it is painted (designs.md B)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from jp_tui.conversation.text import Foreign
from jp_tui.link.local import PAUSE, LocalLink, Outbox
from jp_tui.protocol.commands import Command, SaveDraft
from jp_tui.protocol.events import CallChanged, Event, HistoryRead, PartDelta, Stopped
from tests.limits import LIMIT

TOKENS = 100


class Talking:
    """An engine that streams when it is told to: tokens a millisecond apart, then perhaps a fact."""

    def __init__(self, publish: Callable[[Event], None]) -> None:
        self.publish = publish

    async def handle(self, command: Command) -> None:
        assert isinstance(command, SaveDraft)
        for _ in range(TOKENS):
            self._say()
            await asyncio.sleep(0.001)
        if command.text == "fact":
            self._say()
            self.publish(HistoryRead(texts=()))

    def _say(self) -> None:
        self.publish(PartDelta(conversation="c", turn=1, part="p", kind="message", text=Foreign("x")))

    def failed(self, bug: BaseException) -> None:
        raise bug

    async def stop(self) -> None:
        self.publish(Stopped())


def told(text: str, until: Callable[[list[Event]], bool]) -> tuple[list[Event], list[float], float]:
    """What a face is told, when it was woken, and how many seconds it all took."""
    link, woken, found = LocalLink(Talking), list[float](), list[Event]()
    began = time.monotonic()
    link.start(lambda: woken.append(time.monotonic()))
    link.send(SaveDraft(conversation="c", key="composer", text=text))
    while not until(found):
        assert link.wait(LIMIT)
        found += link.collect()
    took = time.monotonic() - began
    assert link.close(10)
    return found, woken, took


def said(events: list[Event]) -> int:
    return sum(len(one.text.raw) for one in events if isinstance(one, PartDelta))


def test_a_stream_wakes_the_face_once_a_frame_and_the_last_token_comes_by_itself() -> None:
    found, woken, took = told("", lambda found: said(found) == TOKENS)
    assert all(isinstance(one, PartDelta) for one in found)
    assert 2 <= len(woken) <= took / PAUSE + 2


def test_a_fact_behind_text_that_waits_wakes_at_once_and_comes_after_it() -> None:
    found, woken, _ = told("fact", lambda found: any(isinstance(one, HistoryRead) for one in found))
    assert said(found) == TOKENS + 1
    assert isinstance(found[-1], HistoryRead) and isinstance(found[-2], PartDelta)
    assert len(woken) >= 2


def running(call: str, said: str) -> CallChanged:
    return CallChanged(conversation="c", turn=1, call=call, tool="t", state="running", said=Foreign(said))


def test_of_what_calls_say_while_they_run_the_last_is_kept_unless_something_stands_between() -> None:
    box = Outbox()
    woken = [box.put(running(call, said)) for call, said in (("a", "1"), ("b", "x"), ("a", "2"), ("b", "y"))]
    assert woken == [True, False, False, False]
    done = CallChanged(conversation="c", turn=1, call="a", tool="t", state="completed", end="ok")
    for event in (done, running("b", "z"), running("b", "over")):
        box.put(event)
    assert box.take() == [running("a", "2"), running("b", "y"), done, running("b", "over")]


def test_what_is_read_in_gulps_is_told_and_painted_at_once() -> None:
    """A reader that is slower than both needs one wake-up and one frame for each gulp, and no timer (designs.md B)."""
    from jp_tui.providers.pacing import GULP
    from jp_tui.ui.transcript.transcript import FRAME

    assert PAUSE < GULP and FRAME < GULP
