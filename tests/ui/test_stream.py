"""A message that arrives in pieces looks as the whole one does, and what was painted stays (designs.md B)."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from jp_tui.conversation.text import Foreign
from jp_tui.ui.painting import plain
from jp_tui.ui.painting.blocks import message_rows, thought
from jp_tui.ui.painting.rows import Row
from jp_tui.ui.painting.stream import StreamedMessage, Thinking
from jp_tui.view.transcript.blocks import TextBlock
from tests.ui.look_of import look_of, texts

LOOK = look_of()


def whole(text: str, width: int) -> list[Row]:
    return message_rows(TextBlock(key="e1", place=(1, 0), text=Foreign(text)), width, LOOK)


def streamed(text: str, width: int, seed: int, most: int = 12) -> StreamedMessage:
    """The message fed in random pieces; rows once frozen must never change."""
    rng, message, at = random.Random(seed), StreamedMessage(width, LOOK), 0
    frozen: list[Row] = []
    while at < len(text):
        size = rng.randint(1, most)
        message.feed(text[at : at + size])
        at += size
        assert message.frozen[: len(frozen)] == frozen
        frozen = list(message.frozen)
    return message


def alike(one: list[Row], other: list[Row]) -> bool:
    return texts(one) == texts(other) and all(a.same(b) for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize(
    "text",
    [
        "# T\n\npara *one*\n\n- a\n- b\n  - c\n\n  more\n- d\n\n1. x\n2. y\n\nend",
        "1. a\n\n2. b\n3. c\n\n   para\n\n   ```py\n   x = 1\n   ```\n4. d\n",
        "- a\n- b\n* c\n* d\n+ e\n\ntext\n",
        "```py\ndef f():\n    '''doc\n    more'''\n```\ntext\n```\n\n\nraw\n```",
        "````md\n```\ninner\n```\n````\nafter",
        "~~~diff\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n~~~",
        "   ```py\n   x\n     y\n   ```\nend",
        "```never closed\nx\ny",
        "para\n---\nset\n===\n\n***\n",
        "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n\nafter",
        "> quote\n> more\n\n> other\n",
        "[x]: https://a.example/\n\nsee [x] here\n\nand [x] again",
        "text\n\n    code\n\n    more\n\nend",
        "- \n- a\n-\n\nend\n",
        "105. a\n106. b\n107. c\n",
        "1. a\n1. b\n1. c\n",
    ],
)
def test_every_kind_of_block_streams_to_the_same_rows(text: str) -> None:
    for width in (30, 80):
        for seed in range(6):
            message = streamed(text + "\n", width, seed)
            assert alike(message.frozen + message.tail, whole(text + "\n", width)), (width, seed)


PIECES = st.lists(
    st.sampled_from(
        [
            "# h\n",
            "word ",
            "**b** ",
            "`c` ",
            "\n",
            "\n\n",
            "- item\n",
            "  - sub\n",
            "  text\n",
            "1. one\n",
            "2. two\n",
            "> q\n",
            "```\n",
            "```py\n",
            "x = 1\n",
            "| a | b |\n",
            "|---|--:|\n",
            "---\n",
            "你好 ",
            "    code\n",
            "* s\n",
        ]
    ),
    max_size=30,
).map("".join)


@given(PIECES, st.integers(0, 1000))
@example("- a\n\n- b\n\n      code\n", 1)
def test_any_text_in_any_pieces_streams_to_the_same_rows(text: str, seed: int) -> None:
    """Without link definitions, which may come late; those are what the last, whole painting is for."""
    message = streamed(text + "\n\n", 40, seed)
    assert alike(message.frozen + message.tail, whole(text + "\n\n", 40))


def test_recorded_conversations_stream_to_the_same_rows(jp_conversations: Path) -> None:
    count = 0
    for file in sorted(jp_conversations.glob("*/events.json")):
        for event in json.loads(file.read_text()):
            text = event.get("message")
            if isinstance(text, str) and len(text) < 6000:
                message = streamed(text + "\n", 90, count, most=40)
                assert alike(message.frozen + message.tail, whole(text, 90))
                count += 1
    assert count > 20


def test_what_is_over_is_frozen_and_the_tail_stays_small() -> None:
    """Designs B: blocks, items of a list and lines of a fence; the cost of a frame does not grow with the message."""
    message = StreamedMessage(80, LOOK)
    for number in range(200):
        message.feed(f"para {number}\n\n")
    assert len(message.frozen) > 390 and len(message.tail) <= 2
    message.feed("- item\n" * 200)
    assert len(message.tail) <= 2
    message.feed("\n```py\n" + "x = 1\n" * 500 + "y")
    assert len(message.tail) <= 1 and message.tail[-1].text == "y"


def test_a_message_beyond_the_cap_says_so_and_costs_nothing_more() -> None:
    """T4: what is beyond 256 KiB is counted, not painted."""
    message = StreamedMessage(80, LOOK)
    for _ in range(300):
        message.feed("word " * 200 + "\n\n")
    rows = message.frozen + message.tail
    assert sum(len(row.text) for row in rows) <= plain.SHOWN + 200
    assert "more characters not shown; an export (/conversations, e) has all" in " ".join(
        row.text.strip() for row in rows[-2:]
    )


def test_sequences_cut_by_a_piece_never_show() -> None:
    """R195: state survives the pieces of a stream."""
    message = StreamedMessage(80, LOOK)
    for piece in ("a\x1b", "]52;c;Zm9v", "\x07b\x1b[", "2Jc"):
        message.feed(piece)
    assert texts(message.tail) == ["   abc"]


def test_reasoning_is_folded_from_its_first_row_on() -> None:
    thinking = Thinking("p:r", 60, LOOK, unfolded=False)
    for number in range(50):
        thinking.feed(f"line {number}\n")
    assert texts(thinking.tail)[-1].endswith("… 47 more lines")
    final = thought("p:r", "".join(f"line {n}\n" for n in range(50)), 60, LOOK, False)
    assert alike(thinking.tail, final)
    assert len(thought("p:r", "a\nb\nc\nd\ne\nf", 60, LOOK, True)) == 6
