"""What strict model servers refuse, written down: bytes of a request in, AssertionError with the place out.

Collected from the errors that real servers answer with. Whoever passes here would be accepted by every server of the
wire that is strict about its form; about the size of a prompt it says nothing.
"""

from __future__ import annotations

import base64
import re
from typing import Any

from jp_tui.conversation.strict_json import parse, parse_object

_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_OPENAI_ID = 40
_LIMIT = 1 << 30
MEDIA = {"image/png", "image/jpeg", "image/gif", "image/webp"}
LARGEST_IMAGE = 5 * 1024 * 1024
"""Characters of base64."""


def anthropic(raw: bytes) -> dict[str, Any]:
    """A body of POST /v1/messages."""
    body = _json(raw)
    assert body["model"] and isinstance(body["max_tokens"], int) and body["max_tokens"] > 0
    for at, block in enumerate(_blocks(body.get("system", []))):
        assert block["text"].strip(), f"system.{at}: text content blocks must be non-empty"
    seen: set[str] = set()
    messages = [{**message, "content": _blocks(message["content"])} for message in body["messages"]]
    assert messages and messages[0]["role"] == "user", "messages: the first message must be of the user"
    assert messages[-1]["role"] == "user", "messages: the last message must be of the user"
    for at, message in enumerate(messages):
        assert message["role"] == ("user", "assistant")[at % 2], f"messages.{at}: roles must alternate"
        blocks = message["content"]
        assert isinstance(blocks, list) and blocks, f"messages.{at}: content must be non-empty"
        for number, block in enumerate(blocks):
            _block(block, message["role"], seen, f"messages.{at}.content.{number}")
        _paired(messages, at)
    return body


def _blocks(content: Any, kind: str = "text") -> Any:
    """A text alone stands for one part of it."""
    return [{"type": kind, "text": content}] if isinstance(content, str) else content


def _block(block: dict[str, Any], role: str, seen: set[str], where: str) -> None:
    match block["type"]:
        case "text":
            assert block["text"].strip(), f"{where}: text content blocks must contain non-whitespace text"
        case "tool_use":
            assert role == "assistant" and isinstance(block["input"], dict), where
            assert _ID.fullmatch(block["id"]), f"{where}.id: {block['id'][:80]!r} does not match"
            assert _NAME.fullmatch(block["name"]), f"{where}.name: {block['name'][:80]!r} does not match"
            assert block["id"] not in seen, f"{where}: `tool_use` ids must be unique"
            seen.add(block["id"])
        case "tool_result":
            assert role == "user" and isinstance(block["content"], str | list), where
            assert all(part["type"] in ("text", "image") for part in _blocks(block["content"])), where
            failed = block.get("is_error", False)
            assert block["content"] or not failed, f"{where}: content cannot be empty if `is_error` is true"
        case "thinking":
            assert role == "assistant" and block["signature"] and isinstance(block["thinking"], str), where
        case "redacted_thinking":
            assert role == "assistant" and block["data"], where
        case "image":
            _image(block["source"]["media_type"], block["source"]["data"], where)
        case other:
            raise AssertionError(f"{where}: unknown block {other!r:.80}")


def _image(media: str, data: str, where: str) -> None:
    assert media in MEDIA, f"{where}: media type {media!r:.80}"
    assert data and len(data) <= LARGEST_IMAGE, f"{where}: image exceeds 5 MB or is empty"
    base64.b64decode(data, validate=True)


def _paired(messages: list[dict[str, Any]], at: int) -> None:
    asked = [block["id"] for block in messages[at]["content"] if block["type"] == "tool_use"]
    after = messages[at + 1]["content"] if at + 1 < len(messages) else []
    given = [block["tool_use_id"] for block in after if block["type"] == "tool_result"]
    if messages[at]["role"] == "assistant":
        assert sorted(given) == sorted(asked), f"messages.{at}: `tool_use` without `tool_result` or the other way"
        kinds = [block["type"] == "tool_result" for block in after]
        assert kinds == sorted(kinds, reverse=True), f"messages.{at + 1}: tool results must come first"
        assert messages[at]["content"][-1]["type"] not in ("thinking", "redacted_thinking"), "ends with thinking"
    elif at == 0:
        assert not any(block["type"] == "tool_result" for block in messages[0]["content"]), "a result without a call"


