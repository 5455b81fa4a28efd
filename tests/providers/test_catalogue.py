"""Lists of models: where each wire's is (S20, S20b), and what is read from what servers say, or left out."""

from __future__ import annotations

import json
from typing import Any

import pytest

from jp_tui.conversation.model import ModelError
from jp_tui.providers.catalogue import CataloguePage, ListedModel, list_address, read
from jp_tui.providers.endpoint import Endpoint
from jp_tui.providers.http import HttpProvider
from jp_tui.providers.registry import make_wire
from tests.fakes.model_server import Answer, ModelServer

JSON = {"content-type": "application/json"}
KEY = "sk-very-secret-1234567890"


@pytest.mark.parametrize(
    ("wire", "base", "after", "expected"),
    [
        ("openai-chat", "http://h:1/v1/", "", "http://h:1/v1/models"),
        ("openai-chat", "https://h/openai?api-version=1", "", "https://h/openai/models?api-version=1"),
        ("openai-responses", "http://h:1/v1/", "", "http://h:1/v1/models"),
        ("gemini", "https://h/v1beta", "p 2", "https://h/v1beta/models?pageSize=1000&pageToken=p%202"),
        ("ollama", "http://h/v1", "", "http://h/api/tags"),
        ("anthropic", "https://h", "", "https://h/v1/models?limit=1000"),
        ("anthropic", "https://h/v1/", "a b", "https://h/v1/models?limit=1000&after_id=a%20b"),
    ],
)
def test_s20_where_a_list_is(wire: str, base: str, after: str, expected: str) -> None:
    assert list_address(make_wire(endpoint(base, wire)), base, after) == expected


@pytest.mark.parametrize(
    ("said", "models"),
    [
        ({"data": [{"id": "gpt-5.1", "object": "model"}]}, [ListedModel("gpt-5.1")]),
        ({"models": [{"name": "llama3:8b", "model": "llama3:8b", "size": 5}]}, [ListedModel("llama3:8b")]),
        ([{"id": "bare"}], [ListedModel("bare")]),
        (
            {"data": [{"id": "a/b", "context_length": 131072, "architecture": {"input_modalities": ["text", "image"]},
                       "pricing": {"prompt": "0.000003", "completion": "0.000015", "input_cache_read": "0.0000003"}}]},
            [ListedModel("a/b", 131_072, 3.0, 15.0, 0.3, True)],
        ),
        ({"data": [{"id": "auto", "pricing": {"prompt": "-1", "completion": "-1"}}]}, [ListedModel("auto")]),
        ({"data": [{"id": "m", "max_context_length": 32000, "capabilities": {"vision": False}}]},
         [ListedModel("m", 32_000, images=False)]),
        ({"data": [{"id": "m", "meta": {"n_ctx": 4096}}]}, [ListedModel("m", 4096)]),
        ({"data": [{"id": "m", "context_length": True}, {"id": "n", "context_length": "many"}]},
         [ListedModel("m"), ListedModel("n")]),
        ({"data": [{"id": ""}, {"id": 5}, {"id": "a\x1b[31m"}, {"id": "a\u202eb"}, {"id": "x" * 201}, 7, None]}, []),
        ({"data": [{"id": "twice"}, {"id": "twice"}]}, [ListedModel("twice")]),
    ],
)  # fmt: skip
def test_what_servers_say(said: Any, models: list[ListedModel]) -> None:
    """Foreign text: what does not print, or is no number, is left out."""
    assert read(json.dumps(said).encode()) == CataloguePage(tuple(models))


@pytest.mark.parametrize("body", [b"", b"<html>", b"{}", b'{"data":5}', b"7", b'{"data":[{"id":"a"}', b"[" * 5000])
def test_what_is_no_list(body: bytes) -> None:
    assert read(body) is None


def endpoint(url: str, wire: str = "openai-chat") -> Endpoint:
    return Endpoint("local", wire, url, KEY, "LOCAL_API_KEY", {"X-Team": "blue"})  # type: ignore[arg-type]


async def asked(target: Endpoint) -> tuple[ListedModel, ...]:
    provider = HttpProvider(target, make_wire(target))
    try:
        return await provider.models()
    finally:
        await provider.close()


async def test_a_list_in_pages_is_read_to_its_end() -> None:
    first = b'{"data":[{"id":"a"}],"has_more":true,"last_id":"a"}'
    last = b'{"data":[{"id":"b"}],"has_more":false,"last_id":"b"}'
    async with ModelServer(Answer([first], headers=JSON), Answer([last], headers=JSON)) as server:
        assert await asked(endpoint(server.url, "anthropic")) == (ListedModel("a"), ListedModel("b"))
        one, two = server.received
    assert (one.method, one.path) == ("GET", "/v1/models?limit=1000") and two.path.endswith("&after_id=a")
    assert one.headers["x-api-key"] == KEY and one.headers["x-team"] == "blue"


async def test_a_list_that_never_ends_does() -> None:
    """The same page for ever: it is asked for twice."""
    page = b'{"data":[{"id":"a"}],"has_more":true,"last_id":"a"}'
    async with ModelServer(Answer([page], headers=JSON)) as server:
        assert await asked(endpoint(server.url, "anthropic"))
        assert len(server.received) == 2


@pytest.mark.parametrize(
    ("answer", "kind", "words"),
    [
        (
            Answer([b'{"error":{"message":"bad ' + KEY.encode() + b'"}}'], 401, JSON),
            "unauthorised",
            "was rejected (401)",
        ),
        (Answer([b"no"], 404), "other", "local doesn't list its models (404)"),
        (Answer([b"<html>login"], headers={"content-type": "text/html"}), "other", "doesn't list its models."),
        (Answer([b'{"data":[{"id":"a"}'], headers=JSON, end="cut"), "cut", "before it was complete"),
        (Answer([b" " * 600_000] * 8, headers=JSON), "other", "doesn't list"),
        (Answer([b""], 302, {"location": "http://elsewhere.invalid/"}), "other", "another address"),
    ],
)
async def test_why_there_is_no_list(answer: Answer, kind: str, words: str) -> None:
    async with ModelServer(answer) as server:
        with pytest.raises(ModelError) as caught:
            await asked(endpoint(server.url))
    assert caught.value.kind == kind and words in caught.value.message
    assert KEY not in f"{caught.value.message}{caught.value.advice}{caught.value.detail}"
