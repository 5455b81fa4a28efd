"""One agent process beside us: what it offers, and what it does wrong (intake.md N41-N44)."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from jp_tui.conversation import model as m
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.tools.agents import connection as agents
from jp_tui.tools.agents.connection import AgentConnection, AgentDone, AgentProblem, AgentProgram
from jp_tui.tools.agents.provider import AgentProvider
from jp_tui.tools.agents.updates import AgentText, AgentWork
from tests.headless.running import LIMIT, ROOT

PLAYER = ROOT / "tests" / "fakes" / "agent.py"
OFFERS = {
    "configOptions": [
        {
            "id": "model",
            "name": "Model",
            "type": "select",
            "category": "model",
            "currentValue": "small",
            "options": [
                {"value": "small", "name": "Small"},
                {"group": "g", "options": [{"value": "big/x", "name": "Big"}]},
            ],
        },
        {"id": "odd", "type": "boolean", "currentValue": True},
        "no option",
    ],
    "modes": {
        "currentModeId": "build",
        "availableModes": [{"id": "build", "name": "Build"}, {"id": "plan"}, {"no": 1}],
    },
}
COMMANDS = [
    {"name": "compact", "description": "Make room"},
    {"name": "ask", "description": "", "input": {"hint": "what"}},
    {"name": "no good"},
    7,
]


def program(home: Path, *prompts: list[Any], **script: Any) -> AgentProgram:
    played = home / "agent.json"
    played.write_text(json.dumps({"prompts": prompts, **script}))
    return AgentProgram("fake", (sys.executable, str(PLAYER), str(played)))


def got(home: Path, method: str) -> list[dict[str, Any]]:
    """The params of what the agent got of a method."""
    came = [json.loads(line[2:]) for line in (home / "agent.json.log").read_text().splitlines() if line[0] == ">"]
    return [one["params"] for one in came if one.get("method") == method]


def with_agent(made: AgentProgram, does: Callable[[AgentConnection], Awaitable[None]], folder: Path) -> None:
    """Do something with a started agent, and end it."""

    async def run() -> None:
        connection = AgentConnection(made, str(folder))
        try:
            await connection.start("")
            await does(connection)
        finally:
            await connection.close()

    asyncio.run(run())


async def ended(connection: AgentConnection) -> AgentDone | AgentProblem:
    """The end of the prompt."""
    while True:
        if connection.items and isinstance(last := connection.items[-1], AgentDone | AgentProblem):
            return last
        await connection.changed()


def test_n44_what_an_agent_offers_is_listed_and_selected(tmp_path: Path) -> None:
    """Options come before the older fields; groups are flat; a switch keeps the process and its session."""
    made = program(tmp_path, offers=OFFERS, commands=COMMANDS)
    conversation = "c"

    async def run() -> None:
        connections: dict[str, AgentConnection] = {}

        async def turn(provider: AgentProvider, text: str) -> None:
            said = m.Message("user", (m.TextPart(text),))
            request = m.ModelRequest(model="fake", messages=(said,), conversation=conversation)
            async for _ in provider.stream(request):
                pass

        first = AgentProvider(made, str(tmp_path), connections)
        big = AgentProvider(AgentProgram(made.name, made.command, model="big/x"), str(tmp_path), connections)
        plan = AgentProvider(AgentProgram(made.name, made.command, mode="plan"), str(tmp_path), connections)
        try:
            await turn(first, "a")
            connection = connections[conversation]
            offers = connection.offers
            assert [(one.suffix, one.name, one.current) for one in offers.choices] == [
                ("small", "Small", True),
                ("big/x", "Big", False),
                ("mode=build", "Build", True),
                ("mode=plan", "", False),
            ]
            assert [(one.name, one.about, one.hint) for one in offers.commands] == [
                ("compact", "Make room", ""),
                ("ask", "", "what"),
            ]
            await turn(big, "/fake:compact now")
            await turn(plan, "c")
            assert connections[conversation] is connection
            assert [one.suffix for one in offers.choices if one.current] == ["big/x", "mode=plan"]
        finally:
            for provider in (first, big, plan):
                await provider.close()

    asyncio.run(run())
    assert [(one["configId"], one["value"]) for one in got(tmp_path, "session/set_config_option")] == [
        ("model", "big/x")
    ]
    assert [one["modeId"] for one in got(tmp_path, "session/set_mode")] == ["plan"]
    assert len(got(tmp_path, "session/new")) == 1
    assert [one["prompt"][0]["text"] for one in got(tmp_path, "session/prompt")] == ["a", "/compact now", "c"]


FLOODED = [["send", {"method": "session/update", "params": {"sessionId": "s-1", "update": {"x": "y" * 5_000}}}]]


@pytest.mark.parametrize(
    ("limit", "steps", "words"),
    [
        ("MOST_LINE", [["part", "x" * 50_000], ["ignore"]], "a line of more than"),
        ("MOST_WAITING", [*FLOODED * 20, ["ignore"]], "in one turn"),
        ("MOST_ODD", [["write", "no message"]] * 200 + [["ignore"]], "aren't messages"),
        ("", [["part", '{"jsonrpc": "2.0", "meth'], ["die"]], "ended with status 7"),
        ("", [["part", '{"jsonrpc": "2.0", "meth'], ["ignore"]], "didn't stop within"),
    ],
    ids=["line", "turn", "odd", "half a line, dead", "half a line, stalled"],
)
def test_bounds_of_an_agent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, steps: list[Any], words: str
) -> None:
    """N44: 16 MiB a line, 64 MiB a turn, 100 lines that are no message (smaller here), and a stall in the middle of a
    line: the agent is ended, in one line."""
    assert (agents.MOST_LINE, agents.MOST_WAITING, agents.MOST_ODD) == (16 << 20, 64 << 20, 100)
    monkeypatch.setattr(agents, "STOP_SECONDS", 0.2)
    if limit in ("MOST_LINE", "MOST_WAITING"):
        monkeypatch.setattr(agents, limit, 40_000)

    async def does(connection: AgentConnection) -> None:
        connection.prompt([])
        if words.startswith("didn't"):
            connection.cancel()
        end = await ended(connection)
        assert isinstance(end, AgentProblem) and words in str(end) and "\n" not in str(end)
        assert not connection.alive

    with_agent(program(tmp_path, steps), does, tmp_path)


def test_100_mb_in_one_line_are_not_kept(tmp_path: Path) -> None:
    """The first 16 MiB end the agent; the rest is not read."""
    steps = [["part", "x" * (1 << 20)]] * 100

    async def does(connection: AgentConnection) -> None:
        connection.prompt([])
        end = await ended(connection)
        assert "more than 16 MiB" in str(end) and len(connection._rest) < 18 << 20

    with_agent(program(tmp_path, steps), does, tmp_path)


def test_updates_for_unknown_calls_and_other_sessions_change_nothing(tmp_path: Path) -> None:
    update = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "theirs"}}
    steps = [
        ["raw", "tool_call_update", {"toolCallId": "nobody", "status": "completed"}],
        ["raw", "tool_call", {"title": "no id"}],
        ["send", {"method": "session/update", "params": {"sessionId": "other", "update": update}}],
        ["send", {"method": "session/update", "params": 7}],
        ["send", {"id": 1, "result": {}}],
        ["raw", "no_such_kind", {}],
        ["say", "x"],
    ]

    async def does(connection: AgentConnection) -> None:
        connection.prompt([])
        assert isinstance(await ended(connection), AgentDone)
        assert [one for one in connection.items if isinstance(one, AgentText | AgentWork)] == [
            AgentText("message", "x")
        ]

    with_agent(program(tmp_path, steps), does, tmp_path)


def test_a_flood_of_requests_is_refused(tmp_path: Path) -> None:
    """N43: 64 requests wait at most; each gets exactly one reply."""
    reads = [["request", "fs/read_text_file", {"path": str(tmp_path / "a")}, False]] * 100
    replies: list[str] = []

    async def does(connection: AgentConnection) -> None:
        sends = connection.actions._send

        def send(message: JsonObject) -> None:
            error = message["error"]
            assert isinstance(error, dict)
            replies.append(str(error["message"]))
            sends(message)

        connection.actions._send = send
        connection.prompt([])
        await ended(connection)

    with_agent(program(tmp_path, [*reads, ["say", "x"]]), does, tmp_path)
    assert sorted(replies) == ["It was cancelled."] * 64 + ["Too many requests wait (64)."] * 36


def test_n44_nothing_outlives_a_closed_agent(tmp_path: Path) -> None:
    """Its children in sessions of their own end with it."""
    seconds = 300_000 + os.getpid()

    async def does(connection: AgentConnection) -> None:
        connection.prompt([])
        await ended(connection)
        async with asyncio.timeout(LIMIT):
            while not _running(seconds):
                await connection.changed(0.02)

    with_agent(program(tmp_path, [["child", seconds], ["say", "x"]]), does, tmp_path)
    assert not _running(seconds)


def _running(seconds: int) -> list[str]:
    found = []
    for one in Path("/proc").glob("[0-9]*"):
        try:
            said = (one / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if said[:2] == [b"sleep", str(seconds).encode()]:
            found.append(one.name)
    return found
