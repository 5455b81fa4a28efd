"""kill -9 at every commit and at any moment: no shown event lost, no unreadable store, questions and drafts back.

Workers (`kills_worker.py`) play scenes on the real engine, kill them and judge what is left; here their findings are
summed up. A finding names scene and moment; commits are counted as they fell in that run, so it repeats nearly, not
exactly.
"""

from __future__ import annotations

import os
from collections import Counter
from itertools import pairwise
from typing import Any

from tests.faults import workers
from tests.faults.report import Found

BOUNDED, WHOLE = 200, 10_000
MOST = 4
_WHAT = {"commits": "kill -9 at every commit of scripted runs", "moments": "kill -9 at random moments"}
_SAYS = {
    "events": "shown events looked up", "runs": "effects of tools", "taken up": "turns taken up",
    "questions": "questions back", "drafts": "of them with a draft",
}  # fmt: skip


def tried(whole: bool, seed: int, runs: int = 0) -> list[Found]:
    """So many `runs`, half of them at commits; as many as the promise says where nothing is said."""
    runs = runs or (WHOLE if whole else BOUNDED)
    together = max(1, min(os.cpu_count() or 1, MOST))
    edges = [runs * number // together for number in range(together + 1)]
    jobs = [(seed, first, last) for first, last in pairwise(edges)]
    heard = [line for one in workers.played("tests.faults.kills_worker", jobs) for line in _lines(one)]
    return [
        _summed(words, runs // 2, seed, [one for one in heard if one.get("what", what) == what])
        for what, words in _WHAT.items()
    ]


def _lines(worker: workers.Heard) -> list[dict[str, Any]]:
    """What a worker found; its own end is a finding where it was no good one."""
    lines = [line for line in worker.results if "found" in line]
    if worker.wrong:
        lines.append({"found": [worker.wrong], "scene": "?", "where": "?"})
    return lines


def _summed(words: str, runs: int, seed: int, results: list[dict[str, Any]]) -> Found:
    figures: Counter[str] = Counter()
    for one in results:
        figures.update(one.get("figures", {}))
    failed = [
        f"{one['scene']}, killed at {one['where']} (run {one.get('run')}, seed {seed}): {said}"
        for one in results
        for said in one["found"]
    ]
    if (seen := sum("run" in one for one in results)) != runs:
        failed.append(f"only {seen} of {runs} runs came to a verdict")
    said = {name: f"{figures[key]:,}" for key, name in _SAYS.items() if figures[key]}
    said["killed before its end"] = f"{sum(one.get('died', False) for one in results):,}"
    said["longest that a child was left"] = f"{max((one.get('left', 0.0) for one in results), default=0.0):.1f} s"
    return Found(words, runs, failed, said)
