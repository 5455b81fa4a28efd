"""Blocks of a single stored event: a response of the model, the end of a turn.

Blocks that combine events are built in `reducer.py`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from jp_tui.conversation import events as stored
from jp_tui.conversation.strict_json import dump
from jp_tui.conversation.text import Foreign
from jp_tui.view.activity.turn_summary import summary
from jp_tui.view.questions.inquiry import foreign
from jp_tui.view.transcript import compaction
from jp_tui.view.transcript.blocks import CompactionBlock, Data, Ending, Note, ReasoningBlock, TextBlock


def response_block(event: stored.ChatResponse, seq: int) -> TextBlock | ReasoningBlock | Data | None:
    """Return a part of the model's response; None for empty reasoning."""
    key, place = f"e{seq}", (seq, 1)
    text = Foreign(event.content if isinstance(event.content, str) else dump(event.content))
    incomplete = event.metadata.get("incomplete") is True
    match event.kind:
        case "reasoning":
            return ReasoningBlock(key=key, place=place, text=text, incomplete=incomplete) if text.raw.strip() else None
        case "data":
            whole = json.dumps(event.content, indent=2, ensure_ascii=False)
            return Data(key=key, place=place, text=Foreign(whole))
        case "message":
            greeting = event.metadata.get("greeting") is True
            return TextBlock(key=key, place=place, text=text, incomplete=incomplete, greeting=greeting)


def compaction_block(event: stored.Compaction | stored.CompactionUndone, seq: int) -> CompactionBlock:
    """A compaction, or that one was undone."""
    key, place = f"e{seq}", (seq, 0)
    if isinstance(event, stored.CompactionUndone):
        return CompactionBlock(key=key, place=place, text=Foreign(compaction.UNDONE))
    return CompactionBlock(
        key=key,
        place=place,
        text=Foreign(compaction.headline(event)),
        details=Foreign(compaction.details(event)),
        failed=Foreign(compaction.failed(event)),
    )


def ending_blocks(event: stored.TurnOutcome, seq: int) -> Iterator[Ending | Note]:
    """Return how a turn ended, if abnormally, and its summary, if worth a line."""
    if event.outcome != "done":
        yield _ending(event, seq)
    if told := summary(event):
        yield Note(key=f"s{seq}", place=(seq, 1), about="turn", text=Foreign(told))


def _ending(event: stored.TurnOutcome, seq: int) -> Ending:
    error = event.error or {}
    return Ending(
        key=f"e{seq}",
        place=(seq, 0),
        how=event.outcome,  # type: ignore[arg-type]  # not "done"
        message=foreign(error.get("message")),
        detail=foreign(error.get("detail")),
        advice=foreign(error.get("advice")),
    )
