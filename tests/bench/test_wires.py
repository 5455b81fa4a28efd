"""What `python -m tests.bench --only wires` compares: whole replies of 1,000 tokens, requests that servers take."""

from __future__ import annotations

import json

import pytest

from jp_tui.conversation.model import Finished
from jp_tui.conversation.strict_json import dump
from jp_tui.providers.endpoint import Endpoint
from jp_tui.providers.registry import make_wire
from tests.bench import wires
from tests.providers.decoding import HELLO, decode, fold
from tests.providers.makers import STRICT


@pytest.mark.parametrize("wire", wires.BASE)
def test_a_reply_of_the_benchmark_is_whole(wire: str) -> None:
    said, finished = fold(decode(make_wire(Endpoint("x", wire, "http://h")).decoder(HELLO), [wires.reply(wire)]))
    words = "".join(wires.WORDS[at % len(wires.WORDS)] for at in range(wires.TOKENS))
    assert [part[1] for part in said] == [words] and isinstance(finished, Finished)
    assert finished.usage.output == wires.TOKENS


@pytest.mark.parametrize("wire", STRICT)
def test_a_request_of_the_benchmark_is_taken(wire: str) -> None:
    row = wires.built(wire, 1)
    assert row.goal == wires.BUILT and row.ours and row.theirs
    body = make_wire(Endpoint(wire, wire, "http://h")).body(wires.request(wires.MESSAGES, wire))
    marks = {"anthropic": "c2lnc2ln", "openai-responses": "enc-", "gemini": "sig-"}
    assert marks.get(wire, "fs_read_file") in dump(body), "what came with reasoning goes back"
    assert len(json.dumps(body)) > 200_000
