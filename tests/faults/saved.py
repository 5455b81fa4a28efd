"""Where results are kept: `latest.json` by part beside this file, and SECURITY.md's table between its marks.

A part that was not run keeps what was found of it last, with the commit, the day and the machine of that time. A
bounded run never replaces a whole one. What could not be run on the machine says so.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tests.faults.report import Found
from tests.provenance import Run, known, numbered

SECURITY = Path(__file__).resolve().parents[2] / "SECURITY.md"
LATEST = Path(__file__).with_name("latest.json")
BEGIN, END = "<!-- faults -->\n", "<!-- end -->"
PROMISES: dict[str, tuple[str, str]] = {
    "kills": (
        "After a kill at any moment, nothing that was shown is lost and open questions are asked again",
        "faults/test_kills",
    ),
    "compaction": (
        "After a kill during a compaction or a failed summary, no event is lost and no call loses its result",
        "faults/test_compaction_kills",
    ),
    "endings": (
        "However jp-tui ends, the terminal is restored, the exit status is correct, no child process is left",
        "faults/test_ways_out",
    ),
    "handover": ("Keys typed during the start are neither lost nor doubled", "faults/test_handover"),
    "processes": ("Of several processes on one conversation, one writes at a time", "faults/test_processes"),
    "stalls": ("A terminal that stops reading leaves no gap in the log", "faults/test_stalls"),
    "io": (
        "A failing disk leaves nothing half-written, nothing unreported, and nothing done without a logged decision",
        "faults/test_io",
    ),
    "log": ("A damaged or hostile store is reported and affects nothing else", "faults/test_log_damaged"),
    "taken": (
        "A database that is truncated, tampered with or removed is restored: only changed parts can be lost",
        "faults/test_taken",
    ),
    "streams": (
        "A reply that is cut anywhere is complete or an error, and no tool runs from an incomplete one",
        "faults/test_streams",
    ),
    "servers": ("A stalled server is given up in time, and Esc works at once", "faults/test_servers"),
    "history": ("No stored string makes a provider reject the next request", "faults/test_history"),
    "fuzz": ("Parsers of untrusted input raise no unexpected error and take limited time", "faults/test_fuzz"),
    "rpc": ("A hostile JSON-RPC client gets clear errors, never a hang", "faults/test_rpc"),
    "painter": ("No control byte of any text reaches the terminal", "faults/test_painter"),
    "slots": ("Hostile text anywhere on the screen has no effect and blocks nothing", "faults/test_slots"),
    "secrets": ("No secret reaches a child, a log, a report, the store or another server", "faults/test_planted"),
    "rules": (
        "No command line starts a program that no approval rule allows, as dash and bash read it",
        "faults/test_rules",
    ),
    "ignored": ("An ignore list hides from the model the files that Git would ignore", "faults/test_ignored"),
    "agents": (
        "Whatever is killed, an agent gets no yes that isn't on record, and no agent outlives jp-tui",
        "faults/test_agents",
    ),
    "sandbox": (
        "No command escapes the sandbox: nothing else is changed, no secret is read, no server is reached",
        "faults/test_sandbox",
    ),
    "network": ("No connection is made without a request: no telemetry", "faults/test_network"),
    "soak": ("Many turns leak neither memory nor files", "hostile/test_runtime"),
}
"""Each part's promise in words, and the test in tests/ that CI runs of it."""

Kept = dict[str, dict[str, Any]]


def save(found: Mapping[str, Sequence[Found]], run: Run, *, whole: bool, latest: Path = LATEST,
         security: Path = SECURITY) -> None:  # fmt: skip
    """Keep what was found in this run, by part. ValueError where SECURITY.md has no marks for it."""
    kept: Kept = json.loads(latest.read_text()) if latest.exists() else {}
    for part, rows in found.items():
        if whole or not kept.get(part, {}).get("whole"):
            kept[part] = {"run": dict(run), "whole": whole, "rows": [asdict(row) for row in rows]}
    latest.write_text(json.dumps(kept, indent=1, ensure_ascii=False, sort_keys=True) + "\n")
    before, begin, rest = security.read_text().partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{security} has no {BEGIN.strip()} or nothing that ends it")
    security.write_text(f"{before}{begin}{table(kept)}\n{end}{after}")


def table(kept: Kept) -> str:
    """The promises in Markdown, each with its test, its last figures and the run they come from; below, the runs."""
    numbers, told = numbered(run_of(kept[part]) for part in PROMISES if part in kept)
    lines = ["| promise | test | tried | failed | figures | run |", "| --- | --- | --- | --- | --- | --- |"]
    for part, (promise, test) in PROMISES.items():
        begins = f"| {promise} | `{part}`, tests/{test}.py"
        if (last := kept.get(part)) is None:
            lines.append(f"{begins} | not run here: never saved | | | |")
            continue
        rows = [row for row in last["rows"] if not row["not_here"]]
        runs, failed = sum(row["runs"] for row in rows), sum(len(row["failed"]) for row in rows)
        figures = [_figures(row["what"], row["figures"]) for row in rows if row["figures"]]
        figures += [f"not run here: {row['what']} ({row['not_here']})" for row in last["rows"] if row["not_here"]]
        tried = f"{runs:,}{'' if last['whole'] else ' (bounded)'}" if rows else "not run here"
        number = numbers[known(run_of(last))]
        lines.append(f"{begins} | {tried} | {failed if rows else ''} | {'; '.join(figures)} | {number} |")
    return "\n".join([*lines, "", *told])


def run_of(last: Mapping[str, Any]) -> Run:
    """The run of a part. One that was saved before commits were has its day alone."""
    found: Run = last["run"] if "run" in last else {"date": last["date"]}
    return found


def _figures(what: str, figures: Mapping[str, str]) -> str:
    told = ", ".join(f"{name} {value}" for name, value in figures.items())
    return f"{what}: {told}".replace("|", "/")
