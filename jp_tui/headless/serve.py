"""`jp-tui serve`: a worker's lines, and its end (store.md D20, D22).

With `--json` stdout carries only JSON, one object per line; without it a line of text for each. Problems go to stderr.
"""

from __future__ import annotations

import contextlib
import os
import socket
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from jp_tui.headless.input import Bell
from jp_tui.headless.output import FAILED, OutputEnded, TextOutput
from jp_tui.headless.signals import Ended, Endings
from jp_tui.headless.unanswered import resume_command
from jp_tui.link.port import Link
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.worker import SCHEDULE
from jp_tui.view.wording.failures import words as failed

SECONDS_TO_CLOSE = 10.0


@dataclass(frozen=True, slots=True)
class WorkerFacts:
    """Facts for the line of a worker that is ready; `drain` is how many seconds running turns have at the end."""

    worker: str
    store: str
    workspaces: tuple[str, ...]
    drain: float
    schedules: tuple[str, ...] = ()


class ServeRun:
    """One worker over one link; `run` returns the exit status. `environment` may name systemd's socket."""

    def __init__(
        self,
        link: Link,
        served: WorkerFacts,
        output: TextOutput,
        environment: Mapping[str, str],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._link, self._served, self._output, self._clock = link, served, output, clock
        self._supervisor = environment.get("NOTIFY_SOCKET", "")
        self._bell = Bell()
        self._running: dict[str, int] = {}
        self._scheduled: set[str] = set()
        self._over = False
        self._status = 0

    def run(self) -> int:
        """Run until a signal ends it: what runs gets its time, then it is cut. A second signal ends it at once."""
        try:
            with Endings(self._bell.rope) as endings:
                self._link.start(self._bell.ring)
                try:
                    self._ready()
                    self._follow(endings)
                except Ended:
                    self._drain()
                return self._end()
        except OutputEnded as ended:
            if ended.words:
                self._output.tell(ended.words)
            self._link.close(SECONDS_TO_CLOSE)
            return ended.status

    def _ready(self) -> None:
        served = self._served
        schedules = f" Schedules: {', '.join(served.schedules)}." if served.schedules else ""
        self._say(
            {"type": "ready", "worker": served.worker, "pid": os.getpid(), "store": served.store,
             "workspaces": [*served.workspaces], "schedules": [*served.schedules]},
            f"Ready: {served.worker}, store {served.store}, folders: {', '.join(served.workspaces)}.{schedules}",
        )  # fmt: skip
        self._notify("READY=1")

    def _follow(self, endings: Endings) -> None:
        while not self._over:
            with endings.raised():
                self._bell.wait(None)
            self._collect()

    def _drain(self) -> None:
        """Wait for running turns, for at most the seconds of the setting."""
        self._notify("STOPPING=1")
        self._collect()
        running = len(self._running)
        waits = f" Waiting up to {self._served.drain:g} s for {running} running turn{'s'[: running != 1]}."
        self._say({"type": "draining"}, f"Stopping.{waits if running else ''}")
        self._link.send(c.ClientGone())
        until = self._clock() + self._served.drain
        while not self._over and (left := until - self._clock()) > 0:
            self._bell.wait(None, left)
            self._collect()

    def _end(self) -> int:
        ended = self._link.close(SECONDS_TO_CLOSE)
        self._collect()
        self._say({"type": "stopped"}, "Stopped.")
        if ended:
            self._bell.close()
        return self._status if ended else FAILED

    def _collect(self) -> None:
        for event in self._link.collect():
            self._handle(event)

    def _handle(self, event: e.Event) -> None:
        match event:
            case e.ScheduleBegan(name=name, due=due, conversation=id_):
                self._running[id_] = 1
                self._scheduled.add(id_)
                self._say(
                    {"type": "scheduled", "name": name, "due": due, "conversation": id_},
                    f"Began {id_}, due at {due}.",
                )
            case e.TurnStarted(conversation=id_, turn=turn):
                if id_ not in self._running:
                    self._running[id_] = turn
                    self._say({"type": "resumed", "conversation": id_, "turn": turn}, f"Resumed turn {turn} of {id_}.")
            case e.TurnCompleted():
                self._completed(event)
            case e.Refused(command=command, message=message, advice=advice, conversation=id_):
                wanted = "begun" if command == SCHEDULE else "resumed"
                self._output.tell(f"jp-tui serve: {id_} isn't {wanted}: {message} {advice}".rstrip())
            case e.StoreState(problem=problem, back=back, newer=False) if problem or back:
                self._say({"type": "offline" if problem else "online"}, "" if problem else "The store answers again.")
                if problem:
                    self._output.tell(f"jp-tui serve: {problem}")
            case e.StorageFailed(message=message, advice=advice) | e.UserNotice(message=message, advice=advice):
                self._output.tell(f"jp-tui serve: {message} {advice}".rstrip())
            case e.BackgroundFailed(message=message, file=file):
                self._output.tell(f"jp-tui serve: {' '.join(failed(message, file))}")
            case e.EngineFailed(message=message):
                self._output.tell(f"jp-tui serve: {message}")
                self._over, self._status = True, FAILED
            case e.Stopped():
                self._over = True
            case _:
                pass

    def _completed(self, event: e.TurnCompleted) -> None:
        id_, outcome = event.conversation, event.outcome
        turn = self._running.pop(id_, event.turn)
        end = {"type": "turn_end", "outcome": outcome, "conversation": id_, "usage": event.usage.counts()}
        words = "waits for an answer" if outcome == "deferred" else outcome
        resumed = id_ not in self._scheduled
        self._scheduled.discard(id_)
        self._say({**end, "resumed": resumed}, f"Turn {turn} of {id_}: {words}.")
        if event.error is not None and event.error.kind != "storage":
            self._output.tell(f"jp-tui serve: {id_}: {event.error.message} {event.error.advice}".rstrip())
        elif event.error is not None:
            self._output.tell(f"jp-tui serve: `{resume_command(id_)}` resumes it once the store can be written.")

    def _say(self, wire: Mapping[str, object], words: str) -> None:
        if self._output.as_json:
            self._output.line(wire)
        elif words:
            self._output.print(words)

    def _notify(self, state: str) -> None:
        """Tell systemd (Type=notify); an abstract socket begins with @."""
        if self._supervisor:
            with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as there:
                there.connect(f"\0{self._supervisor[1:]}" if self._supervisor[0] == "@" else self._supervisor)
                there.sendall(state.encode())
