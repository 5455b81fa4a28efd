"""`python -m tests.faults --only streams`, few cuts of each stream: what is whole stays whole, what is cut says so."""

from __future__ import annotations

from typing import Any

import pytest

from jp_tui.conversation.model import ModelError, PartEnded
from jp_tui.providers.anthropic.stream import AnthropicDecoder
from tests.faults import streams

SEED = 9


def test_no_cut_of_a_recorded_stream_doubles_text_or_runs_a_tool() -> None:
    """T19, T20."""
    found = streams.tried(whole=False, seed=SEED)
    assert [wrong for one in found for wrong in one.failed] == [], f"seed {SEED}"
    assert found[0].runs > 500 and found[2].runs >= 15 and found[3].runs >= 16


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
