"""The request side of ollama's own chat API (wires.md W5, W6). Pure.

It has no way to force a tool: only the forced tool is offered then, or none. Reasoning goes back within the turn only.
"""

from __future__ import annotations

from dataclasses import replace

from jp_tui.conversation.model import Call, Message, ModelRequest, Picture, ReasoningPart, Result, TextPart
from jp_tui.conversation.strict_json import Json, JsonObject
from jp_tui.providers.endpoint import Endpoint
from jp_tui.providers.ollama.stream import PROVIDER, OllamaDecoder
from jp_tui.providers.request_ids import fitting, in_call_order
from jp_tui.providers.schemas import one_valued
from jp_tui.providers.wire import Wire, text, turn_start, used_ids

_BESIDE = frozenset(("format", "keep_alive", "think", "logprobs", "top_logprobs"))
"""Parameters that stand beside `options`; every other one is an option."""


def wire(endpoint: Endpoint) -> Ollama:
    """See `registry.make_wire`."""
    return Ollama(endpoint.name)


class Ollama(Wire):
    """The wire's request side."""

    media = "application/x-ndjson"
    list_path = "/api/tags"
    base_suffixes = ("/v1", "/api")

    def __init__(self, provider: str) -> None:
        self._provider = provider

    def path(self, _: str) -> str:
        return "/api/chat"

    def body(self, request: ModelRequest) -> JsonObject:
        request = _offering(in_call_order(fitting(request)))
        messages: list[Json] = [{"role": "system", "content": request.system}] if request.system else []
        turn = turn_start(request.messages)
        for at, message in enumerate(request.messages):
            messages += _user(message) if message.role == "user" else self._assistant(message, at >= turn)
        body: JsonObject = {"model": request.model, "messages": messages, "stream": True}
        if request.tools:
            body["tools"] = [
                {
                    "type": "function",
                    "function": {
                        "name": tool.name,
                        "description": tool.description,
                        "parameters": tool.parameters,
                    },
                }
                for tool in request.tools
            ]
        if request.effort is not None:
            body["think"] = request.effort.level if request.effort.form == "level" else True
        options: JsonObject = {}
        if request.temperature is not None:
            options["temperature"] = request.temperature
        if request.max_tokens is not None:
            options["num_predict"] = request.max_tokens
        for key, value in request.extra.items():
            if key in _BESIDE:
                body[key] = value
            elif key == "options" and isinstance(value, dict):
                options |= value
            else:
                options[key] = value
        if options:
            body["options"] = options
        if request.output is not None:
            body["format"] = one_valued(request.output)
        return body

    def _assistant(self, message: Message, within_turn: bool) -> list[Json]:
        said = "".join(part.text for part in message.parts if isinstance(part, TextPart))
        thought = "".join(
            part.text
            for part in message.parts
            if within_turn and isinstance(part, ReasoningPart) and text(part.opaque, PROVIDER) == self._provider
        )
        calls: list[Json] = [
            {"function": {"name": part.name, "arguments": part.arguments}}
            for part in message.parts
            if isinstance(part, Call)
        ]
        found: JsonObject = {"role": "assistant", "content": said}
        if thought:
            found["thinking"] = thought
        if calls:
            found["tool_calls"] = calls
        return [found] if said or calls else []

    def decoder(self, request: ModelRequest) -> OllamaDecoder:
        return OllamaDecoder(self._provider, used_ids(request))


def _offering(request: ModelRequest) -> ModelRequest:
    """The request with the tools that its choice leaves."""
    match request.tool_choice:
        case "auto" | "required":
            return request
        case "none":
            return replace(request, tools=())
        case name:
            return replace(request, tools=tuple(tool for tool in request.tools if tool.name == name))


def _user(message: Message) -> list[Json]:
    """Tool results first, each a message of its own."""
    found: list[Json] = [
        {"role": "tool", "tool_name": part.name, "content": part.content}
        for part in message.parts
        if isinstance(part, Result)
    ]
    said = "\n\n".join(part.text for part in message.parts if isinstance(part, TextPart))
    shown: list[Json] = [part.data for part in message.parts if isinstance(part, Picture)]
    if shown:
        return [*found, {"role": "user", "content": said, "images": shown}]
    return [*found, {"role": "user", "content": said}] if said else found
