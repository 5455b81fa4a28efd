"""Every wire in a few words: what a model of it says, with reasoning and two calls or with text, as its server sends
it; and the server that refuses what the real APIs of that wire refuse."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from jp_tui.conversation.strict_json import dump
from tests.fakes import strict_server

STRICT: dict[str, Callable[[bytes], dict[str, Any]]] = {
    "openai-chat": strict_server.openai_chat,
    "openai-responses": strict_server.openai_responses,
    "anthropic": strict_server.anthropic,
    "gemini": strict_server.gemini,
    "ollama": strict_server.ollama,
}
ARGUMENTS = [{"at": "a"}, {"at": "b"}]


def sse(*events: Any) -> bytes:
    return b"".join(b"data: " + json.dumps(event).encode() + b"\n\n" for event in events)


def chat(calls: bool, text: str = "Done.") -> bytes:
    thought = {"choices": [{"delta": {"reasoning_content": "Hm."}}]}
    asked = [
        {"index": at, "id": "same", "function": {"name": "look", "arguments": json.dumps(given)}}
        for at, given in enumerate(ARGUMENTS)
    ]
    said = {"tool_calls": asked} if calls else {"content": text}
    end = {"choices": [{"delta": {}, "finish_reason": "tool_calls" if calls else "stop"}]}
    return sse(thought, {"choices": [{"delta": said}]}, end)


def responses(calls: bool, text: str = "Done.") -> bytes:
    made: list[Any] = []
    thought = {"type": "reasoning", "id": "rs_1", "summary": []}
    made.append({"type": "response.output_item.added", "output_index": 0, "item": thought})
    for at, piece in enumerate(("One.", "Two.")):
        made.append(
            {"type": "response.reasoning_summary_text.delta", "item_id": "rs_1", "summary_index": at, "delta": piece}
        )
    done = {**thought, "encrypted_content": "enc-1"}
    made.append({"type": "response.output_item.done", "output_index": 0, "item": done})
    items = (
        [
            {"type": "function_call", "id": f"fc_{at}", "call_id": "same", "name": "look", "arguments": dump(given)}
            for at, given in enumerate(ARGUMENTS)
        ]
        if calls
        else [{"type": "message", "id": "msg_1", "content": [{"type": "output_text", "text": text}]}]
    )
    made += [{"type": "response.output_item.done", "output_index": 1, "item": item} for item in items]
    return sse(*made, {"type": "response.completed", "response": {"usage": {"input_tokens": 1}}})


def anthropic(calls: bool, text: str = "Done.") -> bytes:
    made: list[Any] = [{"type": "message_start", "message": {}}]
    made.append({"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}})
    made.append({"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "Hm."}})
    made.append({"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "s"}})
    made.append({"type": "content_block_stop", "index": 0})
    blocks = (
        [{"type": "tool_use", "id": f"toolu_{at}", "name": "look", "input": one} for at, one in enumerate(ARGUMENTS)]
        if calls
        else [{"type": "text", "text": text}]
    )
    for at, block in enumerate(blocks, 1):
        made.append({"type": "content_block_start", "index": at, "content_block": block})
        made.append({"type": "content_block_stop", "index": at})
    made.append({"type": "message_delta", "delta": {"stop_reason": "tool_use" if calls else "end_turn"}})
    return sse(*made, {"type": "message_stop"})


def gemini(calls: bool, text: str = "Done.") -> bytes:
    thought = {"candidates": [{"content": {"parts": [{"text": "Hm.", "thought": True}]}}]}
    parts: list[Any] = [{"text": text, "thoughtSignature": "sig-2"}]
    if calls:
        parts = [{"functionCall": {"name": "look", "args": one}} for one in ARGUMENTS]
        parts[0]["thoughtSignature"] = "sig-1"
    said = {"candidates": [{"content": {"parts": parts}}]}
    return sse(thought, said, {"candidates": [{"content": {"parts": [{"text": ""}]}, "finishReason": "STOP"}]})


def ollama(calls: bool, text: str = "Done.") -> bytes:
    asked = [{"function": {"name": "look", "arguments": one}} for one in ARGUMENTS]
    lines = [
        {"message": {"thinking": "Hm."}},
        {"message": {"tool_calls": asked} if calls else {"content": text}},
        {"message": {}, "done": True, "done_reason": "stop"},
    ]
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


SPEAKS = {
    "openai-chat": chat,
    "openai-responses": responses,
    "anthropic": anthropic,
    "gemini": gemini,
    "ollama": ollama,
}
