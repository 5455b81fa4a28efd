"""A worker that hangs holds nobody up, and says where it hangs (issue 9)."""

from __future__ import annotations

import re
import time
from pathlib import Path

from tests.faults.workers import played


def test_one_that_is_silent_is_ended_with_its_children_and_says_where_they_were() -> None:
    began = time.monotonic()
    (found,) = played("tests.faults.workers", [()], silence=0.5)
    assert time.monotonic() - began < 20
    assert found.results == [{"run": 1}]
    assert "said nothing for" in found.wrong
    assert len(re.findall(r"workers.py\", line \d+ in _hang", found.wrong)) == 2, found.wrong
    pids = re.findall(r"== where (\d+) ", found.wrong)
    assert len(pids) == 2
    for pid in pids:
        status = Path(f"/proc/{pid}/status")
        assert not status.exists() or "State:\tZ" in status.read_text()


def test_one_that_ends_well_is_heard_whole() -> None:
    (found,) = played("tests.faults.processes_worker", [(1, 0, 0)])
    assert (found.results, found.wrong) == ([], "")