def openai_chat(raw: bytes) -> dict[str, Any]:
    """A body of POST /chat/completions."""
    body = _json(raw)
    assert body["model"] and body["messages"]
    waiting: list[str] = []
    for at, message in enumerate(body["messages"]):
        where, content = f"messages.{at}", message.get("content")
        if message["role"] == "tool":
            assert message["tool_call_id"] in waiting, f"{where}: a tool message must follow its call"
            waiting.remove(message["tool_call_id"])
            assert isinstance(content, str), where
            continue
        assert not waiting, f"{where}: tool_call_ids did not have response messages: {waiting}"
        calls = message.get("tool_calls", [])
        assert (isinstance(content, str) and content) or (isinstance(content, list) and content) or calls, where
        for part in content if isinstance(content, list) else ():
            if part["type"] == "text":
                assert part["text"], where
            else:
                head, _, data = part["image_url"]["url"].partition(";base64,")
                _image(head.removeprefix("data:"), data, where)
        for call in calls:
            assert message["role"] == "assistant" and call["type"] == "function"
            assert 0 < len(call["id"]) <= _OPENAI_ID and call["id"].isprintable(), f"{where}: id {call['id'][:80]!r}"
            assert call["id"] not in waiting, f"{where}: the same id twice"
            assert _NAME.fullmatch(call["function"]["name"]), f"{where}: name {call['function']['name'][:80]!r}"
            parse_object(call["function"]["arguments"], max_bytes=_LIMIT, max_depth=200)
            waiting.append(call["id"])
    assert not waiting, "the last calls have no result"
    return body


_RESPONSES = {
    "model", "input", "stream", "store", "instructions", "include", "prompt_cache_key", "tools", "tool_choice",
    "max_output_tokens", "temperature", "text", "reasoning",
}  # fmt: skip


def openai_responses(raw: bytes) -> dict[str, Any]:
    """A body of POST /responses. It issued no reasoning item whose encrypted content begins otherwise than `enc-`."""
    body = _json(raw)
    assert body["model"] and body["input"]
    said = body["input"]
    items = [{"role": "user", "content": said}] if isinstance(said, str) else said
    assert not body.keys() - _RESPONSES, f"unknown parameters: {body.keys() - _RESPONSES}"
    waiting: list[str] = []
    asked: set[str] = set()
    for at, item in enumerate(items):
        where, kind = f"input.{at}", item.get("type", "message")
        if kind != "function_call_output" and kind not in ("function_call", "reasoning"):
            assert not waiting, f"{where}: no tool output found for function calls {waiting}"
        match kind:
            case "message":
                wanted = "output_text" if item["role"] == "assistant" else "input_text"
                parts = _blocks(item["content"], wanted)
                assert parts and item["role"] in ("user", "assistant"), where
                for part in parts:
                    if part["type"] == "input_image":
                        head, _, data = part["image_url"].partition(";base64,")
                        _image(head.removeprefix("data:"), data, where)
                    else:
                        assert part["type"] == wanted and part["text"], where
            case "reasoning":
                assert item["id"].startswith("rs_") and item["encrypted_content"].startswith("enc-"), where
                after = items[at + 1].get("type", "message") if at + 1 < len(items) else ""
                assert after in ("message", "function_call", "reasoning"), f"{where}: without its following item"
                assert all(part["type"] == "summary_text" and part["text"] for part in item["summary"]), where
            case "function_call":
                assert 0 < len(item["call_id"]) <= 64 and item["call_id"] not in asked, where
                assert _NAME.fullmatch(item["name"]), where
                parse_object(item["arguments"], max_bytes=_LIMIT, max_depth=200)
                waiting.append(item["call_id"])
                asked.add(item["call_id"])
            case "function_call_output":
                assert item["call_id"] in waiting and isinstance(item["output"], str), f"{where}: without its call"
                waiting.remove(item["call_id"])
            case other:
                raise AssertionError(f"{where}: unknown item {other!r:.80}")
    assert not waiting, "the last calls have no output"
    for tool in body.get("tools", ()):
        assert isinstance(tool.get("strict", True), bool) and tool["type"] == "function"
    return body


