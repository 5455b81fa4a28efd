"""Killed around a compaction, and with summaries that fail: nothing that was shown is lost, no overlay parts a pair,
and each turn ends (context.md K22, K24, K28)."""

from __future__ import annotations

import pytest

from tests.faults import compaction
from tests.sampling import whole

RUNS, TIMES = (compaction.BOUNDED, 2) if whole() else (compaction.BOUNDED // 4, 1)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_kills_and_each_failing_summary_lose_nothing() -> None:
    killed, failing = compaction.tried(whole=False, seed=19, runs=RUNS, times=TIMES)
    assert not killed.failed + failing.failed
    assert killed.runs == RUNS and failing.runs == TIMES * len(compaction.SUMMARIES)
    for one in (killed, failing):
        assert one.figures["events lost"] == one.figures["overlays that part a pair"] == "0"
        assert int(one.figures["events looked up"].replace(",", "")) > RUNS
    # the dice may fall late once, but not always: else nothing would have been tried
    scenes = [int(count) for name, count in killed.figures.items() if name.startswith("killed: ")]
    assert sum(scenes) > RUNS / 2 and len(scenes) == 5 and min(scenes) > RUNS / 40
    assert int(killed.figures["compactions in what is left"]) > RUNS / 4
    assert int(failing.figures["overlays looked at"]) >= failing.runs
