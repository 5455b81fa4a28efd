"""What is no whole answer though its status does not say so: error objects inside a 200, and informational statuses
(Z21). On a real socket through the real driver."""

from __future__ import annotations

import json
from typing import Any

import pytest

from jp_tui.conversation.model import Delta, ModelError
from jp_tui.providers.endpoint import Endpoint
from jp_tui.providers.error_objects import status_of
from jp_tui.providers.registry import open_provider
from tests.fakes.model_server import Answer, ModelServer

from .decoding import HELLO, sample

JSON = {"content-type": "application/json"}
CONTEXT = "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens."
WHOLE = b'data: {"choices":[{"index":0,"delta":{"content":"hi"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'

ERRORS: list[tuple[dict[str, Any], str, bool]] = [
    ({"type": "overloaded_error", "message": "m"}, "overloaded", True),
    ({"type": "rate_limit_error", "message": "m"}, "rate_limited", True),
    ({"type": "api_error", "message": "m"}, "server", True),
    ({"code": 429, "message": "Provider returned error", "metadata": {"raw": "x"}}, "rate_limited", True),
    ({"code": "429", "message": "m"}, "rate_limited", True),
    ({"code": 429.0, "message": "m"}, "rate_limited", True),
    ({"code": 502, "message": "Provider returned error"}, "server", True),
    ({"code": "server_error", "message": "Provider disconnected"}, "server", True),
    ({"code": 8, "status": "RESOURCE_EXHAUSTED", "message": "m"}, "rate_limited", True),
    ({"status": "UNAVAILABLE", "message": "m"}, "overloaded", True),
    ({"type": "InternalServerError", "message": "m"}, "server", True),
    ({"message": "Rate limit reached for requests"}, "rate_limited", True),
    ({"message": "The engine is currently overloaded"}, "overloaded", True),
    ({"message": "something nobody has seen"}, "server", True),
    ({"type": "invalid_request_error", "message": "bad value"}, "bad_request", False),
    ({"type": "BadRequestError", "code": 400, "message": "bad value"}, "bad_request", False),
    ({"status": "INVALID_ARGUMENT", "message": "m"}, "bad_request", False),
    ({"type": "authentication_error", "message": "m"}, "unauthorised", False),
    ({"code": 401, "message": "User not found."}, "unauthorised", False),
    ({"message": "Incorrect API key provided"}, "unauthorised", False),
    ({"type": "permission_error", "message": "m"}, "forbidden", False),
    ({"code": 402, "message": "Insufficient credits"}, "forbidden", False),
    ({"code": "insufficient_quota", "message": "m"}, "forbidden", False),
    ({"type": "not_found_error", "message": "m"}, "unknown_model", False),
    ({"code": "context_length_exceeded", "type": "invalid_request_error", "message": CONTEXT}, "too_long", False),
    ({"message": CONTEXT}, "too_long", False),
    ({"code": 500, "message": CONTEXT}, "too_long", False),
    ({"code": 102, "message": "m"}, "other", False),
]  # fmt: skip
IDS = [json.dumps(error)[:60] for error, _, _ in ERRORS]


async def failure(answer: Answer, wire: str = "openai-chat") -> tuple[ModelError, list[Delta]]:
    """The failure, and what had been said before it."""
    found: list[Delta] = []
    async with ModelServer(answer) as server:
        provider = open_provider(Endpoint("acme", wire, server.url, "sk-key-12345", "ACME_API_KEY"))
        try:
            with pytest.raises(ModelError) as caught:
                async for delta in provider.stream(HELLO):
                    found.append(delta)
        finally:
            await provider.close()
    assert caught.value.message and caught.value.advice and "sk-key" not in repr(vars(caught.value))
    return caught.value, found


@pytest.mark.parametrize(("error", "kind", "transient"), ERRORS, ids=IDS)
async def test_a_chunk_with_an_error(error: dict[str, Any], kind: str, transient: bool) -> None:
    """(Z21)"""
    half = sample("openai_parallel")[0]
    half = half[: half.index(b'"finish_reason":"tool_calls"')]
    half = half[: half.rindex(b"\n\n") + 2]
    caught, said = await failure(Answer([half, b"data: " + json.dumps({"error": error}).encode() + b"\n\n"]))
    assert (caught.kind, caught.transient) == (kind, transient)
    assert caught.detail == error["message"] and said


