"""What makes a run of the tests shorter: names of tests are short, and a part of many cases is spread over all."""

from __future__ import annotations

import pytest

from tests import sampling
from tests.conftest import LONGEST_NAME, pytest_make_parametrize_id


def test_a_long_text_is_not_the_name_of_a_test() -> None:
    """Names go to each worker, stand in each report and in the environment of children."""
    assert pytest_make_parametrize_id("short") is None and pytest_make_parametrize_id(5) is None
    for long in ("x" * 100_000_000, b"\xff" * 10_000):
        named = pytest_make_parametrize_id(long)
        assert named is not None and len(named) < LONGEST_NAME + 20


def test_a_part_is_spread_and_all_are_there_where_all_are_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TESTS_WHOLE", raising=False)
    assert sampling.sampled(range(10), 4) == [0, 4, 8] and sampling.sampled(range(10), 4, 1) == [1, 5, 9]
    monkeypatch.setenv("TESTS_WHOLE", "1")
    assert sampling.sampled(range(10), 4) == list(range(10))
