"""The document of a transcript: its blocks with their painted rows, by row number.

Takes events and painted rows; returns rows, blocks to paint, and missing events. Keeps the blocks near the viewport and
drops the rest. Knows no widget, no event loop and no thread.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.segment import Segment
from textual.strip import Strip

from jp_tui.protocol import events as ev
from jp_tui.protocol.values import EventSpan, StoredEvent
from jp_tui.ui.painting.look import PaintLook
from jp_tui.ui.painting.painter import Growth, Order, PaintedBlock, painted
from jp_tui.ui.painting.rows import Row, spaces
from jp_tui.ui.transcript.positions import Anchor, RowPositions
from jp_tui.view.transcript import heights
from jp_tui.view.transcript.blocks import Block, ReasoningBlock, TextBlock
from jp_tui.view.transcript.loaded_ranges import LoadedRanges
from jp_tui.view.transcript.reducer import BlockChanges, TranscriptReducer

KEPT, ROWS, SCREENS = 400, 400, 8
"""The most painted blocks that are kept near the viewport, and the most rows that they may have: so many, or so many
screens of them, whichever is more. Painted rows take more memory than all else."""
HELD, ROUND = 6, 5
"""Runs of events that are kept; screens above and below that are never dropped, as they would be requested again."""
PAGE = 256
"""Events in one request: a span of the journal."""


@dataclass(slots=True)
class _Held:
    """Painted rows of a block and the order that they answer; `run` is the number of a growing part's painting."""

    rows: list[Row]
    order: Order | None = None
    run: int = 0
    frozen: int = 0


