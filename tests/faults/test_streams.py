"""`python -m tests.faults --only streams`, few cuts of each stream: what is whole stays whole, what is cut says so."""

from __future__ import annotations

from typing import Any

import pytest

from jp_tui.conversation.model import ModelError, PartEnded, Usage
from jp_tui.providers.anthropic.stream import AnthropicDecoder
from jp_tui.providers.ollama.stream import OllamaDecoder
from tests.faults import mutated, streams
from tests.providers.makers import SPEAKS

SEED = 9


def test_no_cut_of_a_recorded_stream_doubles_text_or_runs_a_tool() -> None:
    """T19, T20."""
    found = streams.tried(whole=False, seed=SEED)
    assert [wrong for one in found for wrong in one.failed] == [], f"seed {SEED}"
    assert found[0].runs > 500 and found[2].runs >= 15 and found[3].runs >= 16
    assert [one.runs for one in found[-len(SPEAKS) :]] == [200] * len(SPEAKS)


@pytest.mark.parametrize("odd", [None, {"error": {"message": "Overloaded", "code": 503}}, "", -1], ids=repr)
@pytest.mark.parametrize("wire", SPEAKS)
def test_w9_a_value_of_any_kind_at_any_place_ends_in_words_or_in_the_whole_message(wire: str, odd: Any) -> None:
    tried = mutated.everywhere(wire, odd)
    assert len(tried) > 20 and [f"{one.how}: {wrong}" for one in tried if (wrong := mutated.judged(wire, one))] == []


def _at_any_end(self: OllamaDecoder) -> list[Any]:
    return [] if self.done else self._reply.finish("tools", Usage())


def test_what_counts_half_a_message_as_whole_is_found_by_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(OllamaDecoder, "end", _at_any_end)
    failed = {row.what: len(row.failed) for row in mutated.tried(50, SEED) if row.failed}
    assert [*failed] == ["ollama: a stream that chance changed"]


def _trusting(self: AnthropicDecoder) -> list[Any]:
    return [] if self.done else self._reply.finish(self._reason or "tools", self._usage())


def _eager(self: AnthropicDecoder) -> list[Any]:
    if not self.done and self._reply._calls:
        return [PartEnded(self._reply._calls[0].index or 0, arguments={})]
    raise ModelError("cut", "Broke off.", "Again.", transient=True)


@pytest.mark.parametrize("mistake", [_trusting, _eager])
def test_a_decoder_that_trusts_half_a_message_is_found(monkeypatch: pytest.MonkeyPatch, mistake: Any) -> None:
    """The judge itself: it does not pass everything."""
    stream = next(stream for stream in streams.streams() if stream.name == "anthropic_tools")
    monkeypatch.setattr(AnthropicDecoder, "end", mistake)
    assert list(streams.decoded(stream, None))
