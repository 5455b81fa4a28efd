"""`python -m tests.faults [--whole] [--only PART,…] [--seed N] [--save] [--json FILE]`: what jp-tui survives, tried.

Each part is a module with `tried(whole: bool, seed: int) -> list[Found]`: bounded (seconds, what CI runs by pytest,
too), or the whole with `--whole` (minutes to hours, every figure that SECURITY.md names). `--save` keeps each part with
its commit, day and machine, and refuses a tree that differs from its commit. Ends with 1 when a promise was broken.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
import time
from dataclasses import asdict
from pathlib import Path

from tests import provenance
from tests.faults.report import Found, table
from tests.faults.saved import save

PARTS: dict[str, str] = {
    "soak": "tests.faults.soak",
    "network": "tests.faults.network",
    "secrets": "tests.faults.planted",
    "io": "tests.faults.io_calls",
    "painter": "tests.faults.painter",
    "slots": "tests.faults.slots",
    "streams": "tests.faults.streams",
    "rpc": "tests.faults.rpc",
    "fuzz": "tests.faults.fuzz",
    "history": "tests.faults.history",
    "servers": "tests.faults.servers",
    "kills": "tests.faults.kills",
    "compaction": "tests.faults.compaction",
    "handover": "tests.faults.handover",
    "log": "tests.faults.log_damaged",
    "taken": "tests.faults.taken",
    "endings": "tests.faults.endings",
    "processes": "tests.faults.processes",
    "stalls": "tests.faults.stalls",
    "sandbox": "tests.faults.sandbox",
    "rules": "tests.faults.rules",
    "ignored": "tests.faults.ignored",
    "agents": "tests.faults.agents",
}
"""The module of each part, by its name on the command line."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("--whole", action="store_true", help="as often as the promises say, not as often as CI")
    parser.add_argument("--only", metavar="PART,…", default=",".join(PARTS), help=f"some of {', '.join(PARTS)}")
    parser.add_argument("--seed", type=int, default=1, help="where chance begins (default 1)")
    parser.add_argument("--save", action="store_true", help="keep what was found in SECURITY.md and beside this file")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all that was found to FILE")
    options = parser.parse_args()
    names = [name for name in options.only.split(",") if name]
    if unknown := set(names) - set(PARTS):
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    began = provenance.run()
    if options.save:
        _refuse(parser, began)
    parts: dict[str, list[Found]] = {}
    for name in names:
        begun = time.monotonic()
        parts[name] = importlib.import_module(PARTS[name]).tried(options.whole, options.seed)
        sys.stderr.write(f"{name}: {time.monotonic() - begun:.0f} s\n")
        if options.save:
            _refuse(parser, began)
            save({name: parts[name]}, began, whole=options.whole)
    found = [one for rows in parts.values() for one in rows]
    print(table(found))
    if options.json:
        options.json.write_text(json.dumps([asdict(one) for one in found], indent=1) + "\n")
    return 1 if any(one.failed for one in found) else 0


def _refuse(parser: argparse.ArgumentParser, began: provenance.Run) -> None:
    try:
        provenance.refuse(began)
    except provenance.Refused as reason:
        parser.error(str(reason))


if __name__ == "__main__":
    sys.exit(main())
