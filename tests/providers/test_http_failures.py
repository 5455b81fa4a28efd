"""Bad input from a server (issue 3): each failure says what happened and what to do, on a real socket."""

from __future__ import annotations

import asyncio
import json
import socket
import ssl
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest

from jp_tui.conversation.model import Delta, Finished, Message, ModelError, ReasoningLeftOut, ReasoningPart, TextPart
from jp_tui.providers.endpoint import Endpoint
from jp_tui.providers.failures import retry_after
from jp_tui.providers.http import HttpProvider
from jp_tui.providers.registry import open_provider
from tests.fakes import certificates
from tests.fakes.model_server import Answer, ModelServer
from tests.limits import LIMIT

from .decoding import HELLO, fold, sample

JSON = {"content-type": "application/json"}


def refusal(status: int, error: Any = None, **headers: str) -> Answer:
    body = json.dumps({"error": error or {"type": "e", "message": "m"}}).encode()
    return Answer([body], status, {**JSON, **{name.replace("_", "-"): value for name, value in headers.items()}})


async def failure(answer: Answer | str, wire: str = "anthropic", **more: Any) -> tuple[ModelError, list[Delta]]:
    """The failure, and what had been said before it."""
    found: list[Delta] = []

    async def run(url: str) -> ModelError:
        more.setdefault("stream_idle_timeout_secs", 5)
        provider = open_provider(Endpoint("anthropic", wire, url, "sk-key-12345", "ANTHROPIC_API_KEY", **more))  # type: ignore[arg-type]
        try:
            with pytest.raises(ModelError) as caught:
                async for delta in provider.stream(HELLO):
                    found.append(delta)
        finally:
            await provider.close()
        assert caught.value.message and caught.value.advice, "what happened, and what to do"
        return caught.value

    if isinstance(answer, str):
        return await run(answer), found
    async with ModelServer(answer) as server:
        return await run(server.url), found


@pytest.mark.parametrize(
    ("answer", "kind", "transient", "message", "advice"),
    [
        (refusal(401), "unauthorised", False, "The key in ANTHROPIC_API_KEY was rejected (401).", "Set ANTHROPIC_"),
        (refusal(402), "forbidden", False, "no credit or quota left (402)", "Add credit"),
        (refusal(403), "forbidden", False, "doesn't allow this key to use `m` (403)", "--model"),
        (refusal(404), "unknown_model", False, "has no model `m` at http://127.0.0.1", "llm.anthropic.base_url"),
        (refusal(413), "too_long", False, "too long for `m`", "Start a new conversation"),
        (refusal(429), "rate_limited", True, "Rate limited by anthropic (429).", "Wait a moment"),
        (refusal(429, retry_after="7"), "rate_limited", True, "Retry after 7 s.", "Wait a moment"),
        (refusal(429, retry_after="999999999"), "rate_limited", False, "Retry after 11574 days.", "Wait"),
        (refusal(429, retry_after="abc"), "rate_limited", True, "Rate limited by anthropic (429).", "Wait a moment"),
        (refusal(429, {"code": "insufficient_quota", "message": "m"}), "forbidden", False, "no credit or quota", "Add"),
        (refusal(529), "overloaded", True, "is overloaded or not ready (529)", "Send it again"),
        (refusal(503, retry_after="1"), "overloaded", True, "Retry after 1 s.", "Send it again"),
        (refusal(500), "server", True, "reported a server error (500)", "Send it again"),
        (refusal(502), "server", True, "reported a server error (502)", "Send it again"),
        (refusal(400), "bad_request", False, "rejected the request (400)", "assistant.model.parameters"),
        (refusal(400, {"message": "prompt is too long: 9 > 5"}), "too_long", False, "too long for", "Start a new"),
        (refusal(400, {"message": "The model does not exist"}), "unknown_model", False, "has no model", "--model"),
        (refusal(400, {"message": "API key not valid"}), "unauthorised", False, "was rejected (400)", "Set"),
        (refusal(307, location="https://evil.example/v1"), "other", False, "The key isn't sent there", "base_url"),
        (refusal(999), "other", False, "(999)", "base_url"),
    ],
)  # fmt: skip
async def test_refusals(answer: Answer, kind: str, transient: bool, message: str, advice: str) -> None:
    caught, said = await failure(answer)
    assert (caught.kind, caught.transient, caught.status) == (kind, transient, answer.status)
    assert message in caught.message and advice in caught.advice and not said
    assert caught.detail and "sk-key" not in repr(vars(caught))


