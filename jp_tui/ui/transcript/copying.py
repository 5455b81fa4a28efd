"""Taking text out of the conversation by keys: a message is marked whole, and it or its code is copied (issue 8, 4).

What is marked is Textual's selection, so that it is seen, and what is copied is the source: Markdown as it was written,
no gutter and no frame. It knows no clipboard: it says what is to be copied.
"""

from __future__ import annotations

from dataclasses import dataclass

from textual.binding import Binding
from textual.geometry import Offset
from textual.message import Message
from textual.selection import Selection

from jp_tui.ui.pane import Pane
from jp_tui.ui.transcript.fold_cursor import Folding
from jp_tui.view.composer.clipboard_text import code_blocks
from jp_tui.view.transcript.blocks import Block, Data, Said, Thought, Tool, User

TAKING = [
    Binding("y", "copy", "Copy", id="transcript.copy", tooltip="What is marked, else the last message in sight"),
    Binding("c", "copy_code", "Copy code", show=False, id="transcript.copy_code", tooltip="Again: the next block"),
    Binding("left_curly_bracket", "message(-1)", "Message before", show=False, id="transcript.message_before",
            tooltip="Marks the message before"),
    Binding("right_curly_bracket", "message(1)", "Next message", show=False, id="transcript.next_message",
            tooltip="Marks the next message"),
    Binding("l", "open(True)", "Unfold", show=False, id="transcript.open", tooltip="Unfolds the marked part"),
    Binding("h", "open(False)", "Fold", show=False, id="transcript.close", tooltip="Folds the marked part"),
]  # fmt: skip

_MESSAGES = (User, Said, Data)


class Taking(Folding):
    """A conversation out of which text can be taken."""

    _taken = ""
    _code = ("", -1)

    @dataclass
    class Copied(Message):
        """This is to be copied; `what` is its name in words of ours, empty when its beginning says more."""

        text: str
        what: str = ""

    @property
    def _blocks(self) -> Pane:
        assert isinstance(self._pane, Pane)
        return self._pane

    def focus_on_click(self) -> bool:
        """A click takes no focus: who clicks and types on is writing, and no letter of that is a key here."""
        return False

    def action_message(self, step: int) -> None:
        """Mark the next message, whole, and scroll to it."""
        near = [(row, block) for row, block in self._near() if isinstance(block, _MESSAGES)]
        keys = [block.key for _, block in near]
        if not near:
            return
        if self._marked_message() in keys:
            at = min(max(keys.index(self._taken) + step, 0), len(keys) - 1)
        else:
            sight = [n for n, (row, _) in enumerate(near) if self.top <= row < self.top + self.height]
            at = (sight[-1] if step < 0 else sight[0]) if sight else len(near) - 1
        row, block = near[at]
        last = self._last_row(row, block)
        self._taken = block.key
        if not self.top <= row < self.top + self.height:
            self.scroll_to_row(max(row - 1, 0))
        lead, end = self._pane.row(row).lead, self._pane.row(last)
        self.screen.selections = {self: Selection(Offset(lead, row), Offset(end.lead + len(end.text), last))}
        self.refresh()

    def action_copy(self) -> None:
        """The marked message by its source; a selection as it is; else the last message in sight."""
        selection = self.text_selection
        block = self._message()
        if selection is not None and (block is None or self._marked_message() != block.key):
            self.post_message(self.Copied(self._selected(selection)))
        elif block is not None:
            self.post_message(self.Copied(*_source(block)))

    def action_copy_code(self) -> None:
        """A block of code of the message; pressed again, the next one."""
        block = self._message(with_code=True)
        found = code_blocks(_source(block)[0]) if block is not None else []
        if block is None or not found:
            self.post_message(self.Copied(""))
            return
        at = (self._code[1] + 1) % len(found) if self._code[0] == block.key else 0
        self._code = (block.key, at)
        which = f" {at + 1} of {len(found)}" if len(found) > 1 else ""
        self.post_message(self.Copied(found[at].text, f"code block{which}"))

    def action_open(self, unfolded: bool) -> None:
        """Fold or unfold what is marked, if it is not so already."""
        if self._mark_in_sight and (self._mark_in_sight in self._blocks.unfolded) is not unfolded:
            self.action_unfold()

    @property
    def _mark_in_sight(self) -> str:
        return self._marked if self._marked in self._folds(self.top, self.top + self.height - 1) else ""

    def _near(self) -> list[tuple[int, Block]]:
        return list(self._blocks.column.blocks(self.top - 4 * self.height, self.top + 5 * self.height))

    def _last_row(self, row: int, block: Block) -> int:
        later = [start for start, _ in self._blocks.column.blocks(row, row + 100_000) if start > row]
        last = (later[0] if later else self._pane.total) - 1
        while last > row and not self._pane.row(last).text:
            last -= 1
        return last

    def _marked_message(self) -> str:
        return self._taken if self.text_selection is not None else ""

    def _message(self, *, with_code: bool = False) -> Block | None:
        """The marked message, else the last in sight."""
        marked, found = self._marked_message(), None
        for row, block in self._near():
            if isinstance(block, (*_MESSAGES, Thought, Tool)) and block.key == marked:
                return block
            fits = isinstance(block, _MESSAGES) and (not with_code or code_blocks(_source(block)[0]))
            if fits and row < self.top + self.height and self._last_row(row, block) >= self.top:
                found = block
        return found


def _source(block: Block) -> tuple[str, str]:
    """The text of a message as it was written, and what it is called."""
    if isinstance(block, User):
        return block.text.raw, "your message"
    if isinstance(block, Said):
        return block.text.raw, "the answer"
    return (block.text.raw, "the data") if isinstance(block, Data) else ("", "")
