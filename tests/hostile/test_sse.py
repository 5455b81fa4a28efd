"""The recorded group `sse`, each case on its whole way: a real socket, the real driver and wires, the engine, the log.

Whole and said once, or clear words and nothing run; tries, waits and sizes stay within what is set.
"""

from __future__ import annotations

import asyncio
import os
import re
import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from jp_tui.conversation.model import ModelError
from jp_tui.engine.base.dependencies import RetryPolicy
from jp_tui.engine.record.event_codec import entry
from jp_tui.journal.store import open_journal
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.providers import http
from jp_tui.providers.endpoint import Endpoint
from jp_tui.providers.registry import open_provider
from tests.engine.conftest import Bench, tool_setup
from tests.fakes import strict_server
from tests.fakes.model_server import Answer, ModelServer, in_thread
from tests.fakes.tools import Made, at_once
from tests.faults.servers import Switch
from tests.headless.running import LIMIT, command, environment
from tests.hostile import sse_cases
from tests.hostile.recorded import cases
from tests.hostile.wired import says
from tests.providers.decoding import HELLO
from tests.providers.test_http_failures import self_signed as self_signed

CASES = cases("sse")
KEY = "sk-key-123"
TRIES = 3
SOON, LATER = 0.3, 60.0
"""Seconds that a server may say nothing: one that stalls, and one that does not on a busy machine."""
OVER = "zq-over"
"""What a server says when more is asked than the case has answers for."""
PROMPT = "say hello"


class World:
    """One engine, one server, one provider a wire: each case is a conversation of its own."""

    def __init__(self, home: Path, server: ModelServer) -> None:
        self.server, self.switch, self.bench = server, Switch(), Bench(home)
        self.bench.script = self.switch  # type: ignore[assignment]
        self.tools = {name: Made(at_once) for name in sse_cases.tools(CASES.values())}
        self.bench.tools = {name: tool_setup(name, made) for name, made in self.tools.items()}
        wires: dict[str, str] = {"anthropic": "anthropic", "openai_chat": "openai-chat"}
        self.providers = {
            (dialect, idle): open_provider(
                Endpoint("acme", wire, server.url, KEY, "ACME_API_KEY", stream_idle_timeout_secs=idle)
            )
            for dialect, wire in wires.items()
            for idle in (SOON, LATER)
        }
        self.bench.run()

    def turn(self, case: dict[str, Any]) -> e.TurnCompleted:
        """One turn of a new conversation against the case's server."""
        given = sse_cases.answers(case["payload"])
        if len(given) == 1 and case["expect"]["outcome"] != "completed":
            given = given * TRIES
        dialect = case["dialect"]
        self.server.answers = [*given, Answer([says(dialect, OVER)])]
        self.server.received.clear()
        for made in self.tools.values():
            made.calls.clear()
        stalls = any(answer.end == "stall" or answer.blackhole for answer in given)
        self.switch.now = self.providers[dialect, SOON if stalls else LATER]
        self.bench.retry = RetryPolicy(0 if case["expect"]["outcome"] == "bounded" else TRIES - 1, 1, 0.5, 0.0)
        self.bench.forget()
        self.bench.send(c.OpenConversation(which="new"))
        self.bench.conversation = self.bench.until(e.ConversationOpened).conversation
        self.bench.say(PROMPT)
        return self.bench.turn()

    def said(self, *, discarded: bool = False) -> list[dict[str, Any]]:
        """The messages in the log, without those that were asked for again."""
        found = [event for event in self.bench.log() if event["type"] == "chat_response" and event.get("message")]
        marked = [event for event in found if event.get("metadata", {}).get("discarded")]
        return marked if discarded else [event for event in found if event not in marked]

    def ran(self) -> list[Any]:
        return [dict(call.arguments) for made in self.tools.values() for call in made.calls]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with mock.patch.object(http, "NO_PROGRESS_SECS", 0.6), in_thread(Answer()) as server:
        made = World(tmp_path_factory.mktemp("sse"), server)
        yield made
        made.bench.stop()


