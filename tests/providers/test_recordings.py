"""Exchanges with servers, replayed from a real socket and cut at random bytes.

Some are made by hand (`made_recordings.py`). Recordings of real servers are no part of the project; where there are any
(JP_TUI_FIXTURES, else beside it), they are replayed as well.
"""

from __future__ import annotations

import json
import zlib
from typing import Any

import pytest

from jp_tui.conversation.model import Call, Message, ModelRequest, Part, ReasoningPart, Result, TextPart, ToolSpec
from jp_tui.providers.anthropic.stream import REDACTED, SIGNATURE
from jp_tui.providers.endpoint import Endpoint
from jp_tui.providers.registry import make_wire, open_provider
from tests.fakes.model_server import Answer, ModelServer, split

from .decoding import HELLO, fixtures, fold, random_offsets
from .made_recordings import chats

FOLDERS: dict[str, tuple[str, str]] = {
    "anthropic": ("anthropic", ""),
    "llamacpp": ("openai-chat", "/v1"),
    "openai": ("openai-responses", "/v1"),
    "ollama": ("ollama", ""),
}
OWN_IDS = ("ollama",)
"""Whose recordings hold the recorder's ids of calls instead of the server's."""


def _chats() -> list[Any]:
    """Every chat as (folder, recording): our own, and what is recorded beside the project."""
    found = [pytest.param(folder, made, id=f"{folder}-{made['scenario']}") for folder, made in chats()]
    for folder in FOLDERS:
        for path in sorted((fixtures() / "providers" / folder).glob("*.json")):
            recorded = json.loads(path.read_text())
            if recorded["kind"] == "chat":
                found.append(pytest.param(folder, recorded, id=f"{folder}-{path.stem}"))
    return found


def _wanted(step: dict[str, Any]) -> list[list[Any]]:
    found: list[list[Any]] = []
    for event in step["events"]:
        match event["t"]:
            case "tool_call":
                found.append(["tool", event["id"], event["name"], event["arguments"]])
            case "structured":
                found.append(["message", event["data"]])
            case kind:
                found.append([kind, event["text"], *([event["metadata"]] if event.get("metadata") else [])])
    return found


def _request(body: dict[str, Any], wire: str) -> ModelRequest:
    return _READ[wire](body)


def _anthropic_request(body: dict[str, Any]) -> ModelRequest:
    names: dict[str, str] = {}
    messages = []
    for message in body["messages"]:
        parts: list[Part] = []
        for block in message["content"]:
            match block["type"]:
                case "text":
                    parts.append(TextPart(block["text"]))
                case "thinking":
                    parts.append(ReasoningPart(block["thinking"], {SIGNATURE: block["signature"]}))
                case "redacted_thinking":
                    parts.append(ReasoningPart("", {REDACTED: block["data"]}))
                case "tool_use":
                    names[block["id"]] = block["name"]
                    parts.append(Call(block["id"], block["name"], block["input"]))
                case "tool_result":
                    id_ = block["tool_use_id"]
                    parts.append(Result(id_, names[id_], block["content"], block["is_error"]))
                case _:  # attachments; the test passes these over
                    pass
        messages.append(Message(message["role"], tuple(parts)))
    tools = [
        ToolSpec(tool["name"], tool.get("description", ""), tool["input_schema"]) for tool in body.get("tools", [])
    ]
    choice = body.get("tool_choice", {"type": "auto"})
    named = {"any": "required", "tool": choice.get("name", "")}.get(choice["type"], choice["type"])
    system = "".join(block["text"] for block in body.get("system", []))
    return ModelRequest(body["model"], tuple(messages), system, tuple(tools), named, body["max_tokens"])


def _openai_request(body: dict[str, Any]) -> ModelRequest:
    names: dict[str, str] = {}
    messages = []
    for message in body["messages"]:
        if message["role"] == "tool":
            id_ = message["tool_call_id"]
            messages.append(Message("user", (Result(id_, names[id_], message["content"], False),)))
            continue
        parts: list[Part] = []
        if thought := message.get("reasoning_content"):
            parts.append(ReasoningPart(thought, {"provider": "llamacpp", "field": "reasoning_content"}))
        if content := message.get("content"):
            parts.append(TextPart(content))
        for call in message.get("tool_calls", []):
            function = call["function"]
            names[call["id"]] = function["name"]
            parts.append(Call(call["id"], function["name"], json.loads(function["arguments"])))
        messages.append(Message(message["role"], tuple(parts)))
    described = [tool["function"] for tool in body.get("tools", [])]
    tools = tuple(ToolSpec(each["name"], each["description"], each["parameters"]) for each in described)
    return ModelRequest(body["model"], tuple(messages), tools=tools, tool_choice=body.get("tool_choice", "auto"))


