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
    for at, block in enumerate(body.get("system", [])):
        assert block["text"].strip(), f"system.{at}: text content blocks must be non-empty"
    seen: set[str] = set()
    messages = body["messages"]
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
            assert role == "user" and isinstance(block["content"], str), where
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


def _json(raw: bytes) -> dict[str, Any]:
    """Valid UTF-8, strict JSON, one object."""
    value = parse(raw, max_bytes=_LIMIT, max_depth=200)
    assert isinstance(value, dict)
    return value
