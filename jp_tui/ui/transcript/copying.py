"""Copying from the conversation with the keyboard: select a whole message, copy it or its code blocks.

The selected message is Textual's selection, so that it is visible. The copied text is the source: Markdown as it was
written, without gutters and frames. `Transcript` posts it; nothing here knows a clipboard.
"""

from __future__ import annotations

from textual.binding import Binding
from textual.geometry import Offset
from textual.selection import Selection

from jp_tui.ui.transcript.document import TranscriptDocument
from jp_tui.ui.transcript.virtual_list import VirtualList
from jp_tui.view.composer.clipboard_text import code_blocks
from jp_tui.view.transcript.blocks import Block, Data, ReasoningBlock, TextBlock, ToolBlock, User

COPY_KEYS = [
    Binding("y", "copy", "Copy", id="transcript.copy", tooltip="Copy the selected or last visible message"),
    Binding("c", "copy_code", "Copy code", show=False, id="transcript.copy_code",
            tooltip="Copy a code block; press again for the next"),
    Binding("left_curly_bracket", "message(-1)", "Previous message", show=False, id="transcript.message_before",
            tooltip="Select the previous message"),
    Binding("right_curly_bracket", "message(1)", "Next message", show=False, id="transcript.next_message",
            tooltip="Select the next message"),
    Binding("l", "open(True)", "Unfold", show=False, id="transcript.open", tooltip="Unfold the selected part"),
    Binding("h", "open(False)", "Fold", show=False, id="transcript.close", tooltip="Fold the selected part"),
]  # fmt: skip

_MESSAGES = (User, TextBlock, Data)


class MessageSelection:
    """The selected message, and the code block of it that was copied last."""

    def __init__(self, view: VirtualList[TranscriptDocument]) -> None:
        self._view = view
        self._key = ""
        self._code = ("", -1)

    @property
    def _selected_key(self) -> str:
        return self._key if self._view.text_selection is not None else ""

    def step(self, step: int) -> None:
        """Select the next or previous message, whole, and scroll to it."""
        view = self._view
        near = [(row, block) for row, block in self._near() if isinstance(block, _MESSAGES)]
        keys = [block.key for _, block in near]
        if not near:
            return
        if self._selected_key in keys:
            at = min(max(keys.index(self._key) + step, 0), len(keys) - 1)
        else:
            sight = [n for n, (row, _) in enumerate(near) if view.top <= row < view.top + view.height]
            at = (sight[-1] if step < 0 else sight[0]) if sight else len(near) - 1
        row, block = near[at]
        last = self._last_row(row, block)
        self._key = block.key
        if not view.top <= row < view.top + view.height:
            view.scroll_to_row(max(row - 1, 0))
        lead, end = view.document.row(row).lead, view.document.row(last)
        view.screen.selections = {view: Selection(Offset(lead, row), Offset(end.lead + len(end.text), last))}
        view.refresh()

    def source(self) -> tuple[str, str] | None:
        """Return the text to copy and its name: the selected message, else the selection, else the last visible
        message.

        The name is empty where the beginning of the text says more. None: there is nothing to copy.
        """
        selection = self._view.text_selection
        block = self.message()
        if selection is not None and (block is None or self._selected_key != block.key):
            return self._view.source_of(selection), ""
        return None if block is None else _source(block)

    def next_code(self) -> tuple[str, str]:
        """Return a code block of the message and its name, each time the next one; both empty if it has none."""
        block = self.message(with_code=True)
        found = code_blocks(_source(block)[0]) if block is not None else []
        if block is None or not found:
            return "", ""
        at = (self._code[1] + 1) % len(found) if self._code[0] == block.key else 0
        self._code = (block.key, at)
        which = f" {at + 1} of {len(found)}" if len(found) > 1 else ""
        return found[at].text, f"code block{which}"

    def user_message(self) -> User | None:
        """Return the user's selected message, else the last one of theirs in sight."""
        selected, found = self._selected_key, None
        for row, block in self._near():
            if isinstance(block, User) and not block.aside:
                if block.key == selected:
                    return block
                if self._in_sight(row, block):
                    found = block
        return found

    def message(self, *, with_code: bool = False) -> Block | None:
        """Return the selected message, else the last one in sight (`with_code`: that has a code block)."""
        selected, found = self._selected_key, None
        for row, block in self._near():
            if isinstance(block, (*_MESSAGES, ReasoningBlock, ToolBlock)) and block.key == selected:
                return block
            fits = isinstance(block, _MESSAGES) and (not with_code or code_blocks(_source(block)[0]))
            if fits and self._in_sight(row, block):
                found = block
        return found

    def _near(self) -> list[tuple[int, Block]]:
        top, height = self._view.top, self._view.height
        return list(self._view.document.positions.blocks(top - 4 * height, top + 5 * height))

    def _in_sight(self, row: int, block: Block) -> bool:
        return row < self._view.top + self._view.height and self._last_row(row, block) >= self._view.top

    def _last_row(self, row: int, block: Block) -> int:
        document = self._view.document
        later = [start for start, _ in document.positions.blocks(row, row + 100_000) if start > row]
        last = (later[0] if later else document.total) - 1
        while last > row and not document.row(last).text:
            last -= 1
        return last


def _source(block: Block) -> tuple[str, str]:
    """Return the text of a message as it was written, and its name."""
    if isinstance(block, User):
        return block.text.raw, "your message"
    if isinstance(block, TextBlock):
        return block.text.raw, "the answer"
    return (block.text.raw, "the data") if isinstance(block, Data) else ("", "")