async def test_without_a_key_a_401_says_so() -> None:
    async with ModelServer(refusal(401)) as server:
        with pytest.raises(ModelError) as caught:
            async for _ in open_provider(Endpoint("local", "openai-chat", server.url)).stream(HELLO):
                pass
    assert caught.value.message == "local requires a key (401)."
    assert "providers.llm.local.api_key_env" in caught.value.advice


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        (b'{"error":{"message":"one"}}', "one"),
        (b'{"error":"two"}', "two"),
        (b'{"message":{"detail":"three"}}', "three"),
        (b'{"detail":"four"}', "four"),
        (b"plain words", "plain words"),
        (b"<html><body>502</body></html>", "⟨a page of HTML, 29 characters, not kept⟩"),
        (b'{"error":{"message":"' + b"x" * 5000 + b'"}}', "x" * 5000),
        (b'{"error":{"message":"' + b"x" * 20_000 + b'"}}', "x" * 16_384 + "… ⟨3,616 more characters, not kept⟩"),
        (b"", ""),
        (b"\xff\xfe", "\ufffd\ufffd"),
        (b"[" * 5000, None),
    ],
)
async def test_the_servers_own_words_are_kept_and_bounded(body: bytes, detail: str | None) -> None:
    """What is left out is counted (Z26)."""
    caught, _ = await failure(Answer([body], 500, JSON))
    assert len(caught.detail) <= 16_500 and (detail is None or caught.detail == detail)


async def test_an_endless_refusal_is_not_read_to_its_end() -> None:
    """It says that there was more (Z26)."""
    caught, _ = await failure(Answer([b"x" * 65536] * 3, 500, JSON, end="stall"))
    assert caught.kind == "server"
    assert caught.detail.endswith("x… ⟨49,152 more characters, not kept, and more that was not read⟩")


@pytest.mark.parametrize("error", ["overloaded_error", "rate_limit_error", "authentication_error", "api_error", "new"])
async def test_an_error_event_keeps_what_was_said(error: str) -> None:
    raw, _ = sample("anthropic_tools")
    start = raw[: raw.index(b'event: content_block_start\ndata: {"type":"content_block_start","index":3')]
    event = {"type": "error", "error": {"type": error, "message": "the words"}}
    caught, said = await failure(Answer([start, f"event: error\ndata: {json.dumps(event)}\n\n".encode()]))
    kinds = {
        "overloaded_error": "overloaded",
        "rate_limit_error": "rate_limited",
        "authentication_error": "unauthorised",
    }
    assert caught.kind == kinds.get(error, "server") and caught.detail == "the words"
    assert ["message", "Two calls, 🍵"] in fold(said)[0]


@pytest.mark.parametrize("end", ["cut", "rst", "bad_chunk", "fin"])
@pytest.mark.parametrize("framing", ["chunked", "length", "close"])
async def test_a_cut_stream_keeps_what_was_said_and_runs_nothing(end: str, framing: str) -> None:
    raw, _ = sample("openai_parallel")
    half = raw[: raw.index(b'"finish_reason":"tool_calls"') - 20]
    caught, said = await failure(Answer([half], end=end, framing=framing), "openai-chat")  # type: ignore[arg-type]
    assert caught.kind == "cut" and caught.transient and "before it was complete" in caught.message
    parts, finished = fold(said)
    assert finished is None and (end == "rst" or ["message", "Let me look."] in parts)
    assert not any(isinstance(part[-1], dict) and part[0] == "tool" for part in parts)


