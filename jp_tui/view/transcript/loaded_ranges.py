"""Loaded events of a conversation, and the gaps (HOUSE "The way of a page").

Runs of event numbers, in order, loaded or not. An unloaded run has the characters and line breaks of the log's spans,
to estimate its height. Contains no events or blocks and requests nothing.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from jp_tui.protocol.values import EventSpan, StoredEvent

RUN = 128
"""Maximum events of one loaded run."""


@dataclass(slots=True, eq=False)
class LoadedRange:
    """Events `first`..`last`. `rows` is the front end's own record of a released run's height."""

    first: int
    last: int
    held: bool
    characters: int = 0
    lines: int = 0
    rows: int | None = None

    @property
    def events(self) -> int:
        return self.last - self.first + 1


class LoadedRanges:
    """Runs of one conversation; together they cover every known event of the log."""

    def __init__(self) -> None:
        self.runs: list[LoadedRange] = []

    def cover(self, spans: Iterable[EventSpan], last: int) -> None:
        """Set a conversation from its spans, up to number `last`, with nothing loaded."""
        self.runs = [
            LoadedRange(span.first, span.last, False, span.characters, span.lines) for span in spans if span.events > 0
        ]
        end = self.runs[-1].last if self.runs else 0
        if last > end:  # newer than the last span
            self.runs.append(LoadedRange(end + 1, last, False))

    @property
    def last(self) -> int:
        """Return the highest known number, 0 if there is none."""
        return self.runs[-1].last if self.runs else 0

    def find(self, seq: int) -> int | None:
        """Return the index of the run with a number."""
        at = bisect_right(self.runs, seq, key=lambda run: run.first) - 1
        return at if at >= 0 and seq <= self.runs[at].last else None

    def holds(self, seq: int) -> bool:
        """True if an event is loaded."""
        at = self.find(seq)
        return at is not None and self.runs[at].held

    def hold(self, events: Sequence[StoredEvent]) -> list[StoredEvent]:
        """Mark a page of events, in order, as loaded; return those that weren't before."""
        fresh = [event for event in events if not self.holds(event.seq)]
        for event in fresh:
            if event.seq > self.last:
                self._append(event.seq)
        start = 0
        for at in range(1, len(fresh) + 1):
            if at == len(fresh) or fresh[at].seq != fresh[at - 1].seq + 1 or at - start == RUN:
                self._carve(fresh[start].seq, fresh[at - 1].seq)
                start = at
        return fresh

    def _append(self, seq: int) -> None:
        """Add a number after the last; numbers between are a gap."""
        if self.runs and not self.runs[-1].held and seq == self.last + 1:
            self.runs[-1].last = seq
        else:
            self.runs.append(LoadedRange(self.last + 1, seq, False))

    def _carve(self, first: int, last: int) -> None:
        """Make `first`..`last`, within unloaded runs, a loaded run."""
        found: list[LoadedRange] = []
        for run in self.runs:
            if run.last < first or run.first > last or run.held:
                found.append(run)
                continue
            if run.first < first:
                found.append(_part(run, run.first, first - 1))
            if not found or found[-1].last < first or not found[-1].held:
                found.append(LoadedRange(first, last, True))
            if run.last > last:
                found.append(_part(run, last + 1, run.last))
        self.runs = _merged(found)

    def grow(self, seq: int) -> bool:
        """Load one more event at the end; return False if it already is."""
        if self.holds(seq):
            return False
        tail = self.runs[-1] if self.runs else None
        if tail is not None and tail.held and seq == tail.last + 1 and tail.events < RUN:
            tail.last = seq
            return True
        if seq > self.last + 1:
            self.runs.append(LoadedRange(self.last + 1, seq - 1, False))
        if seq > self.last:
            self.runs.append(LoadedRange(seq, seq, True))
        else:
            self._carve(seq, seq)
        return True

    def release(self, run: LoadedRange, rows: int, characters: int) -> None:
        """Release a run; `rows` is its height, `characters` its size for other widths."""
        run.held, run.rows, run.characters, run.lines = False, rows, characters, 0

    def forget_rows(self) -> None:
        """Drop all recorded heights after a change of width."""
        for run in self.runs:
            run.rows = None


def _part(run: LoadedRange, first: int, last: int) -> LoadedRange:
    """Return a part of a gap, with its share of the sums."""
    share = (last - first + 1) / run.events
    return LoadedRange(first, last, False, round(run.characters * share), round(run.lines * share))


def _merged(runs: list[LoadedRange]) -> list[LoadedRange]:
    """Return them in order, each number once: several gaps may have been split for one loaded run."""
    found: list[LoadedRange] = []
    for run in runs:
        if found and run.held and found[-1].held and run.first == found[-1].first:
            continue
        found.append(run)
    return found
