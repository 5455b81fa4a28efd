"""Compacting a conversation by hand, and undoing it (context.md K23): the command and its answer."""

from __future__ import annotations

from typing import Literal

from jp_tui.protocol.base import Model
from jp_tui.protocol.values import StoredEvent


class CompactConversation(Model):
    """Compact the conversation, now or between two cycles of the running turn, with a `focus` for the summary; or
    `undo` the compaction in effect. Answered by Compacted; a conversation that isn't open is opened for it."""

    type: Literal["compact_conversation"] = "compact_conversation"
    conversation: str
    focus: str = ""
    undo: bool = False


class Compacted(Model):
    """The result: `stored` is its event; without one `message` says why nothing was done. `waits`: a turn runs, and the
    compaction follows between two of its cycles."""

    type: Literal["compacted"] = "compacted"
    conversation: str
    stored: StoredEvent | None = None
    message: str = ""
    waits: bool = False


class WindowLearned(Model):
    """A server named its model's context `window` in tokens when it refused a request (context.md K27)."""

    type: Literal["window_learned"] = "window_learned"
    conversation: str
    window: int
