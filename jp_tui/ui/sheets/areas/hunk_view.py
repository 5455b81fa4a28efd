"""A change in parts: which are selected, where the cursor is, which were on the screen (R251; asking.md E15, E26).

It scrolls and marks; the answer is made in `hunks.py`. A click on a part's head is reported, never acted on.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from textual import events

from jp_tui.conversation.text import Foreign
from jp_tui.questions.types import Part
from jp_tui.ui.painting.hunks import Pile, Piled, Standing
from jp_tui.ui.painting.look import PaintLook
from jp_tui.ui.painting.rows import ClickTarget
from jp_tui.ui.sheets.messages import LayoutChanged, PieceClicked
from jp_tui.ui.widgets.context import FEW, ContextView


class HunkView(ContextView):
    """The parts of a change; `taken` are the selected ones."""

    BINDINGS = []

    @dataclass
    class Picked(PieceClicked):
        """The head of a part was clicked."""

        part: str

    def __init__(self, parts: Sequence[Part], *, named: str = "", before: Sequence[str] = ()) -> None:
        """`before` are lines above the parts; `named` as in ContextView."""
        super().__init__(Foreign(""), focus=False)
        self._file = named
        self.parts = tuple(parts)
        self._ids = [part.id for part in parts]
        self._before = before
        self.taken = frozenset(self._ids)
        self.at = 0
        self._comments: dict[str, str] = {}
        self._piles: dict[tuple[int, bool, bool, int], Pile] = {}
        self._short = False
        self._parts_seen = 0

    @property
    def here(self) -> Part:
        """The part under the cursor."""
        return self.parts[self.at]

    @property
    def accepted(self) -> tuple[str, ...]:
        """The selected parts, in order."""
        return tuple(name for name in self._ids if name in self.taken)

    @property
    def parts_unseen(self) -> int:
        """Parts that were not on the screen to their end."""
        return len(self.parts) - self._parts_seen

    @property
    def hunk(self) -> tuple[int, int]:
        return self.at + 1, len(self.parts)

    # Selecting and moving

    def select(self, parts: frozenset[str]) -> None:
        """Select these parts and no others."""
        self.taken = parts & frozenset(self._ids)
        self.marked()

    def comment(self, part: str, text: str) -> None:
        """Keep a comment on a part; a blank one removes it. `marked` shows that."""
        if text.strip():
            self._comments[part] = text
        else:
            self._comments.pop(part, None)

    def restore(self, parts: frozenset[str], comments: Mapping[str, str]) -> None:
        """Select parts and restore their comments; unknown parts are left out."""
        self._comments = {name: text for name, text in comments.items() if name in self._ids}
        self.select(parts)

    @property
    def comments(self) -> Mapping[str, str]:
        """The comments by part."""
        return self._comments

    def marked(self) -> None:
        """Paint what looks different now."""
        self._again()

    def go(self, at: int) -> None:
        """Move the cursor to a part."""
        if at != self.at:
            self.at = at
            self.marked()

    def action_hunk(self, step: int) -> None:
        """Go to the next or previous part, and show as much of it as there is room for."""
        at = min(max(self.at + step, 0), len(self.parts) - 1)
        self.go(at)
        found = self._now()
        start = found.hunks[at]
        above = found.ends[at - 1] if at else 0  # a file's name is between them
        if above < self.top or found.ends[at] > self.top + self.height:
            self.scroll_to_row(min(above, start))

    def reveal(self) -> None:
        """Scroll the head of the part under the cursor into view."""
        start = self._now().hunks[self.at]
        if not self.top <= start < self.top + self.height:
            self.scroll_to_row(start)

    # Painting

    def paint(self, width: int, colours: PaintLook, *, split: bool) -> Piled:
        key = width, split, self._short, colours.key
        if key not in self._piles:
            if len(self._piles) > 3:
                self._piles.clear()
            self._piles[key] = Pile(
                self.parts, width, colours, split=split, named=self._file, before=self._before,
                short=self._short,
            )  # fmt: skip
        return self._piles[key].rows(Standing(self._ids, self.taken, self.at, dict(self._comments)))

    def _now(self) -> Piled:
        painted = self.painted
        assert isinstance(painted, Piled)
        return painted

    def on_resize(self, event: events.Resize) -> None:
        short = 0 < event.size.height < FEW
        if short != self._short and event.size.height > 0:
            self._short = short
            self.drop_painted()
            self.post_message(LayoutChanged())

    def look(self) -> None:
        self._measure_visible()
        super().look()
        if self.height <= 0 or not self.lines or not self.display or not self.is_attached:
            return
        seen = bisect_right(self._now().ends, self.top + self.height)
        if seen > self._parts_seen:
            self._parts_seen = seen
            self.post_message(self.Seen(self.unseen, self.lines))

    def _measure_visible(self) -> None:
        """Count the rows of visible parts; the count of a distant part may be an estimate."""
        if not self.placed or self.height <= 0:
            return
        found = self._now()
        if found.settle(self.top, self.top + self.height):
            at = self._part_at(self.top)
            into = self.top - found.hunks[at]
            self.drop_painted()
            self.top = max(self._now().hunks[at] + into, 0)
            self._lay_out()

    def moved(self) -> None:
        """Move a cursor that was scrolled out of sight."""
        super().moved()
        found = self._now()
        bottom = self.top + self.height
        if self.height > 0 and (found.ends[self.at] <= self.top or found.hunks[self.at] >= bottom):
            within = [at for at, start in enumerate(found.hunks) if self.top <= start < bottom]
            self.go(within[0] if within else self._part_at(self.top))

    def _part_at(self, row: int) -> int:
        return min(bisect_right(self._now().ends, row), len(self.parts) - 1)

    # The mouse

    async def _on_click(self, event: events.Click) -> None:
        await super()._on_click(event)
        number = self.top + event.y
        if event.chain == 1 and not self.text_selection and number < self.lines and event.x < self.size.width - 1:
            self.go(self._part_at(number))

    def hit(self, hit: ClickTarget, number: int) -> None:
        if hit.kind == "word":
            self.post_message(self.Picked(hit.value))
        else:
            super().hit(hit, number)
