"""What each wire's servers refuse, looked for in the bodies that we would send (R102, R180): roles and pairing of
calls."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby
from typing import Any

from jp_tui.conversation.model import ModelRequest
from jp_tui.providers.endpoint import Endpoint
from jp_tui.providers.registry import make_wire
from jp_tui.settings.wires import SERVER_WIRES

Body = dict[str, Any]


def accepted(request: ModelRequest) -> None:
    """Each call has its one result at the head of what follows, for every wire there is."""
    for name in SERVER_WIRES:
        body: Any = make_wire(Endpoint("fake", name, "http://127.0.0.1:9/v1")).body(request)
        CHECKS[name](body)


def anthropic(body: Body) -> None:
    messages = body["messages"]
    assert not messages or messages[0]["role"] == "user"
    for at, message in enumerate(messages):
        assert message["role"] == ("user", "assistant")[at % 2] and message["content"]
        asked = [block["id"] for block in message["content"] if block["type"] == "tool_use"]
        after = messages[at + 1]["content"] if asked else []
        results = [block["tool_use_id"] for block in after if block["type"] == "tool_result"]
        assert sorted(results) == sorted(asked) and len(set(asked)) == len(asked)


def openai_chat(body: Body) -> None:
    waiting: list[str] = []
    for message in body["messages"]:
        if message["role"] == "tool":
            waiting.remove(message["tool_call_id"])
        else:
            assert not waiting, "a result is missing"
            waiting = [call["id"] for call in message.get("tool_calls", ())]
    assert not waiting
    _alternate([message["role"] for message in body["messages"] if message["role"] != "system"], {"user", "tool"})


def openai_responses(body: Body) -> None:
    """Outputs come after all calls of a response, each once."""
    sides = [item.get("role", item["type"]) for item in body["input"]]
    _alternate(sides, {"user", "function_call_output"})
    waiting: list[str] = []
    for item in body["input"]:
        match item["type"]:
            case "function_call":
                assert item["call_id"] not in waiting
                waiting.append(item["call_id"])
            case "function_call_output":
                waiting.remove(item["call_id"])
            case "reasoning":
                pass
            case _:
                assert not waiting or item["role"] == "assistant", "a result is missing"
    assert not waiting


def gemini(body: Body) -> None:
    """Calls and their responses are paired by name and order."""
    contents = body["contents"]
    for at, content in enumerate(contents):
        assert content["role"] == ("user", "model")[at % 2] and content["parts"]
        asked = [part["functionCall"]["name"] for part in content["parts"] if "functionCall" in part]
        after = contents[at + 1]["parts"] if asked else []
        assert [part["functionResponse"]["name"] for part in after if "functionResponse" in part] == asked


def ollama(body: Body) -> None:
    """Calls and results have no ids: they are paired by name and order."""
    said = [message for message in body["messages"] if message["role"] != "system"]
    _alternate([message["role"] for message in said], {"user", "tool"})
    waiting: list[str] = []
    for message in said:
        if message["role"] == "tool":
            assert message["tool_name"] == waiting.pop(0), "results have the order of their calls"
        else:
            assert not waiting, "a result is missing"
            waiting = [call["function"]["name"] for call in message.get("tool_calls", ())]
    assert not waiting


def _alternate(roles: list[str], ours: set[str]) -> None:
    """User and model take turns, the user first; a side may have several entries, of the user one message at most."""
    sides = [(side, list(some)) for side, some in groupby(roles, lambda role: role in ours)]
    assert [side for side, _ in sides] == [at % 2 == 0 for at in range(len(sides))]
    assert all(some.count("user") <= 1 for side, some in sides if side)


CHECKS: dict[str, Callable[[Body], None]] = {
    "openai-chat": openai_chat,
    "openai-responses": openai_responses,
    "anthropic": anthropic,
    "gemini": gemini,
    "ollama": ollama,
}
