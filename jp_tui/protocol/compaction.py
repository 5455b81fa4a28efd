"""Compacting a conversation by hand, and undoing it (context.md K23): the command and its answer."""

from __future__ import annotations

from typing import Literal

from jp_tui.protocol.base import Model
from jp_tui.protocol.values import StoredEvent


class CompactConversation(Model):
    """Compact it, now or between two cycles of the turn that runs, with a `focus` for the summary; or `undo` the
    compaction that stands. Answered by Compacted; one that isn't open is opened for it."""

    type: Literal["compact_conversation"] = "compact_conversation"
    conversation: str
    focus: str = ""
    undo: bool = False


class Compacted(Model):
    """What the user wanted is done, and `stored` is its event; without one `message` says why nothing was. `waits`: a
    turn runs, and it is done at its next place."""

    type: Literal["compacted"] = "compacted"
    conversation: str
    stored: StoredEvent | None = None
    message: str = ""
    waits: bool = False
