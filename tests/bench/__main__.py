"""`python -m tests.bench [--quick] [--only PART,…] [--more] [--driver] [--save] [--json FILE]`: jp-tui, measured.

Everything is measured in one run in real ptys, what is compared in turns, after one uncounted run of each. Ratios
are the result; milliseconds depend on the machine, which is named. No test depends on any of these times.
Each part is a module with `rows(bench: Bench) -> list[Row]`, and `SECONDS`, the time that it may take; it raises
NotHere where this machine can't measure it. Ctrl+C ends the run and prints what is there. `--save` keeps each part
with its commit, day and machine, and refuses a tree that differs from its commit.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import signal
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path

from tests import provenance
from tests.bench import saved
from tests.bench.program import Never, NotHere
from tests.bench.report import Row, table
from tests.bench.setting import Bench

PARTS: dict[str, str] = {
    "start": "tests.bench.start",
    "keys": "tests.bench.keys",
    "open": "tests.bench.opening",
    "stream": "tests.bench.streaming",
    "progress": "tests.bench.progress",
    "day": "tests.bench.day",
    "append": "tests.bench.store",
    "search": "tests.bench.searching",
    "request": "tests.bench.requests",
    "idle": "tests.bench.idle",
}
"""The module of each part, by its name on the command line: together at most fifteen minutes."""
MORE = {
    "interrupt": "tests.bench.interrupts",
    "schema": "tests.bench.sheets",
    "many": "tests.bench.many",
    "patches": "tests.bench.patches",
    "rules": "tests.bench.deciding",
    "wires": "tests.bench.wires",
    "outside": "tests.bench.outside",
    "agents": "tests.bench.agents",
    "shared": "tests.bench.shared",
    "mcp": "tests.bench.mcp",
}
"""What was promised besides: with `--more`, or by name."""
DRIVER = "tests.bench.driver"


LATE = 3
"""Times its own seconds, after which a part is given up: on a busy machine it may take more than it should."""


def run(bench: Bench, parts: dict[str, str]) -> tuple[dict[str, list[Row] | str], bool]:
    """The rows of each part or why it can't be measured here, and whether all that was asked for is there."""
    found, whole = dict[str, list[Row] | str](), True
    signal.signal(signal.SIGALRM, _late)
    for number, (name, path) in enumerate(parts.items(), 1):
        module = importlib.import_module(path)
        begun = time.monotonic()
        _say(f"{number}/{len(parts)} {name}, {module.SECONDS:g} s at most … ")
        signal.setitimer(signal.ITIMER_REAL, LATE * module.SECONDS)
        bench.begin()
        try:
            found[name] = rows = module.rows(bench)
        except NotHere as reason:
            _say(f"not here: {reason}\n")
            found[name] = str(reason)
            continue
        except Never as problem:
            _say(f"{problem}\n")
            whole = False
            continue
        except KeyboardInterrupt:
            _say("stopped\n")
            return found, False
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        for row in rows:
            if not row.runs:
                row.runs, row.failed = max(bench.runs, 1), bench.failed
        missed = [row.what for row in rows if row.met is False]
        late = " (late)" if time.monotonic() - begun > module.SECONDS else ""
        _say(f"{time.monotonic() - begun:.0f} s{late}{''.join(f'; missed: {what}' for what in missed)}\n")
    return found, whole


def _late(number: int, frame: object) -> None:
    raise Never(f"given up: {LATE} times its seconds are over")


def _say(words: str) -> None:
    sys.stderr.write(words)
    sys.stderr.flush()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few repetitions: does it work, not how fast is it")
    parser.add_argument("--only", metavar="PART,…", help=f"some of {', '.join([*PARTS, *MORE])}")
    parser.add_argument("--more", action="store_true", help=f"with {', '.join(MORE)}, which take 24 minutes more")
    parser.add_argument("--driver", action="store_true", help="the bare app with and without guardian and driver")
    parser.add_argument("--save", action="store_true", help="keep the results, of a clean tree only")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all samples, in seconds, to FILE")
    options = parser.parse_args()
    every = PARTS | MORE
    names = options.only.split(",") if options.only else list(every if options.more else PARTS)
    if unknown := set(names) - set(every):
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    if options.save and (options.quick or options.driver):
        parser.error("what is measured with --quick or --driver is not saved")
    began = provenance.run()
    if options.save:
        _refuse(parser, began)
    parts = {"driver": DRIVER} if options.driver else {name: every[name] for name in every if name in names}
    load = f"load {os.getloadavg()[0]:.1f} at the start"
    with tempfile.TemporaryDirectory(prefix="jp-tui-bench-") as folder:
        found, whole = run(Bench(Path(folder), options.quick), parts)
    facts = began | {"load": f"{load}, {os.getloadavg()[0]:.1f} at the end"}
    rows = [row for part in found.values() if not isinstance(part, str) for row in part]
    print(provenance.told(facts) + "\n\n" + table([row.summed() for row in rows]))
    if options.json:
        results = [asdict(row) | {"ratio": row.ratio} for row in rows]
        options.json.write_text(json.dumps({"facts": facts, "rows": results}, indent=1) + "\n")
    if options.save:
        _refuse(parser, began)
        saved.save(found, facts, every)
    return 0 if rows and whole else 1


def _refuse(parser: argparse.ArgumentParser, began: provenance.Run) -> None:
    try:
        provenance.refuse(began)
    except provenance.Refused as reason:
        parser.error(str(reason))


if __name__ == "__main__":
    sys.exit(main())
