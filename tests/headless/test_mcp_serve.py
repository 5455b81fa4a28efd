"""`jp-tui mcp serve`, driven by the client of the official SDK in both generations of the protocol (intake.md N30).

Most tests have client, server and engine in this process; the user answers in an engine of another one.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from jp_tui.engine.record.inquiries import asker_of, claimed_in, waiting
from jp_tui.journal.port import JournalError
from jp_tui.journal.reader import open_reader
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.commands import Command
from jp_tui.protocol.events import Event
from jp_tui.protocol.outside import Asker
from jp_tui.startup.asking import session_note, waiter
from jp_tui.system.agents.presence import sessions
from jp_tui.system.paths import Paths
from tests.engine.conftest import Bench
from tests.headless.running import LIMIT, ROOT, command, environment, jp

mcp = pytest.importorskip("mcp", reason="the SDK is an extra: pip install 'jp-tui[mcp]'")
import mcp_types as types  # noqa: E402

from jp_tui.headless.mcp_serve import server as serving  # noqa: E402

GENERATIONS = ["legacy", "2026-07-28"]
CLIENT = types.Implementation(name="claude-code", version="2.1.330")
ASKER = Asker(program="claude", pid=4711, started="2026-01-01T00:00:00Z", uid=1000, folder="/srv/app", host="here")


class Beside:
    """The link to an engine of this process."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench

    def start(self, ready: Callable[[], None]) -> None:
        self.bench.run(ready)

    def send(self, command: Command) -> None:
        self.bench.send(command)

    def collect(self) -> list[Event]:
        assert self.bench._link is not None
        return self.bench._link.collect()

    def close(self, timeout: float) -> bool:
        self.bench.stop()
        return True


class World:
    """A server and the user. `waits` are the changes that the server reported."""

    def __init__(self, home: Path) -> None:
        self.bench = Bench(home)
        self.user = self.bench.other()
        self.waits: list[bool] = []
        self.told: list[str] = []
        values = serving.Served(ASKER, waiter(), "Ask.", {"type": "object"}, self.waits.append, self.told.append)
        self.server = serving.McpServe(Beside(self.bench), values)  # type: ignore[arg-type]

    @asynccontextmanager
    async def client(self, mode: str, **more: Any) -> AsyncIterator[Any]:
        made = await self.server.open()
        self.user.run()
        try:
            async with mcp.Client(made, mode=mode, client_info=CLIENT, **more) as client:
                yield client
        finally:
            await self.server.close()
            self.user.stop()

    async def answer(self, asked: Any, value: str, **more: Any) -> e.OfferSettled:
        row, request = asked
        self.user.send(c.OfferAnswer(conversation=row.conversation, inquiry=request.id, value=value, **more))
        return await asyncio.to_thread(self.user.until, e.OfferSettled)


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


async def open_ones(database: Path, count: int = 1) -> list[Any]:
    """Wait until so many questions are open; return them in the order of their texts."""
    async with asyncio.timeout(LIMIT):
        while True:
            try:
                reader = open_reader(database)
                try:
                    found = waiting(reader, None)
                finally:
                    reader.close()
            except JournalError:  # not made yet
                found = []
            if len(found) == count:
                return sorted(found, key=lambda one: str(one[1].question["text"]))
            await asyncio.sleep(0.02)


def texts(result: Any) -> list[str]:
    return [one.text for one in result.content]


@pytest.mark.parametrize("mode", GENERATIONS)
async def test_n30_ask_user_returns_what_was_answered(world: World, mode: str) -> None:
    async with world.client(mode) as client:
        arguments = {"question": "Which?", "answer_type": "select", "options": ["a", "b"]}
        call = asyncio.create_task(client.call_tool("ask_user", arguments))
        (asked,) = await open_ones(world.bench.home / "conversations.db")
        assert asker_of(asked[1]) == ASKER, "who asks is who started the server, whatever it says"
        assert claimed_in(asked[1]).program == "claude-code 2.1.330"
        assert (await world.answer(asked, "b", note="as before")).status == "accepted"
        result = await call
        assert not result.is_error and result.structured_content == {"answer_type": "select", "answer": "b"}
        assert texts(result) == ['{"answer_type": "select", "answer": "b"}', "The user adds: as before"]
    assert world.waits == [True, False] and world.told == []


