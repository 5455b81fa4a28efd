"""Where results are kept: all of them beside this file, those that have a goal in the README, between its marks."""

from __future__ import annotations

import json
import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.bench.report import Row, p95, table

README = Path(__file__).resolve().parents[2] / "README.md"
BEGIN, END = "<!-- bench -->\n", "<!-- end -->"


def save(rows: Sequence[Row], facts: Mapping[str, str], readme: Path = README, folder: Path | None = None) -> None:
    """Write `latest.md` and `latest.json`, and the README's table anew. ValueError where it has no marks for it."""
    folder = folder or Path(__file__).parent
    head = ", ".join(facts.values())
    before, begin, rest = readme.read_text().partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{readme} has no {BEGIN.strip()} or nothing that ends it")
    shown = table([row for row in rows if row.met is not None])
    readme.write_text(f"{before}{begin}{head}:\n\n{shown}\n{end}{after}")
    (folder / "latest.md").write_text(f"# What was measured last\n\n{head}:\n\n{table(rows)}\n")
    told = {"facts": dict(facts), "rows": [summed(row) for row in rows]}
    (folder / "latest.json").write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n")


def summed(row: Row) -> dict[str, Any]:
    """A row without its samples; times in seconds."""
    found: dict[str, Any] = {
        "what": row.what, "against": row.against, "of": "p95" if row.tail else "median", "unit": row.unit,
        "ratio": row.ratio, "goal": row.goal, "within": row.within, "met": row.met,
    }  # fmt: skip
    for name, values in (("ours", row.ours), ("theirs", row.theirs)):
        if values:
            low, middle, high = min(values), statistics.median(values), max(values)
            found[name] = {"n": len(values), "min": low, "median": middle, "p95": p95(values), "max": high}
    return found
