"""A server's process, its bounds and its ends (mcp.md P4, P5, P6, P22, P47, P50, P51)."""

from __future__ import annotations

import asyncio
import os
import re
import sys
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
import pytest_asyncio

from tests.limits import LIMIT

pytest.importorskip("mcp", reason="the extra mcp isn't installed")

from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCRequest

from jp_tui.mcp.connection import Connection, Launch, McpProblem, ServerProgress, Step, StepAsked, StepDone, StepFailed
from jp_tui.mcp.host import McpHost, passed_on
from jp_tui.mcp.servers import McpServers
from jp_tui.mcp.values import McpListing, McpServer
from jp_tui.mcp_host.log_file import LogFile
from jp_tui.mcp_host.stdio import StdioServer

pytestmark = pytest.mark.asyncio(loop_scope="module")
RAW = str(Path(__file__).with_name("raw_server.py"))
SECRET = "hush-hush"
WHOLE = bool(os.environ.get("TESTS_WHOLE"))


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def host() -> AsyncIterator[McpHost]:
    made = McpHost()
    yield made
    await made.close()


class Peer:
    """A server that a test talks to."""

    def __init__(self, folder: Path, *words: str, **keys: object) -> None:
        given = {"protocol": "2025-11-25", **keys}
        server = McpServer("raw", sys.executable, (RAW, *words), **given)  # type: ignore[arg-type]
        self.log = folder / "state" / "raw.log"
        environment = {
            **passed_on({"PATH": "/bin:.:relative", "HOME": "/h", "SECRET_KEY": "x"}),
            "GIVEN": SECRET,
            "MARK": str(folder),
        }
        launch = Launch(server, str(folder), environment, {}, str(self.log), "file:///w", "1", (SECRET,))
        self.listings: list[McpListing] = []
        self.ended = asyncio.Event()
        self.listed = asyncio.Event()
        self.connection = Connection(launch, self._changed, self._ended)

    def _changed(self, listing: McpListing) -> None:
        self.listings.append(listing)
        self.listed.set()

    def _ended(self, _: Connection) -> None:
        assert not self.ended.is_set()
        self.ended.set()

    async def call(self, text: str, tool: str = "echo") -> Step:
        return await self.connection.call(tool, {"text": text}).step()


@pytest_asyncio.fixture(loop_scope="module")
async def peer(host: McpHost, tmp_path: Path) -> AsyncIterator[Peer]:
    made = Peer(tmp_path, call_timeout_secs=20.0, max_message_bytes=1 << 20)
    await made.connection.start(host)
    yield made
    await made.connection.close()


async def test_a_server_whose_input_closes_first_is_read_to_its_end(tmp_path: Path) -> None:
    """P4: a message that can't be sent any more doesn't hide how the server ended."""
    script = "exec 0<&-; echo closed >&2; sleep 0.3; echo bye >&2; exit 4"
    log = LogFile(str(tmp_path / "log"), [])
    server = StdioServer(["/bin/sh", "-c", script], str(tmp_path), {"PATH": os.environ["PATH"]}, 1 << 20, log)
    ping = SessionMessage(JSONRPCRequest(jsonrpc="2.0", id=1, method="ping"))
    async with server as (read, write), asyncio.timeout(LIMIT):
        while "closed" not in log.said:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        await write.send(ping)
        assert [one async for one in read] == []
        assert server.ended.is_set() and server.status == 4 and "bye" in log.said


async def failure(host: McpHost, folder: Path, *words: str, **keys: object) -> McpProblem:
    made = Peer(folder, *words, **keys)
    with pytest.raises(McpProblem) as found:
        await made.connection.start(host)
    await made.connection.close()
    return found.value


async def test_a_server_lists_and_its_tools_are_called(peer: Peer) -> None:
    listing = peer.connection.listing
    assert listing is not None and listing.protocol == "2025-11-25" and listing.server_name == "raw"
    assert [(one.name, one.description, one.input_schema) for one in listing.tools] == [
        ("echo", "Return it", {"type": "object"})
    ]
    assert await peer.call("hi") == StepDone({"content": [{"type": "text", "text": "hi"}]})


async def test_errors_of_a_call_leave_the_rest_alone(peer: Peer) -> None:
    """P50: a call that fails, a result of no known form, half a character and an answer that comes twice."""
    error = await peer.call("error")
    assert isinstance(error, StepFailed) and (error.error, error.code) == (
        "answered with an error: out of order",
        -32000,
    )
    invalid = await peer.call("invalid")
    assert isinstance(invalid, StepFailed) and invalid.error.startswith("sent a result that isn't valid: ")
    unread = await peer.call("surrogate")
    assert isinstance(unread, StepFailed) and unread.error.startswith("sent an answer that can't be read: ")
    deep = await peer.call("deep")
    assert isinstance(deep, StepFailed) and deep.error.startswith("sent an answer that can't be read: recursion limit")
    assert isinstance(await peer.call("mark"), StepDone)
    long = await peer.call("long error")
    assert isinstance(long, StepFailed) and (long.code, long.data) == (-32603, None)
    assert long.error.startswith("answered with an error: did\nnot") and long.error.endswith("… (72,000 characters)")
    assert len(long.error) < 4100
    assert isinstance(await peer.call("twice"), StepDone)
    assert isinstance(await peer.call("hi"), StepDone)


