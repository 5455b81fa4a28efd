"""The request side of OpenAI Responses (wires.md W5, W6). Pure.

The server keeps nothing: the whole input goes out with every request. Reasoning goes back encrypted, as the item
that it came as, and only before the item that it came before. Tools are never strict (inquiries.md R163).
"""

from __future__ import annotations

from urllib.parse import urlsplit

from jp_tui.conversation.model import (
    Call,
    Message,
    ModelRequest,
    Part,
    Picture,
    ReasoningPart,
    Result,
    TextPart,
    ToolSpec,
)
from jp_tui.conversation.strict_json import Json, JsonObject, dump
from jp_tui.providers.endpoint import Endpoint
from jp_tui.providers.openai_responses.stream import ENCRYPTED, ITEM, PHASE, SUMMARY, OpenAIResponsesDecoder
from jp_tui.providers.request_ids import fitting
from jp_tui.providers.schemas import one_valued
from jp_tui.providers.strict_schemas import fits_strict
from jp_tui.providers.wire import Wire, table, text, used_ids, without_reasoning

NAME = "verdict"
"""Name of the schema for the whole reply."""


def wire(endpoint: Endpoint) -> OpenAIResponses:
    """See `registry.make_wire`."""
    return OpenAIResponses(urlsplit(endpoint.base_url).hostname or "")


class OpenAIResponses(Wire):
    """`host` decides how much of a schema a strict mode enforces."""

    def __init__(self, host: str = "") -> None:
        self._openai = host == "api.openai.com"
        self._not_reasoning: set[str] = set()
        """Models that refused to send their reasoning encrypted."""

    def path(self, _: str) -> str:
        return "/responses"

    def body(self, request: ModelRequest) -> JsonObject:
        request = fitting(request)
        items: list[Json] = []
        for message in request.messages:
            items += _user(message) if message.role == "user" else _assistant(message)
        body: JsonObject = {"model": request.model, "input": items, "stream": True, "store": False}
        if request.system:
            body["instructions"] = request.system
        if request.model not in self._not_reasoning:
            body["include"] = ["reasoning.encrypted_content"]
        if request.conversation and request.cache != "off":
            body["prompt_cache_key"] = request.conversation
        if request.tools:
            body["tools"] = [_tool(tool) for tool in request.tools]
            choice = request.tool_choice
            if choice != "auto":
                named: Json = {"type": "function", "name": choice}
                if [tool.name for tool in request.tools] == [choice]:
                    named = "required"  # the same, and every server reads it
                body["tool_choice"] = choice if choice in ("none", "required") else named
        if request.max_tokens is not None:
            body["max_output_tokens"] = request.max_tokens
        if request.temperature is not None:
            body["temperature"] = request.temperature
        if request.effort is not None:
            body["reasoning"] = {"effort": request.effort.level, "summary": "auto"}
        body |= request.extra
        if request.output is not None:
            body["text"] = {**table(body, "text"), "format": self._output(request.output)}
        return body

    def _output(self, schema: JsonObject) -> JsonObject:
        """The schema of the reply, strict where it fits a strict mode (R128)."""
        plain = one_valued(schema)
        strict = fits_strict(plain, wide=self._openai)
        return {"type": "json_schema", "name": NAME, "schema": plain, "strict": strict}

    def decoder(self, request: ModelRequest) -> OpenAIResponsesDecoder:
        return OpenAIResponsesDecoder(used_ids(request))

    def amended(self, request: ModelRequest, refusal: str) -> ModelRequest | None:
        """Without the demand for reasoning where the model has none, or without reasoning that isn't accepted back."""
        said = refusal.lower()
        if "encrypted content" in said and "not supported" in said and request.model not in self._not_reasoning:
            self._not_reasoning.add(request.model)
            return request
        if any(word in said for word in ("encrypted", "reasoning", "rs_")):
            return without_reasoning(request)
        return None


def _user(message: Message) -> list[Json]:
    """Outputs of calls first, each an item of its own."""
    found: list[Json] = [
        {"type": "function_call_output", "call_id": part.id, "output": part.content}
        for part in message.parts
        if isinstance(part, Result)
    ]
    said: list[Json] = []
    for part in message.parts:
        if isinstance(part, TextPart):
            said.append({"type": "input_text", "text": part.text})
        elif isinstance(part, Picture):
            url = f"data:{part.media};base64,{part.data}"
            said.append({"type": "input_image", "detail": "auto", "image_url": url})
    return [*found, {"type": "message", "role": "user", "content": said}] if said else found


def _assistant(message: Message) -> list[Json]:
    """Items in their order. Reasoning that no item follows is refused, so it isn't sent."""
    found: list[Json] = []
    held: list[Json] = []
    for part in message.parts:
        if isinstance(part, ReasoningPart):
            item = _reasoning(part)
            held = [*held, item] if item else held
        elif (item := _item(part)) is not None:
            found += [*held, item]
            held = []
    return found


def _item(part: Part) -> JsonObject | None:
    match part:
        case TextPart(said, opaque) if said.strip():
            content: list[Json] = [{"type": "output_text", "text": said, "annotations": []}]
            item: JsonObject = {"type": "message", "role": "assistant", "content": content}
            if id_ := text(opaque, ITEM):
                item |= {"id": id_, "status": "completed"}
            if phase := text(opaque, PHASE):
                item["phase"] = phase
            return item
        case Call(id_, name, arguments):
            return {"type": "function_call", "call_id": id_, "name": name, "arguments": dump(arguments)}
        case _:
            return None


def _reasoning(part: ReasoningPart) -> JsonObject | None:
    """The item as it came; None for reasoning that is another server's, or that no server could read back."""
    id_, encrypted = text(part.opaque, ITEM), text(part.opaque, ENCRYPTED)
    if not id_ or not encrypted:
        return None
    summary = part.opaque.get(SUMMARY)
    ends = [end for end in summary if isinstance(end, int)] if isinstance(summary, list) else [len(part.text)]
    pieces = [part.text[start:end] for start, end in zip([0, *ends], ends, strict=False)]
    shown: list[Json] = [{"type": "summary_text", "text": piece.strip("\n")} for piece in pieces if piece.strip()]
    return {"type": "reasoning", "id": id_, "summary": shown, "encrypted_content": encrypted}


def _tool(tool: ToolSpec) -> Json:
    return {
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
        "strict": False,
    }
