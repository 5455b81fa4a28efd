"""Models for several conversations at once: who speaks is told by the first words that a conversation begins with."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

from jp_tui.conversation import model as m
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.tools.registry import builtin
from tests.engine.conftest import Bench, tool_setup
from tests.fakes.models import Item, Script, call, end, text


def ends(words: str) -> list[Item]:
    """A response that ends a turn."""
    return [*text(words), *end()]


def spawn(task: str, id_: str = "s1", index: int = 0, **more: Any) -> list[Item]:
    """A call that starts a sub-agent."""
    return call("spawn_agent", {"task": task, **more}, id_, index)


def asked(question: JsonObject | list[JsonObject], id_: str = "a1", index: int = 0) -> list[Item]:
    """A call of the child's that asks the user."""
    listed = question if isinstance(question, list) else [question]
    return call("ask_user", {"questions": listed}, id_, index)


YES_NO: JsonObject = {"id": "go", "text": "Go on?", "answer_type": "boolean"}


class Cast(Script):
    """One script a conversation, by its first message."""

    def __init__(self, **roles: Sequence[Sequence[Item]]) -> None:
        super().__init__()
        self.roles = {name: Script(*responses) for name, responses in roles.items()}

    def of(self, role: str) -> Script:
        return self.roles[role]

    async def stream(self, request: m.ModelRequest) -> AsyncIterator[m.Delta]:
        self.requests.append(request)
        first = request.messages[0].parts[0]
        assert isinstance(first, m.TextPart)
        async for delta in self.roles[first.text].stream(request):
            yield delta

    @property
    def sample(self) -> Path | None:
        return None


def begin(bench: Bench, **roles: Sequence[Sequence[Item]]) -> Cast:
    """A conversation that begins with `go`, whose roles are these."""
    cast = Cast(**roles)
    bench.script = cast
    bench.tools["spawn_agent"] = tool_setup("spawn_agent", builtin()["spawn_agent"])
    bench.start()
    bench.say("go")
    return cast


def agent(bench: Bench, name: str = "") -> str:
    """The conversation of the (next) sub-agent that runs."""
    seen = bench.ever(e.CallChanged, lambda event: event.agent is not None and event.agent.name.raw == name)
    assert seen.agent is not None
    return seen.agent.conversation


def stored(bench: Bench, conversation: str) -> list[dict[str, Any]]:
    """What the log of a conversation holds."""
    bench.send(c.ReadConversation(conversation=conversation, count=100_000))
    return [one.event for one in bench.until(e.ConversationRead).events]


def results(bench: Bench, conversation: str = "") -> list[tuple[str, bool]]:
    """The results of a conversation's calls, in order, with whether each is an error."""
    events = stored(bench, conversation or bench.conversation)
    return [(one["content"], one["is_error"]) for one in events if one["type"] == "tool_call_response"]


def main_turn(bench: Bench) -> e.TurnCompleted:
    """The end of the turn that everything began with."""
    return bench.until(e.TurnCompleted, lambda event: event.conversation == bench.conversation)
