"""`python -m tests.faults --only servers`: every place where a server can stall, once by its limit, and interrupted."""

from __future__ import annotations

import asyncio
import socket
import threading
from pathlib import Path

import pytest

from jp_tui.providers.endpoint import Endpoint
from jp_tui.providers.registry import open_provider
from tests.engine.conftest import Bench
from tests.faults import servers
from tests.faults.servers import CASES, SMALL, Case, ended
from tests.limits import LIMIT


def test_a_server_that_stalls_holds_nobody() -> None:
    """T27: at its limit or at once when interrupted, and nothing is left."""
    assert [wrong for one in servers.tried(whole=False, seed=1) for wrong in one.failed] == []


def test_the_nine_places_are_all_tried() -> None:
    assert {case.place for case in CASES} >= set(servers.NINE) and len(set(servers.NINE)) == 9


async def test_a_case_that_ends_otherwise_is_found() -> None:
    """The judge itself."""
    _, wrong = await ended(Case("before the headers", kind="cut"))
    assert "ended with stalled instead of cut" in wrong


@pytest.mark.parametrize("case", [case for case in CASES if case.place == "TLS handshake"], ids=lambda case: case.name)
async def test_cancelled_in_a_handshake_the_socket_is_closed(case: Case) -> None:
    """The HTTP library leaves it open until the collector finds it."""
    with case.server() as (server, endpoint):
        provider = open_provider(endpoint)
        stream = provider.stream(SMALL)
        waiting = asyncio.ensure_future(anext(stream))
        await asyncio.to_thread(server.wait_reached)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        await asyncio.to_thread(server.wait_gone)
        await provider.close()


def test_a_name_that_is_looked_up_for_ever_holds_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A resolver without an answer takes half a minute: an interrupt, the end of the engine and that of the program do
    not wait for it."""
    inside, hold, real = threading.Event(), threading.Event(), socket.getaddrinfo

    def slow(host: str | bytes, *more: object) -> object:
        if str(host).strip("b'") != "slow.example":
            return real(host, *more)  # type: ignore[arg-type]
        inside.set()
        hold.wait(LIMIT)
        raise socket.gaierror(socket.EAI_AGAIN, "no answer")

    monkeypatch.setattr(socket, "getaddrinfo", slow)
    bench, switch = Bench(tmp_path), servers.Switch()
    bench.script = switch  # type: ignore[assignment]
    switch.now = open_provider(Endpoint("x", "openai-chat", "https://slow.example/v1", connect_timeout_secs=60))
    bench.start()
    bench.say("go")
    assert inside.wait(LIMIT)
    bench.interrupt("stop")
    assert bench.turn().outcome == "interrupted"
    bench.stop()
    waited_for = [thread.name for thread in threading.enumerate() if not thread.daemon]
    hold.set()
    assert waited_for == ["MainThread"]
    assert not [thread for thread in threading.enumerate() if "asyncio" in thread.name], "joined when a program ends"
