"""Starts and logins of servers that meet (mcp.md P3, P50, P60), without a process."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator

import pytest

from jp_tui.mcp import servers as module
from jp_tui.mcp.connection import Connection, Launch, McpProblem
from jp_tui.mcp.host import McpHost
from jp_tui.mcp.servers import McpServers
from jp_tui.mcp.values import McpListing, McpServer

WEB = McpServer("web", url="https://web.example/mcp")


class Slow:
    """In place of a connection: starts and closes when the test says so. A login shows a page."""

    made: list[Slow]

    def __init__(self, launch: Launch, changed: Callable[..., None], ended: Callable[[Connection], None]) -> None:
        self.server, self.login = launch.server, None
        self.starts, self.closes = asyncio.Event(), asyncio.Event()
        self.closes.set()
        self.asks = launch.login is not None and bool(launch.login.asks)
        self.alive, self.cancelled, self.closed = False, False, False
        Slow.made.append(self)

    async def start(self, host: McpHost, shows: Callable[[str], None]) -> McpListing:
        shows("https://web.example/login")
        try:
            await self.starts.wait()
        except asyncio.CancelledError:
            self.cancelled = True
            raise
        self.alive = True
        return McpListing("web", "2025-11-25", version=str(len(Slow.made)))

    async def close(self) -> None:
        await self.closes.wait()
        self.alive, self.closed = False, True


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Slow]]:
    monkeypatch.setattr(module, "Connection", Slow)
    Slow.made = []
    yield Slow.made


def servers() -> McpServers:
    def launch(server: McpServer) -> Launch:
        return Launch(server, "/", {}, {}, "/nowhere/x.log", "file:///w", "1")

    return McpServers({"web": WEB}, launch)


async def moved() -> None:
    """Let everything that can go on do so."""
    for _ in range(20):
        await asyncio.sleep(0)


async def test_a_login_during_a_start_waits_for_it_and_ends_it(made: list[Slow]) -> None:
    """P60: one connection is left, the one of the login; a call that waited for the start gets one of them."""
    all_ = servers()
    call = asyncio.create_task(all_.connection("web"))
    await moved()
    login = asyncio.create_task(all_.login("web", lambda _: None))
    await moved()
    assert len(made) == 1 and not made[0].cancelled
    made[0].starts.set()
    await moved()
    assert made[0].closed and len(made) == 2
    made[1].starts.set()
    assert isinstance(await login, McpListing)
    assert await call in made and await all_.connection("web") is made[1]


async def test_a_login_while_another_connection_is_made(made: list[Slow]) -> None:
    """P60: a server that a call starts while the old one closes isn't left behind."""
    all_ = servers()
    first = asyncio.create_task(all_.connection("web"))
    await moved()
    made[0].starts.set()
    await first
    made[0].closes.clear()
    login = asyncio.create_task(all_.login("web", lambda _: None))
    await moved()
    call = asyncio.create_task(all_.connection("web"))
    await moved()
    made[1].starts.set()
    await moved()
    made[0].closes.set()
    await moved()
    assert made[0].closed and made[1].closed and len(made) == 3
    made[2].starts.set()
    await login
    assert await all_.connection("web") is made[2]
    assert await call in (made[1], made[2])


async def test_a_stopped_login_stops_nobody_else(made: list[Slow]) -> None:
    """P60: who waits for the server gets a start of its own."""
    all_ = servers()
    login = asyncio.create_task(all_.login("web", lambda _: None))
    await moved()
    waiting = [asyncio.create_task(all_.connection("web")), asyncio.create_task(all_.restart("web"))]
    await moved()
    login.cancel()
    with pytest.raises(asyncio.CancelledError):
        await login
    await moved()
    assert made[0].cancelled and len(made) == 2 and not any(one.done() for one in waiting)
    made[1].starts.set()
    assert await waiting[0] is made[1] and isinstance(await waiting[1], McpListing)


async def test_who_stops_waiting_stops_no_start(made: list[Slow]) -> None:
    """P3: an interrupted turn."""
    all_ = servers()
    turn, call = asyncio.create_task(all_.ready()), asyncio.create_task(all_.connection("web"))
    await moved()
    turn.cancel()
    await moved()
    made[0].starts.set()
    assert await call is made[0] and len(made) == 1


async def test_a_turn_waits_for_no_login(made: list[Slow]) -> None:
    """P3, P60."""
    all_ = servers()
    login = asyncio.create_task(all_.login("web", lambda _: None))
    await moved()
    assert await all_.ready() == ("MCP server web waits for your login. The turn goes on without its tools.",)
    made[0].starts.set()
    await login
    assert await all_.ready() == () and len(made) == 1


async def test_a_run_that_ends_ends_who_waits(made: list[Slow]) -> None:
    all_ = servers()
    call, turn = asyncio.create_task(all_.connection("web")), asyncio.create_task(all_.ready())
    await moved()
    await all_.close()
    with pytest.raises(McpProblem, match="web was stopped"):
        await call
    assert await turn == ("MCP server web was stopped. The turn goes on without its tools.",)
    assert len(made) == 1
