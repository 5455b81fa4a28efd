"""What is kept of a run of `python -m tests.faults`, and what SECURITY.md shows of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.faults.__main__ import PARTS
from tests.faults.report import Found
from tests.faults.saved import BEGIN, END, PROMISES, save

FIRST = {"commit": "aaaaaaaaaaaa", "tree": "clean", "date": "2026-01-01", "machine": "2 cores"}
SECOND = FIRST | {"commit": "bbbbbbbbbbbb", "date": "2026-02-02"}


def line(security: Path, part: str) -> str:
    """A part's line of the table."""
    (found,) = [one for one in security.read_text().splitlines() if f"`{part}`" in one]
    return found


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    security = tmp_path / "SECURITY.md"
    security.write_text(f"# Before\n{BEGIN}stale\n{END}\nafter\n")
    return {"latest": tmp_path / "latest.json", "security": security}


def test_a_run_is_shown_and_a_bounded_one_never_replaces_a_whole_one(files: dict[str, Path]) -> None:
    whole = Found("kill", 10_000, ["seed 7: lost"], {"slowest": "3 ms | 4"})
    save({"kills": [whole]}, FIRST, whole=True, **files)
    save({"kills": [Found("kill", 200)], "endings": [Found("end", 12)]}, SECOND, whole=False, **files)
    text = files["security"].read_text()
    assert text.startswith("# Before\n") and text.endswith(f"{END}\nafter\n") and "stale" not in text
    assert line(files["security"], "kills").endswith("| 10,000 | 1 | kill: slowest 3 ms / 4 | 1 |")
    assert line(files["security"], "endings").endswith("| 12 (bounded) | 0 |  | 2 |")


def test_each_row_keeps_the_run_it_comes_from(files: dict[str, Path]) -> None:
    save({"kills": [Found("kill", 1)], "endings": [Found("end", 1)]}, FIRST, whole=True, **files)
    save({"kills": [Found("kill", 2)]}, SECOND, whole=True, **files)
    text = files["security"].read_text()
    assert "- run 1: commit bbbbbbbbbbbb, clean tree, 2026-02-02, 2 cores\n" in text
    assert "- run 2: commit aaaaaaaaaaaa, clean tree, 2026-01-01, 2 cores\n" in text
    assert line(files["security"], "kills").endswith("| 2 | 0 |  | 1 |")
    assert line(files["security"], "endings").endswith("| 1 | 0 |  | 2 |")


def test_what_was_not_run_says_so(files: dict[str, Path]) -> None:
    save({"rpc": [Found("rpc", 0, not_here="no pipe")]}, FIRST, whole=True, **files)
    save({"fuzz": [Found("chance", 5), Found("coverage", 0, not_here="no atheris")]}, FIRST, whole=True, **files)
    assert line(files["security"], "rpc").endswith("| not run here |  | not run here: rpc (no pipe) | 1 |")
    assert line(files["security"], "fuzz").endswith("| 5 | 0 | not run here: coverage (no atheris) | 1 |")
    assert line(files["security"], "kills").endswith("| not run here: never saved | | | |")


def test_what_was_saved_before_commits_were_kept_names_none(files: dict[str, Path]) -> None:
    rows = [{"what": "kill", "runs": 3, "failed": [], "figures": {}, "not_here": ""}]
    files["latest"].write_text(json.dumps({"kills": {"date": "2025-12-31", "whole": True, "rows": rows}}))
    save({}, FIRST, whole=True, **files)
    assert "- run 1: commit not recorded, 2025-12-31\n" in files["security"].read_text()


def test_without_its_marks_nothing_is_written(files: dict[str, Path]) -> None:
    files["security"].write_text("no marks")
    with pytest.raises(ValueError, match="has no"):
        save({}, FIRST, whole=True, **files)


def test_each_part_is_a_promise_that_a_test_of_every_run_tries() -> None:
    assert set(PARTS) <= set(PROMISES)
    for part in PARTS:
        assert (Path(__file__).parents[1] / f"{PROMISES[part][1]}.py").exists(), part
