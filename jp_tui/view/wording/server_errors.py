"""What a server said about its failure, in the lines of a face without a screen (Z26).

Its own words may be long: the beginning is shown, with how much more there is and where all of it is.
"""

from __future__ import annotations

from collections.abc import Iterator

from jp_tui.conversation.text import Foreign
from jp_tui.view.export.events import hung

SHOWN = 600
"""Characters of a server's words in sight."""


def server_said(detail: Foreign, conversation: str = "") -> Iterator[str]:
    """A line each, its further lines set in; nothing without words. `conversation` is where all of it is recorded."""
    text = detail.raw.strip()
    if not text:
        return
    yield from hung(f"The server said: {text[:SHOWN]}").split("\n")
    if (more := len(text) - SHOWN) > 0:
        where = f"jp-tui conversations show {conversation}" if conversation else "the log"
        yield f"  ⟨{more:,} more characters: {where} has all⟩"
