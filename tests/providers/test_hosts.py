"""How a host is reached: key, query, authorities, proxy, and keys that a command prints (wires.md W3, W12)."""

from __future__ import annotations

import asyncio
import ssl
import sys
from pathlib import Path
from typing import Any

import pytest

from jp_tui.conversation.model import ModelError
from jp_tui.providers.endpoint import Endpoint
from jp_tui.providers.http import HttpProvider
from jp_tui.providers.registry import open_provider
from jp_tui.settings import providers
from jp_tui.settings.errors import SettingsError
from tests.fakes import certificates
from tests.fakes.model_server import Answer, ModelServer
from tests.settings.conftest import Home

from .decoding import HELLO, sample

BODY, _ = sample("openai_parallel")
ERROR = {"content-type": "application/json"}


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


async def sent(server: ModelServer, **how: Any) -> HttpProvider:
    provider = open_provider(Endpoint("mine", "openai-chat", server.url + "/v1", **how))
    assert isinstance(provider, HttpProvider)
    [delta async for delta in provider.stream(HELLO)]
    return provider


@pytest.mark.parametrize(
    ("auth", "name", "value"),
    [
        (None, "authorization", "Bearer k-1"),
        ("bearer", "authorization", "Bearer k-1"),
        ("api-key", "api-key", "k-1"),
        ("x-api-key", "x-api-key", "k-1"),
        ("x-goog-api-key", "x-goog-api-key", "k-1"),
    ],
)
async def test_w3_the_header_of_the_key_and_the_query(auth: Any, name: str, value: str) -> None:
    async with ModelServer(Answer([BODY])) as server:
        provider = await sent(server, key="k-1", auth=auth, query={"api-version": "2024-10-21"})
        await provider.close()
    (request,) = server.received
    assert request.headers[name] == value and request.path == "/v1/chat/completions?api-version=2024-10-21"
    others = {"authorization", "api-key", "x-api-key", "x-goog-api-key"} - {name}
    assert not others & request.headers.keys()


def printing(tmp_path: Path, *lines: str) -> tuple[str, ...]:
    """A command that prints one of these lines at a time, the last one again and again."""
    script = tmp_path / "key.py"
    (tmp_path / "keys").write_text("\n".join(lines))
    script.write_text(
        "import pathlib\n"
        f"at = pathlib.Path({str(tmp_path / 'keys')!r})\n"
        "first, *rest = at.read_text().split('\\n')\n"
        "at.write_text('\\n'.join(rest or [first]))\n"
        "print(first)\nprint('secret second line')\n"
    )
    return (sys.executable, str(script))


async def test_w3_a_command_prints_the_key_and_once_more_after_a_401(tmp_path: Path) -> None:
    refused = Answer([b'{"error":{"message":"expired"}}'], status=401, headers=ERROR)
    async with ModelServer(Answer([BODY]), Answer([BODY]), refused, Answer([BODY]), refused, refused) as server:
        provider = await sent(server, key_command=printing(tmp_path, "one", "two", "three"))
        for _ in range(2):
            [delta async for delta in provider.stream(HELLO)]
        with pytest.raises(ModelError) as caught:
            [delta async for delta in provider.stream(HELLO)]
        await provider.close()
    keys = [request.headers["authorization"] for request in server.received]
    assert keys == [f"Bearer {key}" for key in ("one", "one", "one", "two", "two", "three")]
    assert caught.value.kind == "unauthorised"


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("import sys; print('k-secret'); sys.exit(3)", "it ended with status 3"),
        ("print()", "it printed nothing"),
        ("print('k-secret' * 5_000)", "its first line is longer than 16,384 characters"),
        ("print('k-secret' * 3_000_000)", "it printed too much"),
        ("import time; print('k-secret', flush=True); time.sleep(60)", "it printed no key within"),
    ],
)
async def test_w3_a_command_that_fails_says_how_and_never_what_it_printed(
    code: str, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jp_tui.providers.keys.SECONDS", 1.0)
    async with ModelServer(Answer([BODY])) as server:
        with pytest.raises(ModelError) as caught:
            await sent(server, key_command=(sys.executable, "-c", code))
    assert not server.received and why in caught.value.message and "providers.llm.mine" in caught.value.message
    assert "k-secret" not in f"{caught.value.message} {caught.value.advice} {caught.value.detail}"


async def test_w3_a_printed_key_that_the_server_echoes_is_in_no_message(tmp_path: Path) -> None:
    echo = Answer([b'{"error":{"message":"bad key token-7777 here"}}'], status=403, headers=ERROR)
    async with ModelServer(echo) as server:
        with pytest.raises(ModelError) as caught:
            await sent(server, key_command=printing(tmp_path, "token-7777"))
    assert "token-7777" not in f"{caught.value.message} {caught.value.detail}" and "•••" in caught.value.detail


@pytest.fixture
def authority(tmp_path: Path) -> tuple[Path, ssl.SSLContext]:
    return certificates.self_signed(tmp_path)


@pytest.mark.parametrize("way", ["nothing", "ca_file", "SSL_CERT_FILE"])
async def test_w12_authorities_hold_for_this_machine_too(
    way: str, authority: tuple[Path, ssl.SSLContext], monkeypatch: pytest.MonkeyPatch
) -> None:
    cert, context = authority
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")  # no proxy for this machine
    if way == "SSL_CERT_FILE":
        monkeypatch.setenv("SSL_CERT_FILE", str(cert))

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n" + BODY)
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context) as server:
        base = f"https://localhost:{server.sockets[0].getsockname()[1]}/v1"
        ca_file = str(cert) if way == "ca_file" else ""
        provider = open_provider(Endpoint("mine", "openai-chat", base, ca_file=ca_file))
        try:
            if way == "nothing":
                with pytest.raises(ModelError) as caught:
                    [delta async for delta in provider.stream(HELLO)]
                wanted = "Set SSL_CERT_FILE, or providers.llm.mine.ca_file, to your network's certificate authority."
                assert caught.value.advice == wanted and "localhost" in caught.value.message
            else:
                assert [delta async for delta in provider.stream(HELLO)]
        finally:
            await provider.close()


