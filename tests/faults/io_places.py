"""Where there is no room, or where nothing may be written: errands on a small disk of their own, in a namespace that
may mount one, and with files that may not grow. Tried by `io_calls.py`; where it cannot be tried it says so.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.faults import aftermath
from tests.faults.report import Found
from tests.limits import LIMIT

ROOT = Path(__file__).resolve().parents[2]
KIB = range(0, 1200, 4)
"""Free room that is tried, in KiB: from none to more than an errand needs."""
SAMPLE = 5
NAMESPACE = ("unshare", "-Urm")


def no_namespace() -> str:
    """Why no disk can be mounted here; empty where it can."""
    with tempfile.TemporaryDirectory() as folder:
        command = [*NAMESPACE, "mount", "-t", "tmpfs", "tmpfs", folder]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=False)
        except OSError as problem:
            return f"no unshare ({problem.strerror})"
    return f"no mount in a user namespace ({done.stderr.strip()[-100:]})" if done.returncode else ""


def places(whole: bool, seed: int, sample: int = SAMPLE) -> list[Found]:
    """A full disk and a read-only one, and files that may not grow."""
    chance = random.Random(f"room {seed}")
    rooms = list(KIB) if whole else sorted(chance.sample(list(KIB), sample))
    disk, store = Found("a full disk, at some room", 0), Found("a read-only store", 0)
    if why := no_namespace():
        disk.not_here = store.not_here = why
    else:
        _mounted(disk, store, rooms)
    return [disk, store, limited(rooms)]


def _mounted(disk: Found, store: Found, rooms: list[int]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        acts = ["readonly", *(f"full:{room}" for room in rooms)]
        command = [*NAMESPACE, sys.executable, "-m", "tests.faults.io_room", folder, *acts]
        done = subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, timeout=30 + 30 * len(acts), check=False
        )
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    for line in lines:
        row = store if line["act"] == "readonly" else disk
        row.runs += 1
        row.failed += [f"{line['act']}: {words}" for words in line["broken"]]
    if len(lines) < len(acts):
        disk.failed.append(f"the run ended early: {done.stderr[-2000:]}")
    short = [line for line in lines if line["act"] != "readonly" and line["told"]]
    disk.figures["too little room"] = f"{len(short)} times"


def limited(rooms: list[int]) -> Found:
    """No file may have more than so many KiB, as by `ulimit -f`: the database and its log fail as it grows."""
    from tests.faults.io_calls import Server, fresh

    row, server = Found("files that may not grow", 0), Server(with_shim=False)
    try:
        for room in rooms:
            with fresh() as folder:
                report = server.do(folder, largest=max(1, room) << 10)
                row.runs += 1
                row.failed += [f"{room} KiB: {words}" for words in aftermath.broken(folder, report)]
    finally:
        server.close()
    return row
