"""Several processes on one conversation, at random moments (issue 9; surface.md S6, S12; asking.md E53)."""

from __future__ import annotations

import pytest

from tests.faults import processes


@pytest.mark.timeout(900)
def test_one_writer_at_a_time_and_the_first_answer_wins() -> None:
    (found,) = processes.tried(whole=False, seed=9)
    assert not found.failed
    assert found.runs == 8
    assert int(found.figures["killed"]) >= 4 and int(found.figures["told that they came too late"]) >= 4
