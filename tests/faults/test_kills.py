"""Killed at commits and at any moment, nothing that was shown is lost (issue 9; inquiries.md R205, R207, R237; E24)."""

from __future__ import annotations

import pytest

from tests.faults import kills


@pytest.mark.timeout(600)  # 200 runs in one: a quarter of a minute on two free cores
def test_200_kills_lose_nothing_that_was_shown() -> None:
    at_commits, at_moments = kills.tried(whole=False, seed=9)
    assert not at_commits.failed + at_moments.failed
    assert at_commits.runs + at_moments.runs == 200
    # the dice may fall late once, but not always: else nothing would have been tried
    assert int(at_commits.figures["killed before its end"]) > 80
    assert int(at_moments.figures["killed before its end"]) > 60
    assert int(at_commits.figures["questions back"]) > 10 and int(at_commits.figures["of them with a draft"]) > 0
