"""Messages between the program and a server's process: four bytes with the length, then JSON in UTF-8.

The length is checked before anything is read or parsed. Nothing here imports the SDK.
"""

from __future__ import annotations

import json
import struct
from asyncio import IncompleteReadError, StreamReader
from typing import Any

MOST = 32 << 20
"""Longest message in bytes. The sender shortens what is longer."""
_HEAD = struct.Struct(">I")


class FrameProblem(Exception):
    """The other side broke the format, or sent more than is allowed."""


def packed(message: dict[str, Any]) -> bytes:
    """Return the bytes of a message. Lone surrogates become `?`. Raises FrameProblem if it is too long or has no JSON
    form."""
    try:
        body = json.dumps(message, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode(
            "utf-8", "replace"
        )
    except (ValueError, TypeError, RecursionError) as problem:
        raise FrameProblem(f"a message that has no JSON form ({problem})") from problem
    if len(body) > MOST:
        raise FrameProblem(f"a message over {MOST >> 20} MiB")
    return _HEAD.pack(len(body)) + body


async def received(reader: StreamReader) -> dict[str, Any] | None:
    """Return the next message; None at the end, also in the middle of one. Raises FrameProblem."""
    try:
        (length,) = _HEAD.unpack(await reader.readexactly(_HEAD.size))
        if length > MOST:
            raise FrameProblem(f"a message over {MOST >> 20} MiB")
        body = await reader.readexactly(length)
    except (IncompleteReadError, ConnectionError):
        return None
    try:
        message = json.loads(body)
    except (ValueError, RecursionError) as problem:
        raise FrameProblem("a message that is no JSON") from problem
    if not isinstance(message, dict):
        raise FrameProblem("a message that is no object")
    return message
