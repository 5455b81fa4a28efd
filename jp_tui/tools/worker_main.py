"""Main module of the child that `worker.py` starts: one job, JSON on stdin, JSON lines on stdout, bounded memory.

It imports only the standard library and packages that need no more. The program itself never imports it.
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
    """Do the job of this kind; its form is defined in its module (`edits.py`, `scan.py`, `survey.py` …)."""
    die_with_parent()  # otherwise an endless pattern would outlive a killed jp-tui
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
    """Write one line at once and complete, so that it survives the end of this process."""
    left = memoryview(json.dumps(value).encode() + b"\n")
    while left:
        left = left[os.write(1, left) :]