class TranscriptDocument:
    """One conversation at one width and in one look."""

    def __init__(self, width: int, look: PaintLook) -> None:
        self.width, self.look = width, look
        self.story, self.pages = TranscriptReducer(), LoadedRanges()
        self.positions = RowPositions(self.story, self.pages, self._height, width)
        self.unfolded: set[str] = set()
        self._painted: dict[str, _Held] = {}
        self._known: dict[str, int] = {}

    # --- feeding -------------------------------------------------------------------------------------------

    def load(self, spans: Sequence[EventSpan], page: Sequence[StoredEvent], last: int) -> None:
        """Fill an empty document with a conversation that was opened."""
        self.pages.cover(spans, last)
        self.read(page)

    def read(self, events: Sequence[StoredEvent]) -> bool:
        """Add a page that was requested. Return False if nothing in it was new."""
        fresh = self.pages.hold(events)
        self.changed(self.story.load(fresh))
        self.positions.restructure()
        return bool(fresh)

    def apply(self, event: ev.Event) -> BlockChanges:
        """Apply a live event. Return which blocks changed."""
        if isinstance(event, ev.EventAppended):
            if not self.pages.grow(event.stored.seq):
                return BlockChanges()
            self.positions.restructure()
        changes = self.story.apply(event)
        self.changed(changes)
        return changes

    def passed(self, elapsed: float) -> BlockChanges:
        """Count `elapsed` seconds off the waits before retries. Return which blocks changed."""
        changes = BlockChanges(self.story.retries.passed(elapsed))
        self.changed(changes)
        return changes

    def asking(self, calls: frozenset[tuple[int, str]]) -> BlockChanges:
        """Mark the calls whose sub-agents wait for the user now. Return which blocks changed."""
        changes = self.story.asking(calls)
        self.changed(changes)
        return changes

    def in_sheet(self, call: tuple[int, str] | None) -> BlockChanges:
        """Shorten the call whose question is open as a sheet to one line."""
        changes = self.story.in_sheet(call)
        self.changed(changes)
        return changes

    def changed(self, changes: BlockChanges) -> None:
        """Note that blocks changed or have another key."""
        for old, new in changes.renamed:
            if old in self._painted:
                self._painted[new] = self._painted.pop(old)
            if old in self.unfolded:
                self.unfolded.add(new)
        for key in changes.changed:
            self.positions.touch(key)

    def close_gap(self, seq: int) -> None:
        """Note that the events around this number don't exist, so that they aren't requested again."""
        at = self.pages.find(seq)
        if at is not None and not self.pages.runs[at].held:
            self.pages.runs[at].held = True
            self.positions.restructure()

    # --- painted rows --------------------------------------------------------------------------------------

    def resize(self, width: int) -> None:
        """Set the width. Heights are estimates again; old rows are shown until they are painted again."""
        self.width = width
        self._known.clear()
        self.pages.forget_rows()
        self.positions.resize(width)

    def paint(self, done: PaintedBlock) -> bool:
        """Take painted rows. Return False if they look as before."""
        key, order = done.order.block.key, done.order
        if order.width != self.width or order.look is not self.look:
            return False
        before = self._painted.get(key)
        self._painted[key] = _Held(done.rows, order)
        self._known.pop(key, None)
        if before is not None and _same(before.rows, done.rows):
            return False
        self.positions.touch(key)
        return True

    def grow(self, growth: Growth) -> tuple[int, bool] | None:
        """Add rows of a growing part. Return the first changed document row, and True if the height changed."""
        held = self._painted.get(growth.key)
        if held is None or held.run != growth.run:
            return None
        old = held.rows
        new = [*old[: held.frozen], *growth.frozen, *growth.tail]
        first = held.frozen
        while first < min(len(old), len(new)) and (old[first] is new[first] or old[first].same(new[first])):
            first += 1
        held.rows, held.frozen = new, held.frozen + len(growth.frozen)
        self.positions.touch(growth.key)
        start = self.positions.row_of(Anchor(growth.key, 0, 0))
        return None if start is None else (start + first, len(old) != len(new))

    def begin(self, key: str, run: int) -> None:
        """Expect rows of a growing part from its beginning; old rows stay until they come."""
        old = self._painted.get(key)
        self._painted[key] = _Held(old.rows if old else [], run=run)

    def _height(self, block: Block) -> int:
        held = self._painted.get(block.key)
        if held is not None:
            return len(held.rows)
        if block.key in self._known:
            return self._known[block.key]
        return 0 if _growing(block) else heights.of_block(block, self.width)

    def row(self, number: int) -> Row:
        """Return the row of that number; a blank one outside and where nothing is painted yet."""
        spot = self.positions.spot(number)
        if spot is None or spot.line < 0:
            return self._blank("")
        held = self._painted.get(spot.block.key) if spot.block is not None else None
        if held is None or spot.line >= len(held.rows):
            return self._blank("⋯" if spot.line == 0 else "")
        row = held.rows[spot.line]
        if row.strip.cell_length != self.width:
            return Row(row.strip.adjust_cell_length(self.width, self.look.text), row.text, row.lead, row.join)
        return row

    def rows(self, first: int, last: int) -> Iterator[tuple[int, Row]]:
        """Yield the rows `first`..`last` for copying. Paints what isn't painted yet; leaves gaps out."""
        at = first
        for start, block in self.positions.blocks(first, last):
            yield from ((number, self._blank("")) for number in range(max(at, start - 1), start) if number <= last)
            held, height = self._painted.get(block.key), self._height(block)
            rows = held.rows if held is not None else painted(self.order(block))
            inside = held is None and start >= first and start + height - 1 <= last
            for number, row in enumerate(rows, start):
                if inside or first <= number <= last:  # an estimate may be too low: no row is lost
                    yield min(number, start + height - 1) if inside else number, row
            at = start + height

    def _blank(self, sign: str) -> Row:
        text = f"   {sign}" if sign else ""
        return Row(Strip([Segment(text + spaces(max(self.width - len(text), 0)), self.look.muted)], self.width))

    @property
    def total(self) -> int:
        """The number of rows, estimates included."""
        return self.positions.total

    def anchor(self, row: int) -> Anchor:
        """Return a lasting position for a document row."""
        return self.positions.anchor(row)

    def row_of(self, anchor: Anchor) -> int | None:
        """Return the document row where an anchor is now; None if its block was dropped."""
        return self.positions.row_of(anchor)

    # --- orders and requests -------------------------------------------------------------------------------

    def fresh(self, block: Block) -> bool:
        """Return True if a block is painted as it is now."""
        held = self._painted.get(block.key)
        return _growing(block) or (held is not None and held.order == self.order(block))

    def order(self, block: Block) -> Order:
        """Return the painter's order for a block."""
        parts = f"{block.key}/"
        unfolded = frozenset(key for key in self.unfolded if key == block.key or key.startswith(parts))
        return Order(block, self.width, self.look, unfolded)

    def wanted(self, top: int, height: int) -> list[Order]:
        """Return orders for unpainted blocks: visible ones first, then a screen below, then one above."""
        found: dict[str, Order] = {}
        for first, last in ((top, top + height - 1), (top + height, top + 2 * height), (top - height, top - 1)):
            for _, block in self.positions.blocks(first, last) if last >= 0 else ():
                if block.key not in found and not self.fresh(block):
                    found[block.key] = self.order(block)
        return list(found.values())

    def unpainted(self, first: int, last: int) -> list[Order]:
        """Return orders for blocks between two rows that have no painted rows at all."""
        blocks = (block for _, block in self.positions.blocks(max(first, 0), last))
        return [self.order(block) for block in blocks if block.key not in self._painted and not _growing(block)]

    def missing(self, top: int, height: int) -> tuple[int, int] | None:
        """Return the events to request, as (around, count), if a gap is visible or will soon be; else None."""
        last = self.positions.total - 1
        half = height // 2
        near = (top, top + height - 1, top + half, top - half, top - height, top + height + half, top + 2 * height)
        for row in (*near, top - 3 * height, top + 4 * height):
            spot = self.positions.spot(min(max(row, 0), last))
            if spot is None or spot.block is not None or spot.section.run is None or spot.section.run.held:
                continue
            run, seq = spot.section.run, self.positions.event_at(spot) or spot.section.run.first
            low, high = run.first + PAGE // 2, run.last - PAGE // 2 + 1
            return (min(max(seq, low), high) if low <= high else (run.first + run.last) // 2), PAGE
        return None

    def trim(self, top: int, height: int) -> None:
        """Drop content far from the viewport: painted rows beyond `KEPT` blocks or `ROWS`, events beyond `HELD`."""
        middle, room = top + height // 2, max(ROWS, SCREENS * height)
        if self.painted_blocks > KEPT * 5 // 4 or self.painted_rows > room * 5 // 4:
            self._forget_painted(middle, room // 2)
        if sum(run.held for run in self.pages.runs) > HELD * 5 // 4:
            near = top - ROUND * height, top + (ROUND + 1) * height
            for section in self.positions.far_runs(middle, HELD, near):
                for block in section.blocks:
                    self._painted.pop(block.key, None)
                    self._known.pop(block.key, None)
                if section.run is not None:
                    self.story.forget(section.run.first, section.run.last)
                    rows = section.sums.total
                    self.pages.release(section.run, rows, heights.characters(section.run, rows, self.width))
            self.positions.restructure()

    def _forget_painted(self, middle: int, around: int) -> None:
        """Keep the painted rows of only the `KEPT` blocks nearest to a row that reach into the rows around it."""
        near: dict[str, int] = {}
        for start, block in self.positions.blocks(middle - around, middle + around):
            near[block.key] = max(start - middle, middle - start - self._height(block), 0)
        kept = {*sorted(near, key=near.__getitem__)[:KEPT], *(block.key for block in self.story.live)}
        for key in [key for key in self._painted if key not in kept]:
            self._known[key] = len(self._painted.pop(key).rows)

    @property
    def painted_blocks(self) -> int:
        """The number of painted blocks."""
        return len(self._painted)

    @property
    def painted_rows(self) -> int:
        """The number of their rows."""
        return sum(len(held.rows) for held in self._painted.values())


def _growing(block: Block) -> bool:
    return isinstance(block, TextBlock | ReasoningBlock) and block.growing


def _same(one: Sequence[Row], other: Sequence[Row]) -> bool:
    return len(one) == len(other) and all(a.same(b) for a, b in zip(one, other, strict=True))
