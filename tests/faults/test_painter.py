"""A bounded part of `python -m tests.faults --only painter`, and that what looks for faults does find them."""

from __future__ import annotations

import random

import pytest
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from jp_tui.conversation.text import Foreign
from jp_tui.ui.painting.rows import Piece, row, wrap
from jp_tui.ui.textual_patches import output_gate
from jp_tui.view.transcript import blocks as b
from tests.faults import obeyed, painter
from tests.faults.fuzzed import FIRST, LAST, Fuzz
from tests.ui.look_of import look_of


@pytest.mark.parametrize("seed", [1, 2])
def test_fuzzed_strings_reach_the_terminal_without_a_control(seed: int) -> None:
    """T1, R195-R197: no sequence, no control, nothing that acts, nothing that raises."""
    (found,) = painter.tried(False, seed, 700)
    assert found.failed == []


def test_a_seed_and_a_number_give_the_same_string_again() -> None:
    one, other = Fuzz(7), Fuzz(7)
    texts = [one.text(number) for number in range(50)]
    assert [other.text(number) for number in reversed(range(50))] == texts[::-1] and len(set(texts)) == 50
    assert all(text.startswith(FIRST) and text.endswith(LAST) for text in texts)


def test_what_gets_past_the_edge_is_found_when_the_gate_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """The eye does not see with the gate's eyes."""
    monkeypatch.setattr(output_gate, "passed", lambda text: text)
    for text in ("\x1b[31m", "\x1b[1;1H", "\x9b2J", "\x07", "\x7f", "\t", "\x1b]8;;http://e.example\x1b\\", "\u202e"):
        _, faults = painter.judged([Strip([Segment(f"a{text}b", Style(bold=True))])])
        assert faults, repr(text)
    marked = Strip([Segment("x", Style(meta={"@click": "app.quit"}))])
    assert painter.judged([marked])[1]


@pytest.mark.parametrize(
    "written",
    [
        "\x1b]52;c;QUFB\x07", "\x1b[?1002x", "\x1b[?47h", "\x1b[2J", "\x1b[8mx", "\x1b[5mx", "\x1b]0;a\x1bb\x07",
        "\x1bc", "\x1b[6n",
        "\x1b]8;id=1;http://e.example/\x1b[2J\x1b\\", "\x1b]8;id=1;javascript:alert(1)\x1b\\", "\x1b[38;5;300m",
        "\x1bP+q544e\x1b\\",
        "a\tb", "a\rb", "\x9d0;t\x9c", "\ud800", "\x1b[", "\x1b",
    ],
)  # fmt: skip
def test_what_no_code_of_ours_writes_is_a_fault(written: str) -> None:
    terminal = obeyed.Terminal()
    terminal.feed(f"words {written} words", last=True)
    assert terminal.faults


def test_what_our_code_writes_is_none_in_whatever_pieces_it_comes() -> None:
    ours = (
        "\x1b[?1049h\x1b[?1003h\x1b[>1u\x1b[?2026$p\x1b[>0q\x1b[22;0t\x1b]0;(1) Fix - acme - jp\x07"
        "\x1b[?2026h\x1b[12;1H"
        "\x1b[1;38;2;1;2;3;48;2;4;5;6mwords\x1b[0m\x1b]8;id=12;https://e.example/a?b\x1b\\link\x1b]8;;\x1b\\"
        "\x1b]99;i=jp:d=0;a\x1b\\\x1b]777;notify;a;b\x07\x1b[<u\x1b[?1049l\x1b[23;0t\n"
    )  # fmt: skip
    chance = random.Random(3)
    for _ in range(20):
        terminal, at = obeyed.Terminal(), 0
        while at < len(ours):
            step = chance.randint(1, 30)
            terminal.feed(ours[at : at + step])
            at += step
        terminal.feed("", last=True)
        assert terminal.faults == [] and "".join(terminal.words) == "wordslink\n"
        assert terminal.on == {1049: False, 1003: True, 2026: True} and terminal.titles == ["(1) Fix - acme - jp"]


def test_a_tab_takes_its_cells_wherever_it_stands() -> None:
    """It moves the cursor and paints nothing: what stood there before would shine through, and the row be longer."""
    look = look_of()
    lines = wrap([Piece("aaaa\tbbbb\tcccc", look.text)], 9)
    assert ["".join(piece.text for piece in line.pieces) for line in lines] == ["aaaa bbbb", "cccc"]
    assert row([], [Piece("a\tb", look.text)], 5, look.text).strip.text == "a b  "
    said = Foreign("why\tnot\ttoday")
    words, faults = painter.judged(
        painter._block(b.Ending(how="failed", message=said, key="1", place=(1, 0)), look, 40)
    )
    assert faults == [] and "why not today" in words
