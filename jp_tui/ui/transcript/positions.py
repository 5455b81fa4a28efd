"""Row positions of a transcript: which block is at which row, also where events aren't loaded.

A section is a run of loaded events or a gap; the last one has the blocks that aren't in the log yet. Row numbers count
from the beginning and depend on estimates in gaps, so a position that must outlast new heights is an `Anchor`. Knows
heights, not rows: the owner measures the blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from jp_tui.view.transcript import heights
from jp_tui.view.transcript.blocks import Block, gap
from jp_tui.view.transcript.loaded_ranges import LoadedRange, LoadedRanges
from jp_tui.view.transcript.reducer import TranscriptReducer


class Anchor(NamedTuple):
    """A position that outlasts new heights: a block (or, in a gap, the number of an event) and a row in it."""

    key: str
    seq: int
    line: int


@dataclass(slots=True)
class RowSection:
    """A run's blocks with their heights, each with the blank rows before it; a gap has no blocks and one height.

    `held` is the state of the run when this was made: a run that is dropped later is the same run, but a gap.
    """

    run: LoadedRange | None
    held: bool
    blocks: list[Block]
    gaps: list[int]
    sums: heights.HeightIndex


class Spot(NamedTuple):
    """The content of a document row: the section, the block (None in a gap), and the row within the block's own rows.

    `line` is negative on the blank rows before a block.
    """

    section: RowSection
    block: Block | None
    line: int


class RowPositions:
    """The sections of one conversation. `height` returns the rows of a block; gaps are estimated for `width`."""

    def __init__(
        self, story: TranscriptReducer, pages: LoadedRanges, height: Callable[[Block], int], width: int
    ) -> None:
        self.width = width
        self._story, self._pages, self._height = story, pages, height
        self._sections: list[RowSection] = []
        self._places = heights.HeightIndex(())
        self._dirty: set[int] = set()
        self._all = self._live_only = True

    # --- changes -------------------------------------------------------------------------------------------

    def touch(self, key: str) -> None:
        """Note that a block may have another height or be another block."""
        seq = seq_of(key)
        if seq is None:
            self._live_only = True
        else:
            self._dirty.add(seq)

    def restructure(self) -> None:
        """Note that runs were added, dropped or extended."""
        self._all = True

    def resize(self, width: int) -> None:
        """Note that every height may have changed."""
        self.width = width
        self._sections = []
        self._all = True

    def _update(self) -> None:
        if self._all or self._dirty:
            self._rebuild()
        elif self._live_only:
            before = self._last_block(self._sections[:-1])
            self._sections[-1] = self._made(None, self._story.live, before)
            self._places.replace_last(self._sections[-1].sums.total)
        self._live_only = False

    def _rebuild(self) -> None:
        known = {
            (one.run.first, one.run.last, one.run.held): one
            for one in self._sections
            if one.run is not None and (one.run.held or not one.held)
        }
        dirty = {self._pages.find(seq) for seq in self._dirty}
        sections: list[RowSection] = []
        before: Block | None = None
        for at, run in enumerate(self._pages.runs):
            section = known.get((run.first, run.last, run.held))
            if section is None or at in dirty or (section.blocks and section.gaps[0] != gap(before, section.blocks[0])):
                section = self._section(run, before)
            sections.append(section)
            before = section.blocks[-1] if section.blocks else before if run.held else None
        sections.append(self._made(None, self._story.live, before))
        self._sections, self._all = sections, False
        self._dirty.clear()
        self._places = heights.HeightIndex([section.sums.total for section in sections])

    @staticmethod
    def _last_block(sections: list[RowSection]) -> Block | None:
        for section in reversed(sections):
            if section.blocks:
                return section.blocks[-1]
            if section.run is not None and not section.run.held:
                return None
        return None

    def _section(self, run: LoadedRange, before: Block | None) -> RowSection:
        if not run.held:
            return RowSection(run, False, [], [], heights.HeightIndex([heights.of_run(run, self.width)]))
        found = [block for seq in range(run.first, run.last + 1) for block in self._story.of_event(seq)]
        return self._made(run, found, before)

    def _made(self, run: LoadedRange | None, blocks: list[Block], before: Block | None) -> RowSection:
        gaps = [gap(one, other) for one, other in zip([before, *blocks], blocks, strict=False)]
        sums = heights.HeightIndex([apart + self._height(block) for apart, block in zip(gaps, blocks, strict=True)])
        return RowSection(run, True, blocks, gaps, sums)

    # --- look-up -------------------------------------------------------------------------------------------

    @property
    def total(self) -> int:
        """The number of rows, estimates included."""
        self._update()
        return self._places.total

    def spot(self, row: int) -> Spot | None:
        """Return the content of a document row; None outside."""
        self._update()
        found = self._places.find(row)
        if found is None:
            return None
        section = self._sections[found[0]]
        inner = section.sums.find(found[1]) if section.blocks else None
        if inner is None:
            return Spot(section, None, found[1])
        return Spot(section, section.blocks[inner[0]], inner[1] - section.gaps[inner[0]])

    def anchor(self, row: int) -> Anchor:
        """Return a lasting position for a document row."""
        spot = self.spot(row)
        if spot is None:
            return Anchor("", 0, row)
        if spot.block is not None:
            return Anchor(spot.block.key, spot.block.place[0], spot.line)
        return Anchor("", self.event_at(spot) or 0, 0)

    @staticmethod
    def event_at(spot: Spot) -> int | None:
        """Return the approximate number of the event at a place in a gap."""
        run = spot.section.run
        return None if run is None else run.first + run.events * spot.line // max(spot.section.sums.total, 1)

    def row_of(self, anchor: Anchor) -> int | None:
        """Return the document row where an anchor is now; None if its block was dropped."""
        self._update()
        seq = seq_of(anchor.key) if anchor.key else anchor.seq
        at = len(self._sections) - 1 if seq is None else self._pages.find(seq)
        if at is None or at >= len(self._sections):
            return None
        section, start = self._sections[at], self._places.start(at)
        if not section.blocks and section.run is not None and seq is not None:
            return start + section.sums.total * (seq - section.run.first) // section.run.events
        for index, block in enumerate(section.blocks):
            if block.key == anchor.key or (not anchor.key and block.place[0] >= (seq or 0)):
                own = section.sums.heights[index] - section.gaps[index]
                line = max(min(anchor.line, own - 1), -section.gaps[index])
                return start + section.sums.start(index) + section.gaps[index] + line
        return None if anchor.key else start + section.sums.total

    def blocks(self, first: int, last: int) -> Iterator[tuple[int, Block]]:
        """Yield the blocks in the rows `first`..`last`, each with the row where it begins."""
        self._update()
        found = self._places.find(max(first, 0))
        for at in range(found[0], len(self._sections)) if found else ():
            section, start = self._sections[at], self._places.start(at)
            inner = section.sums.find(max(first - start, 0))
            for index in range(inner[0] if inner else 0, len(section.blocks)):
                begins = start + section.sums.start(index)
                if begins > last:
                    return
                yield begins + section.gaps[index], section.blocks[index]
            if start > last:
                return

    def far_runs(self, row: int, keep: int, near: tuple[int, int]) -> list[RowSection]:
        """Return the loaded runs beyond the `keep` nearest to a row, the farthest first; never the last run, nor one
        that reaches into the rows `near`."""
        self._update()
        found = self._places.find(min(max(row, 0), max(self._places.total - 1, 0)))
        here = found[0] if found else 0
        held = [at for at, one in enumerate(self._sections) if one.run is not None and one.run.held][:-1]
        far = sorted(held, key=lambda at: -abs(at - here))[: max(len(held) + 1 - keep, 0)]
        return [self._sections[at] for at in far if not self._reaches(at, *near)]

    def _reaches(self, at: int, first: int, last: int) -> bool:
        start = self._places.start(at)
        return start <= last and start + self._sections[at].sums.total > first


def seq_of(key: str) -> int | None:
    """Return the number of the event that a block's key belongs to; None for a block that isn't in the log."""
    return int(key[1:]) if key[:1] in ("e", "h", "r") and key[1:].isdigit() else None
