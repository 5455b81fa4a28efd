"""Figures are saved of a clean commit only, and name it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests import provenance
from tests.provenance import Refused, changes, numbered, refuse, run


def git(folder: Path, *words: str) -> None:
    identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A repository with a program, a result and a table."""
    (tmp_path / "tests" / "bench").mkdir(parents=True)
    (tmp_path / "program.py").write_text("print()\n")
    (tmp_path / "tests" / "bench" / "latest.json").write_text("{}")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "developing.md").write_text("# Us\n<!-- bench -->\nold\n<!-- end -->\nafter\n")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "first")
    return tmp_path


def test_a_clean_tree_is_named_and_may_be_saved(tree: Path) -> None:
    began = run(tree)
    assert (began["tree"], len(began["commit"])) == ("clean", 12)
    assert {"date", "machine", "versions"} <= set(began)
    refuse(began, tree)


def test_a_changed_and_a_new_file_are_refused_by_name(tree: Path) -> None:
    began = run(tree)
    (tree / "program.py").write_text("print(1)\n")
    (tree / "new.py").write_text("")
    assert changes(tree) == ["new.py", "program.py"] and run(tree)["tree"] == "dirty"
    with pytest.raises(Refused, match=r"differs from its commit \(new.py, program.py\). Commit it, then run again."):
        refuse(began, tree)


def test_a_tree_that_was_dirty_when_the_run_began_is_refused(tree: Path) -> None:
    (tree / "program.py").write_text("print(1)\n")
    began = run(tree)
    git(tree, "commit", "-qam", "second")
    with pytest.raises(Refused, match="when the run began"):
        refuse(began, tree)


def test_a_commit_that_is_made_meanwhile_is_refused(tree: Path) -> None:
    began = run(tree)
    git(tree, "commit", "-q", "--allow-empty", "-m", "second")
    with pytest.raises(Refused, match="the commit changed meanwhile"):
        refuse(began, tree)


def test_the_results_themselves_may_differ_and_nothing_else_of_their_files(tree: Path) -> None:
    began = run(tree)
    (tree / "tests" / "bench" / "latest.json").write_text("[]")
    (tree / "docs" / "developing.md").write_text("# Us\n<!-- bench -->\nnew\nrows\n<!-- end -->\nafter\n")
    refuse(began, tree)
    (tree / "docs" / "developing.md").write_text("# Us\n<!-- bench -->\nnew\n<!-- end -->\nother\n")
    assert changes(tree) == ["docs/developing.md"]


def test_without_a_repository_nothing_is_saved(tmp_path: Path) -> None:
    began = run(tmp_path)
    with pytest.raises(Refused, match="no git checkout"):
        refuse(began, tmp_path)


def test_equal_runs_share_a_number() -> None:
    one, other = {"commit": "a", "tree": "clean", "date": "1"}, {"commit": "b", "tree": "clean", "date": "1"}
    numbers, lines = numbered([one, other, dict(one)])
    assert list(numbers.values()) == [1, 2]
    assert lines == ["- run 1: commit a, clean tree, 1", "- run 2: commit b, clean tree, 1"]


@pytest.mark.parametrize("module", ["tests.bench", "tests.faults"])
def test_save_refuses_a_dirty_tree_before_anything_is_measured(tree: Path, module: str) -> None:
    code = (
        "import sys, runpy; from pathlib import Path; from tests import provenance\n"
        f"refuse, run = provenance.refuse, provenance.run\n"
        f"provenance.run = lambda: run(Path({str(tree)!r}))\n"
        f"provenance.refuse = lambda began: refuse(began, Path({str(tree)!r}))\n"
        f"sys.argv = ['x', '--save']; runpy.run_module({module!r} + '.__main__', run_name='__main__')"
    )
    (tree / "program.py").write_text("print(1)\n")
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=provenance.ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert "not saved: the tree differs from its commit (program.py)" in done.stderr
