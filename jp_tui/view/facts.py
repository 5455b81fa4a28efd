"""What one stored event says by itself, as a block: a response of the model, the end of a turn.

What needs other events beside it is put together in `story.py`.
"""

from __future__ import annotations

import json

from jp_tui.conversation import events as stored
from jp_tui.conversation.strict_json import dump
from jp_tui.conversation.text import Foreign
from jp_tui.view.blocks import Data, Ending, Said, Thought
from jp_tui.view.inquiries import foreign


def response_block(event: stored.ChatResponse, seq: int) -> Said | Thought | Data | None:
    """A part of what the model said; None for reasoning without words."""
    key, place = f"e{seq}", (seq, 1)
    text = Foreign(event.content if isinstance(event.content, str) else dump(event.content))
    incomplete = event.metadata.get("incomplete") is True
    match event.kind:
        case "reasoning":
            return Thought(key=key, place=place, text=text, incomplete=incomplete) if text.raw.strip() else None
        case "data":
            whole = json.dumps(event.content, indent=2, ensure_ascii=False)
            return Data(key=key, place=place, text=Foreign(whole))
        case "message":
            greeting = event.metadata.get("greeting") is True
            return Said(key=key, place=place, text=text, incomplete=incomplete, greeting=greeting)


def ending_block(event: stored.TurnOutcome, seq: int) -> Ending | None:
    """How a turn ended; None when it simply did."""
    if event.outcome == "done":
        return None
    error = event.error or {}
    return Ending(
        key=f"e{seq}",
        place=(seq, 0),
        how=event.outcome,
        message=foreign(error.get("message")),
        detail=foreign(error.get("detail")),
        advice=foreign(error.get("advice")),
    )
