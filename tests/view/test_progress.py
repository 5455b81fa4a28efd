"""How far something is (issue 8, 7): a share for what knows its length, the time for what does not."""

from __future__ import annotations

import pytest

from jp_tui.view.activity.progress import bar, progress


@pytest.mark.parametrize(
    ("done", "total", "elapsed", "told"),
    [
        (0, 0, 0.4, ""),
        (0, 0, 12.7, "12 s"),
        (1234, 0, 125, "1,234 · 2 m 05 s"),
        (1234, 5000, 0, "1,234 of 5,000 · 24 %"),
        (4999, 5000, 3, "4,999 of 5,000 · 99 % · 3 s"),
        (7, 5, 0, "5 of 5 · 100 %"),
        (-1, 5, 0, "0 of 5 · 0 %"),
    ],
)
def test_the_words(done: int, total: int, elapsed: float, told: str) -> None:
    assert progress(done, total, elapsed) == told


def test_the_bar_is_full_only_when_all_is_done() -> None:
    assert [bar(done, 1000) for done in (0, 999, 1000)] == ["□" * 10, "■" * 9 + "□", "■" * 10]
    assert bar(3, 0) == "" and bar(9, 3, 3) == "■■■"
