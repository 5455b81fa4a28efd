"""Limits how much of a conversation is sent with a question to a reviewer (inquiries.md R129, R133).

The oldest messages are dropped first, in steps, so that two inquiries of one turn share their beginning; the question
is never cut. Sizes are estimates: three bytes of UTF-8 per token. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from jp_tui.conversation.model import Message, ReasoningPart, TextPart
from jp_tui.engine.record.sizes import TOKEN as TOKEN
from jp_tui.engine.record.sizes import listed as listed
from jp_tui.engine.record.sizes import measure as measure
from jp_tui.engine.record.sizes import part_size
from jp_tui.engine.record.sizes import size as size

MOST = 400_000
"""Characters of reviewed content, if the model's window is unknown."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """Messages before the question; `left_out` counts dropped older ones."""

    messages: tuple[Message, ...]
    left_out: int = 0


def readable(told: Iterable[Message], *, thoughts: bool) -> tuple[Message, ...]:
    """Return a snapshot without reasoning, unless `thoughts`: only the model that produced it reads it."""
    found: list[Message] = []
    for message in told:
        parts = tuple(part for part in message.parts if thoughts or not isinstance(part, ReasoningPart))
        if parts:
            add(found, Message(message.role, parts))
    return tuple(found)


def add(found: list[Message], message: Message) -> None:
    """Merge neighbours of one role into one message."""
    if found and found[-1].role == message.role:
        message = Message(message.role, (*found.pop().parts, *message.parts))
    found.append(message)


def budget(window: int, output: int, fixed: int) -> int:
    """R133: return the bytes for conversation and question. `output` are the reply's maximum tokens, `fixed` the bytes
    in every request to this model."""
    return max(0, min(window * 9 // 10, window - output) * TOKEN - fixed)


def fit(told: tuple[Message, ...], question: int, room: int | None) -> Fitted:
    """Drop messages at the start of `told` as R133 requires, for a question of so many bytes; none without a limit. If
    no user message would remain, all are dropped."""
    if room is None:
        return Fitted(told)
    sizes = [sum(map(part_size, message.parts)) for message in told]
    size = sum(sizes) + question
    if size <= room:
        return Fitted(told)
    target = room * 8 // 10
    step = max(1, target // 10)
    dropped = -(-(size - target) // step) * step
    at, gone = 0, 0
    while at < len(told) and gone < dropped:
        gone += sizes[at]
        at += 1
    kept = _without_orphans(told[at:])
    return Fitted(kept, len(told) - len(kept))


def _without_orphans(kept: Sequence[Message]) -> tuple[Message, ...]:
    """Make the rest begin with a user message, without results of dropped calls."""
    for at, message in enumerate(kept):
        said = tuple(part for part in message.parts if isinstance(part, TextPart))
        if message.role == "user" and said:
            return (Message("user", said), *kept[at + 1 :])
    return ()
