"""The link between two threads: the engine on a loop of its own, the face on another (traps.md T8).

Commands hop by `call_soon_threadsafe`; events wait in an outbox until the face collects them. A face that stops
reading costs nothing but memory for facts: deltas of one part are joined, facts are never dropped.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable

from jp_tui.conversation.text import Foreign
from jp_tui.link.port import Serves
from jp_tui.protocol.commands import Command
from jp_tui.protocol.events import EngineFailed, Event, PartDelta

Build = Callable[[Callable[[Event], None]], Serves]


class Outbox:
    """Events in order; adjoining deltas of one part become one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._events: list[Event] = []
        self._pieces: list[str] = []

    def put(self, event: Event) -> bool:
        """Add an event; whether the box was empty, so that the face must be woken."""
        with self._lock:
            last = self._events[-1] if self._events else None
            if isinstance(event, PartDelta) and isinstance(last, PartDelta) and last.part == event.part:
                self._pieces.append(event.text.raw)
                return False
            self._join()
            self._events.append(event)
            return last is None

    def take(self) -> list[Event]:
        """Everything, and the box is empty."""
        with self._lock:
            self._join()
            found, self._events = self._events, []
            return found

    def _join(self) -> None:
        if self._pieces and isinstance(last := self._events[-1], PartDelta):
            text = Foreign("".join((last.text.raw, *self._pieces)))
            self._events[-1] = last.model_copy(update={"text": text})
        self._pieces = []


class LocalLink:
    """An engine in a thread. `build` makes it there, given the function that publishes events."""

    def __init__(self, build: Build) -> None:
        self._build = build
        self._outbox = Outbox()
        self._ready: Callable[[], None] = lambda: None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._commands: asyncio.Queue[Command | None] | None = None
        self._early: list[Command | None] = []
        self._starting = threading.Lock()
        self._arrived = threading.Event()
        self._thread = threading.Thread(target=self._run, name="engine", daemon=True)

    def start(self, ready: Callable[[], None]) -> None:
        """See link/port.py."""
        self._ready = ready
        self._thread.start()

    def send(self, command: Command) -> None:
        """See link/port.py; a command after the end is dropped."""
        self._send(command)

    def _send(self, command: Command | None) -> None:
        """None ends the engine. What is sent before the engine stands waits for it."""
        with self._starting:
            if self._loop is None or self._commands is None:
                self._early.append(command)
                return
        # The loop may close between the look and the call.
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._commands.put_nowait, command)

    def collect(self) -> list[Event]:
        """See link/port.py."""
        self._arrived.clear()
        return self._outbox.take()

    def wait(self, timeout: float | None = None) -> bool:
        """See link/port.py."""
        return self._arrived.wait(timeout)

    def close(self, timeout: float) -> bool:
        """See link/port.py."""
        self._send(None)
        if not self._thread.ident:
            return True  # never started
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def _publish(self, event: Event) -> None:
        if self._outbox.put(event):
            self._arrived.set()
            self._ready()

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except Exception as bug:
            self._publish(EngineFailed(message=f"{type(bug).__name__}: {bug}", report=_report(bug)))

    async def _serve(self) -> None:
        engine = self._build(self._publish)
        commands: asyncio.Queue[Command | None] = asyncio.Queue()
        with self._starting:
            for early in self._early:
                commands.put_nowait(early)
            self._loop, self._commands = asyncio.get_running_loop(), commands
        while (command := await commands.get()) is not None:
            await engine.handle(command)
        await engine.stop()


def _report(bug: BaseException) -> str:
    import traceback

    return "".join(traceback.format_exception(bug))
