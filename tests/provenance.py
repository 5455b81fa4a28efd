"""Where a saved figure comes from: commit, tree, day, machine. Shared by `tests.bench` and `tests.faults`.

Only figures of a clean tree are kept: a commit that is named beside a figure is the code that was measured. What the
tables themselves are kept in may differ from the commit, so that several parts can be saved one after the other.
"""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ("tests/bench/latest.json", "tests/bench/latest.md", "tests/faults/latest.json")
TABLES = {"docs/developing.md": "<!-- bench -->", "SECURITY.md": "<!-- faults -->"}
"""Files that hold a table, and the mark before it."""
END = "<!-- end -->"
Run = dict[str, str]
"""Where figures come from, in words, by what it is: "commit", "tree", "date", "machine", "versions"."""


class Refused(Exception):
    """Why nothing can be saved, in words."""


def run(root: Path = ROOT) -> Run:
    """What can be said now. The commit is empty where there is no repository."""
    facts = Path("/proc/cpuinfo").read_text().splitlines()
    model = next((line.partition(":")[2].strip() for line in facts if line.startswith("model name")), "")
    memory = int(Path("/proc/meminfo").read_text().split()[1]) / 1024**2
    changed = changes(root)
    return {
        "commit": _git(root, "rev-parse", "--short=12", "HEAD").strip(),
        "tree": "clean" if changed == [] else "dirty",
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "machine": f"{os.cpu_count()} cores {model or platform.machine()}, {memory:.0f} GB",
        "versions": f"Python {platform.python_version()}, Textual {version('textual')}, Linux {platform.release()}",
    }


def changes(root: Path = ROOT) -> list[str] | None:
    """The files that differ from the commit, besides the results themselves; None where there is no repository."""
    if not _git(root, "rev-parse", "HEAD"):
        return None
    listed = _git(root, "status", "--porcelain", "--untracked-files=all", "-z")
    paths = [entry[3:] for entry in listed.split("\0") if len(entry) > 3 and entry[2] == " "]
    return sorted(path for path in paths if path not in RESULTS and not _only_the_table(root, path))


def refuse(began: Run, root: Path = ROOT) -> None:
    """Raise Refused unless figures of this run may be saved: of one commit, clean from the beginning to now."""
    changed = changes(root)
    if changed is None:
        raise Refused("not saved: this is no git checkout, so no commit can be named")
    if began["tree"] != "clean" or changed:
        named = ", ".join(changed[:5]) + (" …" if len(changed) > 5 else "") or "when the run began"
        raise Refused(f"not saved: the tree differs from its commit ({named}). Commit it, then run again.")
    if (now := _git(root, "rev-parse", "--short=12", "HEAD").strip()) != began["commit"]:
        raise Refused(f"not saved: the commit changed meanwhile, from {began['commit']} to {now}")


def numbered(runs: Iterable[Mapping[str, str]]) -> tuple[dict[tuple[tuple[str, str], ...], int], list[str]]:
    """A number for each different run, and the lines that say what the numbers stand for."""
    numbers: dict[tuple[tuple[str, str], ...], int] = {}
    lines = []
    for one in runs:
        if (key := known(one)) not in numbers:
            numbers[key] = len(numbers) + 1
            lines.append(f"- run {numbers[key]}: {told(one)}")
    return numbers, lines


def known(run: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """The run as a key."""
    return tuple(sorted(run.items()))


def told(run: Mapping[str, str]) -> str:
    """The run in words."""
    commit = f"commit {run['commit']}, {run['tree']} tree" if run.get("commit") else "commit not recorded"
    return ", ".join([commit, *(value for name, value in run.items() if name not in ("commit", "tree"))])


def _only_the_table(root: Path, path: str) -> bool:
    """True if a file differs from the commit between its marks only."""
    if path not in TABLES:
        return False
    before, now = _git(root, "show", f"HEAD:{path}"), (root / path).read_text() if (root / path).exists() else ""
    return _without_table(before, TABLES[path]) == _without_table(now, TABLES[path])


def _without_table(text: str, mark: str) -> tuple[str, str]:
    head, _, rest = text.partition(mark)
    return head, rest.partition(END)[2]


def _git(root: Path, *words: str) -> str:
    """What git says; empty where it can't be asked."""
    try:
        done = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout if done.returncode == 0 else ""