@pytest.mark.parametrize("mode", GENERATIONS)
async def test_n30_calls_wait_beside_each_other_and_a_cancelled_one_is_withdrawn(world: World, mode: str) -> None:
    database = world.bench.home / "conversations.db"
    async with world.client(mode) as client:
        calls = [
            asyncio.create_task(client.call_tool("ask_user", {"question": f"{name}?", "answer_type": kind}))
            for name, kind in (("one", "text"), ("two", "boolean"), ("three", "text"))
        ]
        asked = await open_ones(database, 3)
        assert [one[1].question["text"] for one in asked] == ["one?", "three?", "two?"]
        calls[0].cancel()
        left = await open_ones(database, 2)
        assert [one[1].question["text"] for one in left] == ["three?", "two?"]
        assert (await world.answer(left[1], "yes")).status == "accepted"
        assert (await world.answer(left[0], "", decline=True, note="later")).status == "accepted"
        assert json.loads(texts(await calls[1])[0])["answer"] is True
        assert json.loads(texts(await calls[2])[0]) == {"cancelled": True, "answered": {}, "reply": "later"}
        assert (await world.answer(asked[0], "x")).status == "answered", "it was withdrawn"


@pytest.mark.parametrize("mode", GENERATIONS)
async def test_n30_a_client_that_asked_for_progress_gets_it(
    world: World, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving, "PROGRESS_SECONDS", 0.001)
    said: list[float] = []
    twice = asyncio.Event()

    async def heard(progress: float, total: float | None, message: str | None) -> None:
        said.append(progress)
        if len(said) > 1:
            twice.set()

    async with world.client(mode) as client:
        arguments = {"question": "Go on?", "answer_type": "boolean"}
        call = asyncio.create_task(client.call_tool("ask_user", arguments, progress_callback=heard))
        (asked,) = await open_ones(world.bench.home / "conversations.db")
        await asyncio.wait_for(twice.wait(), LIMIT)
        await world.answer(asked, "no")
        assert json.loads(texts(await call)[0])["answer"] is False
    assert said == sorted(said)


WRONG: list[dict[str, Any]] = [
    {}, {"question": "Token?", "answer_type": "secret"}, {"question": ["x"]}, {"questions": "x"}, {"question": "a\nb"},
    {"question": "Which?", "answer_type": "select", "options": ["a", "a"]}, {"question": "x" * 3_000},
]  # fmt: skip


async def test_v12_what_cannot_be_asked_is_an_error_that_the_model_reads(world: World) -> None:
    nested: Any = "x"
    for _ in range(80):
        nested = [nested]
    async with world.client("legacy") as client:
        for arguments in [*WRONG, {"questions": nested}]:
            result = await client.call_tool("ask_user", arguments)
            assert result.is_error and texts(result)[0], arguments
        assert (await client.call_tool("nothing", {})).is_error
        await open_ones(world.bench.home / "conversations.db", 0)


@pytest.mark.parametrize("mode", GENERATIONS)
async def test_n6_the_end_of_a_session_withdraws(world: World, mode: str) -> None:
    database = world.bench.home / "conversations.db"
    async with world.client(mode) as client:
        call = asyncio.create_task(client.call_tool("ask_user", {"question": "Go on?", "answer_type": "text"}))
        await open_ones(database)
    await asyncio.gather(call, return_exceptions=True)
    await open_ones(database, 0)


async def approve(world: World, client: Any, tool: str, **given: Any) -> Any:
    return await client.call_tool("approve", {"tool_name": tool, "input": given, "tool_use_id": "t1"})


