"""`python -m tests.faults --only ignored`, fewer pairs: ignore lists hide what git ignores."""

from __future__ import annotations

from tests.faults import ignored


def test_ar40_ignore_lists_agree_with_git() -> None:
    pairs, wrong = ignored.compared(3, 1_500)
    assert wrong == [] and pairs >= 1_500
