"""Killed at commits and at any moment, nothing that was shown is lost (issue 9; inquiries.md R205, R207, R237; E24)."""

from __future__ import annotations

import pytest

from tests.faults import kills
from tests.sampling import whole

RUNS = kills.BOUNDED if whole() else 24


@pytest.mark.timeout(600)  # all runs in one: three of them take a second of a free core
def test_kills_lose_nothing_that_was_shown() -> None:
    at_commits, at_moments = kills.tried(whole=False, seed=9, runs=RUNS)
    assert not at_commits.failed + at_moments.failed
    assert at_commits.runs + at_moments.runs == RUNS
    # Half of the runs each. On a busy machine more of them end before their kill; if nearly all did, nothing was tried.
    assert int(at_commits.figures["killed before its end"]) > RUNS * 0.25
    assert int(at_moments.figures["killed before its end"]) > RUNS * 0.2
    for back in ("questions back", "of them with a draft"):
        assert any(int(found.figures.get(back, "0")) for found in (at_commits, at_moments)), back
