"""Servers that stall, at nine places and some more: it ends within its limit, an interrupt acts within 100 ms (T27),
and no thread and no socket is left.

Real sockets. The limits are those of the settings, made small; the interrupt is measured at the engine's link, from the
command to the turn's end, which stands in the log by then.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from jp_tui.conversation.model import Delta, Message, ModelError, ModelRequest, TextPart
from jp_tui.engine.base.dependencies import RetryPolicy
from jp_tui.providers import http
from jp_tui.providers.endpoint import Endpoint
from jp_tui.providers.port import Provider
from jp_tui.providers.registry import open_provider
from tests.engine.conftest import Bench
from tests.fakes.stalling_server import NINE, Place, StallingServer
from tests.faults.report import Found

WITHIN = 0.1
"""Seconds from the interrupt to the end of the turn."""
CONNECT, IDLE, PATIENT = 0.3, 0.2, 2.0
"""Seconds: the limits that are set; the third is how long a line may be kept open without a word."""
LONGER = 1.5
"""The limit for a read where something must come in time before it stalls, on a busy machine too."""
SLACK = 20.0
"""Seconds that a busy machine may add."""
_CHUNK = 'data: {"choices": [{"index": 0, "delta": %s, "finish_reason": %s}]}\n\n'
BODY = "".join(
    [_CHUNK % ('{"content": "Let me "}', "null"), _CHUNK % ('{"content": "look."}', "null"), _CHUNK % ("{}", '"stop"')]
).encode()
BODY += b"data: [DONE]\n\n"
LONG = 6_000_000
"""Characters: more than the kernel takes off a client whose server does not read."""
LARGE = ModelRequest("m", (Message("user", (TextPart("x" * LONG),)),))
SMALL = ModelRequest("m", (Message("user", (TextPart("hello"),)),))
_AT_CONNECT = ("no connection", "TLS handshake")


@dataclass(frozen=True)
class Case:
    """A place, what drips there, and how the request must end: a kind of ModelError, or empty for whole."""

    place: Place
    kind: str = "stalled"
    limit: float = IDLE
    idle: float = IDLE
    drip: bytes = b""
    whole: int = 0
    proxy: bool = False

    @property
    def name(self) -> str:
        more = [", dripping" if self.drip else "", ", on a connection that served before" if self.whole else ""]
        return self.place + "".join(more)

    @contextmanager
    def server(self) -> Iterator[tuple[StallingServer, Endpoint]]:
        """The server, and how it is reached."""
        half = BODY.index(b"Let me")
        with ExitStack() as stack:
            server = stack.enter_context(StallingServer(self.place, BODY, half, drip=self.drip, whole=self.whole))
            url = server.url
            if self.proxy:
                url = "https://models.invalid"
                names = dict.fromkeys(("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"), server.url)
                stack.enter_context(mock.patch.dict(os.environ, {**names, "NO_PROXY": "", "no_proxy": ""}))
            connect = CONNECT if self.place in _AT_CONNECT else SLACK
            times = {"connect_timeout_secs": connect, "stream_idle_timeout_secs": self.idle}
            yield server, Endpoint("local", "openai-chat", url, **times)  # type: ignore[arg-type]


CASES = [
    *(
        Case(
            place,
            "unreachable" if place in _AT_CONNECT else "" if place == "after the last event" else "stalled",
            CONNECT if place in _AT_CONNECT else IDLE,
            SLACK if place == "after the last event" else IDLE,
        )
        for place in NINE
    ),
    Case("in the headers", limit=PATIENT, drip=b"x"),
    Case("before the first event", limit=PATIENT, drip=b"3\r\n: \n\r\n"),
    Case("in an event", limit=PATIENT, drip=b"1\r\nx\r\n"),
    Case("in a refusal", "server", LONGER, LONGER),
    Case("in a refusal", "server", LONGER, LONGER, drip=b"1\r\n \r\n"),
    Case("before the headers", "stalled", LONGER, LONGER, whole=1),
    Case("proxy's answer", proxy=True),
]


# --- each ends by itself -----------------------------------------------------------------------------------


def sockets() -> set[str]:
    """The sockets that this process holds."""
    found = set()
    for entry in os.scandir("/proc/self/fd"):
        try:
            target = os.readlink(entry.path)
        except OSError:
            continue
        if target.startswith("socket:"):
            found.add(target)
    return found


async def ended(case: Case, together: asyncio.Barrier | None = None) -> tuple[float, str]:
    """Seconds until the request ended by itself, and what is wrong with that."""
    with case.server() as (server, endpoint):
        provider = open_provider(endpoint)
        assert isinstance(provider, http.HttpProvider)
        provider._open()  # the certificates of this machine, which take a moment that is nobody's fault
        if together is not None:
            await together.wait()
        for _ in range(case.whole):
            [delta async for delta in provider.stream(SMALL)]
        request = LARGE if case.place == "accepts and reads nothing" else SMALL
        error, begun = None, time.monotonic()
        try:
            async with asyncio.timeout(case.limit + SLACK):
                async for _ in provider.stream(request):
                    pass
        except ModelError as raised:
            error = raised
        except TimeoutError:
            return SLACK, f"{case.name}: no end within its limit of {case.limit:g} s"
        took = time.monotonic() - begun
        kind = "" if error is None else error.kind
        wrong = [] if kind == case.kind else [f"ended with {kind or 'a whole reply'} instead of {case.kind or 'whole'}"]
        if error is not None and not (error.message and error.advice and error.transient):
            wrong.append(f"no clear error: {error.message!r} {error.advice!r}")
        await asyncio.to_thread(server.wait_gone)
        await provider.close()
    return took, f"{case.name}: {'; '.join(wrong)}" if wrong else ""


# --- an interrupt ------------------------------------------------------------------------------------------


class Switch:
    """The provider of one engine, another one for each turn."""

    greeting: str | None = None
    sample: Path | None = None

    def __init__(self) -> None:
        self.now: Provider | None = None

    async def stream(self, request: ModelRequest) -> AsyncIterator[Delta]:
        assert self.now is not None
        async for delta in self.now.stream(request):
            yield delta

    async def close(self) -> None:
        pass


class Interrupted:
    """One engine in its thread; `one` is a turn that is stopped while its server stalls."""

    def __init__(self, home: Path) -> None:
        self._threads, self._sockets = set(threading.enumerate()), sockets()
        self._bench = Bench(home)
        self._switch = Switch()
        self._bench.script = self._switch  # type: ignore[assignment]
        self._bench.retry = RetryPolicy(0, 1, 1.0)
        self._bench.start()

    def one(self, case: Case, clock: Callable[[], float] = time.monotonic) -> tuple[float, str]:
        """Seconds from the interrupt to the turn's end, by this clock, and what is wrong."""
        bench, slow = self._bench, 60.0
        with case.server() as (server, endpoint):
            endpoint = Endpoint(
                endpoint.name,
                "openai-chat",
                endpoint.base_url,
                connect_timeout_secs=slow,
                stream_idle_timeout_secs=slow,
            )
            self._switch.now = open_provider(endpoint)
            for _ in range(case.whole):
                bench.say("first")
                bench.turn()
            bench.say("x" * LONG if case.place == "accepts and reads nothing" else "go")
            server.wait_reached()
            begun = clock()
            bench.interrupt("stop")
            outcome = bench.turn().outcome
            took = clock() - begun
            server.wait_gone()
        bench.forget()
        return took, "" if outcome == "interrupted" else f"{case.name}: the turn ended as {outcome}"

    def close(self) -> list[str]:
        """End the engine; what is left of it."""
        self._bench.stop()
        found = [f"a thread is left: {one.name}" for one in threading.enumerate() if one not in self._threads]
        left = sockets() - self._sockets
        return found + ([f"{len(left)} sockets are left"] if left else [])


