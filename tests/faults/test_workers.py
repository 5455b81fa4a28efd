"""A worker that hangs holds nobody up, and says where it hangs (issue 9)."""

from __future__ import annotations

import re
import time

from tests.faults.terminal import LIMIT, running
from tests.faults.workers import played


def test_one_that_is_silent_is_ended_with_its_children_and_says_where_they_were() -> None:
    (found,) = played("tests.faults.workers", [()], silence=0.5)
    assert found.results == [{"run": 1}]
    assert "said nothing for" in found.wrong
    assert len(re.findall(r"workers.py\", line \d+ in _hang", found.wrong)) == 2, found.wrong
    pids = re.findall(r"== where (\d+) ", found.wrong)
    assert len(pids) == 2
    end = time.monotonic() + LIMIT
    while any(running(int(pid)) for pid in pids):  # a killed process still has to end
        assert time.monotonic() < end, f"never ended: {pids}"
        time.sleep(0.01)


def test_one_that_ends_well_is_heard_whole() -> None:
    (found,) = played("tests.faults.processes_worker", [(1, 0, 0)])
    assert (found.results, found.wrong) == ([], "")
