"""Agents of other makers (intake.md N40-N44): a reply by the Agent Client Protocol beside one by a wire, idle seconds
with three agents connected, and the workspace's start with agents in the settings beside one without.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from jp_tui.providers.endpoint import Endpoint
from jp_tui.providers.pacing import joined
from jp_tui.providers.registry import make_wire
from jp_tui.tools.agents.connection import AgentConnection, AgentDone, AgentProgram
from jp_tui.tools.agents.provider import _Reply
from tests.bench.program import Program
from tests.bench.report import Row
from tests.bench.setting import ROOT, Bench, Start, interleaved
from tests.bench.wires import TOKENS, WORDS, pieces_of, reply
from tests.providers.decoding import HELLO

SECONDS = 180.0
PLAYER = str(ROOT / "tests" / "fakes" / "agent.py")
WIRE = "openai-chat"
THREE = 3


def rows(bench: Bench) -> list[Row]:
    """Decoding, idle, start."""
    ours, theirs = asyncio.run(decoded(20 if bench.quick else 200))
    home = bench.folder / "agents"
    (home / "config").mkdir(parents=True)
    configured(home, bench.folder / "agent.json")
    with bench.living_in(home):
        written, used = idle(bench)
    return [
        Row(f"{TOKENS:,} updates of an agent, CPU", ours, theirs, against=f"as many events of {WIRE}", goal=1.3),
        Row(f"{THREE} agents connected, idle, written", written, [], unit="B", within=0),
        Row(f"{THREE} agents connected, idle, CPU", used, [], unit="s", within=0.05),
        started(bench, home),
    ]


def configured(home: Path, played: Path) -> None:
    """Three agents, each with a reply."""
    played.write_text(json.dumps({"prompts": [[["say", "I am connected."]]]}))
    command = json.dumps([sys.executable, PLAYER, str(played)])
    text = "".join(f"[agents.a{number}]\ncommand = {command}\n" for number in range(THREE))
    (home / "config" / "config.toml").write_text(text)


async def decoded(reps: int) -> tuple[list[float], list[float]]:
    """CPU seconds of each reply: an agent's, and a server's, from bytes to what the engine takes."""
    update = {"sessionUpdate": "agent_message_chunk"}
    said = [{**update, "content": {"type": "text", "text": WORDS[at % len(WORDS)]}} for at in range(TOKENS)]
    lines = [{"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s", "update": u}} for u in said]
    theirs_in = pieces_of(reply(WIRE))
    ours_in = pieces_of(b"".join(json.dumps(one).encode() + b"\n" for one in lines))
    made = make_wire(Endpoint("bench", WIRE, "http://h", "k"))
    ours, theirs = list[float](), list[float]()
    for number in range(reps + 2):
        began = time.process_time()
        decoder = made.decoder(HELLO)
        for piece in theirs_in:
            joined(decoder.feed(piece))
        decoder.end()
        between = time.process_time()
        connection = AgentConnection(AgentProgram("bench", ("true",)), "/")
        connection.session, connection.prompting = "s", True
        taken = _Reply(connection, plans=False).deltas()
        for piece in ours_in:
            connection._heard(piece)
            if connection.items:
                await anext(taken)
        connection._over(AgentDone("end_turn"))
        async for _ in taken:
            pass
        if number > 1:
            theirs.append(between - began)
            ours.append(time.process_time() - between)
    return ours, theirs


def idle(bench: Bench) -> tuple[list[float], list[float]]:
    """Bytes and CPU seconds of workspaces at rest, each with an agent that has answered."""
    written, used = list[float](), list[float]()
    with ExitStack() as stack:
        started = [stack.enter_context(bench.ours("--agent", f"a{number}", "go")()) for number in range(THREE)]
        for program in started:
            program.wait("connected")
        for program in started:
            bytes_, seconds = program.idle(2.0 if bench.quick else 10.0)
            written.append(bytes_)
            used.append(seconds)
    return written, used


def started(bench: Bench, home: Path) -> Row:
    """The whole workspace with agents in the settings, beside one without them."""
    bare = bench.folder / "no-agents"
    (bare / "config").mkdir(parents=True)
    (bare / "config" / "config.toml").write_text("")
    found: dict[str, list[float]] = {"with": [], "without": []}

    def at(place: Path) -> Start:
        @contextmanager
        def start() -> Iterator[Program]:
            with bench.living_in(place), bench.run("-m", "jp_tui", "--model", "demo/tour") as program:
                yield program

        return start

    def measure(name: str, program: Program) -> None:
        found[name].append(program.whole())

    interleaved(bench.reps, {"with": at(home), "without": at(bare)}, measure)
    return Row("the whole workspace with agents set up", found["with"], found["without"], against="without", goal=1.02)
