"""A small app around a transcript for tests: it answers page requests from a list of events and counts them."""

from __future__ import annotations

import asyncio
from typing import Any

from textual.app import App, ComposeResult
from textual.pilot import Pilot

from jp_tui.conversation import events as stored
from jp_tui.protocol import events as ev
from jp_tui.protocol.values import EventSpan, StoredEvent
from jp_tui.ui.themes import derived
from jp_tui.ui.transcript.transcript import Transcript
from tests.ui.look_of import theme
from tests.view.events_of import HERE, opened


class Themed(App[None]):
    """An app that knows our themes and what they leave to be derived, as the workspace does."""

    def __init__(self, colours: str) -> None:
        super().__init__()
        self._colours = colours

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return derived(self.current_theme)

    def on_mount(self) -> None:
        self.register_theme(theme(self._colours))
        self.theme = self._colours


class Host(Themed):
    """`log` is the whole conversation; only the last `page` events are given when it opens."""

    def __init__(self, log: list[StoredEvent], *, page: int = 400, colours: str = "jp-night", **more: Any) -> None:
        super().__init__(colours)
        self.log_events, self._page, self._more = log, page, more
        self.asked: list[tuple[int, int]] = []
        self.given = 0
        self.heard: list[Any] = []

    def compose(self) -> ComposeResult:
        yield Transcript()

    def on_mount(self) -> None:
        super().on_mount()
        page = self.log_events[-self._page :]
        self.given = len(page)
        self.transcript.open(opened(page, spans(self.log_events), **self._more))

    @property
    def transcript(self) -> Transcript:
        return self.query_one(Transcript)

    def on_transcript_need_events(self, event: Transcript.NeedEvents) -> None:
        """As the journal answers: `count` events about a number, moved inwards at either end."""
        self.asked.append((event.around, event.count))
        first = min(max(event.around - event.count // 2, 1), max(len(self.log_events) - event.count + 1, 1))
        found = self.log_events[first - 1 : first - 1 + event.count]
        self.given += len(found)
        self.transcript.apply(ev.EventsRead(conversation=HERE, around=event.around, events=tuple(found)))

    def on_transcript_word_picked(self, event: Transcript.WordPicked) -> None:
        self.heard.append(event)

    def on_virtual_list_link_clicked(self, event: Transcript.LinkClicked) -> None:
        self.heard.append(event)

    def on_virtual_list_selection_copied(self, event: Transcript.SelectionCopied) -> None:
        self.heard.append(event)


def spans(log: list[StoredEvent]) -> list[EventSpan]:
    """The journal's row per 256 events."""
    found = []
    for at in range(0, len(log), 256):
        part = log[at : at + 256]
        texts = [str(one.event.get("content") or one.event.get("message") or "") for one in part]
        sums = sum(map(len, texts)), sum(text.count("\n") for text in texts)
        found.append(
            EventSpan(first=part[0].seq, last=part[-1].seq, events=len(part), characters=sums[0], lines=sums[1])
        )
    return found


def chat(count: int) -> list[StoredEvent]:
    """`count` events of a plain conversation: question, answer of a few lines, end of the turn."""
    found: list[StoredEvent] = []
    while len(found) < count:
        turn = len(found) // 3 + 1
        event: stored.Event
        match len(found) % 3:
            case 0:
                event = stored.ChatRequest(content=f"Question {turn}?")
            case 1:
                text = f"Answer {turn}: " + "some words " * (turn % 9 * 5 + 3) + "\n\n- one\n- two"
                event = stored.ChatResponse(kind="message", content=text)
            case _:
                event = stored.TurnOutcome(outcome="done", model="demo/tour", ms=1000 + turn)
        found.append(StoredEvent(seq=len(found) + 1, turn=turn, event=event.wire()))
    return found


async def settled(pilot: Pilot[None]) -> None:
    """Wait until everything in sight is painted and on the screen."""
    transcript = pilot.app.query_one(Transcript)
    await pilot.pause()
    while not transcript.is_idle:
        await asyncio.sleep(0.002)
        await pilot.pause()
    await pilot.pause()


def screen(host: Host) -> list[str]:
    """What the pane shows, without the scroll mark's column."""
    transcript = host.transcript
    return [transcript.render_line(y).text.rstrip() for y in range(transcript.size.height)]
