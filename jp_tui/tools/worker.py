"""Run jobs in a child process: patterns, diffs, file scans and templates (traps.md T21c, T28); the child is
`worker_main.py`.

One job per process: JSON in, JSON lines out. A pattern that never ends is ended with its process; earlier output is
kept. This module doesn't interpret jobs.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

from jp_tui.system.children import ChildProblem, run
from jp_tui.tools.files.workspace import ToolRefusal

SECONDS = 10.0
_OUTPUT = 64 << 20
_START = "import sys; sys.path.append(sys.argv[1]); from jp_tui.tools.worker_main import main; main(sys.argv[2])"

Kind = Literal["edit", "diff", "list", "search", "render", "survey", "places"]


class WorkerTimeout(ToolRefusal):
    """The job reached its time limit; `lines` is the output so far."""

    def __init__(self, lines: list[dict[str, Any]], seconds: float) -> None:
        super().__init__(f"this took more than {seconds:.0f} seconds and was ended; use a simpler pattern or less text")
        self.lines = lines


async def ask(
    kind: Kind,
    job: Mapping[str, object],
    *,
    seconds: float | None = None,
    cancel: asyncio.Event | None = None,
    heard: Callable[[bytes], None] | None = None,
) -> list[dict[str, Any]]:
    """Return the output lines of a job of this kind. Raises WorkerTimeout after `seconds` (default SECONDS),
    ToolRefusal if it failed (too much memory, no child) or `cancel` was set. `heard` receives the lines as they arrive,
    as bytes."""
    limit = SECONDS if seconds is None else seconds
    argv = [sys.executable, "-I", "-S", "-X", "utf8", "-c", _START, str(Path(__file__).parents[2]), kind]
    try:
        done = await run(
            argv,
            cwd="/",
            stdin=json.dumps(job).encode(),
            timeout=limit,
            output_limit=_OUTPUT,
            cancel=cancel,
            heard=heard,
        )
    except ChildProblem as problem:
        raise ToolRefusal(f"the work could not be done: {problem}") from None
    whole = done.stdout[: done.stdout.rfind(b"\n") + 1].splitlines()
    lines = [json.loads(line) for line in whole]
    if done.timed_out:
        raise WorkerTimeout(lines, limit)
    if done.cancelled:
        raise ToolRefusal("the work was cancelled")
    if not done.ok or done.truncated:
        last = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
        raise ToolRefusal(f"the work could not be done: {' '.join(last) or 'its process ended early'}")
    return lines
