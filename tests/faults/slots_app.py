"""`slots_app.py ORDERS REPORTS`: the workspace in a real terminal on a scripted engine, shown one text after another.

An order is a line of JSON on the descriptor ORDERS: a scene (`slot_scenes.py`), a text as [piece, times], which slots
get it. The report on REPORTS says what was handed out, how long one step of the loop was held, what could act when
clicked, and which actions ran. Between two shows the screen is put back to an empty conversation. It ends when the
orders do.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import sys
import threading
import time
import traceback
from collections.abc import Iterable
from typing import Any

import textual.pilot
from textual.pilot import Pilot

from jp_tui.protocol import commands as cmd
from jp_tui.protocol import events as ev
from jp_tui.ui.transcript.transcript import Transcript
from tests.fakes.link import FakeLink, opened
from tests.faults.slot_scenes import SCENES
from tests.faults.slot_words import Words
from tests.hostile.seen import Seen, screen
from tests.ui.app_host import Host
from tests.ui.app_host import opened as is_open
from tests.ui.conftest import until_idle

SYNC = "qzsync"
"""What the window's title is, with a number, once all of a show is written."""


class Canary(Host):
    """Knows which actions ran that nobody asked for, and opens no address."""

    acted: list[str]

    def action_canary(self, *given: object) -> None:
        self.acted.append(f"canary {given}")

    async def action_quit(self) -> None:
        self.acted.append("quit")

    def open_url(self, url: str, *, new_tab: bool = True) -> None:
        self.acted.append(f"opened {url}")


class Holds:
    """The longest step of the loop: as it lasted, and the work in it. Clocks around a step, nothing inside; steps of
    the task that shows the scenes are the test's own. What collecting garbage took stands apart: most is of the tests.
    """

    def __init__(self) -> None:
        self.lasted = self.worked = self.collected = 0.0
        self._collecting = self._collection = 0.0
        gc.callbacks.append(self._collects)
        self.ours: asyncio.Task[Any] | None = None
        run, thread = asyncio.Handle._run, threading.get_ident()

        def timed(handle: asyncio.Handle) -> None:
            worked, began, self._collecting = time.thread_time(), time.monotonic(), 0.0
            task = getattr(handle._callback, "__self__", None)  # type: ignore[attr-defined]
            run(handle)  # type: ignore[no-untyped-call]
            if threading.get_ident() == thread and task is not self.ours:
                self.lasted = max(self.lasted, time.monotonic() - began)
                self.worked = max(self.worked, time.thread_time() - worked - self._collecting)
                self.collected = max(self.collected, self._collecting)

        asyncio.Handle._run = timed  # type: ignore[method-assign]

    def begin(self) -> None:
        self.lasted = self.worked = self.collected = 0.0

    def _collects(self, phase: str, info: object) -> None:
        if phase == "start":
            self._collection = time.thread_time()
        else:
            self._collecting += time.thread_time() - self._collection


class Stage:
    """What a scene acts on: the app, its engine, its keys."""

    def __init__(self, app: Canary, pilot: Pilot[None], holds: Holds) -> None:
        self.app, self.pilot, self.holds = app, pilot, holds
        self.seen = Seen()
        self.asked: list[tuple[str, str]] = []

    @property
    def link(self) -> FakeLink:
        return self.app.link

    async def say(self, *events: ev.Event) -> None:
        self.asked += [(one.conversation, one.prompt.inquiry) for one in events if isinstance(one, ev.QuestionAsked)]
        self.link.say(*events)
        await self.settle()

    async def press(self, *keys: str) -> None:
        for key in keys:
            await self.pilot.press(key)
        await self.settle()

    async def arms(self) -> None:
        """A sheet opens after a silence, and listens a moment later."""
        for _ in range(2):
            self.app.time.now += 2.0
            self.app.dock.tick()
            await self.settle()

    async def settle(self) -> None:
        await self.pilot.pause()
        seen: object = None
        for _ in range(400):
            found = list(self.app._main.query(Transcript))
            if self.app.heard and (not found or found[0].is_idle):
                now = self.app.screen._compositor.render_strips()
                if now == seen:
                    break
                seen = now
            await asyncio.sleep(0.005)
            await self.pilot.pause()
        await self.pilot.pause()

    async def look(self) -> None:
        """What is on the screen now counts, too: what could be clicked in it, its width."""
        await self.settle()
        screen(self.app, self.seen)

    def beside_fields(self) -> str:
        """The text of the screen without the fields that a text is edited in."""
        top = self.app.screen
        fields = [one.region for one in top.query("TextArea, Input") if one.is_on_screen]
        found: list[str] = []
        for y, strip in enumerate(top._compositor.render_strips()):
            x = 0
            for segment in strip:
                if not any(field.contains(x, y) for field in fields):
                    found.append(segment.text)
                x += segment.cell_length
        return "".join(found)

    async def reset(self) -> None:
        app = self.app
        while len(app.screen_stack) > 1:
            app.pop_screen()
            await self.pilot.pause()
        gone = [ev.QuestionSettled(conversation=where, inquiry=id_, how="answered") for where, id_ in self.asked]
        self.asked.clear()
        app.composer.clear()
        for kind in [kind for kind in self.link.answers if kind not in _ALWAYS]:
            del self.link.answers[kind]
        await self.say(*gone, opened(new=False))
        app.composer.focus()
        app.clear_notifications()
        self.link.sent.clear()
        await self.settle()


_ALWAYS = (cmd.OpenConversation, cmd.ReadHistory, cmd.Shutdown)


async def show(stage: Stage, order: dict[str, Any]) -> dict[str, Any]:
    """One scene with one text; what is to be told of it."""
    text = "".join(piece * times for piece, times in order["text"])
    words = Words(text, only=frozenset(order["only"]), turn=order["turn"])
    stage.seen, stage.app.acted = Seen(), []
    problem = ""
    worked = lasted = collected = 0.0
    try:
        await stage.reset()
        stage.holds.begin()
        await SCENES[order["scene"]](stage, words)
        await stage.look()
        holds = stage.holds
        lasted, worked, collected = holds.lasted, holds.worked, holds.collected
    except Exception:
        problem = traceback.format_exc(limit=-4)
    beside = stage.beside_fields()
    driver = stage.app._driver
    if driver is not None:
        driver.write(f"\x1b]0;{SYNC}{order['turn']}\x07")
    return {
        "turn": order["turn"], "slots": words.slots, "faults": stage.seen.faults[:20], "acted": stage.app.acted,
        "lasted": lasted, "worked": worked, "collected": collected, "problem": problem,
        "beside_fields": beside,
    }  # fmt: skip


def lines(descriptor: int) -> Iterable[str]:
    with open(descriptor, encoding="utf-8", errors="surrogatepass") as given:
        yield from given


def main() -> None:
    orders, reports = int(sys.argv[1]), int(sys.argv[2])
    gc.disable()  # as at the start of the program: what start-up made is put aside at the first frame
    textual.pilot.wait_for_idle = until_idle
    holds = Holds()
    app = Canary(FakeLink())
    app.acted = []
    app.wall = lambda: 1_772_745_716.5  # type: ignore[method-assign]

    async def walk(pilot: Pilot[None]) -> None:
        await is_open(app, pilot)
        stage = Stage(app, pilot, holds)
        holds.ours = asyncio.current_task()
        given = iter(lines(orders))
        while line := await asyncio.to_thread(next, given, ""):
            told = await show(stage, json.loads(line))
            os.write(reports, json.dumps(told).encode() + b"\n")
        app.exit()

    app.run(auto_pilot=walk)


if __name__ == "__main__":
    main()