@pytest.mark.parametrize(("error", "kind", "transient"), ERRORS, ids=IDS)
@pytest.mark.parametrize("wire", ["anthropic", "openai-chat"])
async def test_a_json_body_with_an_error(wire: str, error: dict[str, Any], kind: str, transient: bool) -> None:
    """(Z21)"""
    caught, _ = await failure(Answer([json.dumps({"error": error}).encode()], 200, JSON), wire)
    assert (caught.kind, caught.transient, caught.detail) == (kind, transient, error["message"])


@pytest.mark.parametrize(("error", "kind", "transient"), ERRORS, ids=IDS)
@pytest.mark.parametrize("named", [True, False])
async def test_an_error_event(named: bool, error: dict[str, Any], kind: str, transient: bool) -> None:
    """Anthropic's form; gateways leave the type out (Z21)."""
    event = {"type": "error", "error": error} if named else {"error": error}
    caught, _ = await failure(Answer([f"event: error\ndata: {json.dumps(event)}\n\n".encode()]), "anthropic")
    assert (caught.kind, caught.transient, caught.detail) == (kind, transient, error["message"])


@pytest.mark.parametrize(
    "data",
    [
        b'event: error\ndata: {"message":"bad value","type":"invalid_request_error"}\n\n',
        b'data: {"object":"error","message":"bad value","type":"BadRequestError","code":400}\n\n',
        b'data: {"choices":[{"delta":{},"finish_reason":"error","error":{"code":400,"message":"bad value"}}]}\n\n',
        b'data: {"error":"invalid request: bad value"}\n\n',
    ],
)
async def test_other_places_of_an_error(data: bytes) -> None:
    """An event that is called an error, vLLM's object, OpenRouter's choice, a text (Z21)."""
    caught, _ = await failure(Answer([data]))
    assert caught.kind == "bad_request" and not caught.transient and "bad value" in caught.detail


async def test_a_list_with_an_error() -> None:
    """Gemini answers with a list (Z21)."""
    caught, _ = await failure(Answer([b'[{"error":{"code":429,"message":"quota"}}]'], 200, JSON))
    assert caught.kind == "rate_limited" and caught.detail == "quota"


@pytest.mark.parametrize("code", [None, True, "", "no idea", 7, 302, 10**30, "9" * 400, [], {}, 429.5])
def test_a_code_that_says_nothing_is_passed_over(code: Any) -> None:
    assert status_of({"code": code, "type": "overloaded_error"}) == 529
    assert status_of({"code": code, "message": "m"}) == 500


# --- informational statuses ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (b"HTTP/1.1 100 Continue\r\n\r\n", 100),
        (b"HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n", 101),
        (b"HTTP/1.1 102 Processing\r\ncontent-length: 5\r\n\r\nhello", 102),
        (b"HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\nHTTP/1.1 150 Odd\r\n\r\n", 150),
    ],
)
async def test_a_final_1xx_is_an_error_and_no_reason_to_retry(head: bytes, status: int) -> None:
    """(Z21)"""
    caught, _ = await failure(Answer(before=head, headless=True))
    assert (caught.kind, caught.status, caught.transient) == ("other", status, False)
    assert f"({status})" in caught.message and caught.__cause__ is None and caught.__context__ is None


async def test_a_1xx_before_the_answer_is_passed_over() -> None:
    """As HTTP says, also on a connection that served before (Z21)."""
    early = b"HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n"
    async with ModelServer(
        Answer([WHOLE]), Answer([WHOLE], before=early), Answer(before=early, headless=True)
    ) as server:
        provider = open_provider(Endpoint("acme", "openai-chat", server.url))
        for _ in range(2):
            assert [delta async for delta in provider.stream(HELLO)]
        with pytest.raises(ModelError) as caught:
            assert [delta async for delta in provider.stream(HELLO)]
        await provider.close()
        assert caught.value.status == 103 and {one.connection for one in server.received} == {1}


async def test_a_connection_that_breaks_without_a_status_is_tried_again() -> None:
    """Nothing came, or a final status without its end: that may pass (Z21)."""
    for head in (b"", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\ncontent"):
        caught, _ = await failure(Answer(before=head, headless=True))
        assert (caught.kind, caught.transient) == ("cut", True), head
