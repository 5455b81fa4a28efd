"""The service of MCP servers (mcp.md P3, P14, P31): lists them, accepts, switches, restarts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

import pytest

from jp_tui.conversation.strict_json import JsonObject
from jp_tui.conversation.text import Foreign
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.mcp import McpRead, McpServerInfo, McpToolInfo
from tests.engine.conftest import Bench

LOCKED = McpToolInfo(tool=Foreign("b"), name="mcp.docs.b", wire="mcp__docs__b", state="pinned", locked=True)
TOOL = McpToolInfo(tool=Foreign("a"), name="mcp.docs.a", wire="mcp__docs__a", state="pinned")


class Servers:
    """Where the servers are; it keeps what it was told."""

    def __init__(self) -> None:
        self.done: list[object] = []
        self.begins: tuple[str, ...] | None = None

    def read(self, deltas: Sequence[JsonObject]) -> McpRead:
        server = McpServerInfo(
            name="docs",
            transport="stdio",
            target=Foreign("x"),
            origin=Foreign("f:1"),
            state="running" if self.done else "never",
            tools=(TOOL, LOCKED),
        )
        return McpRead(servers=(server,))

    async def start(self) -> tuple[str, ...] | None:
        said, self.begins = self.begins, None
        if said is not None:
            self.done.append("start")
        return said

    def accept(self, server: str, tools: Sequence[tuple[str, str]]) -> None:
        if tools[0][1] != "sha256:a":
            raise ValueError("docs lists a differently by now.")
        self.done.append((server, tuple(tools)))

    async def restart(self, server: str) -> None:
        self.done.append(server)

    async def log_in(self, server: str, shows: Callable[[str, Sequence[str]], None]) -> str:
        self.waits = asyncio.get_running_loop().create_future()
        shows("https://login.example/a?state=s", ["Host: login.example"])
        return await self.waits

    def open_login(self, server: str) -> None:
        self.done.append(f"open {server}")

    def stop_login(self, server: str) -> None:
        self.waits.set_exception(ValueError("The login at web was stopped."))


@pytest.fixture
def servers(bench: Bench) -> Servers:
    made = Servers()
    bench.mcp = made
    bench.start()
    return made


def test_p3_the_page_shows_what_is_known_and_again_what_was_started(bench: Bench, servers: Servers) -> None:
    servers.begins = ("MCP server docs: 2 tools",)
    bench.send(c.ReadMcp())
    assert bench.until(e.McpRead).servers[0].state == "never"
    assert bench.until(e.UserNotice).message == "MCP server docs: 2 tools"
    assert bench.until(e.McpRead).servers[0].state == "running"


def test_p31_accepting_takes_what_was_shown(bench: Bench, servers: Servers) -> None:
    bench.send(c.AcceptMcpTools(server="docs", tools=(("a", "sha256:a"),)))
    told = bench.until(e.McpRead)
    assert (told.done, told.changed.raw, servers.done) == ("accepted", "a", [("docs", (("a", "sha256:a"),))])
    bench.send(c.AcceptMcpTools(server="docs", tools=(("a", "sha256:b"),)))
    assert bench.until(e.Refused).message == "docs lists a differently by now."


def test_p14_a_switch_is_a_setting_of_the_user(bench: Bench, servers: Servers) -> None:
    bench.send(c.SwitchMcpTool(name="mcp.docs.a", on=False))
    assert bench.until(e.McpRead).done == "switched"
    saved = {"conversation.tools.'mcp.docs.a'.enable.state": False}
    assert bench.settings == saved
    for name, said in (("mcp.docs.b", "is locked"), ("mcp.docs.z", "There is no tool mcp.docs.z")):
        bench.send(c.SwitchMcpTool(name=name, on=True))
        assert said in bench.until(e.Refused).message
    assert bench.settings == saved


def test_p14_a_server_is_restarted(bench: Bench, servers: Servers) -> None:
    bench.send(c.RestartMcpServer(server="docs"))
    told = bench.until(e.McpRead)
    assert (told.done, told.changed.raw, servers.done) == ("restarted", "docs", ["docs"])


def test_p60_a_login_shows_its_page_and_ends_with_a_sentence_or_a_reason(bench: Bench, servers: Servers) -> None:
    """Other commands are carried out meanwhile."""
    bench.send(c.LogInToMcpServer(server="web"))
    page = bench.until(e.McpLogin)
    assert (page.server, page.url.raw) == ("web", "https://login.example/a?state=s")
    assert [one.raw for one in page.notes] == ["Host: login.example"]
    bench.send(c.ReadMcp())
    assert bench.until(e.McpRead).done == ""
    bench.send(c.OpenMcpLogin(server="web"))
    bench.send(c.StopMcpLogin(server="web"))
    told = bench.until(e.Refused)
    assert (told.command, told.message, servers.done) == (
        "log_in_to_mcp_server",
        "The login at web was stopped.",
        ["open web"],
    )
    bench.send(c.LogInToMcpServer(server="web"))
    bench.until(e.McpLogin)
    servers.waits.get_loop().call_soon_threadsafe(servers.waits.set_result, "Logged in to web.")
    done = bench.until(e.McpRead)
    assert (done.done, done.changed.raw) == ("logged_in", "Logged in to web.")


def test_without_servers_the_page_says_so(bench: Bench) -> None:
    bench.start()
    bench.send(c.ReadMcp())
    assert bench.until(e.Refused).message == "MCP servers can't be used here."
