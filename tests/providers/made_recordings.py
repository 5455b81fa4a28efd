"""Exchanges in the form of the recordings that lie beside the project, written by hand: they are always there.

Each is what a server of that wire is sent and answers: a talk with a thought, a tool call and its result; a reply by
a schema. Recorded ones, where there are any, are replayed beside them (`test_recordings.py`).
"""

from __future__ import annotations

import json
from typing import Any

TOOL: dict[str, Any] = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"titles": {"type": "array", "items": {"type": "string"}, "minItems": 1}},
    "required": ["titles"],
    "additionalProperties": False,
}
TITLES = {"titles": ["A title, in “quotes”"]}
THOUGHT, SIGNATURE = "The user wants the file.", "c2lnbmF0dXJl"
ANSWER = "It says:\u2028hello, wörld 👋"


def chats() -> list[tuple[str, dict[str, Any]]]:
    """Every exchange as (folder, recording)."""
    return [
        ("anthropic", _recording("made_tools", _anthropic_talk())),
        ("anthropic", _recording("made_structured_output", [_anthropic_titles()])),
        ("llamacpp", _recording("made_tools", _chat_talk())),
        ("llamacpp", _recording("made_structured_output", [_chat_titles()])),
    ]


def _recording(scenario: str, talk: list[tuple[dict[str, Any], str, list[dict[str, Any]]]]) -> dict[str, Any]:
    return {
        "scenario": scenario,
        "kind": "chat",
        "exchanges": [{"request": {"json": request}, "response": {"body": body}} for request, body, _ in talk],
        "steps": [
            {"exchanges": [number], "events": events, "finish": {"reason": "completed"}}
            for number, (_, _, events) in enumerate(talk)
        ],
    }


# --- Anthropic Messages -----------------------------------------------------------------------------------------


def _named(*events: dict[str, Any]) -> str:
    return "".join(f"event: {event['type']}\ndata: {json.dumps(event, ensure_ascii=False)}\n\n" for event in events)


def _message(reason: str, *blocks: tuple[dict[str, Any], list[dict[str, Any]]]) -> str:
    """A whole response: blocks that begin so and grow so."""
    events: list[dict[str, Any]] = [{"type": "message_start", "message": {"usage": {"input_tokens": 12}}}]
    for index, (begin, grows) in enumerate(blocks):
        events.append({"type": "content_block_start", "index": index, "content_block": begin})
        events.append({"type": "ping"})
        events += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in grows]
        events.append({"type": "content_block_stop", "index": index})
    events.append({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 7}})
    return _named(*events, {"type": "message_stop"})


def _texts(kind: str, key: str, text: str) -> list[dict[str, Any]]:
    """A text in pieces of three characters."""
    return [{"type": kind, key: text[at : at + 3]} for at in range(0, len(text), 3)]