async def test_w3_a_proxy_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    async with ModelServer(Answer([BODY]), Answer([BODY])) as server:
        behind = open_provider(Endpoint("mine", "openai-chat", "http://models.invalid/v1", proxy=server.url))
        assert [delta async for delta in behind.stream(HELLO)]
        await behind.close()
        await (await sent(server, proxy="")).close()
    assert [request.path for request in server.received] == [
        "http://models.invalid/v1/chat/completions",
        "/v1/chat/completions",
    ]


async def test_w5_what_a_server_does_not_support_is_left_out_and_remembered() -> None:
    words = b'{"error":{"message":"Encrypted content is not supported with this model."}}'
    event = b'data: {"type":"response.completed","response":{}}\n\n'
    refused = Answer([words], status=400, headers=ERROR)
    async with ModelServer(refused, Answer([event]), Answer([event])) as server:
        provider = open_provider(Endpoint("mine", "openai-responses", server.url))
        for _ in range(2):
            [delta async for delta in provider.stream(HELLO)]
        await provider.close()
    assert ["include" in request.json for request in server.received] == [True, False, False]


MINE = '[providers.llm.mine]\nwire = "openai-chat"\nbase_url = "http://h/v1"\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (MINE + 'auth = "basic"\n', "providers.llm.mine.auth"),
        (MINE + 'ca_file = "/nowhere/ca.pem"\n', "/nowhere/ca.pem can't be read"),
        (MINE + 'api_key_command = ["k"]\napi_key_env = "K"\n', "api_key_env is set as well"),
        (MINE + "api_key_command = []\n", "a list of words"),
        (MINE + 'api_key_command = "gcloud auth"\n', "a list of words"),
        (MINE + 'proxy = "127.0.0.1:3128"\n', "the address of a proxy"),
        (MINE + 'query = { key = "k-1" }\n', "an address can't have a key"),
        ('[providers.llm.ollama]\nstructured = "tool"\n', "no way to force a tool"),
    ],
)
def test_w3_w7_what_is_wrong_is_named_with_file_and_line(text: str, said: str, home: Home) -> None:
    with pytest.raises(SettingsError) as caught:
        providers.providers(home.load(text), {})
    assert said in str(caught.value) and "config.toml:" in str(caught.value)


def test_w2_openai_speaks_its_own_wire_unless_its_address_was_changed(home: Home) -> None:
    def wire(text: str) -> str:
        return providers.providers(home.load(text), {})["openai"].wire

    assert wire("") == "openai-responses"
    assert wire('[providers.llm.openai]\nbase_url = "http://gateway/v1"\n') == "openai-chat"
    assert wire('[providers.llm.openai]\nbase_url = "http://h/v1"\nwire = "openai-responses"\n') == "openai-responses"


def test_w3_a_command_replaces_the_built_in_variable_and_counts_as_a_key(home: Home) -> None:
    settings = home.load('[providers.llm.openai]\napi_key_command = ["print-key"]\n')
    known = providers.providers(settings, {})
    assert known["openai"].api_key_env is None and known["openai"].api_key_command == ("print-key",)
    assert str(providers.choose(settings, known, {}).id).startswith("openai/")


def test_w4_the_examples_are_read(home: Home) -> None:
    text = (Path(__file__).parents[2] / "config" / "examples" / "hosts.toml").read_text()
    known = providers.providers(home.load(text), {})
    assert {"azure", "azure-entra", "bedrock", "bedrock-claude", "vertex", "gateway"} <= known.keys()


def test_w3_a_folder_sets_none_of_it_trusted_or_not(home: Home) -> None:
    text = '[providers.llm.openai]\nca_file = "x.pem"\nproxy = "http://evil:1"\napi_key_command = ["evil"]\n'
    openai = providers.providers(home.load(workspace=text, trusted=True), {})["openai"]
    assert (openai.ca_file, openai.proxy, openai.api_key_command) == ("", None, ())
    text += 'wire = "ollama"\nbase_url = "http://evil/v1"\nauth = "api-key"\nquery = { a = "b" }\n'
    openai = providers.providers(home.load(workspace=text), {})["openai"]
    assert (openai.wire, openai.auth, openai.query) == ("openai-responses", None, {}) and "evil" not in openai.base_url
