"""Killed around a compaction, nothing that was shown is lost and no overlay parts a pair (context.md K22, K28)."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
RUNS = 200


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_200_kills_around_a_compaction_lose_nothing() -> None:
    halves = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.faults.compaction_kills", "19", str(first), str(first + RUNS // 2)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        for first in (0, RUNS // 2)
    ]
    runs = [json.loads(line) for one in halves for line in one.communicate()[0].splitlines()]
    assert len(runs) == RUNS and all(one.returncode == 0 for one in halves)
    assert [one for one in runs if one["found"]] == []
    killed = Counter(one["scene"] for one in runs if one["killed"])
    assert sum(killed.values()) > RUNS // 2 and len(killed) == 5 and min(killed.values()) > 5, killed
    assert sum(one["compacted"] for one in runs) > RUNS // 4
