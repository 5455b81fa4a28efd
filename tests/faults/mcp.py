"""MCP servers whose output breaks at one message (mcp.md P50, P51): scenarios, and what must hold in each.

Each scenario is a server of its own with three calls at once. Every call ends once, with its own result or an error,
within its limits; a start ends with a listing or an error.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from jp_tui.mcp.connection import Connection, Launch, McpProblem, OpenCall, StepAsked, StepDone
from jp_tui.mcp.host import McpHost, passed_on
from jp_tui.mcp.values import McpServer

SERVER = Path(__file__).with_name("mcp_server.py")
FAULTS = (
    "cut", "joined", "headless", "doubled", "delayed", "garbled", "noisy", "swapped", "silent", "ended",
)  # fmt: skip
MESSAGES = 9
"""What a server sends without a fault: two to start, a form, two reports of progress, three results; and none."""
SEEDS = 23
START, CALL = 6.0, 2.0
"""Limits of a start and of a call, in seconds."""
SLACK = 4.0
"""What a busy machine may add."""
AT_ONCE = 16


@dataclass(frozen=True, slots=True)
class Scenario:
    fault: str
    at: int
    seed: int

    def __str__(self) -> str:
        return f"{self.fault} at message {self.at}, seed {self.seed}"


def scenarios() -> list[Scenario]:
    """Every fault at every message, with some seeds: 2,070."""
    return [Scenario(fault, at, seed) for seed in range(SEEDS) for fault in FAULTS for at in range(1, MESSAGES + 1)]


async def run(cases: Sequence[Scenario], folder: Path) -> list[str]:
    """Return what was wrong."""
    host, room = McpHost(), asyncio.Semaphore(AT_ONCE)

    async def one(case: Scenario) -> list[str]:
        async with room:
            return [f"{case}: {wrong}" for wrong in await _played(host, case, folder)]

    try:
        found = await asyncio.gather(*(one(case) for case in cases))
    finally:
        await host.close()
    return [wrong for some in found for wrong in some]


async def _played(host: McpHost, case: Scenario, folder: Path) -> list[str]:
    words = ("-S", "-E", str(SERVER), case.fault, str(case.at), str(case.seed))
    server = McpServer(
        "broken", sys.executable, words, protocol="2025-11-25", start_timeout_secs=START, call_timeout_secs=CALL
    )
    log = folder / f"{case.fault}-{case.at}-{case.seed}.log"
    environment = passed_on({"PATH": "/usr/bin:/bin", "HOME": "/"})
    launch = Launch(server, str(folder), environment, {}, str(log), "file:///w", "1")
    connection = Connection(launch, lambda _: None, lambda _: None)
    began = time.monotonic()
    try:
        await connection.start(host)
    except McpProblem as problem:
        late = time.monotonic() - began > START + SLACK
        wrong = [] if str(problem).startswith("broken ") else [f"an error without the server's name: {problem}"]
        return [*wrong, "the start took too long"] if late else wrong
    finally:
        if not connection.alive:
            await connection.close()
    try:
        made = [(name, connection.call(name, {"text": f"{name}-{case.seed}"})) for name in ("echo", "ask", "count")]
        found = await asyncio.gather(*(_ended(name, call, case) for name, call in made))
        return [wrong for some in found for wrong in some]
    finally:
        await connection.close()


async def _ended(name: str, call: OpenCall, case: Scenario) -> list[str]:
    """Follow one call to its end."""
    began, own = time.monotonic(), f"{name}-{case.seed}"
    wrong: list[str] = []
    while isinstance(step := await call.step(), StepAsked):
        message = str(step.params.get("message"))
        if case.fault != "garbled" and message != f"Who asks in ask-{case.seed}?":
            wrong.append(f"asked {message!r}")
        call.answer(step.key, {"result": {"action": "accept", "content": {"name": "Ann"}}})
    if isinstance(step, StepDone):
        said = str(step.result.get("content"))
        others = [other for other in ("echo", "ask", "count") if other != name and f"'{other}-{case.seed}'" in said]
        if others or (case.fault != "garbled" and f"'{own}'" not in said):
            wrong.append(f"{name} got {said}")
    elif not step.error:
        wrong.append(f"{name} failed without a word")
    if time.monotonic() - began > 2 * CALL + SLACK:  # progress and an answer begin the clock again
        wrong.append(f"{name} took {time.monotonic() - began:.1f} s")
    if not call.over:
        wrong.append(f"{name} isn't over")
    return wrong
