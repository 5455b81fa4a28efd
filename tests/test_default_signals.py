"""Tests pass when they are run under nohup or in the background of a script, where signals are ignored."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.limits import LIMIT

ROOT = Path(__file__).resolve().parents[1]
NOHUP = "trap '' HUP INT QUIT TERM USR1 ALRM; exec \"$@\""
"""What nohup (HUP) and a background job of a script (INT, QUIT) ignore, and more."""
SENDING = (
    "tests/test_guardian.py::test_the_code_is_the_childs_or_128_and_the_signal",
    "tests/headless/test_signals.py",
    "tests/test_default_signals.py::test_nothing_is_ignored_here",
)
"""Tests that start programs and send them signals."""


def ignored() -> set[int]:
    """What this process ignores, as the system has it."""
    (line,) = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("SigIgn:")]
    mask = int(line.split()[1], 16)
    return {number for number in range(1, 65) if mask >> (number - 1) & 1}


def test_nothing_is_ignored_here() -> None:
    """But what Python ignores by itself, and gives back to its children."""
    assert ignored() <= {signal.SIGPIPE, signal.SIGXFSZ}
    assert signal.getsignal(signal.SIGINT) is not signal.SIG_IGN


@pytest.mark.slow
@pytest.mark.parametrize("workers", ["0", "1"], ids=["alone", "by a worker of xdist"])
def test_tests_pass_where_signals_are_ignored(workers: str) -> None:
    if os.environ.get("JP_TUI_SIGNALS_TRIED"):
        pytest.skip("it is this run that is tried")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", workers, *SENDING]
    tried = {**os.environ, "JP_TUI_SIGNALS_TRIED": "1"}
    for name in [name for name in tried if name.startswith("PYTEST_")]:
        del tried[name]
    done = subprocess.run(
        ["/bin/sh", "-c", NOHUP, "sh", *command], cwd=ROOT, env=tried, capture_output=True, text=True, timeout=LIMIT
    )
    assert done.returncode == 0, done.stdout[-3_000:]
    assert " passed" in done.stdout
