"""What each wire's servers refuse, looked for in the bodies that we would send (R102, R180): pairing of calls."""

from __future__ import annotations

from typing import Any

from jp_tui.conversation.model import ModelRequest
from jp_tui.providers.anthropic.request import Anthropic
from jp_tui.providers.openai_chat.request import OpenAIChat


def accepted(request: ModelRequest) -> None:
    """Each call has its one result at the head of what follows, for every wire there is."""
    anthropic(Anthropic().body(request))
    openai_chat(OpenAIChat("openai").body(request))


def anthropic(body: dict[str, Any]) -> None:
    messages = body["messages"]
    assert messages[0]["role"] == "user"
    for at, message in enumerate(messages):
        assert message["role"] == ("user", "assistant")[at % 2] and message["content"]
        asked = [block["id"] for block in message["content"] if block["type"] == "tool_use"]
        after = messages[at + 1]["content"] if asked else []
        results = [block["tool_use_id"] for block in after if block["type"] == "tool_result"]
        assert sorted(results) == sorted(asked) and len(set(asked)) == len(asked)


def openai_chat(body: dict[str, Any]) -> None:
    waiting: list[str] = []
    for message in body["messages"]:
        if message["role"] == "tool":
            waiting.remove(message["tool_call_id"])
        else:
            assert not waiting, "a result is missing"
            waiting = [call["id"] for call in message.get("tool_calls", ())]
    assert not waiting
