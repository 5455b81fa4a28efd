"""The workspace's files by a few letters: what is ignored is not there, and 100,000 hold nothing up (issue 8, 3)."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from jp_tui.engine.desks.file_match import SLICE, Matcher
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from tests.engine.conftest import Bench


def matcher(*paths: str) -> Matcher:
    return Matcher(paths, [path.casefold() for path in paths])


def best(of: Matcher, query: str) -> tuple[str, ...]:
    return list(of.search(query, 50))[-1]


def test_a_name_that_begins_so_comes_first() -> None:
    of = matcher("docs/domain.md", "main/other.py", "src/a/main.py", "src/not_main.py", "m/a/i/nothing", "Makefile")
    assert best(of, "main") == ("src/a/main.py", "src/not_main.py", "docs/domain.md", "main/other.py", "m/a/i/nothing")
    assert best(of, "MAK") == ("Makefile",)
    assert best(of, "zzz") == ()
    assert best(of, "")[0] == "Makefile"


def test_100_000_paths_are_looked_at_in_slices_and_fewer_at_each_letter() -> None:
    """Work per key is bounded: a slice at a time, and only what the letters before left."""
    folders = ("src", "test", "docs", "lib")
    of = matcher(*(f"{folders[i % 4]}/part{i % 97}/file_{i}.py" for i in range(100_000)))
    slices = list(of.search("t", 50))
    assert len(slices) == 100_000 // SLICE and of.looked == 100_000
    list(of.search("test/part7/", 50))
    found = list(of.search("test/part7/file_99", 50))[-1]
    assert of.looked < 30_000 and found[0].startswith("test/part7/file_99")
    list(of.search("docs", 50))
    assert of.looked == 100_000, "other letters begin anew"


def test_a_search_that_was_given_up_narrows_nothing() -> None:
    of = matcher(*(f"a{i}" for i in range(3 * SLICE)))
    next(iter(of.search("a1", 5)))
    assert best(of, "a1999") == ("a1999",)
    assert best(of, "a5") and of.looked == 3 * SLICE


def files(workspace: Path, *paths: str) -> None:
    for path in paths:
        (workspace / path).parent.mkdir(parents=True, exist_ok=True)
        (workspace / path).write_text("")


@pytest.mark.parametrize("how", ["git", "no git"])
def test_what_is_ignored_is_not_listed_nor_anything_outside(bench: Bench, how: str) -> None:
    root = bench.workspace
    (bench.home / "outside").mkdir()
    files(bench.home / "outside", "secret")
    files(root, "src/a.py", "src/a.pyc", "node_modules/x/y.js", "new\nline", "keep/b.log", "c.log")
    (root / ".gitignore").write_text("*.pyc\nnode_modules/\n*.log\n")
    (root / "keep/.gitignore").write_text("!b.log\n")
    (root / "link").symlink_to(bench.home / "outside")
    if how == "git":
        if shutil.which("git") is None:
            pytest.skip("no git")
        subprocess.run(["git", "init", "-q", str(root)], check=True)
    bench.start()
    bench.send(c.FindFiles(query="", revision=7))
    found = bench.until(e.FilesFound, lambda one: one.done)
    listed = {"src/", "src/a.py", "new\nline", "keep/", "keep/b.log", ".gitignore", "keep/.gitignore", "link"}
    assert (found.revision, set(found.paths), found.total) == (7, listed, len(listed))


def test_a_newer_question_ends_the_older_one(bench: Bench) -> None:
    files(bench.workspace, *(f"f{i}" for i in range(50)))
    bench.start()
    for revision, query in enumerate(["f", "f1", "f12"], 1):
        bench.send(c.FindFiles(query=query, revision=revision))
    found = bench.until(e.FilesFound, lambda one: one.revision == 3 and one.done)
    assert found.paths == ("f12",)


def test_a_name_is_found_whatever_its_case_and_given_as_the_disk_has_it(bench: Bench) -> None:
    files(bench.workspace, "Docs/README.md")
    bench.start()
    bench.send(c.FindFiles(query="readme", revision=1))
    assert bench.until(e.FilesFound, lambda one: one.done).paths == ("Docs/README.md",)
