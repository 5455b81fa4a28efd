"""What is wrapped in one go is wrapped as word by word: the short way of most text changes nothing that is shown."""

from __future__ import annotations

import time
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.style import Style

from jp_tui.ui.painting import rows
from jp_tui.ui.painting.rows import ClickTarget, Piece, WrappedLine, wrap

STYLES = (Style(), Style(bold=True))
HITS = (None, ClickTarget("link", "https://example.org"))
pieces = st.lists(
    st.builds(Piece, st.text("ab  ,é語\t", max_size=12), st.sampled_from(STYLES), st.sampled_from(HITS)), max_size=8
)


def cells(lines: Sequence[WrappedLine]) -> list[object]:
    """Each character with its style and what it is, by line."""
    return [([(char, one.style, one.hit) for one in line.pieces for char in one.text], line.join) for line in lines]


@given(pieces, st.integers(-1, 20), st.integers(-1, 20))
def test_both_ways_make_the_same_lines(given: list[Piece], first: int, rest: int) -> None:
    before = rows._wrapped
    found = cells(wrap(given, first, rest))
    try:
        rows._wrapped = lambda *_: None  # type: ignore[assignment]
        assert found == cells(wrap(given, first, rest))
    finally:
        rows._wrapped = before


@pytest.mark.parametrize("text", ["word " * 3, "two  blanks at an end  and more   ", "word, **word** and a last one"])
def test_what_most_text_is_goes_the_short_way(text: str) -> None:
    found = rows._wrapped([Piece(text[:7], STYLES[0]), Piece(text[7:], STYLES[1])], 8, 9)
    assert found is not None and all(sum(len(one.text) for one in line.pieces) <= 9 for line in found)


def test_many_pieces_of_many_lines_take_a_time_that_grows_with_them() -> None:
    def took(count: int) -> float:
        many = [Piece("word ", STYLES[at % 2]) for at in range(count)]
        best = 1e9
        for _ in range(3):
            began = time.process_time()
            assert rows._wrapped(many, 80, 80) is not None
            best = min(best, time.process_time() - began)
        return best

    assert took(40_000) < 10 * took(8_000), "five times as many"
