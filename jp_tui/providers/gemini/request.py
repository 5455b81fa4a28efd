"""The request side of Gemini's generateContent (wires.md W5, W6). Pure.

Calls and their responses are paired by name and order: not every host takes ids. A thought signature goes back on the
part that it came on, to the model that made it.
"""

from __future__ import annotations

from urllib.parse import quote

from jp_tui.conversation.model import Call, Effort, ModelRequest, Part, Picture, ReasoningPart, Result, TextPart
from jp_tui.conversation.strict_json import Json, JsonObject
from jp_tui.providers.endpoint import Endpoint
from jp_tui.providers.gemini.stream import MODEL, SIGNATURE, GeminiDecoder
from jp_tui.providers.request_ids import fitting, in_call_order
from jp_tui.providers.schemas import one_valued
from jp_tui.providers.wire import Wire, table, text, turn_start, used_ids, without_reasoning
from jp_tui.settings.wires import Auth

UNSIGNED = "skip_thought_signature_validator"
"""The value that the API takes instead of a signature, for calls that another model made."""
_BODY = frozenset(("cachedContent", "labels", "safetySettings", "toolConfig"))
"""Parameters that stand beside `generationConfig`; every other one is a part of it."""


def wire(_: Endpoint) -> Gemini:
    """See `registry.make_wire`."""
    return Gemini()


class Gemini(Wire):
    """The wire's request side."""

    auth: Auth = "x-goog-api-key"

    def __init__(self) -> None:
        self._not_thinking: set[str] = set()
        """Models that refused to show their thoughts."""

    def path(self, model: str) -> str:
        return f"/models/{quote(model.removeprefix('models/'), safe='')}:streamGenerateContent?alt=sse"

    def list_query(self, after: str) -> str:
        return "pageSize=1000" + (f"&pageToken={quote(after, safe='')}" if after else "")

    def listed(self, item: JsonObject) -> JsonObject | None:
        ways = item.get("supportedGenerationMethods")
        if isinstance(ways, list) and "generateContent" not in ways:
            return None
        name = text(item, "name")
        return {**item, "id": name.removeprefix("models/")} if name else item

    def body(self, request: ModelRequest) -> JsonObject:
        request = in_call_order(fitting(request))
        body: JsonObject = {"contents": _contents(request)}
        if request.system.strip():
            body["systemInstruction"] = {"parts": [{"text": request.system}]}
        if request.tools:
            declared: list[Json] = [
                {"name": tool.name, "description": tool.description, "parametersJsonSchema": tool.parameters}
                for tool in request.tools
            ]
            body["tools"] = [{"functionDeclarations": declared}]
            if request.tool_choice != "auto":
                body["toolConfig"] = {"functionCallingConfig": _choice(request.tool_choice)}
        config: JsonObject = {}
        if request.model not in self._not_thinking:
            config["thinkingConfig"] = {"includeThoughts": True, **_thinking(request.effort)}
        if request.max_tokens is not None:
            config["maxOutputTokens"] = request.max_tokens
        if request.temperature is not None:
            config["temperature"] = request.temperature
        for key, value in request.extra.items():
            if key in _BODY:
                body[key] = value
            elif isinstance(value, dict) and key in ("generationConfig", "thinkingConfig"):
                target = config if key == "generationConfig" else table(config, key)
                merged_values: JsonObject = {**target, **value}
                config = merged_values if key == "generationConfig" else {**config, key: merged_values}
            else:
                config[key] = value
        if request.output is not None:
            config |= {"responseMimeType": "application/json", "responseJsonSchema": one_valued(request.output)}
        return {**body, "generationConfig": config} if config else body

    def decoder(self, request: ModelRequest) -> GeminiDecoder:
        return GeminiDecoder(request.model, used_ids(request))

    def amended(self, request: ModelRequest, refusal: str) -> ModelRequest | None:
        """Without thoughts where the model has none, or without signatures that are no longer accepted."""
        said = refusal.lower()
        if "signature" in said:
            return without_reasoning(request)
        if "thinking" in said and request.model not in self._not_thinking:
            self._not_thinking.add(request.model)
            return request
        return None


def _thinking(effort: Effort | None) -> JsonObject:
    if effort is None:
        return {}
    return {"thinkingLevel": effort.level} if effort.form == "level" else {"thinkingBudget": effort.tokens}


def _choice(choice: str) -> JsonObject:
    if choice in ("none", "required"):
        return {"mode": "NONE" if choice == "none" else "ANY"}
    return {"mode": "ANY", "allowedFunctionNames": [choice]}


def _contents(request: ModelRequest) -> list[Json]:
    """Messages as contents whose roles alternate, responses first in theirs."""
    running = turn_start(request.messages)
    merged: list[tuple[str, list[JsonObject]]] = []
    steps: list[list[JsonObject]] = []  # what the model said in the running turn
    for at, message in enumerate(request.messages):
        blocks = [block for part in message.parts if (block := _block(part, request.model)) is not None]
        if not blocks:
            continue
        if merged and merged[-1][0] == message.role:
            merged[-1][1].extend(blocks)
            continue
        merged.append((message.role, blocks))
        if message.role == "assistant" and at > running:
            steps.append(blocks)
    for blocks in steps:
        if (call := next((block for block in blocks if "functionCall" in block), None)) is not None:
            call.setdefault("thoughtSignature", UNSIGNED)
    for _, blocks in merged:
        blocks.sort(key=lambda block: "functionResponse" not in block)
    return [{"role": "user" if role == "user" else "model", "parts": [*blocks]} for role, blocks in merged]


def _block(part: Part, model: str) -> JsonObject | None:
    match part:
        case TextPart(said, opaque):
            return {"text": said, **_signed(opaque, model)} if said.strip() else None
        case ReasoningPart():
            return None  # a summary; what the model reads back is the signature on the part after it
        case Call(_, name, arguments, opaque):
            return {"functionCall": {"name": name, "args": arguments}, **_signed(opaque, model)}
        case Picture(media, data):
            return {"inlineData": {"mimeType": media, "data": data}}
        case Result(_, name, content, is_error):
            return {"functionResponse": {"name": name, "response": {"error" if is_error else "output": content}}}


def _signed(opaque: JsonObject, model: str) -> JsonObject:
    signature = text(opaque, SIGNATURE)
    return {"thoughtSignature": signature} if signature and text(opaque, MODEL) == model else {}
