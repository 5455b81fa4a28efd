"""Reviewer results, from the log of all conversations (issue "trust figures"). Read-only, in pieces, so that nothing
else waits; it suggests settings changes that a person may make."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from jp_tui.conversation import events as ev
from jp_tui.conversation.reading import read_event
from jp_tui.conversation.strict_json import JsonObject, integer_of, text_of
from jp_tui.engine.base.dependencies import ToolSetup
from jp_tui.engine.record.event_codec import stored_event
from jp_tui.engine.record.inquiries import MOST
from jp_tui.inquiry.values import Rule, Target
from jp_tui.journal.port import JournalReading, Stored
from jp_tui.protocol.values import PolicyChange, ReviewerFigures

LATEST = 60
"""Outcomes listed individually."""
TOGETHER = 200
"""Events read at once."""
DECIDED = 5
"""Rejections that a user must have decided before their share counts."""
UPHELD = 10
"""Rejections that a user must have upheld, without exception, before a review by the user is superfluous."""

_Key = tuple[str, str, str]
_Answer = ev.InquiryAnswered | ev.InquiryCancelled


@dataclass(slots=True)
class _Outcome:
    """End of one inquiry, and its time."""

    mark: str
    at: str


@dataclass(slots=True)
class _Count:
    """Row being counted; `outcomes` are in the order read, by conversation."""

    outcomes: list[_Outcome] = field(default_factory=list)
    latencies: list[int] = field(default_factory=list)
    cost: float | None = None
    input: int = 0
    output: int = 0
    upheld: int = 0
    reasons_missing: int = 0
    first: str = ""
    last: str = ""

    def add(self, mark: str, at: str, ms: int | None, usage: JsonObject) -> _Outcome:
        outcome = _Outcome(mark, at)
        self.outcomes.append(outcome)
        self.first, self.last = min(self.first or at, at), max(self.last, at)
        if ms is not None:
            self.latencies.append(ms)
        self.input += integer_of(usage.get("input")) or 0
        self.output += integer_of(usage.get("output")) or 0
        cost = usage.get("cost_usd")
        if isinstance(cost, int | float) and not isinstance(cost, bool):
            self.cost = (self.cost or 0.0) + cost
        return outcome


async def figures(journal: JournalReading, tools: Mapping[str, ToolSetup]) -> tuple[ReviewerFigures, ...]:
    """Return one row for each tool, question and model that was asked, most frequent first. `tools` are the present
    ones: existing settings aren't suggested."""
    found: dict[_Key, _Count] = {}
    for row in journal.conversations(limit=MOST, include_archived=True):
        await _read(found, journal.inquiry_events(row.id))
    rows = [_figures(key, count, tools) for key, count in found.items()]
    return tuple(sorted(rows, key=lambda row: (-row.asked, row.tool, row.question, row.model)))


async def _read(found: dict[_Key, _Count], rows: list[Stored]) -> None:
    """Read one conversation: requests and responses paired within their turn by id and order (R29, R203)."""
    waiting: dict[tuple[int, str], list[ev.InquiryRequest]] = {}
    rejected: dict[tuple[int, str, _Key], _Outcome] = {}
    for number, row in enumerate(rows, 1):
        if number % TOGETHER == 0:
            await asyncio.sleep(0)
        event = read_event(stored_event(row).event)
        key = (row.entry.turn, str(row.entry.inquiry))
        if isinstance(event, ev.InquiryRequest):
            waiting.setdefault(key, []).append(event)
        elif isinstance(event, ev.InquiryAnswered | ev.InquiryCancelled) and waiting.get(key):
            _pair(found, rejected, row.entry.turn, waiting[key].pop(0), event)


