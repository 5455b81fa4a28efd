"""Sizes of a model's input, in bytes of UTF-8 and estimated tokens. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from jp_tui.conversation.model import Call, Message, Part, Picture, ReasoningPart, Result, TextPart, ToolSpec
from jp_tui.conversation.strict_json import dump

TOKEN = 3
"""Bytes, as long as no server counted them."""
PICTURE = 6_000
"""Bytes of text that cost about as much as an image."""


def measure(messages: Iterable[Message]) -> int:
    """Bytes of messages."""
    return sum(part_size(part) for message in messages for part in message.parts)


def listed(tools: Iterable[ToolSpec]) -> int:
    """Bytes of tools: names, descriptions and schemas."""
    return sum(size(tool.name, tool.description, dump(tool.parameters)) for tool in tools)


def part_size(part: Part) -> int:
    """Bytes of a part of a message."""
    match part:
        case TextPart(text) | ReasoningPart(text):
            return size(text)
        case Call(_, name, arguments):
            return size(name, dump(arguments))
        case Result(_, name, content):
            return size(name, content)
        case Picture():
            return PICTURE


def size(*texts: str) -> int:
    """Bytes of texts."""
    return sum(len(text) if text.isascii() else len(text.encode("utf-8", "replace")) for text in texts)
