"""The parts of a request to the model (context.md K12)."""

from __future__ import annotations

from typing import Literal

from jp_tui.conversation.text import Foreign
from jp_tui.protocol.base import Model

PartName = Literal["system", "environment", "instructions", "skills", "tools", "summary", "record", "messages"]


class ReadContext(Model):
    """Answered by ContextRead. `which` is the open conversation, a new one, the last one here, or one by id."""

    type: Literal["read_context"] = "read_context"
    which: Literal["open", "new", "latest", "id"] = "open"
    conversation: str = ""


class ContextPart(Model):
    """One part. `path` (absolute) and `trusted` belong to instruction files and skills only; `why` is the reason if
    some of it isn't sent. `bytes` is the size of the whole, `tokens` an estimate of what is sent."""

    part: PartName
    path: Foreign | None = None
    trusted: bool | None = None
    state: Literal["sent", "cut", "not_sent"] = "sent"
    why: Foreign = Foreign("")
    bytes: int
    tokens: int


class ContextRead(Model):
    """The parts in the order of a request. `tokens` is the sum of what is sent; `window` the model's context and
    `compact_at` the size at which a conversation is compacted, both in tokens and None if unknown."""

    type: Literal["context_read"] = "context_read"
    conversation: str = ""
    parts: tuple[ContextPart, ...]
    tokens: int
    window: int | None = None
    compact_at: int | None = None
    model: str
