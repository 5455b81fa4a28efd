"""How long tests wait for another thread or process before they fail.

It is against hanging only: a machine that others use is slow now and then, and a test that passes never waits so long.
How fast something is, is measured elsewhere (`tests/bench`).
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

LIMIT = 200.0
"""Seconds."""


def starved(pid: int) -> float:
    """Seconds that threads of a process were ready to run and got no CPU, in all; 0 where the system doesn't say.

    What a program promises within a time, it promises without these.
    """
    waited = 0
    for thread in Path(f"/proc/{pid}/task").glob("*/schedstat"):
        with contextlib.suppress(OSError, IndexError, ValueError):
            waited += int(thread.read_text().split()[1])
    return waited / 1e9


def stolen() -> float:
    """Seconds that CPUs of this virtual machine were ready to run and ran something else, in all, since it started."""
    with contextlib.suppress(OSError, IndexError, ValueError):
        return int(Path("/proc/stat").read_text().split()[8]) / os.sysconf("SC_CLK_TCK")
    return 0.0
