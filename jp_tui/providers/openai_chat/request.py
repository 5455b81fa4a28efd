"""Request side of OpenAI chat completions, the most common wire (surface.md S20). Pure.

Tools never use strict mode (inquiries.md R163), the reply only if its schema fits. Reasoning is sent back only to the
same server and within the turn: some servers require that, others refuse anything else. No cache hints: these servers
cache automatically.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from jp_tui.conversation.model import Call, Message, ModelRequest, Picture, ReasoningPart, Result, TextPart, ToolSpec
from jp_tui.conversation.strict_json import Json, JsonObject, dump
from jp_tui.providers.endpoint import Endpoint
from jp_tui.providers.openai_chat.stream import REASONING, OpenAIChatDecoder
from jp_tui.providers.request_ids import fitting
from jp_tui.providers.schemas import one_valued
from jp_tui.providers.strict_schemas import fits_strict
from jp_tui.providers.wire import Wire, text, turn_start, used_ids

NAME = "verdict"
"""Name of the schema for the whole reply."""


def wire(endpoint: Endpoint) -> OpenAIChat:
    """See `registry.make_wire`."""
    return OpenAIChat(endpoint.name, urlsplit(endpoint.base_url).hostname or "")


class OpenAIChat(Wire):
    """`host` selects between the two variants where servers differ."""

    def __init__(self, provider: str, host: str = "") -> None:
        self._provider = provider
        self._openai = host == "api.openai.com"
        self._limit = "max_completion_tokens" if self._openai else "max_tokens"
        self._asks_for_usage = host != "api.mistral.ai"  # always reports usage, and refuses this field

    def path(self, _: str) -> str:
        return "/chat/completions"

    def body(self, request: ModelRequest) -> JsonObject:
        request = fitting(request)
        messages: list[Json] = [{"role": "system", "content": request.system}] if request.system else []
        turn = turn_start(request.messages)
        for at, message in enumerate(request.messages):
            messages += _user(message) if message.role == "user" else self._assistant(message, at >= turn)
        body: JsonObject = {"model": request.model, "messages": messages, "stream": True}
        if self._asks_for_usage:
            body["stream_options"] = {"include_usage": True}
        if request.tools:
            body["tools"] = [_tool(tool) for tool in request.tools]
            choice = request.tool_choice
            if choice != "auto":
                named: Json = {"type": "function", "function": {"name": choice}}
                if [tool.name for tool in request.tools] == [choice]:
                    named = "required"  # the same, and llama.cpp accepts only strings here
                body["tool_choice"] = choice if choice in ("none", "required") else named
        if request.max_tokens is not None:
            body[self._limit] = request.max_tokens
        if request.temperature is not None:
            body["temperature"] = request.temperature
        if request.effort is not None:
            body["reasoning_effort"] = request.effort.level
        body |= request.extra
        if request.output is not None:
            body["response_format"] = {"type": "json_schema", "json_schema": self._output(request.output)}
        return body

    def _output(self, schema: JsonObject) -> JsonObject:
        """Return the reply's schema, strict if it fits strict mode (R128)."""
        plain = one_valued(schema)
        strict: JsonObject = {"strict": True} if fits_strict(plain, wide=self._openai) else {}
        return {"name": NAME, "schema": plain, **strict}

    def _assistant(self, message: Message, within_turn: bool) -> list[Json]:
        said = "".join(part.text for part in message.parts if isinstance(part, TextPart))
        calls: list[Json] = [
            {"id": part.id, "type": "function", "function": {"name": part.name, "arguments": dump(part.arguments)}}
            for part in message.parts
            if isinstance(part, Call)
        ]
        found: JsonObject = {"role": "assistant", "content": said or None}
        for part in message.parts:
            if within_turn and isinstance(part, ReasoningPart) and text(part.opaque, "provider") == self._provider:
                field = text(part.opaque, "field")
                if field in REASONING:
                    found[field] = text(found, field) + part.text
        if calls:
            found["tool_calls"] = calls
        return [found] if said or calls else []

    def decoder(self, request: ModelRequest) -> OpenAIChatDecoder:
        return OpenAIChatDecoder(self._provider, used_ids(request))


def _user(message: Message) -> list[Json]:
    """Return tool results first, each as its own message."""
    found: list[Json] = [
        {"role": "tool", "tool_call_id": part.id, "content": part.content}
        for part in message.parts
        if isinstance(part, Result)
    ]
    said = "\n\n".join(part.text for part in message.parts if isinstance(part, TextPart))
    shown: list[Json] = [
        {"type": "image_url", "image_url": {"url": f"data:{part.media};base64,{part.data}"}}
        for part in message.parts
        if isinstance(part, Picture)
    ]
    if shown:
        return [*found, {"role": "user", "content": [*shown, {"type": "text", "text": said}] if said else shown}]
    return [*found, {"role": "user", "content": said}] if said else found


def _tool(tool: ToolSpec) -> Json:
    described: JsonObject = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    return {"type": "function", "function": described}
