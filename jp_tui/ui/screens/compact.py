"""`/compact`: summarise the conversation's older messages for the model, or undo that (context.md K23).

It opens no page: what came of it is a line of the conversation.
"""

from __future__ import annotations

from textual.content import Content

from jp_tui.protocol.commands import CompactConversation
from jp_tui.ui.pages import Host
from jp_tui.ui.text import ours

UNDO = "undo"
NOTHING = "Nothing was said here yet."


def open_page(host: Host, argument: str) -> Content | None:
    """Send the command; the argument is the focus of the summary, or `undo`."""
    if not host.main.conversation:
        return ours(NOTHING)
    undo = argument.strip() == UNDO
    focus = "" if undo else argument.strip()
    host.send(CompactConversation(conversation=host.main.conversation, focus=focus, undo=undo))
    return None
