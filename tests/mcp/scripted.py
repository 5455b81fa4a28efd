"""A server that follows a script, in place of a process: what it says to each call and answer, and what it was told."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jp_tui.conversation.strict_json import JsonObject
from jp_tui.mcp.connection import Connection, Launch, StepAsked, StepDone, StepFailed
from jp_tui.mcp.values import McpListing, McpServer

Said = StepAsked | StepDone | StepFailed | dict[str, Any] | list[StepAsked | StepDone]
"""A step, several at once, or an `InputRequiredResult` as its requests and state."""


def form(message: str = "Who are you?", **properties: JsonObject) -> JsonObject:
    """The parameters of a form."""
    fields = properties or {"name": {"type": "string"}}
    return {"mode": "form", "message": message, "requestedSchema": {"type": "object", "properties": fields}}


def asks(params: JsonObject, key: str = "1", of: int = 1) -> StepAsked:
    return StepAsked(key, "elicitation/create", params, of)


def requires(params: JsonObject, state: str = "s1", key: str = "who") -> dict[str, Any]:
    return {"requests": {key: {"method": "elicitation/create", "params": params}}, "state": state}


def done(text: str = "done", **more: Any) -> StepDone:
    return StepDone({"content": [{"type": "text", "text": text}], **more})


class ScriptedConnection(Connection):
    """Takes the next line of the script for each call and each answer."""

    def __init__(self, server: McpServer, script: list[Said], told: list[JsonObject]) -> None:
        launch = Launch(server, "/", {}, {}, "/nowhere/x.log", "file:///", "1")
        super().__init__(launch, lambda _: None, lambda _: None)
        self.listing = McpListing(server.name, "2025-11-25")
        self._script, self.told = script, told

    def send(self, message: JsonObject) -> None:
        self.told.append(message)
        if message["do"] == "cancel" or not self._script:
            return
        call = next(reversed(self._calls.values()))
        if call.over:
            return
        said = self._script.pop(0)
        if isinstance(said, dict):
            self._take({"say": "required", "id": call.number, **said})
        else:
            for one in said if isinstance(said, list) else [said]:
                call.heard(one)

    def _take(self, message: dict[str, Any]) -> None:
        self._ready = self._ready or object()  # type: ignore[assignment]  # it only has to be there
        super()._take(message)


class ScriptedServers:
    """In place of `McpServers`, with one server `docs`."""

    def __init__(self, *script: Said, **keys: Any) -> None:
        self.config = McpServer("docs", "program", **keys)
        self.script, self.told = list(script), list[JsonObject]()
        self.starts = 0
        self._connection: ScriptedConnection | None = None

    async def connection(self, name: str) -> Connection:
        if self._connection is None:
            self.starts += 1
            self._connection = ScriptedConnection(self.config, self.script, self.told)
        return self._connection

    def server(self, name: str) -> McpServer:
        return self.config

    def restarted(self) -> None:
        """Its process ended with ours."""
        self._connection = None

    def answers(self) -> list[Any]:
        """What was answered: results of questions, and the answers of a call that was sent again."""
        return [one.get("result", one.get("error")) for one in self.told if one["do"] == "answer"]


def calls(told: Sequence[JsonObject]) -> list[JsonObject]:
    return [one for one in told if one["do"] == "call"]