def test_no_case_is_left_out() -> None:
    kinds = {case["payload"]["kind"] for case in CASES.values()}
    assert kinds <= {"http", "http_seq", "tls", "config", "history"}, "a kind that no test here takes"


@pytest.mark.parametrize("case", sse_cases.params(CASES, "http", "http_seq"))
def test_what_a_server_answers(world: World, case: dict[str, Any]) -> None:
    done = world.turn(case)
    asked = len(world.server.received)
    texts = "".join(event["message"] for event in world.said()).removesuffix(OVER)
    assert "\ufffd" not in texts and KEY not in repr(world.bench.events)
    if case["title"].startswith("two blocks"):
        assert world.ran() == [{"path": "x"}]
    match case["expect"]["outcome"]:
        case "completed":
            assert done.outcome == "done" and texts == case["expect_text"]
            assert asked == (1 if not world.ran() and case["payload"]["kind"] == "http" else 2)
        case "exactly_one":
            assert done.outcome == "done" and len(world.ran()) == 1
            assert world.bench.kinds().count("tool_call_response") == 1
        case "error_retryable":
            _retried(world, done, asked)
        case "error_final" | "denied":
            assert done.outcome == "failed" and done.error is not None and done.error.advice
            assert done.returned == PROMPT, "what was written is not lost"
            assert asked == (1 if case["payload"]["kind"] == "http" else TRIES)
        case "bounded":
            assert done.outcome == "failed" and done.error is not None and done.error.kind == "stalled"
        case other:
            pytest.fail(f"an outcome that this test does not know: {other}")


def _retried(world: World, done: e.TurnCompleted, asked: int) -> None:
    """Tried again as often as is set and no more, each wait told; or a call that was cut, and is not run."""
    assert world.ran() == []
    waits = [event for event in world.bench.events if isinstance(event, e.TurnPhase) and event.phase == "retrying"]
    refused = [event for event in world.bench.log() if event.get("metadata", {}).get("refused")]
    if refused:
        assert done.outcome in ("done", "failed") and not waits
        return
    assert done.outcome == "failed" and done.error is not None and done.error.advice
    patient = "Retry after" not in done.error.message
    assert (asked, len(waits)) == ((TRIES, TRIES - 1) if patient else (1, 0))
    assert all(event.retry_in is not None and event.retry_in <= 0.5 for event in waits)
    kept = world.said()
    assert all(event["metadata"]["incomplete"] for event in [*kept, *world.said(discarded=True)])
    assert len(kept) <= 1, "the last attempt stands, once"
    assert (done.returned == PROMPT) is (not kept)


@pytest.mark.parametrize(
    ("id", "words"),
    [
        ("SSE-018", "hologram"),
        ("SSE-054", "no finish reason"),
        ("SSE-059", "127.0.0.1:%d answered with a web page (HTML)"),
        ("SSE-067", "Retry after 11574 days."),
        ("SSE-081", "The key in ACME_API_KEY was rejected (401)."),
        ("SSE-083", "doesn't allow this key to use `model` (403)"),
        ("SSE-084", "has no model `model` at http://127.0.0.1:%d (404)"),
        ("SSE-085", "Start a new conversation, or select a model with a larger window"),
        ("SSE-088", "The key isn't sent there"),
        ("SSE-092", "(999)"),
    ],
)
def test_the_words(world: World, id: str, words: str) -> None:
    """What the case says must be told."""
    done = world.turn(CASES[id])
    told = repr(done) + repr(world.bench.log()[-1])
    assert words.replace("%d", world.server.url.rpartition(":")[2]) in told, told[-600:]
    if id == "SSE-083":
        assert "quota" not in told


def test_what_was_cut_is_not_told_as_said(world: World) -> None:
    """SSE-093: the log has the attempt, marked; the next request does not."""
    world.turn(CASES["SSE-093"])
    assert [event["metadata"] for event in world.said(discarded=True)] == [{"incomplete": True, "discarded": True}]
    world.bench.say("and now?")
    world.bench.turn()
    last = world.server.received[-1].json["messages"]
    assert [block["text"] for message in last for block in message["content"]] == [
        PROMPT,
        CASES["SSE-093"]["expect_text"],
        "and now?",
    ]


