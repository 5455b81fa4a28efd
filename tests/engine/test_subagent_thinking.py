"""The reason while it is written (asking.md E40): the same text as at the end, however the reply was cut in pieces."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jp_tui.conversation.strict_json import JsonProblem, parse
from jp_tui.engine.reviewer.reason_stream import Reason


def pieces(text: str, rng: random.Random) -> list[str]:
    cuts = sorted(rng.randrange(len(text) + 1) for _ in range(rng.randrange(1, 12)))
    return [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]


@given(st.text(), st.booleans(), st.randoms(use_true_random=False), st.sampled_from([True, None, 1.5, "x", ["reason"]]))
def test_it_is_the_reason_in_pieces(reason: str, ascii_: bool, rng: random.Random, answer: object) -> None:
    """Escapes and UTF-16 pairs that a cut goes through, in any order of keys."""
    reason = reason.encode("utf-8", "replace").decode()
    keys = [("reason", reason), ("answer", answer), ("x", {"reason": "inner"}), ("reasons", "other")]
    rng.shuffle(keys)
    text = json.dumps(dict(keys), ensure_ascii=ascii_, indent=rng.choice([None, 1]))
    reads = Reason()
    said = [reads.feed(piece) for piece in pieces(text, rng)]
    assert "".join(said) == reason
    assert all(piece.encode() or not piece for piece in said), "whole characters only"


def test_each_piece_is_said_as_soon_as_it_is_there() -> None:
    reads = Reason()
    said = [
        reads.feed(piece) for piece in ['{"rea', 'son": "It', " fits", " \\", "n\\u00", "e9", "\\ud83d", "\\ude00", '"']
    ]
    assert said == ["", "It", " fits", " ", "\n", "\u00e9", "", "\U0001f600", ""]
    assert reads.feed(',"answer":true}') == "" and reads.feed('{"reason":"again"}') == ""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('Sure! {"reason":"x"}', ""), ('```json\n{"reason":"x"}', ""), ('["reason","x"]', ""), ('[{"reason":"x"}]', ""),
        ('{"a":{"reason":"x"}}', ""), ('{"reason":5,"b":"x"}', ""), ('{"reason":["x"]}', ""),
        ('{"a":"reason","b":"x"}', ""), ("", ""),
        ('{"reason":"a","reason":"b"}', "a"), ('{"reason":"a\nb"}', "a"), ('{"reason":"a\\qb"}', "a"),
        ('{"reason":"a\\u00zz"}', "a"), ('{"reason":"\\ud83d!"}', "\ufffd!"), ('{"reason":"\\udc00"}', "\ufffd"),
        ('{"reason":"\\ud83d"}', "\ufffd"), ('{"reason":"\\ud83d\\n"}', "\ufffd\n"),
        ('{"\\u0072eason":"x"}', "x"),
    ],
)  # fmt: skip
def test_what_is_no_such_reply_shows_nothing_or_stops(text: str, said: str) -> None:
    for size in (1, 3, 100):
        reads = Reason()
        assert "".join(reads.feed(text[at : at + size]) for at in range(0, len(text), size)) == said


def test_what_was_heard_of_a_strict_reply_is_what_counts() -> None:
    """Of mutated replies too: where the strict gate takes one, both read the same reason."""
    rng, taken = random.Random(1), 0
    for _ in range(20_000):
        text = '{"reason":"a\\u00e9\\ud83d\\ude00\\"b","answer":true}'
        at = rng.randrange(len(text))
        text = (
            text[:at] + rng.choice(['"', "\\", "x", ",", ":", "{", "[", "\\u0041", " "]) + text[at + rng.randrange(2) :]
        )
        reads = Reason()
        said = "".join(reads.feed(piece) for piece in pieces(text, rng))
        try:
            value = parse(text)
        except JsonProblem:
            continue
        if isinstance(value, dict) and isinstance(value.get("reason"), str):
            taken += 1
            assert said == value["reason"], text
    assert taken > 1_000


def test_a_large_reason_is_read_quickly() -> None:
    """A megabyte, in small pieces: each sign is looked at once."""
    reads, text = Reason(), json.dumps({"reason": "caf\u00e9 " * 170_000})
    assert sum(len(reads.feed(text[at : at + 50])) for at in range(0, len(text), 50)) == 850_000
