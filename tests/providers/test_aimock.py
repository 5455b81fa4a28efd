"""`@copilotkit/aimock`, a mock server of other authors, on all five wires: text, calls, a list, 429, a disconnect.

JP_TUI_AIMOCK names its program `llmock` (npm, version 1.43.0), else these tests skip.
"""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from jp_tui.conversation.model import Delta, Message, ModelError, ModelRequest, TextPart, ToolSpec
from jp_tui.providers.endpoint import Endpoint
from jp_tui.providers.registry import open_provider

from .decoding import fold

PROGRAM = os.environ.get("JP_TUI_AIMOCK", "")
WIRES = {"openai-chat": "/v1", "openai-responses": "/v1", "anthropic": "", "gemini": "/v1beta", "ollama": ""}
TOOLS = tuple(
    ToolSpec(name, "Reads.", {"type": "object", "properties": {"path": {"type": "string"}}})
    for name in ("fs_read_file", "fs_list_files")
)
TEXT = "It says: hello, wörld 👋, and more words than fit into one piece."
CUT = "This reply is cut off in the middle of what it says."

pytestmark = pytest.mark.skipif(not PROGRAM, reason="JP_TUI_AIMOCK does not name the program of aimock")


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    answers = str(Path(__file__).with_name("aimock.json"))
    command = [PROGRAM, "-p", str(port), "-f", answers, "--validate-on-load", "--log-level", "silent"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        end = time.monotonic() + 30
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                assert server.poll() is None and time.monotonic() < end, "aimock did not start"
                time.sleep(0.05)
        yield f"http://127.0.0.1:{port}"
        server.terminate()


async def taken(wire: str, url: str, text: str) -> tuple[list[Delta], ModelError | None]:
    provider, found = open_provider(Endpoint("mock", wire, url + WIRES[wire], "k")), list[Delta]()
    try:
        async for delta in provider.stream(ModelRequest("gpt-4o", (Message("user", (TextPart(text),)),), tools=TOOLS)):
            found.append(delta)
    except ModelError as error:
        return found, error
    finally:
        await provider.close()
    return found, None


@pytest.mark.parametrize("wire", WIRES)
async def test_words_and_calls(wire: str, url: str) -> None:
    deltas, error = await taken(wire, url, "words")
    said, finished = fold(deltas)
    assert error is None and [part[:2] for part in said] == [["message", TEXT]] and finished is not None
    assert finished.reason == "end"
    deltas, error = await taken(wire, url, "call")
    said, finished = fold(deltas)
    assert error is None and finished is not None and finished.reason == "tools"
    called = [part[2:4] for part in said if part[0] == "tool"]
    assert called == [["fs_read_file", {"path": "a b/ü.txt"}], ["fs_list_files", {}]]


@pytest.mark.parametrize("wire", WIRES)
async def test_a_limit_and_a_reply_that_breaks_off(wire: str, url: str) -> None:
    _, error = await taken(wire, url, "limit")
    assert error is not None and (error.kind, error.status, error.transient) == ("rate_limited", 429, True)
    assert error.detail == "Rate limit exceeded." and error.retry_after
    deltas, error = await taken(wire, url, "vanish")
    said, finished = fold(deltas)
    assert error is not None and error.kind == "cut" and error.transient and finished is None
    assert said == [] or CUT.startswith(said[0][1])


@pytest.mark.parametrize("wire", WIRES)
async def test_a_list(wire: str, url: str) -> None:
    """It has none for gemini."""
    provider = open_provider(Endpoint("mock", wire, url + WIRES[wire], "k"))
    try:
        if wire == "gemini":
            with pytest.raises(ModelError, match="404"):
                await provider.models()
        else:
            assert "gpt-4o" in [one.id for one in await provider.models()]
    finally:
        await provider.close()