async def test_noise_is_counted_and_dropped(peer: Peer) -> None:
    """P51."""
    assert isinstance(await peer.call("garbage"), StepDone)
    began = time.monotonic()
    assert isinstance(await peer.call("flood"), StepDone)
    assert time.monotonic() - began > 0.4, "20,000 notifications are 2 MB, which are read in pieces with pauses"
    assert isinstance(await peer.call("flood with ids"), StepDone)
    await peer.connection.close()
    log = peer.log.read_text()
    assert "dropped a line that is no JSON-RPC: 'a banner'" in log
    assert "dropped 4 lines that are no JSON-RPC" in log or "dropped 5 lines that are no JSON-RPC" in log
    assert "dropped 1 answers to unknown or used ids" in log
    (many,) = re.findall(r"dropped ([\d,]+) notifications above 1,000 a second", log)
    assert int(many.replace(",", "")) > 20_000, "those with an id in them count too"


async def test_a_changed_listing_is_told_once(peer: Peer) -> None:
    """P31, P51: many notifications of a change are one request for the listing, and the same listing is none."""
    await peer.call("says so")
    async with asyncio.timeout(LIMIT):
        while "'2'" not in str(await peer.call("listings")):
            pass
        await peer.call("changes")
        await peer.listed.wait()
    assert [one.tools[0].description for one in peer.listings] == ["other"]


async def test_a_call_without_a_result_ends(host: McpHost, tmp_path: Path) -> None:
    """P50: the clock of a call; the server is told, and the next call works."""
    peer = Peer(tmp_path, call_timeout_secs=3.0)
    await peer.connection.start(host)
    peer.connection.server = replace(peer.connection.server, call_timeout_secs=0.3)
    assert await peer.call("silent") == StepFailed("gave no result within 0.3 s")
    peer.connection.server = replace(peer.connection.server, call_timeout_secs=20.0)
    assert isinstance(await peer.call("hi"), StepDone)
    await peer.connection.close()


async def test_a_message_that_is_too_long_ends_the_server(peer: Peer) -> None:
    assert await peer.call("long") == StepFailed("sent a message over 1 MiB")
    assert await peer.call("hi") == StepFailed("sent a message over 1 MiB")
    async with asyncio.timeout(LIMIT):
        await peer.ended.wait()
    assert not peer.connection.alive and await peer.call("hi") == StepFailed("sent a message over 1 MiB")


async def test_a_server_that_ends_in_a_call(peer: Peer) -> None:
    assert await peer.call("exit") == StepFailed("ended in the middle of the call (status 9)")


async def test_a_server_that_does_not_start(host: McpHost, tmp_path: Path) -> None:
    """P50: each way not to start, with the log's last line."""
    ends = await failure(host, tmp_path, "ends")
    assert str(ends) == "raw ended with status 4 before it was ready: on standard error: [secret]"
    refuses = await failure(host, tmp_path, "refuses")
    assert str(refuses).startswith("raw said: not now not now ") and len(str(refuses)) < 600
    mute = await failure(host, tmp_path, "mute", start_timeout_secs=0.7)
    assert str(mute) == "raw did not start within 0.7 s"
    assert sum("on standard error" in line for line in mute.log) <= 1, "those of earlier starts aren't there"
    old = await failure(host, tmp_path, protocol="2026-07-28")
    assert str(old) == "raw speaks 2025-11-25, not 2026-07-28"
    made = Peer(tmp_path)
    missing = McpServer("raw", "/nowhere/program")
    launch = Launch(missing, str(tmp_path), {"PATH": "/bin"}, {}, str(made.log), "file:///w", "1")
    with pytest.raises(McpProblem, match="raw can't be run: /nowhere/program isn't there"):
        await Connection(launch, made.listings.append, lambda _: None).start(host)


@pytest.mark.parametrize("seed", range(20 if WHOLE else 2))
async def test_each_call_has_one_end_whatever_the_server_writes(host: McpHost, tmp_path: Path, seed: int) -> None:
    """P50, P51: output that is cut, doubled, delayed and garbled at every message. No result is another call's."""
    made = Peer(tmp_path, f"garble{seed}", call_timeout_secs=2.0)
    await made.connection.start(host)
    steps = await asyncio.gather(*(made.call(f"call-{number}") for number in range(100)))
    kept = 0
    for number, step in enumerate(steps):
        if isinstance(step, StepDone):
            said = str(step.result["content"])
            assert f"call-{number}'" in said or not any(f"call-{other}'" in said for other in range(100))
            kept += 1
        else:
            assert isinstance(step, StepFailed) and step.error
    assert 40 < kept < 100 and made.connection.alive
    await made.connection.close()


