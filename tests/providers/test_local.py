"""Finding a local server (S21): what it serves, and one answer for every way of not answering."""

from __future__ import annotations

import socket

import pytest

from jp_tui.providers.local import serving
from tests.fakes.model_server import Answer, ModelServer

JSON = {"content-type": "application/json"}


async def test_s21_the_models_of_a_local_server() -> None:
    body = b'{"object":"list","data":[{"id":"llama-3"},{"id":"/models/b.gguf"},{"id":""},{"id":5},{"id":"a\\nb"},7]}'
    async with ModelServer(Answer([body], headers=JSON, framing="length")) as server:
        assert await serving(server.url + "/v1/") == ("llama-3", "/models/b.gguf")
        (request,) = server.received
    assert (request.method, request.path) == ("GET", "/v1/models") and "authorization" not in request.headers


@pytest.mark.parametrize(
    "answer",
    [
        Answer([b'{"data":[]}'], headers=JSON),
        Answer([b'{"data":5}'], headers=JSON),
        Answer([b"[]"], headers=JSON),
        Answer([b"<html>"]),
        Answer([b'{"data":[{"id":"a"}]}'], 500, JSON),
        Answer([b'{"data":[{"id":"a"}]}'], 302, {"location": "http://elsewhere.invalid/"}),
        Answer([b'{"data":[{"id":"a"}'], headers=JSON, end="cut"),
        Answer([b'{"data":[{"id":"a"}'], headers=JSON, end="stall"),
        Answer([b" " * 600_000] * 2, headers=JSON),
        Answer([b"[" * 5000], headers=JSON),
        Answer(blackhole=True),
    ],
)
async def test_every_other_answer_is_no_server(answer: Answer) -> None:
    async with ModelServer(answer) as server:
        assert await serving(server.url, connect_secs=5, answer_secs=0.3) == ()


async def test_nothing_listens_there() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        assert await serving(f"http://127.0.0.1:{free.getsockname()[1]}/v1") == ()
