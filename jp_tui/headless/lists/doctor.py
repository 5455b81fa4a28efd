"""`jp-tui doctor`: check terminal, machine and settings, with advice (surface S2).

A line per finding, or a JSON object per line; status 0 if nothing is bad. The checks are elsewhere.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping

from jp_tui.conversation.neutral import neutralise
from jp_tui.headless.output import FAILED, TextOutput
from jp_tui.system.checkup import CheckupFinding, State

COLUMNS = 80
_NAME = 22
_MARKS: Mapping[State, str] = {"ok": "ok  ", "warn": "warn", "bad": "BAD "}


def report(findings: Iterable[CheckupFinding], output: TextOutput) -> int:
    """Print all of them; return the exit status. Raises OutputEnded."""
    count = {"ok": 0, "warn": 0, "bad": 0}
    for one in findings:
        count[one.state] += 1
        if output.as_json:
            output.line({"check": one.check, "state": one.state, "detail": one.detail, "mend": one.mend})
        else:
            _print_finding(one, output)
    if not output.as_json:
        output.print()
        output.print(_sum(count["warn"], count["bad"]))
    return FAILED if count["bad"] else 0


def _print_finding(one: CheckupFinding, output: TextOutput) -> None:
    check, detail = neutralise(one.check, "line"), neutralise(one.detail, "line")
    head = f"{_MARKS[one.state]}  {check:<{_NAME}} "
    margin = " " * (len(_MARKS["ok"]) + 2 + _NAME + 1)
    for line in _folded(detail, head, margin):
        output.print(line)
    if one.mend and one.state != "ok":
        for line in _folded(neutralise(one.mend, "line"), margin + "→ ", margin + "  "):
            output.print(line)


def _folded(text: str, first: str, rest: str) -> list[str]:
    """Wrap between words, at 80 columns; paths are never broken."""
    return textwrap.wrap(
        text or "–", COLUMNS, initial_indent=first, subsequent_indent=rest, break_long_words=False,
        break_on_hyphens=False, drop_whitespace=True,
    )  # fmt: skip


def _sum(warn: int, bad: int) -> str:
    if not warn and not bad:
        return "No problems found."
    parts = [f"{bad} problem{'s' if bad > 1 else ''} to fix"] if bad else []
    parts += [f"{warn} warning{'s' if warn > 1 else ''}"] if warn else []
    return f"{', '.join(parts)}."