@pytest.mark.parametrize("mode", GENERATIONS)
async def test_n30_approve_allows_after_a_yes_alone(world: World, mode: str) -> None:
    database = world.bench.home / "conversations.db"
    said: list[Any] = []
    async with world.client(mode) as client:
        for value, more in (("yes", {}), ("no", {"note": "use the index"}), ("", {"decline": True})):
            call = asyncio.create_task(approve(world, client, "Bash", command=f"psql {value}", description="Look"))
            (asked,) = await open_ones(database)
            assert asked[1].metadata["tool"] == "claude-code.Bash"
            assert f"psql {value}" in str(asked[1].question["context"])
            assert (await world.answer(asked, value, **more)).status == "accepted"
            result = await call
            assert not result.is_error
            said.append(json.loads(texts(result)[0]))
        assert len({one[0].conversation for one in await open_ones(database, 0)}) == 0
    given = {"command": "psql yes", "description": "Look"}
    assert said == [
        {"behavior": "allow", "updatedInput": given},
        {"behavior": "deny", "message": "The user said no in jp-tui: use the index"},
        {"behavior": "deny", "message": "The user declined to answer in jp-tui."},
    ]


async def test_n30_approve_denies_what_it_cannot_ask(world: World) -> None:
    wrong: list[dict[str, Any]] = [
        {}, {"tool_name": "Bash"}, {"tool_name": 1, "input": {}}, {"tool_name": "", "input": {}},
        {"tool_name": "Bash", "input": "ls"}, {"tool_name": "Bash", "input": {"command": "x" * 400_000}},
    ]  # fmt: skip
    async with world.client("legacy") as client:
        for arguments in wrong:
            said = json.loads(texts(await client.call_tool("approve", arguments))[0])
            assert said["behavior"] == "deny" and said["message"], arguments
        await open_ones(world.bench.home / "conversations.db", 0)


async def test_n30_approve_shows_an_edit_as_a_diff(world: World) -> None:
    edit = {"file_path": str(world.bench.workspace / "a.py"), "old_string": "one\n", "new_string": "two\n"}
    async with world.client("legacy") as client:
        call = asyncio.create_task(approve(world, client, "Edit", **edit))
        (asked,) = await open_ones(world.bench.home / "conversations.db")
        context = str(asked[1].question["context"])
        assert "-one" in context and "+two" in context and "old_string" not in context
        await world.answer(asked, "yes")
        assert json.loads(texts(await call)[0]) == {"behavior": "allow", "updatedInput": edit}


async def test_n21_approve_of_a_question_of_the_tool_returns_the_answers(world: World) -> None:
    options = [{"label": "Red", "description": "warm"}, {"label": "Blue", "description": "cold"}]
    asks = [
        {"question": "Which colour?", "header": "Colour", "options": options},
        {"question": "Which rooms?", "header": "Rooms", "options": options, "multiSelect": True},
    ]
    database = world.bench.home / "conversations.db"
    async with world.client("legacy") as client:
        call = asyncio.create_task(approve(world, client, "AskUserQuestion", questions=asks))
        (first,) = await open_ones(database)
        await world.answer(first, "Blue")
        (second,) = await open_ones(database)
        await world.answer(second, '["Red"]')
        said = json.loads(texts(await call)[0])
        assert said["behavior"] == "allow" and said["updatedInput"]["questions"] == asks
        assert said["updatedInput"]["answers"] == {"Which colour?": "Blue", "Which rooms?": "Red"}
        call = asyncio.create_task(approve(world, client, "AskUserQuestion", questions=asks[:1]))
        (third,) = await open_ones(database)
        await world.answer(third, "", decline=True, note="ask me later")
        denied = json.loads(texts(await call)[0])
        assert denied == {"behavior": "deny", "message": "The user declined to answer in jp-tui: ask me later"}


def test_n5_a_session_is_noted_as_long_as_it_lasts(tmp_path: Path) -> None:
    paths = Paths(tmp_path, tmp_path, tmp_path, tmp_path)
    parent = Asker(program="claude", pid=os.getpid(), started=waiter().started, host=waiter().host, folder="/srv")
    with session_note(paths, parent, "mcp") as changed:
        changed(True)
        (session,) = sessions(tmp_path / "agents")
        assert (session.program, session.pid, session.way, session.doing) == ("claude", os.getpid(), "mcp", "waits")
    assert sessions(tmp_path / "agents") == []


