"""Hostile streams (fixtures/hostile/sse.json), each served from a real socket; skipped, saying so, when absent."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from jp_tui.conversation.model import CallRefused, Delta, Finished, ModelError, PartEnded, PartGrew, PartOpened
from jp_tui.providers.choose import Endpoint, WireName, open_provider
from tests.fakes.model_server import Answer, ModelServer

from .decoding import HELLO, fixtures

DIALECTS: dict[str, WireName] = {"anthropic": "anthropic", "openai_chat": "openai-chat"}
ENDS = {"fin": "fin", "rst": "rst", "stall": "stall", "bad_chunk": "bad_chunk"}


def _cases() -> list[Any]:
    path = fixtures() / "hostile" / "sse.json"
    if not path.is_file():
        nothing = pytest.mark.skip(reason=f"no hostile cases at {path} (JP_TUI_FIXTURES says where)")
        return [pytest.param({}, marks=nothing, id="absent")]
    cases = json.loads(path.read_text())["cases"]
    known = [case for case in cases if case["payload"]["kind"] == "http" and case.get("dialect") in DIALECTS]
    return [pytest.param(case, id=case["id"]) for case in known]


def _answer(payload: dict[str, Any]) -> Answer:
    pieces = [
        base64.b64decode(chunk["b64"]) for chunk in payload["chunks"] for _ in range(min(chunk.get("repeat", 1), 20))
    ]
    pieces = [piece for piece in pieces if piece]
    end = payload["end"]
    if end == "blackhole" or end == "stall_before_headers":
        return Answer(blackhole=True)
    return Answer(pieces, payload["status"], payload["headers"], ENDS[end])  # type: ignore[arg-type]


@pytest.mark.parametrize("case", _cases())
async def test_hostile_stream(case: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jp_tui.providers.http.NO_PROGRESS_SECS", 1.0)
    deltas: list[Delta] = []
    failed: ModelError | None = None
    async with ModelServer(_answer(case["payload"])) as server:
        wire = DIALECTS[case["dialect"]]
        provider = open_provider(Endpoint("p", wire, server.url, "sk-key-123", "P_KEY", stream_idle_timeout_secs=0.5))
        try:
            async for delta in provider.stream(HELLO):
                deltas.append(delta)
        except ModelError as error:
            failed = error
        await provider.close()
        assert len(server.received) == 1, "nothing is asked twice"
    kinds = {delta.index: delta.kind for delta in deltas if isinstance(delta, PartOpened)}
    text = "".join(delta.text for delta in deltas if isinstance(delta, PartGrew) and kinds[delta.index] == "message")
    ran = [delta.arguments for delta in deltas if isinstance(delta, PartEnded) and kinds[delta.index] == "tool"]
    refused = [delta for delta in deltas if isinstance(delta, CallRefused)]
    whole = bool(deltas) and isinstance(deltas[-1], Finished)
    assert whole is (failed is None), "either whole or failed, never both"
    assert "\ufffd" not in text and "sk-key" not in repr(failed and vars(failed))
    match case["expect"]["outcome"]:
        case "completed":
            assert failed is None and text == case["expect_text"]
            if case["id"] == "SSE-034":
                assert ran == [{"path": "x"}]
        case "error_retryable":
            assert (failed is not None and failed.transient) or (refused and not ran)
            assert not ran
        case "error_final" | "denied":
            assert failed is not None and not failed.transient and failed.advice
        case "bounded":
            assert failed is not None and failed.kind == "stalled"
        case other:
            pytest.fail(f"an outcome that this test does not know: {other}")
