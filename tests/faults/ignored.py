"""Generated ignore lists and trees: `git check-ignore` and ours agree on every path (rules.md AR40)."""

from __future__ import annotations

import os
import random
import subprocess
import tempfile
from pathlib import Path

from jp_tui.system.ignore_lists import IgnoreLists
from tests.faults.report import Found

PAIRS = 10_000
_NAMES = ("a", "b", "c", ".env", "a.py", "b.txt", "A", "ab", "a b", "[x]", "a-b", "é", "#x", "!y", "x]", "a\\b", "-")
_LEAVES = (
    "a", "b", "*", "**", "?", "*.py", "a*", "*b", "[ab]", "[!a]", "[a-c]*", "[^.]*", ".env", "a.*", "\\#x", "\\!y", "é",
    "[[:alpha:]]", "[x]", "\\[x\\]", "a\\ b", "a b", "*a*", "a?", "[", "[a", "[]a]", "[]-a]", "***", "a**", "**b",
    "x\\",
    "[[:digit:]]", "[a\\]]", "[-a]", "A", "??", ".*", "[[:foo:]]",
)  # fmt: skip


def pattern(chance: random.Random) -> str:
    """A line of a list."""
    steps = "/".join(chance.choice(_LEAVES) for _ in range(chance.choice((1, 1, 1, 2, 2, 3))))
    line = (
        chance.choice(("", "", "", "/", "**/", "!", "!", "!/")) + steps + chance.choice(("", "", "", "/", "/**", "/*"))
    )
    return line + chance.choice(("", "", "", "", " ", "\r", "  "))


def compared(seed: int, pairs: int) -> tuple[int, list[str]]:
    """How many pairs of a list and a path were tried, and on which the two differ."""
    chance = random.Random(seed)
    tried, wrong = 0, []
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "GIT_CONFIG_NOSYSTEM": "1", "HOME": folder, "GIT_CONFIG_GLOBAL": os.devnull}
        root = Path(folder) / "tree"
        root.mkdir()
        subprocess.run(["git", "init", "-q", str(root)], check=True, env=environment)
        for _ in range(60):
            place = root.joinpath(*(chance.choice(_NAMES) for _ in range(chance.choice((1, 2, 2, 3)))))
            try:
                place.parent.mkdir(parents=True, exist_ok=True)
                place.touch() if chance.random() < 0.8 else place.mkdir()
            except OSError:
                continue
        paths = sorted(
            str(path.relative_to(root)) for path in root.rglob("*") if ".git" not in path.relative_to(root).parts
        )
        lists = Path(folder) / "list"
        while tried < pairs:
            text = "\n".join(pattern(chance) for _ in range(chance.choice((1, 2, 3, 5, 8)))) + "\n"
            lists.write_bytes(text.encode())
            git = _git(root, lists, paths, environment)
            ours = IgnoreLists([("list", text)])
            for path in paths:
                tried += 1
                if bool(ours.hidden(path, (root / path).is_dir())) != (path in git):
                    wrong.append(f"seed {seed}: {text!r} on {path!r}: git {'hides' if path in git else 'shows'} it")
    return tried, wrong


def _git(root: Path, lists: Path, paths: list[str], environment: dict[str, str]) -> set[str]:
    done = subprocess.run(
        ["git", "-c", f"core.excludesFile={lists}", "-c", "core.ignoreCase=false", "check-ignore", "--no-index", "-z",
         "--stdin"],
        input="\0".join(paths).encode() + b"\0", cwd=root, env=environment, capture_output=True, check=False,
    )  # fmt: skip
    return set(done.stdout.decode().split("\0")) - {""}


def tried(whole: bool, seed: int) -> list[Found]:
    """`python -m tests.faults --only ignored`."""
    pairs, wrong = compared(seed, PAIRS * (5 if whole else 1) // (1 if whole else 10))
    return [Found("ignore lists hide what git ignores", pairs, wrong)]
