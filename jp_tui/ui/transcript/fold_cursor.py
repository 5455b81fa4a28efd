"""The cursor of the conversation: it goes from fold to fold, unfolds one, and says why somebody was asked (E42, E60).

A fold is a block or a line of a call's trail; rows say by their hits which one they belong to. It knows neither
blocks nor inquiries: whoever derives from it does the unfolding.
"""

from __future__ import annotations

from rich.segment import Segment
from textual.binding import Binding
from textual.strip import Strip

from jp_tui.ui.painting.aside import SIDE
from jp_tui.ui.painting.rows import Hit
from jp_tui.ui.painting.trail import WHY
from jp_tui.ui.transcript.virtual_list import RowView

FOLDING = [
    Binding("enter", "unfold", "Unfold", id="transcript.unfold", tooltip="Unfolds or folds the marked part"),
    Binding("n", "mark(1)", "Next fold", id="transcript.next_fold", tooltip="Marks the next folded part"),
    Binding("p,N", "mark(-1)", "Previous fold", id="transcript.previous_fold", tooltip="Marks the one before"),
    Binding("w", "why", "Why", id="transcript.why", tooltip="Why you were asked, or were not"),
]


class Folding(RowView):
    """Rows with parts that fold, one of them marked."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._marked = ""

    def toggle(self, key: str) -> None:
        """Fold or unfold a part; what is in sight above it stays where it is."""
        raise NotImplementedError

    def mark(self, key: str) -> None:
        """Mark a part, or nothing."""
        if key != self._marked:
            self._marked = key
            if self.is_attached:
                self.refresh()
                self.refresh_bindings()

    def renamed(self, old: str, new: str) -> None:
        super().renamed(old, new)
        self._marked = new if self._marked == old else self._marked

    def hit(self, hit: Hit, number: int) -> None:
        if hit.kind == "fold":
            self.mark(hit.value)
            self.toggle(hit.value)
        else:
            super().hit(hit, number)

    def _folds(self, first: int, last: int) -> dict[str, int]:
        """The parts with something to fold in some rows, each with its first such row."""
        found: dict[str, int] = {}
        for number in range(max(first, 0), last + 1):
            for _, _, hit in self._pane.row(number).hits:
                if hit.kind == "fold":
                    found.setdefault(hit.value, number)
        return found

    def action_mark(self, step: int) -> None:
        """The next or previous part that can be unfolded, scrolled into sight."""
        near = self._folds(self.top - 3 * self.height, self.top + 4 * self.height)
        keys = list(near)
        if self._marked in near:
            at = keys.index(self._marked) + step
        else:
            sight = [key for key in keys if self.top <= near[key] < self.top + self.height]
            at = keys.index(sight[0 if step > 0 else -1]) if sight else -1
        if 0 <= at < len(keys):
            row = near[keys[at]]
            if not self.top <= row < self.top + self.height:
                self.scroll_to_row(row - self.height // 2)
            self.mark(keys[at])

    def action_unfold(self) -> None:
        """Unfold the marked part, else the last in sight."""
        sight = self._folds(self.top, self.top + self.height - 1)
        if sight and self._marked not in sight:
            self.mark(list(sight)[-1])
        if self._marked in sight:
            self.toggle(self._marked)
            self.refresh_bindings()

    # --- why (E42) -----------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """`w` is bound where there is a line of a trail to ask about (E5)."""
        return action != "why" or bool(self._asked_about())

    def _asked_about(self) -> str:
        """The marked line of a trail, or the first of the marked call, else the last in sight."""
        sight = self._folds(self.top, self.top + self.height - 1) if self.height else {}
        lines = [key for key in sight if "/" in key and not key.endswith(f"/{SIDE}")]
        if self._marked in sight:
            own = [key for key in lines if key == self._marked or key.startswith(f"{self._marked}/")]
            return own[0] if own else ""
        return lines[-1] if lines else ""

    def action_why(self) -> None:
        """Say below a line of a trail why the human was asked, or was not; again to put it away."""
        if key := self._asked_about():
            self.mark(key)
            self.toggle(key + WHY)

    # --- the mark ------------------------------------------------------------------------------------------

    def overlaid(self, strip: Strip, number: int, y: int) -> Strip:
        if not self._marked or not self.has_focus:
            return strip
        if not self._is_marked(number) or self._is_marked(number - 1):
            return strip
        return Strip([Segment("❯", self._pane.look.running), *strip.crop(1)], strip.cell_length)

    def _is_marked(self, number: int) -> bool:
        return any(hit.kind == "fold" and hit.value == self._marked for _, _, hit in self._pane.row(number).hits)
