"""Deciding about a command line with 1,000 rules beside the same with one, and reading a line beside `bash -n` of it
(rules.md, issue "Approval rules").

The rules of the large set begin with 500 different programs; the line has three parts, each allowed. A start of bash is
part of `bash -n`: so it is for whoever asks it instead.
"""

from __future__ import annotations

import shutil
import subprocess
import time
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from jp_tui.rules.danger import read_dangers
from jp_tui.rules.decide import RuleLayer, RuleLayers, decide
from jp_tui.rules.matching import RuleIndex
from jp_tui.rules.shell_line import read
from jp_tui.rules.values import ApprovalRule, CallFacts, Nowhere, Situation
from jp_tui.settings.data import DANGER_FILE
from tests.bench.program import NotHere
from tests.bench.report import Row

if TYPE_CHECKING:
    from tests.bench.setting import Bench

SECONDS = 30.0
MANY = 1_000
TIMES = 50
"""Decisions of one sample."""
LINE = "git log --oneline -5; git log -p src | git log 'a b'"


def rows(bench: Bench) -> list[Row]:
    """Both by turns."""
    bash = shutil.which("bash")
    if bash is None:
        raise NotHere("there is no bash")
    reps = 10 if bench.quick else 60
    one, many = decides(1), decides(MANY)
    ours, theirs = _turns(many, one, reps)
    found = [Row(f"a decision over {MANY:,} rules", ours, theirs, against="over 1 rule", goal=3.0)]
    begin = [bash, "-n", "-c", LINE]
    ours, theirs = _turns(
        lambda: _read(LINE),
        lambda: subprocess.run(begin, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL),
        reps,
    )
    return [*found, Row("reading a command line", ours, theirs, against="bash -n", goal=0.5)]


def decides(count: int) -> Callable[[], object]:
    """Decisions about `LINE` over so many rules, of which one is about it."""
    rules = [ApprovalRule("log", "allow", "run", (("git",), ("log",)), folder="/w")]
    effects = ("allow", "ask", "deny")
    for number in range(count - 1):
        command = ((f"program{number // 2}",), (f"word{number}",))
        rules.append(ApprovalRule(f"rule-{number}", effects[number % 3], "run", command))  # type: ignore[arg-type]
    layers = RuleLayers(user=RuleLayer(RuleIndex(rules)))
    call = CallFacts("run", '{"command":"x"}', "/w", line=LINE, commands=True)
    dangers = read_dangers(tomllib.loads(Path(DANGER_FILE).read_text(encoding="utf-8"))["danger"])

    def some() -> object:
        for _ in range(TIMES):
            found = decide(call, layers, Situation("/w", now=100.0), dangers, Nowhere())
        assert found.choice == "run", found
        return found

    return some


def _read(line: str) -> None:
    assert not read(line).why


def _turns(ours: Callable[[], object], theirs: Callable[[], object], reps: int) -> tuple[list[float], list[float]]:
    """Seconds of each, one after the other, after one uncounted run of each."""
    found: tuple[list[float], list[float]] = ([], [])
    for number in range(reps + 1):
        for does, times in zip((ours, theirs), found, strict=True):
            began = time.perf_counter()
            does()
            if number:
                times.append(time.perf_counter() - began)
    return found
