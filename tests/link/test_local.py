"""The link between two threads: order, joined deltas, nothing lost, a clean end (traps.md T8)."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jp_tui.conversation.text import Foreign
from jp_tui.link.local import LocalLink, Outbox
from jp_tui.protocol.commands import Command, SaveDraft
from jp_tui.protocol.events import (
    AsideDelta,
    AsideEnded,
    BackgroundFailed,
    EngineFailed,
    Event,
    HistoryRead,
    PartDelta,
    Stopped,
)
from tests.limits import LIMIT


def delta(part: str, text: str) -> PartDelta:
    return PartDelta(conversation="c", turn=1, part=part, kind="message", text=Foreign(text))


def test_adjoining_deltas_of_one_part_are_joined_and_facts_stay_apart() -> None:
    box = Outbox()
    woken = [box.put(event) for event in (delta("a", "1"), delta("a", "2"), HistoryRead(texts=()), delta("a", "3"))]
    assert woken == [True, False, False, False], "the face is woken once, not per event"
    first, fact, last = box.take()
    assert isinstance(first, PartDelta) and first.text.raw == "12"
    assert fact == HistoryRead(texts=())
    assert isinstance(last, PartDelta) and last.text.raw == "3"
    assert box.take() == []
    assert box.put(delta("b", "x")), "an empty box wakes again"


def test_what_is_said_aside_is_joined_by_question() -> None:
    box = Outbox()
    for inquiry, words in (("i", "1"), ("j", "x"), ("i", "2"), ("j", "y")):
        box.put(AsideDelta(conversation="c", inquiry=inquiry, text=Foreign(words)))
    box.put(delta("i", "p"))
    box.put(AsideEnded(conversation="c", inquiry="i"))
    first, second, part, ended = box.take()
    assert isinstance(first, AsideDelta) and isinstance(second, AsideDelta) and isinstance(part, PartDelta)
    assert (first.text.raw, second.text.raw, part.text.raw) == ("12", "xy", "p")
    assert ended == AsideEnded(conversation="c", inquiry="i")


def test_a_face_that_does_not_read_costs_no_fact() -> None:
    """100,000 deltas between facts: all text and every fact are there when the face comes back."""
    box = Outbox()
    for number in range(100):
        box.put(HistoryRead(texts=(str(number),)))
        for _ in range(1000):
            box.put(delta("p", "x"))
    found = box.take()
    assert [event.texts[0] for event in found if isinstance(event, HistoryRead)] == [str(n) for n in range(100)]
    assert sum(len(event.text.raw) for event in found if isinstance(event, PartDelta)) == 100_000
    assert len(found) == 200


class Echo:
    """An engine that reports what it was told, and in which thread."""

    def __init__(self, publish: Callable[[Event], None]) -> None:
        self.publish = publish
        self.thread = threading.get_ident()

    async def handle(self, command: Command) -> None:
        assert threading.get_ident() == self.thread
        assert isinstance(command, SaveDraft)
        self.publish(HistoryRead(texts=(command.text,)))

    def failed(self, bug: BaseException) -> None:
        self.publish(EngineFailed(message=type(bug).__name__, report="told by the engine"))

    def failed_beside(self, bug: Exception) -> None:
        self.publish(BackgroundFailed(message=f"{type(bug).__name__}: told by the engine"))

    async def stop(self) -> None:
        self.publish(Stopped())


def collect_until(link: LocalLink, kind: type[Event]) -> list[Event]:  # type: ignore[valid-type]
    found: list[Event] = []
    while not any(isinstance(event, kind) for event in found):  # type: ignore[arg-type]
        assert link.wait(LIMIT), f"only {found}"
        found.extend(link.collect())
    return found


def test_commands_arrive_in_order_on_the_engines_thread() -> None:
    link = LocalLink(Echo)
    ready = threading.Event()
    link.start(ready.set)
    for number in range(200):
        link.send(SaveDraft(conversation="c", key="composer", text=str(number)))
    assert link.close(10)
    found = link.collect()
    assert ready.is_set()
    assert [event.texts[0] for event in found if isinstance(event, HistoryRead)] == [str(n) for n in range(200)]
    assert isinstance(found[-1], Stopped)
    link.send(SaveDraft(conversation="c", key="composer", text="late"))  # after the end: dropped, not raised


def test_an_engine_that_cannot_be_built_is_reported() -> None:
    def broken(publish: Callable[[Event], None]) -> Echo:
        raise RuntimeError("no engine today")

    link = LocalLink(broken)
    link.start(lambda: None)
    found = collect_until(link, EngineFailed)
    assert any(isinstance(event, EngineFailed) and "no engine today" in event.message for event in found)
    assert link.close(10)


def test_parts_that_grow_by_turns_are_joined_too() -> None:
    """Two calls that stream side by side do not fill the memory of a face that sleeps."""
    box = Outbox()
    for number in range(1000):
        box.put(delta("a", str(number % 10)))
        box.put(delta("b", "x"))
    first, second = box.take()
    assert isinstance(first, PartDelta) and isinstance(second, PartDelta)
    assert first.text.raw == "0123456789" * 100 and second.text.raw == "x" * 1000


deltas = st.tuples(st.sampled_from("abc"), st.text("xyz", min_size=1, max_size=3))


@given(st.lists(st.none() | deltas | st.just(True), max_size=60))
def test_whatever_is_put_in_comes_out_once_and_in_order(steps: list[object]) -> None:
    """None is a fact, True a face that collects: facts keep their order, and each part its text between them."""
    box, out, put = Outbox(), list[Event](), list[Event]()
    for number, step in enumerate(steps):
        if step is True:
            out += box.take()
            continue
        event = HistoryRead(texts=(str(number),)) if step is None else delta(*step)  # type: ignore[misc]
        put.append(event)
        box.put(event)
    out += box.take()

    def told(events: list[Event]) -> list[object]:
        found: list[object] = []
        since: dict[str, str] = {}
        for event in events:
            if isinstance(event, PartDelta):
                since[event.part] = since.get(event.part, "") + event.text.raw
            else:
                found += [since, event]
                since = {}
        return [*found, since]

    assert told(out) == told(put)


def test_a_face_that_cannot_be_woken_does_not_stop_the_engine() -> None:
    def gone() -> None:
        raise RuntimeError("the loop is closed")

    link = LocalLink(Echo)
    link.start(gone)
    link.send(SaveDraft(conversation="c", key="composer", text="kept"))
    assert link.close(10)
    assert [event.texts for event in link.collect() if isinstance(event, HistoryRead)] == [("kept",)]


class Stuck(Echo):
    """Carries out nothing: every command waits for ever."""

    async def handle(self, command: Command) -> None:
        await asyncio.Event().wait()


def test_a_command_that_never_ends_does_not_hold_up_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jp_tui.link.local.PATIENCE_SECONDS", 0.05)
    link = LocalLink(Stuck)
    link.send(SaveDraft(conversation="c", key="composer", text="early"))
    link.start(lambda: None)
    assert link.close(10)
    assert isinstance(link.collect()[-1], Stopped)


def test_what_fails_where_nobody_waits_is_said_to_the_face(capfd: pytest.CaptureFixture[str]) -> None:
    """Not to standard error, where a screen is shown."""

    class Careless(Echo):
        async def handle(self, command: Command) -> None:
            asyncio.get_running_loop().call_soon(lambda: 1 / 0)

    link = LocalLink(Careless)
    link.start(lambda: None)
    link.send(SaveDraft(conversation="c", key="composer", text=""))
    found = collect_until(link, BackgroundFailed)
    assert "ZeroDivisionError" in str(found)
    assert "told by the engine" in str(found), "which knows what must not be told (R202)"
    assert not any(isinstance(event, EngineFailed) for event in found), "and everything else goes on (Z27)"
    assert link.close(10)
    assert capfd.readouterr().err == ""