@pytest.mark.parametrize("at", range(1, 12))
async def test_cut_anywhere_nothing_is_invented(at: int) -> None:
    """Also inside a character: no replacement character, no half event (T19)."""
    raw, expected = sample("anthropic_tools")
    whole = {part[0]: part[1] for part in expected["events"][:1]} | {"message": expected["events"][2][1]}
    caught, said = await failure(Answer([raw[: len(raw) * at // 12]], end="cut"))
    assert caught.kind == "cut"
    for part in fold(said)[0]:
        if part[0] in ("message", "reasoning"):
            assert whole[part[0]].startswith(part[1]) and "\ufffd" not in part[1]


async def test_a_server_that_ends_before_it_answers() -> None:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        port = listening.getsockname()[1]

        def once() -> None:
            connection, _ = listening.accept()
            connection.recv(100)
            connection.close()

        thread = threading.Thread(target=once)
        thread.start()
        caught, _ = await failure(f"http://127.0.0.1:{port}")
        thread.join(LIMIT)
    assert caught.kind == "cut" and caught.transient


@pytest.mark.parametrize("blackhole", [True, False])
async def test_a_stall(blackhole: bool) -> None:
    raw, _ = sample("openai_parallel")
    answer = Answer([] if blackhole else [raw[:300]], end="stall", blackhole=blackhole)
    caught, said = await failure(answer, "openai-chat", stream_idle_timeout_secs=0.3)
    assert caught.kind == "stalled" and caught.transient and caught.message == "anthropic sent nothing for 0.3 s."
    assert "assistant.request.stream_idle_timeout_secs" in caught.advice
    assert bool(said) is not blackhole


async def test_pings_alone_do_not_last_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jp_tui.providers.http.NO_PROGRESS_SECS", 0.0)
    pings = [b'event: ping\ndata: {"type":"ping"}\n\n'] * 3
    caught, _ = await failure(Answer(pings, end="stall"), stream_idle_timeout_secs=0.3)
    assert caught.kind == "stalled"


@pytest.mark.parametrize(("idle", "limit"), [(60, 600.0), (300, 600.0), (3600, 3600.0)])
def test_at_most_ten_minutes_without_progress(idle: float, limit: float) -> None:
    """Longer only where the user allows a longer silence (Z27)."""
    provider = open_provider(Endpoint("x", "anthropic", "http://h", stream_idle_timeout_secs=idle))
    assert isinstance(provider, HttpProvider) and provider._read_timeout() == limit


async def test_a_reply_that_comes_byte_by_byte_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bytes that complete no event are no progress, however long they go on; whole events are (Z27)."""
    monkeypatch.setattr("jp_tui.providers.http.NO_PROGRESS_SECS", 1.5)
    event = b"data: " + json.dumps(WORD).encode() + b"\n\n"
    for pieces, heard in (([b"data: {", *[b" "] * 200], 0), ([event, b"data: {", *[b" "] * 200], 1)):
        with dripping(pieces, 0.05) as url:
            caught, said = await failure(url, "openai-chat", stream_idle_timeout_secs=1.5)
        assert caught.kind == "stalled" and caught.transient and bool(said) == bool(heard)
    with dripping([*[event] * 40, END], 0.05) as url:
        provider = open_provider(Endpoint("x", "openai-chat", url, stream_idle_timeout_secs=1.5))
        said = [delta async for delta in provider.stream(HELLO)]
        await provider.close()
    assert fold(said)[0] == [["message", "a" * 40]], "it takes longer in all, and goes on"


class Skipping(asyncio.SelectorEventLoop):
    """A loop whose clock also goes on by `skipped` seconds."""

    skipped = 0.0

    def time(self) -> float:
        return super().time() + self.skipped


@pytest.mark.parametrize("pause", [1.0, 59.0])
def test_a_reply_without_a_whole_event_ends_after_ten_minutes(monkeypatch: pytest.MonkeyPatch, pause: float) -> None:
    """Byte after byte, each well within the limit of silence; by a clock that a test sets forward (Z27)."""
    loop = Skipping()

    class Dripping:
        is_success, headers = True, {"content-type": "text/event-stream"}

        async def aiter_raw(self) -> AsyncIterator[bytes]:
            yield b"data: " + json.dumps(WORD).encode() + b"\n\ndata: {"
            while True:
                loop.skipped += pause
                yield b" "

    @asynccontextmanager
    async def answered(*_: Any) -> AsyncIterator[Any]:
        yield Dripping()

    async def read() -> None:
        async for delta in open_provider(Endpoint("x", "openai-chat", "http://127.0.0.1:9")).stream(HELLO):
            said.append(delta)

    said: list[Any] = []
    monkeypatch.setattr(HttpProvider, "_answered", answered)
    with asyncio.Runner(loop_factory=lambda: loop) as runner, pytest.raises(ModelError) as caught:
        runner.run(read())
    assert caught.value.kind == "stalled" and caught.value.transient and said, "what came before was shown"
    assert 600 <= loop.skipped <= 600 + 2 * pause


WORD = {"choices": [{"index": 0, "delta": {"content": "a"}}]}
END = b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'


@contextmanager
def dripping(pieces: list[bytes], pause: float) -> Iterator[str]:
    """A server that sends one piece after the other, with a pause of so many seconds before each."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()

        def serve() -> None:
            connection, _ = listening.accept()
            with connection, suppress(OSError):
                connection.recv(65536)
                connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")
                for piece in pieces:
                    time.sleep(pause)
                    connection.sendall(piece)

        thread = threading.Thread(target=serve)
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        thread.join(LIMIT)


async def test_nothing_listens() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
        caught, _ = await failure(url)
    assert caught.kind == "refused" and not caught.transient
    assert caught.message == f"Nothing listens at {url.removeprefix('http://')} (connection refused)."
    assert "Start the server" in caught.advice and "providers.llm.anthropic.base_url" in caught.advice


async def test_a_name_that_does_not_exist() -> None:
    caught, _ = await failure("https://models.invalid", connect_timeout_secs=5)
    assert caught.kind == "unreachable" and "models.invalid can't be reached" in caught.message


@pytest.fixture
def self_signed(tmp_path: Path) -> ssl.SSLContext:
    return certificates.self_signed(tmp_path)[1]


async def test_a_certificate_that_nobody_vouches_for_is_final(self_signed: ssl.SSLContext) -> None:
    """There is no way around it and no second try without checking."""
    asked: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await reader.read(10))
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0, ssl=self_signed) as server:
        caught, _ = await failure(f"https://localhost:{server.sockets[0].getsockname()[1]}")
    assert caught.kind == "unreachable" and not caught.transient and not asked
    assert "its certificate wasn't accepted (self-signed certificate)" in caught.message.replace(
        "self signed", "self-signed"
    )


@pytest.mark.parametrize(
    ("headers", "body", "kind"),
    [
        ({"content-type": "text/html"}, b"<html><title>Login</title>", "not_json"),
        ({"content-type": "text/event-stream"}, b"<!DOCTYPE html><html>Login</html>", "not_json"),
        ({}, b"\n <html>", "not_json"),
        (JSON, b'{"choices":[{"message":{"content":"whole"}}]}', "not_json"),
        (JSON, b'{"error":{"type":"overloaded_error","message":"m"}}', "overloaded"),
        ({}, b'{"error":"no such model"}', "server"),
        (JSON, b"not json", "not_json"),
    ],
)
async def test_something_else_than_a_stream(headers: dict[str, str], body: bytes, kind: str) -> None:
    caught, said = await failure(Answer([body], headers=headers, framing="length"))
    assert caught.kind == kind and not said
    if kind == "not_json":
        what = "a web page (HTML)" if b"html" in body else ""
        assert what in caught.message and "127.0.0.1" in caught.message and "base_url" in caught.advice


async def test_a_stream_without_content_type_is_read() -> None:
    raw, _ = sample("anthropic_tools")
    async with ModelServer(Answer([raw], headers={})) as server:
        provider = open_provider(Endpoint("a", "anthropic", server.url))
        _, finished = fold([delta async for delta in provider.stream(HELLO)])
        await provider.close()
    assert finished is not None


NOW = datetime(2025, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("7", 7.0),
        ("0.5", 0.5),
        (" 3 ", 3.0),
        ("\x1c3", 3.0),
        (format_datetime(NOW + timedelta(seconds=90), usegmt=True), 90.0),
        (format_datetime(NOW - timedelta(seconds=90), usegmt=True), 0.0),
        ("-5", None),
        ("soon", None),
        ("1e9", None),
        ("9" * 400, None),
        ("Wed, 99 Foo 2025", None),
        ("", None),
    ],
)
def test_retry_after(value: str, seconds: float | None) -> None:
    assert retry_after(value, NOW) == seconds


async def test_a_retry_after_date_is_read_by_the_servers_clock() -> None:
    later, date = (format_datetime(NOW + timedelta(seconds=add), usegmt=True) for add in (30, 0))
    caught, _ = await failure(refusal(429, retry_after=later, date=date))
    assert caught.retry_after == 30.0


async def test_w6_refused_reasoning_is_left_out_once_and_not_sent_again_while_the_program_runs() -> None:
    thought = ReasoningPart("Hm.", {"anthropic_thinking_signature": "old"})
    told = (Message("user", (TextPart("a"),)), Message("assistant", (thought, TextPart("b"))), HELLO.messages[0])
    request, bad = replace(HELLO, messages=told), {"type": "invalid_request_error", "message": "Invalid `signature`"}
    new = replace(thought, opaque={"anthropic_thinking_signature": "new"})
    later = (*told[:2], *told[:1], Message("assistant", (new, TextPart("c"))), *told[:1])
    good = Answer([sample("anthropic_tools")[0]])
    async with ModelServer(refusal(400, bad), good, good, refusal(400, bad), refusal(400, bad)) as server:
        provider = open_provider(Endpoint("anthropic", "anthropic", server.url, "k"))
        said = [delta async for delta in provider.stream(request)]
        assert isinstance(said[0], ReasoningLeftOut) and isinstance(said[-1], Finished)
        said = [delta async for delta in provider.stream(replace(request, messages=later))]
        assert not any(isinstance(one, ReasoningLeftOut) for one in said)
        said = []
        with pytest.raises(ModelError, match="400"):
            async for delta in provider.stream(replace(request, messages=later)):
                said.append(delta)
        assert said == [ReasoningLeftOut()], "and then the error"
        await provider.close()
    sent = [b"old" in one.body for one in server.received], [b"new" in one.body for one in server.received]
    assert sent == ([True, False, False, False, False], [False, False, True, True, False])


def _info(delay: object) -> dict[str, Any]:
    kind = "type.googleapis.com/google.rpc."
    return {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "quota", "details": [
        {"@type": f"{kind}QuotaFailure"}, {"@type": f"{kind}RetryInfo", "retryDelay": delay},
    ]}  # fmt: skip


@pytest.mark.parametrize(
    ("answer", "seconds"),
    [
        (refusal(429, retry_after="0"), None),
        (refusal(429, retry_after="Wed, 21 Oct 2015 07:28:00 GMT"), None),
        (refusal(429, retry_after="-5"), None),
        (refusal(429, retry_after="soon"), None),
        (refusal(429, retry_after="20"), 20.0),
        (refusal(429, retry_after="20", retry_after_ms="1500"), 1.5),
        (refusal(429, retry_after="20", retry_after_ms="soon"), 20.0),
        (refusal(429, _info("34.5s")), 34.5),
        (refusal(429, _info("0s")), None),
        (refusal(429, _info(34)), None),
        (refusal(429, _info("34.5s"), retry_after="7"), 7.0),
        (Answer([b"data: " + json.dumps({"error": _info("9s")}).encode() + b"\n\n"]), 9.0),
    ],
)
async def test_w13_how_long_the_server_asks_to_wait(answer: Answer, seconds: float | None) -> None:
    caught, _ = await failure(answer, "gemini")
    assert (caught.kind, caught.retry_after, caught.transient) == ("rate_limited", seconds, True)
