"""What came of the mutants: kept a line each, summed up, and written into SECURITY.md.

`judged.json` says what is thought of survivors, by their key: `equivalent` with the reason why no test could notice, or
`fixed` with the test that notices now.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.mutants import scope
from tests.mutants.copies import ROOT
from tests.mutants.mutant import Mutant
from tests.mutants.tries import Tried

Row = dict[str, Any]
JUDGED = Path(__file__).with_name("judged.json")
LATEST = Path(__file__).with_name("latest.json")
BEGIN, END = "<!-- mutants -->", "<!-- end -->"
MOST = 8
"""Survivors in 100 that are too many, with those that are equivalent."""


def judged() -> dict[str, dict[str, str]]:
    """Verdict and words, by key."""
    return {row["key"]: row for row in json.loads(JUDGED.read_text())} if JUDGED.exists() else {}


class Results:
    """A file of JSON lines; the last about a mutant holds, and `first` stays what it was when it was first tried."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._rows: dict[str, Row] = {}
        if path.exists():
            self._rows = {row["key"]: row for row in map(json.loads, path.read_text().splitlines())}

    def of(self, mutant: Mutant) -> Row | None:
        return self._rows.get(mutant.key)

    def add(self, mutant: Mutant, tried: Tried) -> None:
        earlier = self._rows.get(mutant.key)
        row: Row = {
            "key": mutant.key,
            "path": mutant.path,
            "kind": mutant.kind,
            "result": tried.result,
            "first": tried.result if earlier is None else earlier["first"],
            "by": tried.by,
            "tests": tried.tests,
            "reach": tried.reach,
            "seconds": tried.seconds,
            "diff": mutant.diff((ROOT / mutant.path).read_bytes()) if tried.result in ("survived", "unsure") else "",
        }
        self._rows[mutant.key] = row
        with self._path.open("a") as file:
            file.write(json.dumps(row) + "\n")


@dataclass(frozen=True)
class Summary:
    """The whole of one run."""

    seed: int
    date: str
    rows: Sequence[Row]
    judged: Mapping[str, Mapping[str, str]]

    @property
    def survivors(self) -> list[Row]:
        return [row for row in self.rows if row["result"] in ("survived", "unsure")]

    @property
    def fixed(self) -> list[Row]:
        return [row for row in self.rows if row not in self.survivors and row["first"] == "survived"]

    def verdict(self, row: Row) -> str:
        return self.judged.get(row["key"], {}).get("verdict", "")

    def open(self) -> list[Row]:
        """Survivors that nobody judged equivalent."""
        return [row for row in self.survivors if self.verdict(row) != "equivalent"]

    def good(self) -> bool:
        few = len(self.survivors) * 100 <= MOST * len(self.rows)
        return few and not any(scope.strict(row["path"]) for row in self.open())

    def counts(self) -> dict[str, int]:
        return {
            "sample": len(self.rows),
            "killed": sum(row["result"] == "killed" for row in self.rows),
            "hangs": sum(row["result"] == "hangs" for row in self.rows),
            "survived": len(self.survivors),
            "equivalent": len(self.survivors) - len(self.open()),
            "fixed": len(self.fixed),
        }

    def words(self) -> str:
        lines = [", ".join(f"{name} {count}" for name, count in self.counts().items())]
        for row in self.survivors:
            said = self.judged.get(row["key"], {})
            lines += ["", f"{row['key']}", f"  {said.get('verdict', 'OPEN')} {said.get('words', '')}", row["diff"]]
        return "\n".join(lines)

    def stored(self) -> dict[str, Any]:
        return {
            "seed": self.seed,
            "date": self.date,
            **self.counts(),
            "survivors": [self._survivor(row) for row in (*self.survivors, *self.fixed)],
        }

    def _survivor(self, row: Row) -> dict[str, str]:
        said = self.judged.get(row["key"], {})
        verdict, words = said.get("verdict", "open"), said.get("words", "")
        if row not in self.survivors:
            verdict, words = (
                "fixed",
                words if said.get("verdict") == "fixed" else f"`{row['by'] or 'a run without an end'}`",
            )
        return {"key": row["key"], "verdict": verdict, "words": words, "diff": row["diff"]}

    def save(self) -> None:
        stored = self.stored()
        LATEST.write_text(json.dumps(stored, indent=1, ensure_ascii=False) + "\n")
        page = ROOT / "SECURITY.md"
        text = page.read_text()
        begin = text.index(BEGIN) + len(BEGIN)
        page.write_text(text[:begin] + "\n" + section(stored) + text[text.index(END, begin) :])


def section(stored: Mapping[str, Any]) -> str:
    """What stands in SECURITY.md."""
    killed, hangs, survived = stored["killed"], stored["hangs"], stored["survived"]
    open_ = survived - stored["equivalent"]
    when = f"{stored['seed']}, {stored['date']}"
    figures = (stored["sample"], killed + hangs, hangs, survived, stored["equivalent"], open_, stored["fixed"], when)
    lines = [
        "| sample | killed | by a hang | survived | equivalent | open | killed since | seed, date |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
        "| " + " | ".join(map(str, figures)) + " |",
    ]
    rows = list(stored["survivors"])
    if rows:
        lines += ["", "| survived at first | what it is | why, or the test that kills it |", "| --- | --- | --- |"]
        lines += [
            f"| `{_cell(row['key'].replace('`', chr(39)))}` | {row['verdict']} | {_cell(row['words'])} |"
            for row in rows
        ]
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