def _pair(
    found: dict[_Key, _Count],
    rejected: dict[tuple[int, str, _Key], _Outcome],
    turn: int,
    asked: ev.InquiryRequest,
    event: _Answer,
) -> None:
    about, who = asked.metadata, event.responder
    tool, question, call = (text_of(about.get(name)) for name in ("tool", "question", "call"))
    if who is not None and who.kind == "assistant":
        key = (tool, question, who.model)
        count = found.setdefault(key, _Count())
        outcome = count.add(_outcome(event), event.timestamp or asked.timestamp, who.ms, who.usage)
        if event.metadata.get("reason_missing") is True:
            count.reasons_missing += 1
        if outcome.mark == "r":
            rejected[turn, call, key] = outcome
        return
    told = about.get("escalation")
    if not isinstance(told, dict):
        return
    key = (tool, question, text_of(told.get("model")))
    if told.get("cause") == "taken_over":
        ms = told.get("ms")
        found.setdefault(key, _Count()).add("t", asked.timestamp, ms if isinstance(ms, int) else None, {})
        return
    if (before := rejected.pop((turn, call, key), None)) is not None and _decided(event):
        if isinstance(event, ev.InquiryAnswered) and event.answer is True:
            before.mark = "o"
        else:
            found[key].upheld += 1


def _decided(event: _Answer) -> bool:
    """True if a user decided what the reviewer had rejected."""
    human = event.responder is not None and event.responder.kind == "user"
    return human and isinstance(event, ev.InquiryAnswered) and isinstance(event.answer, bool)


def _outcome(event: _Answer) -> str:
    if isinstance(event, ev.InquiryCancelled):
        return "f"
    return {True: "a", False: "r"}[event.answer] if isinstance(event.answer, bool) else "n"


def _figures(key: _Key, count: _Count, tools: Mapping[str, ToolSetup]) -> ReviewerFigures:
    tool, question, model = key
    outcomes = "".join(one.mark for one in sorted(count.outcomes, key=lambda one: one.at))
    times = {mark: outcomes.count(mark) for mark in "aronft"}
    latencies = sorted(count.latencies)
    return ReviewerFigures(
        tool=tool,
        question=question,
        model=model,
        asked=len(outcomes),
        approved=times["a"],
        rejected=times["r"] + times["o"],
        reasons_missing=count.reasons_missing,
        answered=times["n"],
        failed=times["f"],
        taken_over=times["t"],
        overturned=times["o"],
        upheld=count.upheld,
        p50_ms=_median(latencies),
        p95_ms=_rank(latencies, 95),
        input=count.input,
        output=count.output,
        cost_usd=count.cost,
        first=count.first,
        last=count.last,
        outcomes=outcomes[-LATEST:],
        suggests=_suggests(tool, question, times["o"], count.upheld, tools),
    )


def _suggests(
    tool: str, question: str, overturned: int, upheld: int, tools: Mapping[str, ToolSetup]
) -> PolicyChange | None:
    """Return a suggestion: if mostly overturned, drop the reviewer; if never, trust its no without confirmation."""
    setup = tools.get(tool)
    if setup is None:
        return None
    target, decided = setup.rules.get(question, Rule()).target, overturned + upheld
    change: Target
    if decided >= DECIDED and overturned > decided / 2:
        change, words = "user", f"You overturned {overturned} of {decided} rejections. Decide these yourself?"
    elif decided >= UPHELD and not overturned:
        change, words = "assistant", f"You upheld all {decided} rejections. Reject without asking you?"
    else:
        return None
    if target == change or target == "user":
        return None
    return PolicyChange(key=_dotted("conversation", "tools", tool, "questions", question, "target"), value=change,
                        words=words)  # fmt: skip


def _dotted(*parts: str) -> str:
    """Return a TOML key; parts that aren't bare names are quoted."""
    return ".".join(
        part if re.fullmatch(r"[A-Za-z0-9_-]+", part) else '"' + re.sub(r'(["\\])', r"\\\1", part) + '"'
        for part in parts
    )


def _median(ordered: list[int]) -> int | None:
    """Return the median: the mean of the two in the middle, rounded half up."""
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[middle]
    return (ordered[middle - 1] + ordered[middle] + 1) // 2 if ordered else None


def _rank(ordered: list[int], percent: int) -> int | None:
    """Return the nearest rank."""
    return ordered[max(0, -(-len(ordered) * percent // 100) - 1)] if ordered else None
