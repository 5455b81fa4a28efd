"""The cursor that goes from fold to fold in the conversation (E42, E60).

A fold is a block, or a line of a tool call's trail, that can be unfolded. The hits of a row name its fold. The cursor
moves and finds folds; `Transcript` unfolds them.
"""

from __future__ import annotations

from rich.segment import Segment
from textual.binding import Binding
from textual.strip import Strip

from jp_tui.ui.painting.aside import SIDE
from jp_tui.ui.transcript.document import TranscriptDocument
from jp_tui.ui.transcript.virtual_list import VirtualList

FOLD_KEYS = [
    Binding("enter", "unfold", "Unfold", id="transcript.unfold", tooltip="Unfold or fold the selected part"),
    Binding("n", "mark(1)", "Next fold", id="transcript.next_fold", tooltip="Select the next folded part"),
    Binding(
        "p,N", "mark(-1)", "Previous fold", id="transcript.previous_fold", tooltip="Select the previous folded part"
    ),
    Binding("w", "why", "Why", id="transcript.why", tooltip="Show why you were or weren't asked"),
]


class FoldCursor:
    """The key of the fold that the cursor is on, empty for none."""

    def __init__(self, view: VirtualList[TranscriptDocument]) -> None:
        self._view = view
        self.key = ""

    def to(self, key: str) -> None:
        """Move to a fold, or to none, and repaint."""
        if key != self.key:
            self.key = key
            if self._view.is_attached:
                self._view.refresh()
                self._view.refresh_bindings()

    def renamed(self, old: str, new: str) -> None:
        """Follow a block that has another key."""
        self.key = new if self.key == old else self.key

    def folds(self, first: int, last: int) -> dict[str, int]:
        """Return the folds in the rows `first`..`last`, each with its first row there."""
        found: dict[str, int] = {}
        for number in range(max(first, 0), last + 1):
            for _, _, hit in self._view.document.row(number).hits:
                if hit.kind == "fold":
                    found.setdefault(hit.value, number)
        return found

    def folds_in_sight(self) -> dict[str, int]:
        """Return the folds in sight, each with its first row in sight."""
        view = self._view
        return self.folds(view.top, view.top + view.height - 1)

    @property
    def key_in_sight(self) -> str:
        """The key, if that fold is in sight; else empty."""
        return self.key if self.key in self.folds_in_sight() else ""

    def step(self, step: int) -> None:
        """Move to the next or previous fold and scroll it into sight."""
        view = self._view
        top, height = view.top, view.height
        near = self.folds(top - 3 * height, top + 4 * height)
        keys = list(near)
        if self.key in near:
            at = keys.index(self.key) + step
        else:
            sight = [key for key in keys if top <= near[key] < top + height]
            at = keys.index(sight[0 if step > 0 else -1]) if sight else -1
        if 0 <= at < len(keys):
            row = near[keys[at]]
            if not top <= row < top + height:
                view.scroll_to_row(row - height // 2)
            self.to(keys[at])

    def trail_line(self) -> str:
        """Return the key of the trail line that `Why` explains, empty for none (E42).

        That is the line under the cursor, the first line of the call under it, or the last one in sight.
        """
        sight = self.folds_in_sight() if self._view.height else {}
        lines = [key for key in sight if "/" in key and not key.endswith(f"/{SIDE}")]
        if self.key in sight:
            own = [key for key in lines if key == self.key or key.startswith(f"{self.key}/")]
            return own[0] if own else ""
        return lines[-1] if lines else ""

    def decorate(self, strip: Strip, number: int) -> Strip:
        """Return a row's strip, with the cursor if it is the first row of its fold."""
        if not self.key or not self._view.has_focus or not self._covers(number) or self._covers(number - 1):
            return strip
        return Strip([Segment("❯", self._view.document.look.running), *strip.crop(1)], strip.cell_length)

    def _covers(self, number: int) -> bool:
        hits = self._view.document.row(number).hits
        return any(hit.kind == "fold" and hit.value == self.key for _, _, hit in hits)
