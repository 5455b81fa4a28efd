"""A server's error message, in lines for a front end without a screen (Z26).

A long one is shortened, with the size of the rest and where the whole is.
"""

from __future__ import annotations

from collections.abc import Iterator

from jp_tui.conversation.text import Foreign
from jp_tui.view.export.events import hung

SHOWN = 600
"""Visible characters of a server's message."""


def server_error_lines(detail: Foreign, conversation: str = "") -> Iterator[str]:
    """Yield its lines, further ones indented; nothing without a message. `conversation` is where the whole is
    logged."""
    text = detail.raw.strip()
    if not text:
        return
    yield from hung(f"The server said: {text[:SHOWN]}").split("\n")
    if (more := len(text) - SHOWN) > 0:
        where = f"jp-tui conversations show {conversation}" if conversation else "the log"
        yield f"  ⟨{more:,} more characters: {where} has all⟩"