INTERRUPTED = sorted(
    (case for case in CASES if case.place not in ("after the last event", "in a refusal")),
    key=lambda case: case.place == "accepts and reads nothing",
)
"""After the last event nothing is waited for: the turn has ended, whatever the server does. What is long comes last,
since all later turns tell it again."""


def tried(whole: bool, seed: int) -> list[Found]:
    """Every place once, and interrupted; `whole`: five times, and nine. Nothing is by chance."""
    limit = Found("a server stalls: ends within its limit, no socket left", 0)
    latest = 0.0
    with mock.patch.object(http, "NO_PROGRESS_SECS", PATIENT):
        for _ in range(5 if whole else 1):
            before = sockets()
            for case, (took, wrong) in zip(CASES, asyncio.run(_all_at_once()), strict=True):
                limit.runs += 1
                latest = max(latest, took - case.limit)
                limit.failed += [wrong] if wrong else []
            if left := sockets() - before:
                limit.failed.append(f"{len(left)} sockets are left")
    limit.figures = {"places": str(len(CASES)), "latest": f"{latest:.2f} s after its limit"}
    return [limit, interrupted(9 if whole else 1)]


async def _all_at_once() -> list[tuple[float, str]]:
    together = asyncio.Barrier(len(CASES))
    return await asyncio.gather(*(ended(case, together) for case in CASES))


def interrupted(times: int) -> Found:
    """Each place so often, judged by its median. Once is judged by the work that it took, of engine and face together:
    how long that takes on a machine that others use says nothing."""
    found = Found("a server stalls: an interrupt ends the turn within 100 ms, nothing left", 0)
    medians: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as home:
        engine = Interrupted(Path(home))
        for case in INTERRUPTED:
            took: list[float] = []
            while len(took) < times:
                seconds, wrong = engine.one(case, time.process_time if times == 1 else time.monotonic)
                took.append(seconds)
                found.failed += [wrong] if wrong else []
            found.runs += len(took)
            medians[case.name] = statistics.median(took)
            if medians[case.name] > WITHIN:
                each = ", ".join(f"{1000 * one:.0f}" for one in took)
                found.failed.append(f"{case.name}: the turn ended {each} ms after the interrupt")
        found.failed += engine.close()
    place = max(medians, key=lambda name: medians[name])
    found.figures = {"slowest median": f"{1000 * medians[place]:.0f} ms ({place})"}
    return found
