"""Reviewer results as rows (issue "trust figures", inquiries.md R25), from the engine's statistics alone.

A change is suggested only where they support one, and none is made here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from jp_tui.conversation.text import Foreign
from jp_tui.protocol.values import ReviewerFigures
from jp_tui.view.wording.amounts import count, duration, money

EMPTY: Final = (
    "No reviewer decisions yet.\n\n"
    "Set a model in conversation.inquiry.assistant.model.id to have it review file changes before you do. If "
    "it approves, the tool continues. If it rejects, you decide and see its reason. This page counts how often "
    "it was right."
)
LEGEND: Final = "▁ yes  ▄ no  █ no, overturned  × no verdict  ↥ taken over  · answered"
EDITS: Final = "Set {key} to {value} in your file? Press c again to confirm, any other key to cancel."
CHANGED: Final = "Saved to {file}. It applies from the next turn."
_MARKS = {"a": "▁", "r": "▄", "o": "█", "f": "×", "t": "↥", "n": "·"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewerRow:
    """One reviewer of one question. `cells` are the columns of a table, padded equally in all rows; `counts`,
    `overturned`, `time` and `cost` are text; `marks` its latest outcomes, oldest first, one character each (`LEGEND`),
    `span` their dates; `offer` the suggested change as text, with its `key` and `value`."""

    what: Foreign
    model: Foreign
    cells: tuple[str, ...]
    counts: str
    overturned: str
    time: str
    cost: str
    marks: str
    span: str = ""
    offer: str = ""
    key: str = ""
    value: Any = None


def rows(found: tuple[ReviewerFigures, ...]) -> tuple[ReviewerRow, ...]:
    """Return the rows in the engine's order."""
    table = [_cells(one) for one in found]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return tuple(
        _row(one, tuple(cell.rjust(width) for cell, width in zip(cells, widths, strict=True)))
        for one, cells in zip(found, table, strict=True)
    )


def _cells(one: ReviewerFigures) -> tuple[str, ...]:
    """Return how often it was asked, approved, rejected and was overruled; its duration."""
    decided = one.overturned + one.upheld
    return (
        f"{one.asked} asked",
        f"{one.answered} answered" if one.answered else f"{one.approved} yes",
        f"{one.rejected} no",
        f"{round(100 * one.overturned / decided)} % overturned" if decided else "",
        duration(one.p50_ms) if one.p50_ms is not None else "",
    )


def _row(one: ReviewerFigures, cells: tuple[str, ...]) -> ReviewerRow:
    suggests = one.suggests
    return ReviewerRow(
        cells=cells,
        what=Foreign(f"{one.tool} · {one.question}"),
        model=Foreign(one.model or "unnamed model"),
        counts=_counts(one),
        overturned=_overturned(one),
        time=_time(one),
        cost=_cost(one),
        span=_span(one),
        marks="".join(_MARKS.get(mark, "?") for mark in one.outcomes),
        offer=suggests.words if suggests is not None else "",
        key=suggests.key if suggests is not None else "",
        value=suggests.value if suggests is not None else None,
    )


def _counts(one: ReviewerFigures) -> str:
    told = [f"asked {one.asked}"]
    for words, number in (
        ("approved", one.approved),
        ("rejected", one.rejected),
        ("no reason", one.reasons_missing),
        ("answered", one.answered),
        ("no verdict", one.failed),
        ("taken over", one.taken_over),
    ):
        if number:
            told.append(f"{words} {number}")
    return " · ".join(told)


def _overturned(one: ReviewerFigures) -> str:
    decided = one.overturned + one.upheld
    if not decided:
        return ""
    share = round(100 * one.overturned / decided)
    return f"you overturned {one.overturned} of {decided} rejections ({share} %)"


def _span(one: ReviewerFigures) -> str:
    """Return the start date in UTC."""
    first, last = one.first[:10], one.last[:10]
    return first if first == last else f"{first} to {last}"


def _time(one: ReviewerFigures) -> str:
    if one.p50_ms is None or one.p95_ms is None:
        return ""
    return f"median {duration(one.p50_ms)}, p95 {duration(one.p95_ms)}"


def _cost(one: ReviewerFigures) -> str:
    told = f"{count(one.input)} in, {count(one.output)} out" if one.input or one.output else ""
    paid = money(one.cost_usd) if one.cost_usd is not None else ""
    return " · ".join(part for part in (told, paid) if part)