_GEMINI = {"contents", "systemInstruction", "tools", "toolConfig", "generationConfig", "safetySettings"}
UNSIGNED = "skip_thought_signature_validator"


def gemini(raw: bytes) -> dict[str, Any]:
    """A body of POST /models/MODEL:streamGenerateContent. It issued no signature that begins otherwise than `sig-`."""
    body = _json(raw)
    assert not body.keys() - _GEMINI, f"unknown names: {body.keys() - _GEMINI}"
    contents = body["contents"]
    assert contents and contents[0]["role"] == "user" and contents[-1]["role"] == "user", "first and last: user"
    said = [at for at, one in enumerate(contents) if one["role"] == "user" and any("text" in p for p in one["parts"])]
    running = max(said, default=0)
    for at, content in enumerate(contents):
        where, parts = f"contents[{at}]", content["parts"]
        assert content["role"] == ("user", "model")[at % 2] and parts, f"{where}: roles must alternate"
        calls = [part["functionCall"]["name"] for part in parts if "functionCall" in part]
        for part in parts:
            (kind,) = part.keys() - {"thoughtSignature"}
            signature = part.get("thoughtSignature", "sig-")
            assert signature.startswith("sig-") or signature == UNSIGNED, f"{where}: thought signature is not valid"
            match kind:
                case "text":
                    assert part["text"], where
                case "inlineData":
                    inline = part["inlineData"]
                    _image(inline.get("mimeType") or inline["mime_type"], inline["data"], where)  # both are accepted
                case "functionCall":
                    assert content["role"] == "model" and isinstance(part["functionCall"]["args"], dict), where
                    assert _NAME.fullmatch(part["functionCall"]["name"]), where
                case _:
                    assert kind == "functionResponse" and content["role"] == "user", where
                    assert isinstance(part["functionResponse"]["response"], dict), where
        if calls:
            first = next(part for part in parts if "functionCall" in part)
            assert at < running or "thoughtSignature" in first, f"{where}: function call is missing a thought_signature"
            after = contents[at + 1]["parts"]
            given = [part["functionResponse"]["name"] for part in after if "functionResponse" in part]
            assert given == calls, f"{where}: as many function responses as calls, in their order"
        elif content["role"] == "model":
            after = contents[at + 1]["parts"]
            assert not any("functionResponse" in part for part in after), f"{where}: a response without a call"
    return body


_OLLAMA = {"model", "messages", "stream", "tools", "options", "format", "keep_alive", "think"}


def ollama(raw: bytes) -> dict[str, Any]:
    """A body of POST /api/chat."""
    body = _json(raw)
    assert not body.keys() - _OLLAMA and body["model"] and body["messages"]
    waiting: list[str] = []
    for at, message in enumerate(body["messages"]):
        where = f"messages[{at}]"
        assert isinstance(message["content"], str), where
        if message["role"] == "tool":
            assert waiting and message["tool_name"] == waiting.pop(0), f"{where}: a result without its call"
            continue
        assert not waiting, f"{where}: calls without results {waiting}"
        for image in message.get("images", ()):
            assert base64.b64decode(image, validate=True), where
        for call in message.get("tool_calls", ()):
            assert isinstance(call["function"]["arguments"], dict) and _NAME.fullmatch(call["function"]["name"]), where
            waiting.append(call["function"]["name"])
    assert not waiting
    return body


def _json(raw: bytes) -> dict[str, Any]:
    """Valid UTF-8, strict JSON, one object."""
    value = parse(raw, max_bytes=_LIMIT, max_depth=200)
    assert isinstance(value, dict)
    return value