def _responses_request(body: dict[str, Any]) -> ModelRequest:
    names: dict[str, str] = {}
    messages: list[Message] = []
    for item in body["input"]:
        match item["type"]:
            case "message" if item["role"] == "system":
                continue
            case "message" if item["role"] == "user":
                content = item["content"]
                texts = [content] if isinstance(content, str) else [one["text"] for one in content]
                message = Message("user", tuple(TextPart(one) for one in texts))
            case "message":
                came = {"openai_item_id": item["id"], **({"openai_phase": item["phase"]} if item.get("phase") else {})}
                message = Message("assistant", (TextPart(item["content"][0]["text"], came),))
            case "reasoning":
                thought = "\n\n".join(one["text"] for one in item["summary"])
                came = {"openai_item_id": item["id"], "openai_encrypted_content": item["encrypted_content"]}
                message = Message("assistant", (ReasoningPart(thought, came),))
            case "function_call":
                names[item["call_id"]] = item["name"]
                call = Call(item["call_id"], item["name"], json.loads(item["arguments"]))
                message = Message("assistant", (call,))
            case kind:
                assert kind == "function_call_output"
                message = Message("user", (Result(item["call_id"], names[item["call_id"]], item["output"], False),))
        if messages and messages[-1].role == message.role:
            messages[-1] = Message(message.role, (*messages[-1].parts, *message.parts))
        else:
            messages.append(message)
    tools = tuple(ToolSpec(one["name"], one.get("description") or "", one["parameters"]) for one in body["tools"])
    return ModelRequest(body["model"], tuple(messages), tools=tools, tool_choice=_named(body["tool_choice"]))


def _named(choice: Any) -> str:
    return str(choice if isinstance(choice, str) else choice["name"])


def _ollama_request(body: dict[str, Any]) -> ModelRequest:
    messages: list[Message] = []
    for message in body["messages"]:
        parts: list[Part] = []
        if message["role"] == "system":
            continue
        if message["role"] == "tool":
            messages.append(Message("user", (Result("c", "run_me", message["content"], False),)))
            continue
        if thought := message.get("thinking"):
            parts.append(ReasoningPart(thought, {"provider": "ollama"}))
        if message["content"]:
            parts.append(TextPart(message["content"]))
        for call in message["tool_calls"]:
            parts.append(Call("c", call["function"]["name"], call["function"]["arguments"]))
        if messages and messages[-1].role == message["role"]:
            messages[-1] = Message(message["role"], (*messages[-1].parts, *parts))
        else:
            messages.append(Message(message["role"], tuple(parts)))
    described = [tool["function"] for tool in body.get("tools", [])]
    tools = tuple(ToolSpec(each["name"], each["description"], each["parameters"]) for each in described)
    return ModelRequest(body["model"], tuple(messages), tools=tools)


_READ = {
    "anthropic": _anthropic_request,
    "openai-chat": _openai_request,
    "openai-responses": _responses_request,
    "ollama": _ollama_request,
}
_UNSET = ("cache_control", "strict", "tool_name", "status")
"""What isn't compared: hints, the mode of tools, and what a recorder left out."""


def _essentials(value: Any) -> Any:
    """What a request says; without cache marks and empty fields."""
    if isinstance(value, dict):
        left = {key: _essentials(each) for key, each in value.items() if key not in _UNSET}
        return {key: each for key, each in left.items() if each not in (None, "", [])}
    return [_essentials(each) for each in value] if isinstance(value, list) else value


