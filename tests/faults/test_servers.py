"""`python -m tests.faults --only servers`: every place where a server can stall, once by its limit, and interrupted."""

from __future__ import annotations

import asyncio

import pytest

from jp_tui.providers.choose import open_provider
from tests.faults import servers
from tests.faults.servers import CASES, SMALL, Case, ended


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
