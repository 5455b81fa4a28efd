"""`python -m tests.bench [--quick] [--only PART,…] [--driver] [--json FILE]`: jp-tui beside a bare Textual app.

Everything is measured in one run in real ptys, what is compared in turns, after one uncounted run of each. Ratios
are the result; milliseconds depend on the machine, which is named. No test depends on any of these times.
Each part is a module with `rows(bench: Bench) -> list[Row]`, and `SECONDS`, the time that it may take.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path

from tests.bench.program import Never
from tests.bench.report import Row, machine, table
from tests.bench.setting import Bench

PARTS: dict[str, str] = {
    "start": "tests.bench.start",
    "keys": "tests.bench.keys",
    "open": "tests.bench.opening",
    "stream": "tests.bench.stream",
    "append": "tests.bench.store",
    "idle": "tests.bench.idle",
    "interrupt": "tests.bench.interrupts",
    "schema": "tests.bench.sheets",
    "many": "tests.bench.many",
}
"""The module of each part, by its name on the command line."""


def run(bench: Bench, parts: dict[str, str]) -> list[Row]:
    """All rows that were asked for; what cannot be measured is told and left out."""
    rows: list[Row] = []
    for name, module in parts.items():
        begun = time.monotonic()
        sys.stderr.write(f"{name} …")
        sys.stderr.flush()
        try:
            rows += importlib.import_module(module).rows(bench)
        except Never as problem:
            sys.stderr.write(f" {problem}\n")
            continue
        except KeyboardInterrupt:
            sys.stderr.write(" stopped\n")
            break
        sys.stderr.write(f" {time.monotonic() - begun:.0f} s\n")
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few repetitions: does it work, not how fast is it")
    parser.add_argument("--only", metavar="PART,…", default=",".join(PARTS), help=f"some of {', '.join(PARTS)}")
    parser.add_argument("--driver", action="store_true", help="the bare app with and without guardian and driver")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all samples, in seconds, to FILE")
    options = parser.parse_args()
    names = options.only.split(",")
    if unknown := set(names) - set(PARTS):
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    parts = (
        {"driver": "tests.bench.driver"} if options.driver else {name: PARTS[name] for name in PARTS if name in names}
    )
    facts = machine()
    with tempfile.TemporaryDirectory(prefix="jp-tui-bench-") as folder:
        rows = run(Bench(Path(folder), options.quick), parts)
    print(", ".join(facts.values()) + "\n\n" + table(rows))
    if options.json:
        results = [asdict(row) | {"ratio": row.ratio} for row in rows]
        options.json.write_text(json.dumps({"facts": facts, "rows": results}, indent=1) + "\n")
    return 0 if rows else 1


if __name__ == "__main__":
    sys.exit(main())
