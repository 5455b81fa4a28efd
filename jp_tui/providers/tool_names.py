"""Names of tools on a wire (mcp.md P20): no API takes the dots of `mcp.<server>.<tool>`.

A name is converted where a request is sent and restored where its response is read, so that every other part knows only
the full name.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256

from jp_tui.conversation.model import Call, CallRefused, Delta, ModelRequest, Part, PartOpened, Result

MAX_NAME = 64
"""Longest name of a tool that every API accepts."""
_KEPT = re.compile(r"[A-Za-z0-9_-]+")
_OTHER = re.compile(r"[^A-Za-z0-9_-]+")
_DIGITS = 8


def wire_name(name: str) -> str:
    """Return the name that is sent; a name without a dot is sent as it is."""
    head, *rest = name.split(".", 2)
    if not rest:
        return name
    tool = rest.pop()
    start = "__".join([head, *rest, ""])
    if _KEPT.fullmatch(tool) and len(start) + len(tool) <= MAX_NAME:
        return start + tool
    end = "_" + sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
    fitted = _OTHER.sub("_", tool)[: MAX_NAME - len(start) - len(end)]
    return start + fitted + end


def sent(request: ModelRequest) -> tuple[ModelRequest, Callable[[Delta], Delta]]:
    """Return the request with the names that are sent, and the function that restores them in its response."""
    names = {tool.name for tool in request.tools if "." in tool.name}
    names |= {
        part.name
        for message in request.messages
        for part in message.parts
        if isinstance(part, (Call, Result)) and "." in part.name
    }
    if not names:
        return request, lambda delta: delta
    wire = {name: wire_name(name) for name in sorted(names)}
    full = {short: name for name, short in wire.items()}
    full |= {wire[tool.name]: tool.name for tool in request.tools if tool.name in wire}

    def part(one: Part) -> Part:
        return replace(one, name=wire[one.name]) if isinstance(one, (Call, Result)) and one.name in wire else one

    def restored(delta: Delta) -> Delta:
        if isinstance(delta, (PartOpened, CallRefused)) and delta.name in full:
            return replace(delta, name=full[delta.name])
        return delta

    return (
        replace(
            request,
            tools=tuple(replace(tool, name=wire.get(tool.name, tool.name)) for tool in request.tools),
            tool_choice=wire.get(request.tool_choice, request.tool_choice),
            messages=tuple(replace(one, parts=tuple(map(part, one.parts))) for one in request.messages),
        ),
        restored,
    )
