"""What is kept of a run of `python -m tests.faults`, and what SECURITY.md shows of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.__main__ import PARTS
from tests.faults.report import Found
from tests.faults.saved import BEGIN, END, PROMISES, save


def test_a_run_is_shown_and_a_bounded_one_never_replaces_a_whole_one(tmp_path: Path) -> None:
    security, latest = tmp_path / "SECURITY.md", tmp_path / "latest.json"
    security.write_text(f"# Before\n{BEGIN}old\n{END}\nafter\n")
    whole = Found("kill", 10_000, ["seed 7: lost"], {"slowest": "3 ms | 4"})
    save({"kills": [whole]}, "2026-01-01", whole=True, latest=latest, security=security)
    bounded, skipped = Found("kill", 200), Found("rpc", 0, not_here="no pipe")
    save({"kills": [bounded], "rpc": [skipped]}, "2026-02-02", whole=False, latest=latest, security=security)
    text = security.read_text()
    assert text.startswith("# Before\n") and text.endswith(f"{END}\nafter\n") and "old" not in text
    (kills,) = [line for line in text.splitlines() if "`kills`" in line]
    assert "10,000, 2026-01-01 | 1 | kill: slowest 3 ms / 4" in kills
    assert "0, 2026-02-02 (bounded) | 0 |" in text
    security.write_text("no marks")
    with pytest.raises(ValueError, match="has no"):
        save({}, "2026-01-01", whole=True, latest=latest, security=security)


def test_each_part_is_a_promise_that_a_test_of_every_run_tries() -> None:
    assert set(PARTS) <= set(PROMISES)
    for part in PARTS:
        assert (Path(__file__).parents[1] / f"{PROMISES[part][1]}.py").exists(), part
