"""The map from blocks of the program to the tests that reach them: recorded once, in copies with probes.

A recording is kept in the state folder: `blocks.json` has the names of the blocks, `recorded-N.jsonl` a line a test.
"""

from __future__ import annotations

import base64
import json
import re
import sys
import threading
import time
import zlib
from collections import defaultdict
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from queue import Empty, SimpleQueue

from tests.default_signals import restore
from tests.mutants import scope
from tests.mutants.copies import ROOT, Copy
from tests.mutants.probes import Blocks, instrument

_TOGETHER = 12
_LIMIT = 3_600.0


def record(state: Path, tests: list[str], workers: int) -> None:
    """Run these files of tests with probes and keep what they reach, in place of what was known of them."""
    restore()
    state = state.resolve()
    state.mkdir(parents=True, exist_ok=True)
    files = scope.files()
    chunks: SimpleQueue[list[str]] = SimpleQueue()
    for at in range(0, len(tests), _TOGETHER):
        chunks.put(tests[at : at + _TOGETHER])
    begun, batch = time.monotonic(), f"{time.time_ns()}"
    (state / "recordings").mkdir(exist_ok=True)
    left = [len(tests)]

    def work(number: int) -> None:
        copy = Copy(state / f"recording{number}")
        copy.make()
        hits, found = copy.folder / "hits", state / "recordings" / f"{batch}-{number}.jsonl"
        names = instrument(copy.tree, files, hits)
        found.write_text(json.dumps({"blocks": names}) + "\n")
        while True:
            try:
                chunk = chunks.get_nowait()
            except Empty:
                return
            variables = {"JP_MUTANTS_HITS": str(hits), "JP_MUTANTS_FOUND": str(found)}
            log = state / f"recording-{number}.log"
            copy.pytest(chunk, _LIMIT, log, "-p", "tests.mutants.recorder", **variables)
            left[0] -= len(chunk)
            sys.stderr.write(f"recording: {left[0]} files left, {time.monotonic() - begun:.0f} s\n")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@dataclass
class Map:
    """What was recorded: how long each test takes, what it reaches, and which failed."""

    seconds: dict[str, float] = field(default_factory=dict)
    reached: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """Tests by the name of a block."""
    breadth: dict[str, int] = field(default_factory=dict)
    """How many blocks a test reaches."""
    failed: set[str] = field(default_factory=set)
    _blocks: dict[str, Blocks] = field(default_factory=dict)

    def tests_of(self, path: str, source: bytes, line: int) -> set[str]:
        """The tests that reach the block with this line; those that reach anything in the file where the block is not
        known: code at module level, or a function that has changed since; with them those whose file names the module.
        Where there is none, those of its room."""
        blocks = self._blocks.setdefault(path, Blocks(path, source))
        name = blocks.at(line)
        if name and name in self.reached:
            return self.reached[name]
        if name and any(name.rpartition("::")[0] == known.rpartition("::")[0] for known in self.reached):
            return set()  # its function was reached, this block never
        near = self._reading(path) | {
            test for known, tests in self.reached.items() if known.startswith(f"{path}::") for test in tests
        }
        room = path.split("/")[1]
        return near or {test for test in self.seconds if test.startswith(f"tests/{room}/")}

    def _reading(self, path: str) -> set[str]:
        """The tests of files that name this module: they may look at what stands in it, and run nothing of it."""
        stem = Path(path).stem
        named = re.compile(rf"^(?:from|import) .*\b{stem}\b", re.MULTILINE)
        files = {test.partition("::")[0] for test in self.seconds}
        found = {file for file in files if (text := _text(file)) and named.search(text)}
        return {test for test in self.seconds if test.partition("::")[0] in found}


@cache
def _text(file: str) -> str:
    path = ROOT / file
    return path.read_text("utf-8", "replace") if path.is_file() else ""


def load(state: Path) -> Map:
    """All recordings, a later one of a file of tests in place of an earlier one."""
    found: dict[str, dict[str, tuple[float, str, set[str]]]] = {}
    made: dict[str, str] = {}
    for file in sorted((state / "recordings").glob("*.jsonl")):
        batch = file.name.partition("-")[0]
        lines = file.read_text().splitlines()
        names: list[str] = json.loads(lines[0])["blocks"]
        whole: dict[str, set[str]] = defaultdict(set)
        rows = [json.loads(line) for line in lines[1:]]
        for row in rows:
            row["names"] = {names[at] for at, hit in enumerate(zlib.decompress(base64.b64decode(row["hits"]))) if hit}
            if "file" in row:
                whole[row["file"]] |= row["names"]
        for row in rows:
            if "test" in row:
                path = row["test"].partition("::")[0]
                if made.get(path) != batch:
                    made[path], found[path] = batch, {}
                found[path][row["test"]] = row["s"], row["ended"], row["names"] | whole[path]
    known = Map()
    for tests in found.values():
        for test, (seconds, ended, blocks) in tests.items():
            if ended == "skipped":
                continue
            known.seconds[test], known.breadth[test] = seconds, len(blocks)
            if ended == "failed":
                known.failed.add(test)
            for block in blocks:
                known.reached[block].add(test)
    return known