@pytest.mark.parametrize(
    ("way", "tools", "cut"),
    [
        ("pages", 100, "more than 100 pages: the rest isn't offered"),
        ("same-page", 2, "its pages repeat: the rest isn't offered"),
        ("many", 500, "more than 500 tools: the rest isn't offered"),
    ],
)
async def test_listings_have_bounds(host: McpHost, tmp_path: Path, way: str, tools: int, cut: str) -> None:
    """P22."""
    made = Peer(tmp_path, way)
    listing = await made.connection.start(host)
    await made.connection.close()
    assert (len(listing.tools), listing.cut) == (tools, cut)


async def test_the_environment_has_no_credentials(peer: Peer) -> None:
    """P5: what is passed on, and what isn't."""
    given = passed_on(
        {"PATH": "/usr/bin:.:bin", "LC_ALL": "C", "XDG_RUNTIME_DIR": "/r", "TERM": "x", "OPENAI_API_KEY": "k", "A": "b"}
    )
    assert given == {"PATH": "/usr/bin", "LC_ALL": "C", "XDG_RUNTIME_DIR": "/r", "TERM": "x"}


async def test_the_log_is_private_and_has_no_secret(peer: Peer) -> None:
    """P6."""
    await peer.connection.close()
    assert SECRET not in peer.log.read_text() and "on standard error: [secret]" in peer.log.read_text()
    assert peer.log.stat().st_mode & 0o777 == 0o600


def marked(mark: str) -> set[int]:
    """The processes that have this in their environment."""
    found = set()
    for name in os.listdir("/proc"):
        try:
            if name.isdigit() and mark.encode() in Path(f"/proc/{name}/environ").read_bytes():
                state = Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()[0]
                found |= {int(name)} if state not in "ZX" else set()
        except OSError:
            continue
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
async def test_nothing_outlives_a_server(host: McpHost, tmp_path: Path) -> None:
    """P5: not even what left its session."""
    made = Peer(tmp_path)
    await made.connection.start(host)
    await made.call("children")
    mark = f"MARK={tmp_path}"
    assert len(marked(mark)) == 2, "the server, and what it left behind"
    await made.connection.close()
    until = time.monotonic() + LIMIT
    while marked(mark) and time.monotonic() < until:
        os.sched_yield()
    assert not marked(mark)


async def test_progress_without_a_sane_total_is_a_count() -> None:
    """P47."""
    assert ServerProgress(3, None, "rows").line() == "3 rows" and ServerProgress(5, 10, "").line() == "▰▰▰▰▱▱▱▱ 5/10"
    assert ServerProgress(10, 10, "x").line() == "▰▰▰▰▰▰▰▰ 10/10 x"
    assert not isinstance(StepFailed("x"), StepAsked)


async def test_a_server_that_ended_starts_again_with_the_next_call(host: McpHost, tmp_path: Path) -> None:
    """P3, P50: all at once, one failure doesn't touch the others, at most three starts a minute."""
    good = McpServer("good", sys.executable, (RAW,), protocol="2025-11-25")
    bad = replace(good, name="bad", args=(RAW, "ends"))
    off, foreign = replace(good, name="off", enabled=False), replace(good, name="foreign", trusted=False)
    environment = passed_on({"PATH": "/bin"})

    def launch(server: McpServer) -> Launch:
        return Launch(server, str(tmp_path), environment, {}, str(tmp_path / server.name), "file:///w", "1")

    servers = McpServers({one.name: one for one in (good, bad, off, foreign)}, launch)
    assert servers.enabled == ("good", "bad")
    (line,) = await servers.ready()
    assert line.startswith("MCP server bad ended with status 4") and line.endswith(
        "The turn goes on without its tools."
    )
    assert list(servers.listings()) == ["good"] and servers.alive("good")
    for _ in range(2):
        connection = await servers.connection("good")
        step = await connection.call("echo", {"text": "exit"}).step()
        assert step == StepFailed("ended in the middle of the call (status 9)")
        await ended(servers)
    await (await servers.connection("good")).call("echo", {"text": "exit"}).step()
    await ended(servers)
    with pytest.raises(McpProblem, match="good was started 3 times within a minute"):
        await servers.connection("good")
    assert list(servers.listings()) == ["good"], "its tools stay: a later call may start it"
    await servers.close()


async def ended(servers: McpServers) -> None:
    """Until the end of the server `good` is known."""
    for _ in range(1000):
        if not servers.alive("good"):
            return
        await asyncio.sleep(0.01)
