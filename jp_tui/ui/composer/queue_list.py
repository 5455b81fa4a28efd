"""The messages that are queued until the turn ends: a line for each above the composer, and the reason why they wait.

Only shows: its keys are the composer's. A click returns a message to the composer for editing.
"""

from __future__ import annotations

from dataclasses import dataclass

from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from jp_tui.conversation.text import Foreign
from jp_tui.protocol.composing import QueuedMessage
from jp_tui.ui.keys.bindings import words
from jp_tui.ui.text import blank, cut, foreign, join, ours, styled

MOST = 4
"""Messages that are shown, the next ones first."""


class QueueList(Widget):
    """`⧗ next  and then run the tests`; hidden while the queue is empty."""

    DEFAULT_CSS = """
    QueueList {
        height: auto; width: 1fr; margin: 0 1; padding: 0 1; display: none; background: $surface;
        &.-shown { display: block; }
    }
    """
    ALLOW_SELECT = False

    waiting: reactive[tuple[QueuedMessage, ...]] = reactive((), layout=True)
    """The queue, next first."""
    held: reactive[str] = reactive("", layout=True)
    """Why the next one isn't sent automatically, empty if it is."""

    unsent: reactive[bool] = reactive(False, layout=True)
    """True if the reason is the store, which no key changes."""

    keys: reactive[bool] = reactive(True, layout=True)
    """True while the composer, whose keys are named here, is in sight."""

    @dataclass
    class Picked(Message):
        """The user clicked this message."""

        id: int

    def watch_waiting(self, waiting: tuple[QueuedMessage, ...]) -> None:
        self.set_class(bool(waiting), "-shown")

    def render(self) -> Content:
        if not self.waiting:
            return blank()
        width = max(self.content_size.width, 8)
        style = "$warning" if self.held else "$primary"
        lines = []
        for at, one in enumerate(self.waiting[:MOST]):
            named = ours("⧗ next   " if at == 0 else "⧗ then   ", style=style)
            more = one.text.strip().count("\n")
            lined = ours("line") if more == 1 else ours("lines")
            tail = ours(" +{more} {lined}", style="$muted-foreground", more=more, lined=lined) if more else blank()
            said = foreign(Foreign(one.text[:2000]), mode="line", limit=max(width - 9 - tail.cell_length, 4))
            lines.append(join(named, said, tail))
        if len(self.waiting) > MOST:
            lines.append(ours("  and {more} more", style="$muted-foreground", more=len(self.waiting) - MOST))
        lines.append(cut(self._how(), width))
        return join(*lines, sep=ours("\n"))

    def _how(self) -> Content:
        why = ours("  {why}" if self.unsent else "  held: {why}", style="$warning", why=words(self.held))
        said = why if self.held else ours("  sent when this turn ends", style="$muted-foreground")
        if not self.keys:
            return said
        keys = ours(" · Enter sends") if self.held and not self.unsent else blank()
        return join(said, styled(keys + ours(" · Alt+↑ edit · Alt+X drop"), "$muted-foreground"))

    def on_click(self, event: events.Click) -> None:
        event.stop()
        if event.y < len(self.waiting[:MOST]):
            self.post_message(self.Picked(self.waiting[event.y].id))