def _user(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


def _anthropic_talk() -> list[tuple[dict[str, Any], str, list[dict[str, Any]]]]:
    asked = [_user({"type": "text", "text": "What does a.txt say?"})]
    request = {
        "model": "claude-made",
        "max_tokens": 1000,
        "stream": True,
        "system": [{"type": "text", "text": "Be brief."}],
        "messages": asked,
        "tools": [{"type": "custom", "name": "read", "description": "Reads a file.", "input_schema": TOOL}],
    }
    thinking = [*_texts("thinking_delta", "thinking", THOUGHT), {"type": "signature_delta", "signature": SIGNATURE}]
    calling = _message(
        "tool_use",
        ({"type": "thinking", "thinking": "", "signature": ""}, thinking),
        (
            {"type": "tool_use", "id": "toolu_made", "name": "read", "input": {}},
            _texts("input_json_delta", "partial_json", '{"path": "a.txt"}'),
        ),
    )
    first = [
        {"t": "reasoning", "text": THOUGHT, "metadata": {"anthropic_thinking_signature": SIGNATURE}},
        {"t": "tool_call", "id": "toolu_made", "name": "read", "arguments": {"path": "a.txt"}},
    ]
    said = [
        {"type": "thinking", "thinking": THOUGHT, "signature": SIGNATURE},
        {"type": "tool_use", "id": "toolu_made", "name": "read", "input": {"path": "a.txt"}},
    ]
    result = {"type": "tool_result", "tool_use_id": "toolu_made", "content": "hello", "is_error": False}
    again = {**request, "messages": [*asked, {"role": "assistant", "content": said}, _user(result)]}
    answer = _message("end_turn", ({"type": "text", "text": ""}, _texts("text_delta", "text", ANSWER)))
    return [(request, calling, first), (again, answer, [{"t": "message", "text": ANSWER}])]


def _anthropic_titles() -> tuple[dict[str, Any], str, list[dict[str, Any]]]:
    request = {
        "model": "claude-made",
        "max_tokens": 1000,
        "stream": True,
        "messages": [_user({"type": "text", "text": "Name this."})],
        "output_config": {
            "format": {"type": "json_schema", "schema": {**SCHEMA, "properties": {"titles": _described()}}}
        },
    }
    grows = _texts("text_delta", "text", json.dumps(TITLES, ensure_ascii=False))
    return request, _message("end_turn", ({"type": "text", "text": ""}, grows)), [{"t": "structured", "data": TITLES}]


def _described() -> dict[str, Any]:
    titles: dict[str, Any] = SCHEMA["properties"]["titles"]
    return titles


# --- OpenAI chat completions, as llama.cpp speaks them ------------------------------------------------------------


def _chunks(reason: str, *deltas: dict[str, Any]) -> str:
    choices = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
    chunks: list[dict[str, Any]] = [{"choices": [choice]} for choice in choices]
    chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
    chunks.append({"choices": [], "usage": {"prompt_tokens": 12, "completion_tokens": 7}})
    return "".join(f"data: {json.dumps(chunk, ensure_ascii=False)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"


def _pieces(key: str, text: str) -> list[dict[str, Any]]:
    return [{key: text[at : at + 3]} for at in range(0, len(text), 3)]


def _chat_talk() -> list[tuple[dict[str, Any], str, list[dict[str, Any]]]]:
    asked = {"role": "user", "content": "What does a.txt say?"}
    described = {"name": "read", "description": "Reads a file.", "parameters": TOOL}
    request = {
        "model": "made",
        "stream": True,
        "messages": [asked],
        "tools": [{"type": "function", "function": described}],
        "tool_choice": "auto",
    }
    arguments = '{"path":"a.txt"}'
    named = {"index": 0, "id": "call-made", "type": "function", "function": {"name": "read", "arguments": ""}}
    grows = [{"tool_calls": [{"index": 0, "function": one}]} for one in _pieces("arguments", arguments)]
    calling = _chunks("tool_calls", *_pieces("reasoning_content", THOUGHT), {"tool_calls": [named]}, *grows)
    first = [
        {"t": "reasoning", "text": THOUGHT},
        {"t": "tool_call", "id": "call-made", "name": "read", "arguments": {"path": "a.txt"}},
    ]
    function = {"name": "read", "arguments": arguments}
    said = {
        "role": "assistant",
        "reasoning_content": THOUGHT,
        "tool_calls": [{"id": "call-made", "type": "function", "function": function}],
    }
    result = {"role": "tool", "tool_call_id": "call-made", "content": "hello"}
    answer = _chunks("stop", {"role": "assistant", "content": None}, *_pieces("content", ANSWER))
    again = {**request, "messages": [asked, said, result]}
    return [(request, calling, first), (again, answer, [{"t": "message", "text": ANSWER}])]


def _chat_titles() -> tuple[dict[str, Any], str, list[dict[str, Any]]]:
    asks = {"name": "structured_output", "schema": SCHEMA, "strict": True}
    request = {
        "model": "made",
        "stream": True,
        "messages": [{"role": "user", "content": "Name this."}],
        "response_format": {"type": "json_schema", "json_schema": asks},
    }
    body = _chunks("stop", *_pieces("content", json.dumps(TITLES, ensure_ascii=False)))
    return request, body, [{"t": "structured", "data": TITLES}]
