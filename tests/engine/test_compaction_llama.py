"""A conversation twice as long as the window of a real llama.cpp server (context.md K11, K20-K27). JP_TUI_LLAMA names
its URL (http://127.0.0.1:PORT), else these tests skip; a window of 16,384 tokens or less keeps them short.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from jp_tui.conversation.model import Delta, Finished, ModelRequest
from jp_tui.engine.base.dependencies import CompactionSettings
from jp_tui.providers.endpoint import Endpoint
from jp_tui.providers.port import Provider
from jp_tui.providers.registry import open_provider
from tests.engine import conftest
from tests.engine.conftest import Bench
from tests.engine.test_history import check
from tests.fakes.windowed import summarising

URL = os.environ.get("JP_TUI_LLAMA", "")
MOST = 16_384
WORDS = "the quick brown fox jumps over the lazy dog while it rains in the hills. "

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not URL, reason="JP_TUI_LLAMA does not name a llama.cpp server"),
]


class Counted:
    """The real provider; keeps what it was asked, and what the server counted."""

    greeting, titles, reviews = None, False, None
    sample: Path | None = None

    def __init__(self, inner: Provider) -> None:
        self._inner = inner
        self.asked: list[tuple[ModelRequest, Finished]] = []

    async def stream(self, request: ModelRequest) -> AsyncIterator[Delta]:
        deltas = self._inner.stream(request)
        try:
            async for delta in deltas:
                if isinstance(delta, Finished):
                    self.asked.append((request, delta))
                yield delta
        finally:
            await deltas.aclose()  # type: ignore[attr-defined]

    async def close(self) -> None:
        await self._inner.close()


def window() -> int:
    """What the server says of its model."""

    async def asked() -> int:
        provider = open_provider(Endpoint("llamacpp", "openai-chat", URL + "/v1"))
        try:
            return next(one.window or 0 for one in await provider.models())
        finally:
            await provider.close()

    return asyncio.run(asked())


@pytest.mark.timeout(900)
@pytest.mark.parametrize("known", [True, False], ids=["window known", "window not known"])
@pytest.mark.parametrize(("wire", "base"), [("openai-chat", "/v1"), ("anthropic", "")])
def test_k20_a_conversation_twice_the_window_of_a_real_server(
    bench: Bench, wire: str, base: str, known: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conftest, "SECONDS", 300.0)
    most = window()
    if not 0 < most <= MOST:
        pytest.skip(f"its window of {most} tokens makes this too long")
    server = Counted(open_provider(Endpoint("llamacpp", wire, URL + base)))
    bench.script, bench.model, bench.max_tokens = server, "llamacpp/tiny", 200  # type: ignore[assignment]
    bench.window, bench.compaction, bench.tools = most if known else None, CompactionSettings(), {}
    bench.start()
    told = 0
    while told < 2 * most:
        before = len(server.asked)
        bench.say(f"{len(server.asked)}: " + WORDS * (most // 800))
        assert bench.turn().outcome == "done"
        told += server.asked[-1][1].usage.input if before == 0 else _new(server)
    made = [one for one in bench.log() if one["type"] == "compaction"]
    assert len(made) >= 1 and not any(one.get("error") for one in made)
    last: Finished | None = None
    before_messages: tuple[object, ...] = ()
    shared = 0
    for request, finished in server.asked:
        check(request.messages)
        assert finished.usage.input <= most
        if summarising(request):
            last = None
            continue
        if last is not None and request.messages[: len(before_messages)] == before_messages:
            assert finished.usage.cached >= 0.8 * last.usage.input, "the beginning comes from the cache (K11)"
            shared += 1
        last, before_messages = finished, request.messages
    assert shared > len(server.asked) // 2


def _new(server: Counted) -> int:
    """Tokens of what was said last."""
    text = server.asked[-1][0].messages[-1]
    whole = sum(len(getattr(part, "text", "")) for message in server.asked[-1][0].messages for part in message.parts)
    return server.asked[-1][1].usage.input * sum(len(getattr(part, "text", "")) for part in text.parts) // max(whole, 1)
