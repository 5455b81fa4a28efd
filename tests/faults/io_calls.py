"""Part `io` of `python -m tests.faults`: each I/O call of an errand fails in turn, on a disk that is full, broken,
short or read-only, and afterwards nothing is half-written, nothing silent, nothing executed without its decision.

The whole tries every call with every fault; the bounded part a few of each, picked by the seed.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.faults import aftermath, errand
from tests.faults.failing import FAULTS, REMOVES, Fault, shim
from tests.faults.report import Found
from tests.limits import LIMIT

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = 4
"""Calls that fail in the bounded part, of each fault."""


class Server:
    """The process in which errands are done."""

    def __init__(self, *, with_shim: bool) -> None:
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
        environment = kept | {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1", "OLLAMA_HOST": "127.0.0.1:9"}
        if with_shim:
            environment["LD_PRELOAD"] = shim()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.faults.errand"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=ROOT,
            env=environment,
            text=True,
        )

    def do(self, folder: Path, fault: int = 0, number: int = 0, largest: int = 0) -> dict[str, Any]:
        """One errand in a prepared folder; `largest` bytes is all that a file may have."""
        assert self._process.stdin is not None and self._process.stdout is not None
        job = {"folder": str(folder), "fault": fault, "number": number, "largest": largest}
        self._process.stdin.write(json.dumps(job) + "\n")
        self._process.stdin.flush()
        report: dict[str, Any] = json.loads(self._process.stdout.readline())
        return report

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(LIMIT)


@contextmanager
def fresh() -> Iterator[Path]:
    """A folder for one errand."""
    folder = Path(os.path.realpath(tempfile.mkdtemp(prefix="jp-tui-io-")))
    try:
        errand.prepared(folder)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def tried(whole: bool, seed: int) -> list[Found]:
    """Every fault, each at every call or at some."""
    kinds = [bool(shim())] if not whole or not shim() else [True, False]
    found = [one for with_shim in kinds for one in each_call(whole, seed, with_shim=with_shim)]
    from tests.faults.io_places import places

    return [*found, *places(whole, seed)]


def each_call(
    whole: bool, seed: int, *, with_shim: bool, sample: int = SAMPLE, faults: Sequence[Fault] = FAULTS
) -> list[Found]:
    """`with_shim`: all of the program's calls, the database's, too; else those that Python makes."""
    server, rows, counts = Server(with_shim=with_shim), list[Found](), dict[int, int]()
    try:
        for fault in faults:
            place = FAULTS.index(fault)
            row = Found(f"{fault.name}{'' if with_shim else ' (calls of Python alone)'}", 0)
            if fault.kinds not in counts:
                with fresh() as folder:
                    report = server.do(folder, place)
                    row.failed += [f"without a fault: {words}" for words in aftermath.broken(folder, report)]
                    counts[fault.kinds] = int(report["counted"])
            calls = range(1, counts[fault.kinds] + 1)
            chance = random.Random(f"{seed} {place}")
            row.figures["calls"] = f"{len(calls)}"
            for number in calls if whole else sorted(chance.sample(calls, min(sample, len(calls)))):
                row.runs += 1
                row.failed += failing(server, place, number)
            rows.append(row)
    finally:
        server.close()
    return rows


def failing(server: Server, fault: int, number: int) -> list[str]:
    """One errand with one fault; what it broke, with what repeats it."""
    with fresh() as folder:
        report = server.do(folder, fault, number)
        stays = FAULTS[fault].stays or FAULTS[fault].kinds & REMOVES
        words = aftermath.broken(folder, report, spares=bool(stays))
    return [f"fault {fault}, call {number} ({report['hit']}): {one}" for one in words]


if __name__ == "__main__":  # one of them again: python -m tests.faults.io_calls FAULT NUMBER [python]
    again = Server(with_shim="python" not in sys.argv)
    print("\n".join(failing(again, int(sys.argv[1]), int(sys.argv[2]))) or "as promised")
    again.close()
