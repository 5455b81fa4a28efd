"""The HTTP driver on a real socket: streaming, cancelling, sizes, credentials (issue 3: real models; T8, T19, T20)."""

from __future__ import annotations

import asyncio
import gzip
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from jp_tui.conversation.model import Delta, ModelError, PartGrew
from jp_tui.providers.catalogue import address
from jp_tui.providers.endpoint import Endpoint, EndpointProblem
from jp_tui.providers.http import is_loopback, reachable
from jp_tui.providers.registry import make_wire, open_provider
from tests.fakes.model_server import Answer, ModelServer, split
from tests.limits import LIMIT

from .decoding import HELLO, fold, random_offsets, sample

KEY = "sk-very-secret-1234567890"
WIRES = [("openai-chat", "openai_parallel"), ("anthropic", "anthropic_tools")]


def endpoint(url: str, wire: str = "openai-chat", **more: object) -> Endpoint:
    base = Endpoint("local", wire, url, KEY, "LOCAL_API_KEY", stream_idle_timeout_secs=5)  # type: ignore[arg-type]
    return replace(base, **more)  # type: ignore[arg-type]


async def collect(target: Endpoint) -> list[Delta]:
    provider = open_provider(target)
    try:
        return [delta async for delta in provider.stream(HELLO)]
    finally:
        await provider.close()


async def failure(target: Endpoint) -> ModelError:
    with pytest.raises(ModelError) as caught:
        await collect(target)
    return caught.value


@pytest.mark.parametrize(("wire", "name"), WIRES)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("framing", ["chunked", "length", "close"])
async def test_samples_from_a_real_socket(wire: str, name: str, seed: int, framing: str) -> None:
    raw, expected = sample(name)
    answer = Answer(split(raw, random_offsets(raw, seed)), framing=framing)  # type: ignore[arg-type]
    async with ModelServer(answer) as server:
        said, finished = fold(await collect(endpoint(server.url, wire)))
        assert [part[: len(want)] for part, want in zip(said, expected["events"], strict=True)] == expected["events"]
        assert finished is not None and finished.usage.wire() == expected["usage"]


@pytest.mark.parametrize(("wire", "path", "header", "value"), [
    ("openai-chat", "/v1/chat/completions", "authorization", f"Bearer {KEY}"),
    ("anthropic", "/v1/messages", "x-api-key", KEY),
])  # fmt: skip
async def test_what_is_sent(wire: str, path: str, header: str, value: str) -> None:
    name = dict(WIRES)[wire]
    async with ModelServer(Answer([sample(name)[0]])) as server:
        await collect(endpoint(server.url + "/v1/", wire, headers={"X-Team": "blue"}, key=f" {KEY}\n"))
        (request,) = server.received
    assert (request.method, request.path) == ("POST", path)
    assert request.headers[header] == value and request.headers["x-team"] == "blue"
    assert request.headers["user-agent"].startswith("jp-tui/")
    assert request.json["model"] == "m" and request.json["stream"] is True


@pytest.mark.parametrize(
    ("wire", "base", "expected"),
    [
        ("openai-chat", "http://h:8080/v1", "http://h:8080/v1/chat/completions"),
        ("openai-chat", "http://h:8080/v1/", "http://h:8080/v1/chat/completions"),
        ("openai-chat", "https://h/openai?api-version=1", "https://h/openai/chat/completions?api-version=1"),
        ("openai-responses", "https://h/v1/", "https://h/v1/responses"),
        ("gemini", "https://h/v1beta", "https://h/v1beta/models/m:streamGenerateContent?alt=sse"),
        ("gemini", "https://h/v1?a=b", "https://h/v1/models/m:streamGenerateContent?a=b&alt=sse"),
        ("ollama", "http://h", "http://h/api/chat"),
        ("ollama", "http://h/v1/", "http://h/api/chat"),
        ("ollama", "http://h/api", "http://h/api/chat"),
        ("anthropic", "https://h", "https://h/v1/messages"),
        ("anthropic", "https://h/", "https://h/v1/messages"),
        ("anthropic", "https://h/v1", "https://h/v1/messages"),
        ("anthropic", "https://h/v1/", "https://h/v1/messages"),
        ("anthropic", "https://h/proxy/v1", "https://h/proxy/v1/messages"),
    ],
)
def test_s20b_the_wire_appends_its_path(wire: str, base: str, expected: str) -> None:
    target = endpoint(base, wire)
    made = make_wire(target)
    assert address(made, target.base_url, made.path("m")) == expected


