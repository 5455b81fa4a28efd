"""What runs in the child that `worker.py` starts: one job, JSON on stdin, JSON lines on stdout, bounded memory.

Imports only what a bare interpreter has, and our own rooms that need no more. Never imported by the program itself.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import sys

from jp_tui.system.child_keeper import die_with_parent

_MEMORY = 1 << 30


def main(kind: str) -> None:
    """Do the job of this kind; its shape is said where it is done (`edits.py`, `scan.py`, `survey.py` …)."""
    die_with_parent()  # nobody else ends a pattern without an end when we were killed
    with contextlib.suppress(OSError, ValueError):  # a system without this limit has others
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    job = json.loads(sys.stdin.buffer.read())
    if kind == "edit":
        from jp_tui.tools.files.edits import edit

        _emit({**edit(job)})
    elif kind == "diff":
        from jp_tui.tools.files.edits import edited

        _emit({**edited(job["name"], job["before"], job["after"])})
    elif kind == "render":
        from jp_tui.tools.local.rendering import render

        _emit(render(job))
    elif kind == "survey":
        from jp_tui.tools.shell.survey import workspace

        workspace(job, _emit)
    elif kind == "places":
        from jp_tui.tools.shell.survey import places

        places(job, _emit)
    elif kind == "list":
        from jp_tui.tools.files.scan import listing

        _emit({"text": listing(job)})
    else:
        from jp_tui.tools.files.scan import search

        search(job, _emit)


def _emit(value: dict[str, object]) -> None:
    """One line, at once and whole, so that it is there when this process is ended."""
    left = memoryview(json.dumps(value).encode() + b"\n")
    while left:
        left = left[os.write(1, left) :]