# --- histories ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", sse_cases.params(CASES, "history"))
def test_an_old_history_is_told_so_that_the_server_takes_it(bench: Bench, case: dict[str, Any]) -> None:
    """The same refusal on every turn would make it useless; what is stored stays as it is."""
    rows = [entry(event, 1, "now")[0] for event in sse_cases.history(case["payload"]["messages"])]

    async def store() -> None:
        journal = open_journal(bench.home / "conversations.db")
        await journal.create("old1", workspace=str(bench.workspace), model=bench.model, at="now", title="old")
        await journal.append("old1", rows)
        journal.close()

    asyncio.run(store())
    with in_thread(Answer([says("anthropic", "fine")])) as server:
        too_long = Answer([b'{"error":{"message":"prompt is too long"}}'], 413, {"content-type": "application/json"})
        larger = "larger than the window" in case["title"]
        server.answers = [*([too_long] if larger else []), *server.answers]
        bench.script = Switch()  # type: ignore[assignment]
        bench.script.now = open_provider(Endpoint("fake", "anthropic", server.url, KEY))  # type: ignore[attr-defined]
        bench.start("latest")
        bench.say("go on")
        done = bench.turn()
        if larger:
            assert len(server.received) == 2, "refused, and sent once more after a compaction (K27)"
        assert done.outcome == "done"
        told = strict_server.anthropic(server.received[-1].body)
        results = {
            block["tool_use_id"]: block["content"]
            for message in told["messages"]
            for block in message["content"]
            if block["type"] == "tool_result"
        }
        if "t1,t2" in case["payload"]["messages"][0]:
            assert results == {"t1": "ok", "t2": "Tool call was interrupted."}
        if "image" in case["title"]:
            assert len(server.received[-1].body) < 10_000 and b"too large" in server.received[-1].body
        bench.stop()
    reader = open_journal(bench.home / "conversations.db")
    assert [row.entry.payload for row in reader.read("old1", 0, len(rows))] == [row.payload for row in rows]
    reader.close()


# --- not the server's words --------------------------------------------------------------------------------


@pytest.mark.parametrize("case", sse_cases.params(CASES, "tls"))
async def test_a_certificate_that_nobody_vouches_for(case: dict[str, Any], self_signed: ssl.SSLContext) -> None:
    """No way around it: nothing is sent, and it is not tried without checking."""
    asked: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await reader.read(10))
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0, ssl=self_signed) as server:
        provider = open_provider(
            Endpoint("acme", "anthropic", f"https://localhost:{server.sockets[0].getsockname()[1]}", KEY)
        )
        with pytest.raises(ModelError) as caught:
            [delta async for delta in provider.stream(HELLO)]
        await provider.close()
    assert not caught.value.transient and "certificate wasn't accepted" in caught.value.message and not asked


@pytest.mark.parametrize("case", sse_cases.params(CASES, "config"))
def test_a_project_sets_no_proxy(case: dict[str, Any], tmp_path: Path) -> None:
    """What lies in the folder is not the environment: no request goes to the address that it names."""
    home, work = tmp_path / "home", tmp_path / "work"
    (home / "config").mkdir(parents=True)
    work.mkdir()
    (home / "config" / "config.toml").write_text(
        '[providers.llm.acme]\nwire = "openai-chat"\nbase_url = "http://models.invalid/v1"\n'
    )
    with in_thread(Answer([says("openai_chat", "caught")])) as proxy:
        mine = re.sub(r"https?://[^\s\"]+", proxy.url, case["payload"]["dotenv"])
        names = ("HTTP_PROXY", "http_proxy", "ALL_PROXY")
        (work / ".env").write_text("\n".join([mine, *(f"{name}={proxy.url}" for name in names)]) + "\n")
        ran = subprocess.run(
            command("query", "--model", "acme/m", "--cfg", "assistant.request.max_retries=0", "hello"),
            env={**environment(home), "PYTHONPATH": str(Path(__file__).parents[2])},
            cwd=work,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=LIMIT,
        )
        assert proxy.received == [] and ran.returncode != 0 and os.listdir(work) == [".env"]
        assert b"models.invalid" in ran.stderr