async def test_a_connection_serves_several_requests() -> None:
    raw, _ = sample("openai_parallel")
    async with ModelServer(Answer([raw])) as server:
        provider = open_provider(endpoint(server.url))
        for _ in range(3):
            assert [delta async for delta in provider.stream(HELLO)]
        await provider.close()
        assert {request.connection for request in server.received} == {1}


@pytest.mark.parametrize("way", ["task", "iterator"])
async def test_cancelling_closes_the_socket(way: str) -> None:
    raw, _ = sample("openai_parallel")
    start = raw[: raw.index(b"data: [DONE]") - 400]
    async with ModelServer(Answer([start], end="stall")) as server:
        provider = open_provider(endpoint(server.url))
        stream = provider.stream(HELLO)
        grew = asyncio.Event()

        async def read(source: AsyncIterator[Delta]) -> None:
            async for delta in source:
                if isinstance(delta, PartGrew):
                    grew.set()

        if way == "task":
            task = asyncio.ensure_future(read(stream))
            await grew.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        else:
            while not isinstance(await anext(stream), PartGrew):
                pass
            await stream.aclose()  # type: ignore[attr-defined]
        await asyncio.wait_for(server.received[0].gone.wait(), LIMIT)
        await provider.close()


async def test_cancelling_while_nothing_was_answered_yet() -> None:
    async with ModelServer(Answer(blackhole=True)) as server:
        task = asyncio.ensure_future(collect(endpoint(server.url)))
        request = await server.wait_for_request()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.wait_for(request.gone.wait(), LIMIT)


async def test_a_reply_is_bounded_by_what_it_says() -> None:
    raw, _ = sample("openai_parallel")
    async with ModelServer(Answer([raw])) as server:
        caught = await failure(endpoint(server.url, max_response_bytes=30))
        assert caught.kind == "too_large" and "assistant.request.max_response_bytes" in caught.advice
        assert await collect(endpoint(server.url, max_response_bytes=100))


async def test_noise_without_words_is_bounded_too() -> None:
    async with ModelServer(Answer([b": nothing\n" * 1000] * 8)) as server:
        assert (await failure(endpoint(server.url, max_response_bytes=100))).kind == "too_large"


async def test_the_end_of_the_message_is_the_end_even_if_the_server_lingers() -> None:
    raw, _ = sample("anthropic_tools")
    async with ModelServer(Answer([raw], end="stall")) as server:
        _, finished = fold(await collect(endpoint(server.url, "anthropic")))
        assert finished is not None
        await asyncio.wait_for(server.received[0].gone.wait(), LIMIT)


async def test_no_proxy_for_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    raw, _ = sample("openai_parallel")
    async with ModelServer(Answer([raw])) as server, ModelServer(Answer(status=500)) as proxy:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.url)
        assert await collect(endpoint(server.url))
        assert not proxy.received


async def test_no_key_means_no_request_except_on_this_machine() -> None:
    caught = await failure(endpoint("https://models.invalid/v1", key=None))
    assert caught.kind == "no_credentials"
    assert caught.message == "local has no key: LOCAL_API_KEY isn't set."
    assert "Set LOCAL_API_KEY to" in caught.advice
    raw, _ = sample("openai_parallel")
    async with ModelServer(Answer([raw])) as server:
        assert await collect(endpoint(server.url, key=None))
        assert "authorization" not in server.received[0].headers


@pytest.mark.parametrize("key", ["sk-a\r\nx: y", "sk-é", "sk a", "sk-\x00"])
async def test_a_key_that_cannot_be_a_header_is_never_shown(key: str) -> None:
    async with ModelServer(Answer()) as server:
        caught = await failure(endpoint(server.url, key=key))
        assert caught.kind == "unauthorised" and "LOCAL_API_KEY" in caught.message
        assert key not in f"{caught.message}{caught.advice}{caught.detail}" and not server.received


