"""kill -9 at every commit and at any moment: no shown event lost, no unreadable store, questions and drafts back.

Workers (`kills_worker.py`) play scenes on the real engine, kill them and judge what is left; here their findings are
summed up. A finding names scene and moment; commits are counted as they fell in that run, so it repeats nearly, not
exactly.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

from tests.faults.report import Found

ROOT = Path(__file__).resolve().parents[2]
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
    workers = max(1, min(os.cpu_count() or 1, MOST))
    edges = [runs * number // workers for number in range(workers + 1)]
    began = [_worker(seed, first, last) for first, last in pairwise(edges)]
    heard = [line for one in began for line in _heard(one)]
    return [
        _summed(words, runs // 2, seed, [one for one in heard if one.get("what", what) == what])
        for what, words in _WHAT.items()
    ]


def _worker(seed: int, first: int, last: int) -> subprocess.Popen[str]:
    words = [sys.executable, "-m", "tests.faults.kills_worker", *map(str, (seed, first, last))]
    return subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True, start_new_session=True)


def _heard(worker: subprocess.Popen[str]) -> list[dict[str, Any]]:
    """What a worker found; its own end is a finding where it was no good one."""
    said, _ = worker.communicate()
    lines = [json.loads(line) for line in said.splitlines()]
    if worker.returncode:
        lines.append({"found": [f"the worker ended with {worker.returncode}"], "scene": "?", "where": "?"})
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