# -- the command itself


@pytest.mark.parametrize("mode", GENERATIONS)
async def test_n30_the_command_serves_and_its_starter_is_the_asker(tmp_path: Path, mode: str) -> None:
    program, *words = command("mcp", "serve")
    server = mcp.StdioServerParameters(command=program, args=words, env=environment(tmp_path), cwd=ROOT)
    async with mcp.Client(server, mode=mode, client_info=CLIENT) as client:
        tool = next(one for one in (await client.list_tools()).tools if one.name == "ask_user")
        assert tool.input_schema["required"] == ["questions"] and tool.description
        call = asyncio.create_task(client.call_tool("ask_user", {"question": "Go on?", "answer_type": "boolean"}))
        ((row, request),) = await open_ones(tmp_path / "data" / "conversations.db")
        asker = asker_of(request)
        assert asker is not None and asker.pid == os.getpid()
        given = await asyncio.to_thread(jp, tmp_path, "answer", f"{row.conversation}/{request.id}", "yes")
        assert given.returncode == 1 and "has a session with jp-tui and also started this command" in given.stderr
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)
        await open_ones(tmp_path / "data" / "conversations.db", 0)


def start(home: Path) -> subprocess.Popen[bytes]:
    """A server that a client of the older generation has opened."""
    child = subprocess.Popen(
        command("mcp", "serve"),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(home), cwd=ROOT,
    )  # fmt: skip
    assert child.stdout is not None
    client = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    send(child, {"id": 1, "method": "initialize", "params": client})
    assert json.loads(child.stdout.readline())["result"]["serverInfo"]["name"] == "jp-tui"
    send(child, {"method": "notifications/initialized"})
    return child


def send(child: subprocess.Popen[bytes], message: dict[str, Any]) -> None:
    assert child.stdin is not None
    child.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
    child.stdin.flush()


@pytest.mark.parametrize("way", ["end of input", "SIGTERM"])
async def test_n6_a_server_that_ends_leaves_nothing_open(tmp_path: Path, way: str) -> None:
    with start(tmp_path) as child:
        arguments = {"question": "Go on?", "answer_type": "boolean"}
        send(child, {"id": 2, "method": "tools/call", "params": {"name": "ask_user", "arguments": arguments}})
        await open_ones(tmp_path / "data" / "conversations.db")
        assert child.stdin is not None
        if way == "end of input":
            child.stdin.close()
        else:
            child.send_signal(signal.SIGTERM)
        status = await asyncio.to_thread(child.wait, LIMIT)
        assert status == (0 if way == "end of input" else 128 + signal.SIGTERM)
        await open_ones(tmp_path / "data" / "conversations.db", 0)


def test_n22_malformed_messages_end_nothing(tmp_path: Path) -> None:
    """Neither a line that is no JSON, too long, too deep, nor of a wrong type: the server answers the next one."""
    with start(tmp_path) as child:
        assert child.stdin is not None and child.stdout is not None
        deep = b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":' + b"[" * 9_000 + b"}"
        for line in (b"{", b"null", b"[1]", b"x" * (9 << 20), deep, b"\xff\xfe"):
            child.stdin.write(line + b"\n")
        send(child, {"id": 9, "method": "ping"})
        found: dict[Any, Any] = {}
        while 9 not in found:
            message = json.loads(child.stdout.readline())
            found[message.get("id")] = message
        assert found[9]["result"] == {}
        child.communicate(timeout=LIMIT)
        assert child.returncode == 0


def test_n60_without_the_extra_it_says_so(tmp_path: Path) -> None:
    missing = tmp_path / "without"
    (missing / "mcp").mkdir(parents=True)
    (missing / "mcp" / "__init__.py").write_text("raise ModuleNotFoundError(\"No module named 'mcp'\")\n")
    done = jp(tmp_path, "mcp", "serve", PYTHONPATH=f"{missing}{os.pathsep}{ROOT}")
    assert (done.returncode, done.stdout) == (2, "")
    assert 'This needs an extra: pip install "jp-tui[mcp]"' in done.stderr
