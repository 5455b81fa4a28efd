"""Where results are kept: by part beside this file, and those that have a goal in docs/developing.md.

A part that was not measured keeps what was measured of it last, with the commit, the day and the machine of that time.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.bench.report import Kept, Row, table
from tests.provenance import Run, known, numbered

PAGE = Path(__file__).resolve().parents[2] / "docs" / "developing.md"
BEGIN, END = "<!-- bench -->\n", "<!-- end -->"
Parts = dict[str, dict[str, Any]]
"""By the name of a part: "run", and its "rows" as they are saved."""


def save(
    found: Mapping[str, Sequence[Row] | str], run: Run, order: Iterable[str], page: Path = PAGE,
    folder: Path | None = None,
) -> None:  # fmt: skip
    """Keep what was found of each part: its rows, or why it can't be measured here. Write `latest.json`, `latest.md`
    and the page's table; `order` names all parts. ValueError where the page has no marks for it."""
    folder = folder or Path(__file__).parent
    before, begin, rest = page.read_text().partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{page} has no {BEGIN.strip()} or nothing that ends it")
    kept = load(folder)
    for name, rows in found.items():
        summed = [{"what": name, "not_here": rows}] if isinstance(rows, str) else [row.summed() for row in rows]
        kept[name] = {"run": dict(run), "rows": summed}
    (folder / "latest.json").write_text(json.dumps({"parts": kept}, indent=1, ensure_ascii=False) + "\n")
    (folder / "latest.md").write_text(f"# What was measured last\n\n{shown(kept, order)}\n")
    page.write_text(f"{before}{begin}{shown(kept, order, goals=True)}\n{end}{after}")


def load(folder: Path) -> Parts:
    """What is kept. Rows of before their origin was kept are left out: nobody knows what they measured."""
    path = folder / "latest.json"
    parts: Parts = json.loads(path.read_text()).get("parts", {}) if path.exists() else {}
    return parts


def shown(kept: Parts, order: Iterable[str], *, goals: bool = False) -> str:
    """The table and what its runs are; with `goals` only the rows that have one, and those that were not run."""
    rows: list[tuple[Kept, Run | None]] = []
    for name in order:
        if (part := kept.get(name)) is None:
            rows.append(({"what": name, "not_here": "never saved"}, None))
            continue
        rows += [
            (row, part["run"]) for row in part["rows"] if not goals or row.get("not_here") or row["met"] is not None
        ]
    numbers, lines = numbered(run for _, run in rows if run is not None)
    column = ["" if run is None else str(numbers[known(run)]) for _, run in rows]
    return "\n".join([table([row for row, _ in rows], column), "", *lines])
