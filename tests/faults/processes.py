"""Two to eight processes on one conversation: one writer at a time, the first answer wins, a dead one holds nothing.

Workspaces, `answer`, `query` and `rpc` at random moments, some killed (`processes_worker.py`); here their findings are
summed up. A finding names number and seed, from which the same schedule is played again.
"""

from __future__ import annotations

import os
from collections import Counter
from itertools import pairwise

from tests.faults import workers
from tests.faults.report import Found

BOUNDED, WHOLE = 8, 1_000
MOST = 4


def tried(whole: bool, seed: int, runs: int = 0) -> list[Found]:
    """So many schedules; as many as the promise says where nothing is said."""
    runs = runs or (WHOLE if whole else BOUNDED)
    together = max(1, min(os.cpu_count() or 1, MOST, runs // 50 or 1))
    edges = [runs * number // together for number in range(together + 1)]
    heard = workers.played("tests.faults.processes_worker", [(seed, first, last) for first, last in pairwise(edges)])
    results = [line for one in heard for line in one.results if "run" in line]
    figures: Counter[str] = Counter()
    for one in results:
        figures.update(one["figures"])
    failed = [f"schedule {one['run']} of seed {seed}: {said}" for one in results for said in one["found"]]
    if len(results) != runs:
        failed.append(f"only {len(results)} of {runs} schedules came to a verdict")
    failed += [one.wrong for one in heard if one.wrong]
    free = max((one["free"] for one in results), default=0.0)
    return [
        Found(
            "two to eight processes on one conversation",
            runs,
            failed,
            {
                "processes": f"{figures['processes']:,}",
                "killed": f"{figures['killed']:,}",
                "writers one after the other": f"{figures['writers']:,}",
                "answers": f"{figures['answers']:,}",
                "told that they came too late": f"{figures['told']:,}",
                "longest that a dead one's lock was held": f"{free * 1000:.0f} ms",
            },
        )
    ]
