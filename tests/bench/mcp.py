"""MCP servers (issue 22): what three of them cost a start, a flood the keys, our way to a server a call and memory.

The start is compared with the same program without servers, keys during a flood with the same program at rest (and all
that the flood costs is counted, since it is the same on a busy machine), a call of `echo` with the SDK's client in one
process. Memory is what our processes for one more server add (PSS): the server's own process isn't ours.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import time
from importlib.util import find_spec
from pathlib import Path

from jp_tui.mcp.connection import Connection, Launch, StepDone
from jp_tui.mcp.host import McpHost, passed_on
from jp_tui.mcp.values import McpServer
from tests.bench.program import NotHere, Program
from tests.bench.progress import rest_and_busy
from tests.bench.report import Row
from tests.bench.setting import Bench, Samples, interleaved

SECONDS = 150.0
SERVER = str(Path(__file__).with_name("mcp_server.py"))
SCRIPT = """
fallback = "zqover"
[[turns]]
text = "zqgoing"
calls = [{ name = "mcp.one.flood", arguments = {} }]
"""
MORE = 3
"""Servers that are started after the first one, for the memory of one."""


def rows(bench: Bench) -> list[Row]:
    """All of it."""
    if find_spec("mcp") is None or not sys.platform.startswith("linux"):
        raise NotHere("the extra mcp isn't installed, or this isn't Linux")
    starts = started(bench)
    rest, busy, used = flooded(bench)
    ours, theirs, memory = asyncio.run(called(bench))
    plain = "itself without servers"
    return [
        Row("start to first echoed key, three MCP servers", starts["key"], starts["plain key"], plain, goal=1.02),
        Row("start to the whole workspace, three MCP servers", starts["all"], starts["plain all"], plain, goal=1.02),
        Row("key to paint while an MCP server floods", busy, rest, "itself at rest"),
        Row("key to paint while an MCP server floods", busy, rest, "itself at rest", tail=True, goal=1.3),
        Row("a second while an MCP server floods, CPU of all processes", used, [], unit="s", within=0.25),
        Row("a call of echo at an MCP server", ours, theirs, "the SDK in one process", goal=3),
        Row("memory of a further MCP server, ours", memory, [], within=15 << 20, unit="B"),
    ]


def configured(home: Path, servers: int) -> None:
    (home / "config").mkdir(parents=True)
    tables = [
        f'[providers.mcp.{name}]\ncommand = "{sys.executable}"\nargs = ["-S", "-E", "{SERVER}"]\n'
        for name in ("one", "two", "three")[:servers]
    ]
    allowed = '[conversation.tools."mcp.one.*"]\nrun = "unattended"\n' if servers else ""
    (home / "config" / "config.toml").write_text("".join(tables) + allowed)
    (home / "script.toml").write_text(SCRIPT)


def started(bench: Bench) -> Samples:
    """Seconds to the first key and to the whole workspace, with and without servers, in turns."""
    found: Samples = {"key": [], "plain key": [], "all": [], "plain all": []}
    homes = {"": bench.folder / "mcp", "plain ": bench.folder / "no-mcp"}
    configured(homes[""], 3)
    configured(homes["plain "], 0)

    def start(home: Path):  # type: ignore[no-untyped-def]
        @contextlib.contextmanager
        def run():  # type: ignore[no-untyped-def]
            with bench.living_in(home), bench.run("-m", "jp_tui", "--model", f"demo/{home}/script.toml") as program:
                yield program

        return run

    def measure(name: str, program: Program) -> None:
        found[f"{name}key"].append(program.first_key())
        found[f"{name}all"].append(program.whole())
        program.settle(0.3)

    interleaved(bench.reps * 2, {name: start(home) for name, home in homes.items()}, measure)
    return found


def flooded(bench: Bench) -> tuple[list[float], list[float], list[float]]:
    """Seconds from key to paint, at rest and during the flood; CPU seconds of the program, the host and the server in
    each second of it."""
    home = bench.folder / "mcp"
    with bench.living_in(home):
        rest, busy = rest_and_busy(bench, f"{home}/script.toml", "zqstep ")
        with bench.ours("--model", f"demo/{home}/script.toml")() as program:
            program.first_key()
            os.write(program.master, b"\x7f" * 60 + b"go\r")
            program.wait("zqstep ")
            program.pass_time(1.0)
            began, cpu = time.monotonic(), program.cpu()
            program.pass_time(4.0)
            return rest, busy, [(program.cpu() - cpu) / (time.monotonic() - began)]


async def called(bench: Bench) -> tuple[list[float], list[float], list[float]]:
    """Seconds of a call our way and the SDK's, in turns; bytes of our processes for one more server."""
    from mcp import StdioServerParameters
    from mcp.client.client import Client
    from mcp.client.stdio import stdio_client

    host = McpHost()
    connections = [_connection(bench.folder, str(number)) for number in range(1 + MORE)]
    ours: list[float] = []
    theirs: list[float] = []
    try:
        await connections[0].start(host)
        before = _memory(os.getpid())
        await asyncio.gather(*(one.start(host) for one in connections[1:]))
        memory = [(_memory(os.getpid()) - before) / MORE]
        words = StdioServerParameters(command=sys.executable, args=["-S", "-E", SERVER])
        async with Client(stdio_client(words), mode="legacy") as client:
            for number in range(-10, 40 if bench.quick else 200):
                at = time.perf_counter()
                step = await connections[0].call("echo", {"text": "hi"}).step()
                between = time.perf_counter()
                await client.call_tool("echo", {"text": "hi"})
                now = time.perf_counter()
                assert isinstance(step, StepDone)
                if number >= 0:
                    ours.append(between - at)
                    theirs.append(now - between)
    finally:
        for one in connections:
            await one.close()
        await host.close()
    return ours, theirs, memory


def _connection(folder: Path, name: str) -> Connection:
    server = McpServer(f"bench{name}", sys.executable, ("-S", "-E", SERVER), protocol="2025-11-25")
    log = str(folder / f"mcp-{name}.log")
    launch = Launch(server, str(folder), passed_on({"PATH": "/usr/bin"}), {}, log, "file:///w", "1")
    return Connection(launch, lambda _: None, lambda _: None)


def _memory(root: int) -> int:
    """Bytes of our processes for servers below `root` (PSS)."""
    parents: dict[int, list[int]] = {}
    for one in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            fields = (one / "stat").read_text().rpartition(")")[2].split()
            parents.setdefault(int(fields[1]), []).append(int(one.name))
    below = list(parents.get(root, ()))
    for pid in below:
        below += parents.get(pid, ())
    found = 0
    for pid in below:
        with contextlib.suppress(OSError):
            words = Path(f"/proc/{pid}/cmdline").read_bytes()
            rolled = Path(f"/proc/{pid}/smaps_rollup").read_text()
            if b"mcp_server.py" not in words:
                found += next(int(line.split()[1]) for line in rolled.splitlines() if line.startswith("Pss:")) << 10
    return found
