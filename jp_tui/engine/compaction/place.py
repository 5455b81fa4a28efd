"""Up to where a conversation is compacted: between two cycles of a turn or between turns (context.md K21, K22). Pure.

A log is cut into blocks: the user's words with the first response to them and its results, then each further response
with its results. Between a call and its result no block ends.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from jp_tui.conversation import events as ev
from jp_tui.conversation.strict_json import dump
from jp_tui.engine.record.answer_record import Logged
from jp_tui.engine.record.model_context import discarded, environment, instructions, pictures, undone
from jp_tui.engine.record.shortening import within
from jp_tui.engine.record.sizes import PICTURE, size


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of a log that is kept or left out whole: the number before its first event, the bytes that are sent of
    it, and how many parts of messages these are."""

    before: int
    size: int
    parts: int


def blocks(events: Sequence[Logged], limit: int | None = None) -> list[Block]:
    """The blocks of events in order; `limit` bounds each result (bytes)."""
    closed = _closed(events)
    found: list[Block] = []
    turn, spoke, ended, last = -1, False, False, 0
    total = parts = 0
    start: int | None = None
    for at, (seq, number, event) in enumerate(events):
        speaks = isinstance(event, ev.ChatResponse | ev.ToolCallRequest)
        begins = number != turn or (speaks and spoke and ended)
        if start is None:
            start = seq - 1
        elif begins and closed[at]:
            found.append(Block(start, total, parts))
            start, total, parts = last, 0, 0
        if begins:
            turn, spoke, ended = number, False, False
        spoke = spoke or speaks
        ended = (ended or isinstance(event, ev.ToolCallResponse | ev.ChatRequest)) and spoke and not speaks
        amount = _sent(event, limit)
        total, parts, last = total + amount, parts + (amount > 0), seq
    if start is not None:
        found.append(Block(start, total, parts))
    return found


def choose(found: Sequence[Block], keep: int) -> int:
    """The number up to which is compacted, so that at most `keep` bytes follow, and at least the last block."""
    kept, through = 0, 0
    for block in reversed(found):
        if through and kept + block.size > keep:
            break
        kept, through = kept + block.size, block.before
    return through


def left(found: Sequence[Block], through: int) -> tuple[int, int]:
    """Bytes and parts of what is left out up to `through`."""
    gone = [block for block in found if block.before < through]
    return sum(block.size for block in gone), sum(block.parts for block in gone)


def _closed(events: Sequence[Logged]) -> list[bool]:
    """For each event, whether no call before it has its result at it or after it, within a turn (R204)."""
    change = [0] * (len(events) + 1)
    waits: dict[tuple[int, str], deque[int]] = {}
    for at, (_, turn, event) in enumerate(events):
        if isinstance(event, ev.ToolCallRequest):
            waits.setdefault((turn, event.id), deque()).append(at)
        elif isinstance(event, ev.ToolCallResponse) and (asked := waits.get((turn, event.id))):
            change[asked.popleft() + 1] += 1
            change[at + 1] -= 1
    found, open_ = [], 0
    for step in change[:-1]:
        open_ += step
        found.append(open_ == 0)
    return found


def _sent(event: ev.Event, limit: int | None) -> int:
    """About how many bytes are sent of it."""
    match event:
        case ev.ChatRequest(content=text, metadata=metadata):
            return size(text) + PICTURE * sum(1 for _ in pictures(metadata)) + 1
        case ev.ChatResponse(content=str() as text) if not discarded(event):
            return size(text)
        case ev.ToolCallRequest(name=name, arguments=arguments) if not discarded(event):
            return size(name, dump(arguments))
        case ev.ToolCallResponse(id=id_, content=content):
            return size(within(id_, content, limit)) + 1
        case ev.Unknown():
            nested = instructions(event)
            return size(undone(event), environment(event), nested[1] if nested is not None else "")
        case _:
            return 0
