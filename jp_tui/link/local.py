"""Link between two threads: the engine on its own loop, the front end on another (traps.md T8).

Commands cross by `call_soon_threadsafe`; events wait in an outbox until the front end collects them. A front end that
stops reading only costs memory for facts: deltas of one part are joined, facts are never dropped. A fact wakes the
front end at once, text at most as often as it paints.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from collections.abc import Callable
from typing import Any

from jp_tui.conversation.text import Foreign
from jp_tui.link.port import EngineEndpoint
from jp_tui.link.strays import Strays
from jp_tui.link.ui_priority import UiPriority, YieldingLoop
from jp_tui.protocol.commands import Command
from jp_tui.protocol.events import AsideDelta, CallChanged, EngineFailed, Event, PartDelta

PATIENCE_SECONDS = 1.0
"""Maximum delay of the end by a running command (a server that doesn't respond). The user sees a closing program for
that time."""
PAUSE = 1 / 20
"""Minimum seconds between wake-ups for text alone: the front end paints no more often (designs.md B), and waking its
thread costs both threads more than many tokens."""

Build = Callable[[Callable[[Event], None]], EngineEndpoint]


class Outbox:
    """Events in order; deltas of one part are merged while no fact separates them, and of a running call's output only
    the latest is kept."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._events: list[Event] = []
        self._growing: dict[tuple[str, ...], tuple[int, list[str]]] = {}

    def put(self, event: Event) -> bool:
        """Add an event; return True if the box was empty, so that the front end must be woken."""
        with self._lock:
            empty = not self._events
            if (key := _stream(event)) is None:
                self._join()
            elif (growing := self._growing.get(key)) is None:
                self._growing[key] = (len(self._events), [_words(event)])
            elif isinstance(event, CallChanged):
                self._events[growing[0]] = event
                return False
            else:
                growing[1].append(_words(event))
                return False
            self._events.append(event)
            return empty

    def take(self) -> list[Event]:
        """Return all events and empty the box."""
        with self._lock:
            self._join()
            found, self._events = self._events, []
            return found

    def _join(self) -> None:
        for at, pieces in self._growing.values():
            if len(pieces) > 1 and isinstance(delta := self._events[at], PartDelta | AsideDelta):
                self._events[at] = delta.model_copy(update={"text": Foreign("".join(pieces))})
        self._growing.clear()


def _stream(event: Event) -> tuple[str, ...] | None:
    """Return the stream that an event belongs to; None for a single event."""
    match event:
        case PartDelta():
            return (event.part,)
        case AsideDelta():
            return "aside", event.conversation, event.inquiry
        case CallChanged(state="running") if event.said:
            return "call", event.conversation, str(event.turn), event.call
        case _:
            return None


def _words(event: Event) -> str:
    return event.text.raw if isinstance(event, PartDelta | AsideDelta) else ""


class LocalLink:
    """Engine in a thread. `build` creates it there, given the function that publishes events."""

    def __init__(self, build: Build) -> None:
        self._build = build
        self._outbox = Outbox()
        self._ready: Callable[[], None] = lambda: None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._commands: _Commands | None = None
        self._engine: EngineEndpoint | None = None
        self._strays = Strays(self._stray)
        self._early: list[Command | None] = []
        self._starting = threading.Lock()
        self._arrived = threading.Event()
        self._painted = threading.Event()
        self._courtesy = UiPriority(sleep=self._painted.wait)
        self._woke = 0.0
        self._later: asyncio.TimerHandle | None = None
        self._thread = threading.Thread(target=self._run, name="engine", daemon=True)

    def start(self, ready: Callable[[], None]) -> None:
        """See link/port.py."""
        self._ready = ready
        self._thread.start()

    def send(self, command: Command) -> None:
        """See link/port.py; a command after the end is dropped."""
        self._send(command)

    def _send(self, command: Command | None) -> None:
        """None ends the engine. Commands sent before the engine exists wait for it."""
        with self._starting:
            if self._loop is None or self._commands is None:
                self._early.append(command)
                return
        # The loop may close between the check and the call.
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._commands.add, command)

    def collect(self) -> list[Event]:
        """See link/port.py."""
        self._arrived.clear()
        return self._outbox.take()

    def wait(self, timeout: float | None = None) -> bool:
        """See link/port.py."""
        return self._arrived.wait(timeout)

    def hurry(self) -> None:
        """See link/port.py."""
        self._painted.clear()
        self._courtesy.ask()

    def relax(self) -> None:
        """See link/port.py."""
        self._courtesy.release()
        self._painted.set()

    def close(self, timeout: float) -> bool:
        """See link/port.py."""
        self._send(None)
        if not self._thread.ident:
            return True  # never started
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def _publish(self, event: Event) -> None:
        """Called from the engine's thread."""
        empty = self._outbox.put(event)
        if _stream(event) is None:
            if empty or self._later is not None:
                self._wake()
        elif empty and self._later is None:
            if self._loop is None or (left := self._woke + PAUSE - self._loop.time()) <= 0:
                self._wake_for_text()
            else:
                self._later = self._loop.call_later(left, self._wake_for_text)

    def _wake_for_text(self) -> None:
        if self._loop is not None:
            self._woke = self._loop.time()
        self._wake()

    def _wake(self) -> None:
        if self._later is not None:
            self._later.cancel()
            self._later = None
        self._arrived.set()
        # A front end that can't be woken is closing; the engine must finish its work.
        with contextlib.suppress(Exception):
            self._ready()

    def _run(self) -> None:
        try:
            with asyncio.Runner(loop_factory=lambda: _Loop(self._courtesy)) as runner:
                runner.run(self._serve())
        except Exception as bug:
            self._failed(bug)

    def _failed(self, bug: Exception) -> None:
        """Report a failure of the loop. The engine removes secrets; without an engine there are none."""
        if self._engine is not None:
            self._engine.failed(bug)
        else:
            self._publish(EngineFailed(message=f"{type(bug).__name__}: {bug}", report=_report(bug)))

    async def _serve(self) -> None:
        loop = asyncio.get_running_loop()
        engine = self._engine = self._build(self._publish)
        self._strays.watch(loop)
        commands = _Commands()
        with self._starting:
            for early in self._early:
                commands.add(early)
            self._loop, self._commands = loop, commands
        work = asyncio.create_task(commands.work(engine))
        over = asyncio.create_task(commands.over.wait())
        await asyncio.wait((work, over), return_when=asyncio.FIRST_COMPLETED)
        await asyncio.wait((work,), timeout=PATIENCE_SECONDS)
        work.cancel()
        over.cancel()
        await asyncio.wait((work, over))
        bug = None if work.cancelled() else work.exception()
        await asyncio.sleep(0)  # whoever awaits a failed task retrieves its exception first
        self._strays.finish()
        await engine.stop()
        if bug is not None:
            raise bug

    def _stray(self, bug: Exception) -> None:
        """Report a failure that nothing awaits, to the front end rather than to a terminal with a screen on it."""
        if self._engine is not None:
            self._engine.failed_beside(bug)


