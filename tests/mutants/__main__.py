"""`python -m tests.mutants [--seed N] [--count N] [--only PATH,…] [--save]`: does a test notice a change?

Records once which tests reach which code (as long as a run of all tests), then changes one place of the program at a
time in a copy and asks the tests that reach it. Stopped, it goes on where it was: results are kept in the state folder.
Ends with 1 when more than 8 in 100 survive, or any that is not judged equivalent in a file that must have none.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import sys
import threading
import time
from datetime import UTC, datetime
from pathlib import Path

from tests.default_signals import restore
from tests.mutants import record, report, sample, scope
from tests.mutants.copies import ROOT, Copy
from tests.mutants.mutant import Mutant
from tests.mutants.tries import Trier


def main() -> int:
    options = _options()
    restore()
    state: Path = options.state.resolve()
    if options.record is not None:
        record.record(state, options.record or scope.test_files(), options.workers)
        return 0
    if not (state / "recordings").is_dir():
        record.record(state, scope.test_files(), options.workers)
    sources = {path: (ROOT / path).read_bytes() for path in scope.files() if _wanted(path, options.only)}
    chosen = sample.every(sources) if options.all else sample.sample(sources, options.seed, options.count)
    kept = report.Results(state / f"results-{options.seed}.jsonl")
    todo = [one for one in chosen if (found := kept.of(one)) is None or _again(found, options)]
    _try(todo, state, kept, options)
    found = [row for one in chosen if (row := kept.of(one)) is not None]
    summary = report.Summary(options.seed, datetime.now(UTC).strftime("%Y-%m-%d"), found, report.judged())
    print(summary.words())
    if options.json:
        options.json.write_text(json.dumps(summary.stored(), indent=1) + "\n")
    if options.save:
        summary.save()
    return 0 if summary.good() else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="which sample (default 1)")
    parser.add_argument("--count", type=int, default=300, help="how many mutants (default 300)")
    parser.add_argument("--all", action="store_true", help="every mutant of the files, not a sample")
    parser.add_argument("--only", metavar="PATH,…", default="", help="only these files, or patterns of files")
    parser.add_argument("--retry", action="store_true", help="try again what survived earlier")
    parser.add_argument("--anew", action="store_true", help="try all again, also what was tried earlier")
    parser.add_argument("--record", nargs="*", metavar="TEST_FILE", help="only record these files, or all tests")
    parser.add_argument("--quick", action="store_true", help="leave out the last and longest step for now")
    parser.add_argument("--sweeps", action="store_true", help="ask also tests that take more than 12 seconds")
    parser.add_argument("--workers", type=int, default=2, help="mutants at a time (default 2)")
    parser.add_argument("--state", type=Path, default=ROOT / "build" / "mutants", help="folder for what is kept")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the results to FILE")
    parser.add_argument("--save", action="store_true", help="keep the result in SECURITY.md and beside this file")
    return parser.parse_args()


def _wanted(path: str, only: str) -> bool:
    patterns = [one for one in only.split(",") if one]
    return not patterns or any(fnmatch.fnmatch(path, one) or path.startswith(one) for one in patterns)


def _again(found: report.Row, options: argparse.Namespace) -> bool:
    if options.anew:
        return True
    if report.judged().get(found["key"], {}).get("verdict") == "equivalent":
        return False
    unsure = found["result"] == "unsure" and not options.quick
    return unsure or (options.retry and found["result"] in ("survived", "unsure"))


def _try(todo: list[Mutant], state: Path, kept: report.Results, options: argparse.Namespace) -> None:
    """Each worker has a copy of its own, made from the tree as it is now."""
    if not todo:
        return
    known = record.load(state)
    left, gate, begun = list(todo), threading.Lock(), time.monotonic()

    def work(number: int) -> None:
        copy = Copy(state / f"copy{number}")
        copy.make()
        trier = Trier(copy, known, state / f"try-{number}.log", sweeps=options.sweeps, quick=options.quick)
        while True:
            with gate:
                if not left:
                    return
                mutant = left.pop(0)
            tried = trier.tried(mutant)
            with gate:
                kept.add(mutant, tried)
                done = len(todo) - len(left)
                words = f"[{done}/{len(todo)}, {time.monotonic() - begun:.0f} s] {tried.result} "
                sys.stderr.write(f"{words}({tried.tests} of {tried.reach} tests, {tried.seconds} s) {mutant.key}\n")

    threads = [threading.Thread(target=work, args=(number,), daemon=True) for number in range(options.workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    sys.exit(main())