@pytest.mark.parametrize(("folder", "recorded"), _chats())
async def test_recorded_streams_decode_to_what_was_recorded(folder: str, recorded: dict[str, Any]) -> None:
    wire, base = FOLDERS[folder]
    bodies = [exchange["response"]["body"].encode() for exchange in recorded["exchanges"]]
    for step in recorded["steps"]:
        said: list[list[Any]] = []
        for number in step["exchanges"]:
            for seed in (number, zlib.crc32(recorded["scenario"].encode())):
                pieces = split(bodies[number], random_offsets(bodies[number], seed))
                async with ModelServer(Answer(pieces)) as server:
                    provider = open_provider(Endpoint(folder, wire, server.url + base))
                    parts, finished = fold([delta async for delta in provider.stream(HELLO)])
                    await provider.close()
                assert finished is not None and finished.usage.output > 0 and finished.usage.input > 0
                assert (finished.reason in ("end", "tools")) == (number == step["exchanges"][-1])
                said += parts if seed == number else []
        assert step["finish"]["reason"] == "completed"
        _same(said, _wanted(step), joined=len(step["exchanges"]) > 1, own_ids=folder in OWN_IDS)


def _flat(messages: list[Any]) -> list[Any]:
    """Messages of one text in one form. The recorder sends system messages in its own places, and splits what
    an assistant thinks and does on ollama."""
    found: list[Any] = []
    for message in messages:
        if message.get("role") == "system":  # empty, or an order of the recorder's in the middle
            continue
        content = message.get("content")
        if isinstance(content, list) and all(one.get("type") == "input_text" for one in content):
            found += [{**message, "content": one["text"]} for one in content]
            continue
        if found and message.get("role") == "assistant" == found[-1].get("role") and "thinking" in found[-1]:
            found[-1] = {**found[-1], **message}
        else:
            found.append(message)
    return found


def _joined(parts: list[list[Any]], kind: str) -> str:
    return "".join(part[1] for part in parts if part[0] == kind)


def _same(said: list[list[Any]], wanted: list[list[Any]], *, joined: bool, own_ids: bool = False) -> None:
    """Equal in kind, text, calls and signatures. A step of several responses was put together by its recorder, which
    took out repetitions and later thoughts; there only the beginnings and the end of the message are compared."""
    if joined:
        for kind in ("reasoning", "message"):
            assert _joined(said, kind)[:40] == _joined(wanted, kind)[:40]
        assert _joined(said, "message")[-40:] == _joined(wanted, "message")[-40:]
        return
    assert [part[0] for part in said] == [part[0] for part in wanted]
    for got, want in zip(said, wanted, strict=True):
        if got[0] == "tool":
            assert got[2 if own_ids else 1 :] == want[2 if own_ids else 1 :]
        elif isinstance(want[1], str):
            assert got[1].strip() == want[1].strip()
            assert len(want) < 3 or got[2] == want[2]
        else:
            assert json.loads(got[1]) == want[1]


@pytest.mark.parametrize(("folder", "recorded"), _chats())
def test_requests_say_what_the_recorded_ones_say(folder: str, recorded: dict[str, Any]) -> None:
    """Read back into values and written again, messages and tools come out as they were sent."""
    wire, _ = FOLDERS[folder]
    builder = make_wire(Endpoint(folder, wire, "http://h"))
    checked = 0
    for exchange in recorded["exchanges"]:
        sent = exchange["request"]["json"]
        history = "input" if "input" in sent else "messages"
        if "image" in json.dumps(sent[history]):
            continue  # attachments are not part of this issue
        body = builder.body(_request(sent, wire))
        assert _flat(_essentials(body[history])) == _flat(_essentials(sent[history]))
        assert (body["model"], body["stream"]) == (sent["model"], True)
        for key in ("tools", "system"):
            mine, theirs = _essentials(body.get(key) or []), _essentials(sent.get(key) or [])
            assert _plain(mine) == _plain(theirs)
        if wire == "anthropic":
            assert body["max_tokens"] == sent["max_tokens"]
        checked += 1
    assert checked or recorded["scenario"] == "image_attachment"


def _plain(tools: Any) -> Any:
    """Tool definitions without what is optional: Anthropic's type of custom tools, empty descriptions."""
    optional = (("type", "custom"), ("type", "Function"), ("type", "function"), ("description", ""))
    if not isinstance(tools, list):
        return tools
    return [{key: each for key, each in tool.items() if (key, each) not in optional} for tool in tools]