class _Loop(YieldingLoop):
    """Loop with name lookup in daemon threads: a resolver without an answer takes half a minute, and asyncio's threads
    would delay the program's end that long."""

    async def getaddrinfo(
        self,
        host: bytes | str | None,
        port: bytes | str | int | None,
        *,
        family: int = 0,
        type: int = 0,
        proto: int = 0,
        flags: int = 0,
    ) -> list[Any]:
        """As its parent's."""
        found: asyncio.Future[list[Any]] = self.create_future()

        def tell(addresses: list[Any] | Exception) -> None:
            if found.done():  # cancelled meanwhile
                return
            if isinstance(addresses, Exception):
                found.set_exception(addresses)
            else:
                found.set_result(addresses)

        def look_up() -> None:
            addresses: list[Any] | Exception
            try:
                addresses = socket.getaddrinfo(host, port, family, type, proto, flags)
            except Exception as problem:
                addresses = problem
            with contextlib.suppress(RuntimeError):  # the loop has ended meanwhile
                self.call_soon_threadsafe(tell, addresses)

        threading.Thread(target=look_up, name="name lookup", daemon=True).start()
        return await found


class _Commands:
    """Queue of commands, in order. None closes it: the link is ending."""

    def __init__(self) -> None:
        self._waiting: asyncio.Queue[Command | None] = asyncio.Queue()
        self.over = asyncio.Event()

    def add(self, command: Command | None) -> None:
        if command is None:
            self.over.set()
        self._waiting.put_nowait(command)

    async def work(self, engine: EngineEndpoint) -> None:
        while (command := await self._waiting.get()) is not None:
            await engine.handle(command)


def _report(bug: BaseException) -> str:
    import traceback

    return "".join(traceback.format_exception(bug))
