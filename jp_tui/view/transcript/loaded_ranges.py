"""Which events of a conversation are held, and where the gaps are (HOUSE "The way of a page").

Runs of event numbers, in order, held or not. A run that is not held knows its characters and line breaks from the
log's spans, so that its height can be estimated. Holds no events and no blocks; asks nobody for anything.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from jp_tui.protocol.values import EventSpan, StoredEvent

RUN = 128
"""Most events of one held run."""


@dataclass(slots=True, eq=False)
class LoadedRange:
    """The events `first`..`last`. `rows` is a face's own note of how high a run that it let go had been."""

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
    """The runs of one conversation; together they cover every event that is known to be in the log."""

    def __init__(self) -> None:
        self.runs: list[LoadedRange] = []

    def cover(self, spans: Iterable[EventSpan], last: int) -> None:
        """A conversation as its spans describe it, up to number `last`; nothing of it is held."""
        self.runs = [
            LoadedRange(span.first, span.last, False, span.characters, span.lines) for span in spans if span.events > 0
        ]
        end = self.runs[-1].last if self.runs else 0
        if last > end:  # younger than the last span
            self.runs.append(LoadedRange(end + 1, last, False))

    @property
    def last(self) -> int:
        """The highest number known, 0 when there is none."""
        return self.runs[-1].last if self.runs else 0

    def find(self, seq: int) -> int | None:
        """The index of the run that a number is in."""
        at = bisect_right(self.runs, seq, key=lambda run: run.first) - 1
        return at if at >= 0 and seq <= self.runs[at].last else None

    def holds(self, seq: int) -> bool:
        """Whether an event is held."""
        at = self.find(seq)
        return at is not None and self.runs[at].held

    def hold(self, events: Sequence[StoredEvent]) -> list[StoredEvent]:
        """Mark a page of events, in order, as held; the answer is those that were not held before."""
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
        """A number beyond the last; what lies between is a gap."""
        if self.runs and not self.runs[-1].held and seq == self.last + 1:
            self.runs[-1].last = seq
        else:
            self.runs.append(LoadedRange(self.last + 1, seq, False))

    def _carve(self, first: int, last: int) -> None:
        """Make `first`..`last`, which lies in runs that are not held, a held run of its own."""
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
        """Hold one more event at the end; False when it is held already."""
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
        """Let a run go; `rows` is how high it was, `characters` stands for its size at other widths."""
        run.held, run.rows, run.characters, run.lines = False, rows, characters, 0

    def forget_rows(self) -> None:
        """The width changed: no run's height is known any more."""
        for run in self.runs:
            run.rows = None


def _part(run: LoadedRange, first: int, last: int) -> LoadedRange:
    """A part of a gap, with its share of the sums."""
    share = (last - first + 1) / run.events
    return LoadedRange(first, last, False, round(run.characters * share), round(run.lines * share))


def _merged(runs: list[LoadedRange]) -> list[LoadedRange]:
    """In order, each number once: several gaps may have been carved for one held run."""
    found: list[LoadedRange] = []
    for run in runs:
        if found and run.held and found[-1].held and run.first == found[-1].first:
            continue
        found.append(run)
    return found
