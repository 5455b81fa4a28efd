"""Request side of Anthropic Messages (surface.md S20). Pure.

Thinking is sent back with its original signature, or not at all. Tool results open the user message that follows their
calls. Ids and names that this API would refuse are rewritten (`request_ids.py`). A schema for the reply is sent as
given: the caller knows whether this server enforces one (S20b).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from urllib.parse import quote

from jp_tui.conversation.model import Call, Message, ModelRequest, Part, Picture, ReasoningPart, Result, TextPart
from jp_tui.conversation.strict_json import Json, JsonObject
from jp_tui.providers.anthropic.schemas import reply_format
from jp_tui.providers.anthropic.stream import REDACTED, SIGNATURE, AnthropicDecoder
from jp_tui.providers.endpoint import Endpoint
from jp_tui.providers.request_ids import fitting
from jp_tui.providers.wire import Wire, table, text, turn_start, used_ids, without_reasoning
from jp_tui.settings.layers.bounds import cache_span
from jp_tui.settings.wires import Auth

LEAST_THOUGHT = 1_024
"""Tokens: the API takes no smaller budget, and as many are left for the reply."""
VERSION = "2023-06-01"
DEFAULT_MAX_TOKENS = 32_000  # the API demands a number; every model since Claude 3.7 takes this one
_SHORT: JsonObject = {"type": "ephemeral"}  # 5 minutes
_LONG: JsonObject = {"type": "ephemeral", "ttl": "1h"}


def wire(_: Endpoint) -> Anthropic:
    """See `registry.make_wire`."""
    return Anthropic()


class Anthropic(Wire):
    """The wire's request side."""

    auth: Auth = "x-api-key"
    headers: Mapping[str, str] = MappingProxyType({"anthropic-version": VERSION})
    list_path = "/v1/models"
    base_suffixes = ("/v1",)

    def path(self, _: str) -> str:
        return "/v1/messages"

    def list_query(self, after: str) -> str:
        return "limit=1000" + (f"&after_id={quote(after, safe='')}" if after else "")

    def body(self, request: ModelRequest) -> JsonObject:
        request = fitting(request)
        body: JsonObject = {
            "model": request.model,
            "max_tokens": request.max_tokens or DEFAULT_MAX_TOKENS,
            "messages": _messages(request),
            "stream": True,
        }
        if request.system.strip():
            body["system"] = [{"type": "text", "text": request.system, **_hint(request.cache)}]
        if request.tools:
            body["tools"] = [
                {"name": tool.name, "description": tool.description, "input_schema": tool.parameters}
                for tool in request.tools
            ]
            choice = request.tool_choice
            if choice != "auto":
                simple: dict[str, Json] = {"none": {"type": "none"}, "required": {"type": "any"}}
                body["tool_choice"] = simple.get(choice, {"type": "tool", "name": choice})
        thinking = _thinking(request)
        if request.temperature is not None and not thinking:  # refused beside thinking
            body["temperature"] = request.temperature
        body |= {**thinking, **request.extra}
        if request.output is not None and (schema := reply_format(request.output)) is not None:
            # beside other settings, such as an effort
            body["output_config"] = {
                **table(body, "output_config"),
                "format": {"type": "json_schema", "schema": schema},
            }
        return body

    def decoder(self, request: ModelRequest) -> AnthropicDecoder:
        return AnthropicDecoder(used_ids(request))

    def amended(self, request: ModelRequest, refusal: str) -> ModelRequest | None:
        """Without its thinking where a signature is no longer accepted."""
        return without_reasoning(request) if "signature" in refusal.lower() else None


def _thinking(request: ModelRequest) -> JsonObject:
    """Return the request for thinking (W8); empty where the API would refuse it: with a forced tool, with too few
    tokens, or if the running turn has calls without their original thinking, such as another model's (W6)."""
    effort, most = request.effort, request.max_tokens or DEFAULT_MAX_TOKENS
    running = [one for one in request.messages[turn_start(request.messages) :] if one.role == "assistant"]
    if effort is None or request.tool_choice not in ("auto", "none"):
        return {}
    if any(_calls_unthought(message) for message in running):
        return {}
    if effort.form == "level":
        return {"thinking": {"type": "adaptive"}, "output_config": {"effort": effort.level}}
    tokens = min(effort.tokens, most - LEAST_THOUGHT)
    return {"thinking": {"type": "enabled", "budget_tokens": tokens}} if tokens >= LEAST_THOUGHT else {}


def _calls_unthought(message: Message) -> bool:
    calls = any(isinstance(part, Call) for part in message.parts)
    return calls and not any(isinstance(part, ReasoningPart) and _block(part) for part in message.parts)


def _hint(cache: str) -> JsonObject:
    """R134: `off` sends no hint; up to 5 minutes is the server's default; a longer time becomes one hour."""
    offered = cache_span(cache)
    return {} if offered == "off" else {"cache_control": _LONG if offered == "long" else _SHORT}


def _messages(request: ModelRequest) -> list[Json]:
    """Merge neighbours of one role into one message; the server's cache ends at one block."""
    merged: list[tuple[str, list[tuple[int, JsonObject]]]] = []
    for at, message in enumerate(request.messages):
        blocks = [(at, block) for part in message.parts if (block := _block(part)) is not None]
        if merged and merged[-1][0] == message.role:
            merged[-1][1].extend(blocks)
        elif blocks:
            merged.append((message.role, blocks))
    for _, blocks in merged:
        blocks.sort(key=lambda each: each[1]["type"] != "tool_result")
    marked = _last(merged) if request.cache_at is None else _until(merged, request.cache_at)
    if marked is not None:
        marked.update(_hint(request.cache))
    return [{"role": role, "content": [block for _, block in blocks]} for role, blocks in merged]


def _last(merged: list[tuple[str, list[tuple[int, JsonObject]]]]) -> JsonObject | None:
    """Return the last block, where the cache ends by default."""
    block = merged[-1][1][-1][1] if merged else {}
    return block if block.get("type") in ("text", "tool_result") else None


def _until(merged: list[tuple[str, list[tuple[int, JsonObject]]]], last: int) -> JsonObject | None:
    """Return the last block of the messages up to number `last` that can carry a hint (R134)."""
    blocks = [block for _, each in merged for at, block in each if at <= last]
    return next((block for block in reversed(blocks) if block["type"] in ("text", "tool_result", "tool_use")), None)


def _block(part: Part) -> JsonObject | None:
    match part:
        case TextPart(said):
            return {"type": "text", "text": said} if said.strip() else None  # the API refuses blank blocks
        case ReasoningPart(thought, opaque):
            if data := text(opaque, REDACTED):
                return {"type": "redacted_thinking", "data": data}
            signature = text(opaque, SIGNATURE)
            return {"type": "thinking", "thinking": thought, "signature": signature} if signature else None
        case Call(id_, name, arguments):
            return {"type": "tool_use", "id": id_, "name": name, "input": arguments}
        case Picture(media, data):
            return {"type": "image", "source": {"type": "base64", "media_type": media, "data": data}}
        case Result(id_, _, content, is_error):
            return {"type": "tool_result", "tool_use_id": id_, "content": content, "is_error": is_error}