async def test_the_key_shows_nowhere() -> None:
    echo = Answer([b'{"error":{"message":"bad key ' + KEY.encode() + b' for secret-header-value"}}'], 401,
                  {"content-type": "application/json"})  # fmt: skip
    async with ModelServer(echo) as server:
        target = endpoint(server.url, headers={"X-Auth": "secret-header-value"})
        provider = open_provider(target)
        caught = await failure(target)
    chain: list[BaseException | None] = [caught, caught.__cause__, caught.__context__]
    shown = "".join(map(repr, (target, provider, *chain, caught.args, vars(caught))))
    assert KEY not in shown and "secret-header-value" not in shown
    assert caught.detail == "bad key ••• for •••"
    assert caught.__cause__ is None and caught.__context__ is None


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"wire": "soap"}, "providers.llm.local.wire: `soap` isn't a wire of this version"),
        ({"base_url": "localhost:8080"}, "providers.llm.local.base_url"),
        ({"base_url": "ftp://h/"}, "an http or https address"),
        ({"base_url": "http://[::1"}, "an http or https address"),
        ({"base_url": "http://h:99999/"}, "an http or https address"),
        ({"base_url": "https://me:pw@h/"}, "can't have a user or password"),
        ({"headers": {"X-A": "b\r\nc: d"}}, "`X-A` isn't a valid header"),
        ({"headers": {"X A": "b"}}, "`X A` isn't a valid header"),
    ],
)
def test_endpoints_that_cannot_be_used(more: dict[str, object], words: str) -> None:
    target = replace(endpoint("http://h"), **more)  # type: ignore[arg-type]
    with pytest.raises(EndpointProblem, match=r"^providers\.llm\.local\.") as caught:
        open_provider(target)
    assert words in str(caught.value)


def test_loopback() -> None:
    for url in ("http://127.0.0.1:1", "http://localhost", "http://[::1]:8", "http://127.9.9.9", "http://a.localhost"):
        assert is_loopback(url)
    for url in ("http://10.0.0.1", "http://localhost.example.org", "http://127.0.0.1.example.org", "https://h"):
        assert not is_loopback(url)


async def test_s21_reachable() -> None:
    async with ModelServer(Answer()) as server:
        assert await reachable(server.url)
        assert not server.received
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        assert not await reachable(f"http://127.0.0.1:{free.getsockname()[1]}")
    assert not await reachable("http://models.invalid:1", 0.15)


def test_opening_a_provider_loads_no_http_library() -> None:
    code = (
        "import sys; from jp_tui.providers.registry import Endpoint, open_provider;"
        "open_provider(Endpoint('a', 'anthropic', 'https://h', 'k'));"
        "sys.exit(bool({'httpx', 'httpcore', 'anyio', 'h11'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


async def test_what_unpacks_to_more_is_bounded_and_holds_nobody_up() -> None:
    """A small chunk may be megabytes of line ends: they are read in pieces, and no more of them than is allowed."""
    packed = gzip.compress(b"\n" * 8_000_000)
    headers = {"content-type": "text/event-stream", "content-encoding": "gzip"}
    turns = 0

    async def others() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0)
            turns += 1

    async with ModelServer(Answer([packed], headers=headers)) as server:
        waiting = asyncio.ensure_future(others())
        caught = await failure(endpoint(server.url, max_response_bytes=5_000))
        waiting.cancel()
    assert caught.kind == "too_large" and turns > 5_000 * 64 // (32 * 1024)


async def test_a_packed_stream_is_read() -> None:
    """Asked for or not."""
    raw, expected = sample("anthropic_tools")
    headers = {"content-type": "text/event-stream", "content-encoding": "gzip"}
    async with ModelServer(Answer([gzip.compress(raw)], headers=headers)) as server:
        said, _ = fold(await collect(endpoint(server.url, "anthropic")))
    assert [part[:2] for part in said] == [part[:2] for part in expected["events"]]
