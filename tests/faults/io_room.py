"""Errands on a disk of their own: `python -m tests.faults.io_room FOLDER ACT…` inside a namespace that may mount.

FOLDER becomes a small tmpfs. `full:N` does an errand with N KiB of free room, `readonly` one on a store that cannot be
written. One line of JSON an act: what was broken, and what the user was told. Started by `io_places.py` alone.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.faults import aftermath, errand
from tests.faults.errand import forked
from tests.faults.failing import Arm

SIZE_MIB = 16
PIECE = 4096


def filled(folder: Path, free: int) -> Path:
    """A file that leaves `free` bytes of room."""
    filler = folder / "filler"
    room = os.statvfs(folder)
    with filler.open("wb") as file:
        for _ in range(max(0, room.f_bavail * room.f_frsize - free) // PIECE):
            file.write(b"x" * PIECE)
    return filler


def full(folder: Path, kib: int, arm: Arm) -> tuple[list[str], dict[str, Any]]:
    """An errand with so much room."""
    place = folder / f"full{kib}"
    errand.prepared(place)
    filler = filled(folder, kib << 10)
    report = forked({"folder": str(place), "fault": 0, "number": 0}, arm)
    filler.unlink()
    words = aftermath.broken(place, report, spares=False)
    shutil.rmtree(place)
    return words, report


def readonly(folder: Path, arm: Arm) -> tuple[list[str], dict[str, Any]]:
    """An errand in a store that was used before and cannot be written now, in a workspace that cannot either."""
    place = folder / "readonly"
    errand.prepared(place)
    first = forked({"folder": str(place), "fault": 0, "number": 0}, arm)
    found = [f"before: {words}" for words in aftermath.broken(place, first)]
    before = {one: one.read_bytes() for one in sorted(place.rglob("*")) if one.is_file()}
    _mount("-o", "remount,ro", str(folder))
    report = forked({"folder": str(place), "fault": 0, "number": 0}, arm)
    _mount("-o", "remount,rw", str(folder))
    if report["bug"]:
        found.append(report["bug"])
    if report["facts"] or report["done"]:
        found.append(f"done although nothing can be written: {report['done']}")
    if not any(words.strip() for words in report["told"]):
        found.append("nobody was told")
    if before != {one: one.read_bytes() for one in sorted(place.rglob("*")) if one.is_file()}:
        found.append("a file is not as it was")
    return found, report


def _mount(*words: str) -> None:
    subprocess.run(["mount", *words], check=True, capture_output=True)


def main() -> None:
    folder = Path(sys.argv[1])
    _mount("-t", "tmpfs", "-o", f"size={SIZE_MIB}m", "tmpfs", str(folder))
    errand.imported()
    arm = Arm()
    for act in sys.argv[2:]:
        words, report = readonly(folder, arm) if act == "readonly" else full(folder, int(act.partition(":")[2]), arm)
        print(json.dumps({"act": act, "broken": words, "told": report["told"], "facts": len(report["facts"])}))
        sys.stdout.flush()


if __name__ == "__main__":
    main()
