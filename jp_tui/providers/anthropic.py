"""The request side of Anthropic Messages (surface.md S20). Pure.

Thinking goes back with the signature it came with, or not at all. Tool results open the user message that
follows their calls. Ids that this API would refuse are rewritten the same way on both sides.
"""

from __future__ import annotations

import re

from jp_tui.conversation.model import Call, ModelRequest, Part, Result, Said, Thought
from jp_tui.conversation.strict_json import Json, JsonObject
from jp_tui.providers.anthropic_stream import REDACTED, SIGNATURE, AnthropicDecoder
from jp_tui.providers.wire import text, used_ids

VERSION = "2023-06-01"
DEFAULT_MAX_TOKENS = 32_000  # the API demands a number; every model since Claude 3.7 takes this one
_CACHE: Json = {"type": "ephemeral"}


class Anthropic:
    """The wire's request side."""

    path = "/v1/messages"

    def headers(self, key: str | None) -> dict[str, str]:
        return {"anthropic-version": VERSION, **({"x-api-key": key} if key else {})}

    def body(self, request: ModelRequest) -> JsonObject:
        body: JsonObject = {
            "model": request.model,
            "max_tokens": request.max_tokens or DEFAULT_MAX_TOKENS,
            "messages": _messages(request),
            "stream": True,
        }
        if request.system:
            body["system"] = [{"type": "text", "text": request.system, "cache_control": _CACHE}]
        if request.tools:
            body["tools"] = [
                {"name": tool.name, "description": tool.description, "input_schema": tool.parameters}
                for tool in request.tools
            ]
            choice = request.tool_choice
            if choice != "auto":
                simple: dict[str, Json] = {"none": {"type": "none"}, "required": {"type": "any"}}
                body["tool_choice"] = simple.get(choice, {"type": "tool", "name": choice})
        if request.temperature is not None:
            body["temperature"] = request.temperature
        return {**body, **request.extra}

    def decoder(self, request: ModelRequest) -> AnthropicDecoder:
        return AnthropicDecoder(used_ids(request))


def _id(id_: str) -> str:
    return re.sub(r"[^a-zA-Z0-9_-]", "_", id_)[:64] or "call"


def _messages(request: ModelRequest) -> list[Json]:
    """Neighbours of one role become one message; the last block is where the server's cache ends."""
    merged: list[tuple[str, list[JsonObject]]] = []
    for message in request.messages:
        blocks = [block for part in message.parts if (block := _block(part)) is not None]
        if merged and merged[-1][0] == message.role:
            merged[-1][1].extend(blocks)
        elif blocks:
            merged.append((message.role, blocks))
    for _, blocks in merged:
        blocks.sort(key=lambda block: block["type"] != "tool_result")
    if merged and merged[-1][1][-1]["type"] in ("text", "tool_result"):
        merged[-1][1][-1]["cache_control"] = _CACHE
    return [{"role": role, "content": list[Json](blocks)} for role, blocks in merged]


def _block(part: Part) -> JsonObject | None:
    match part:
        case Said(said):
            return {"type": "text", "text": said} if said.strip() else None  # the API refuses blank blocks
        case Thought(thought, opaque):
            if data := text(opaque, REDACTED):
                return {"type": "redacted_thinking", "data": data}
            signature = text(opaque, SIGNATURE)
            return {"type": "thinking", "thinking": thought, "signature": signature} if signature else None
        case Call(id_, name, arguments):
            return {"type": "tool_use", "id": _id(id_), "name": name, "input": arguments}
        case Result(id_, _, content, is_error):
            return {"type": "tool_result", "tool_use_id": _id(id_), "content": content, "is_error": is_error}
