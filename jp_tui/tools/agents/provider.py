"""An agent as the model of a conversation (N40, N41, N44): its reply is what it says until its next calls.

Each response continues where the last one ended: the prompt runs on in the agent while its calls are recorded,
permitted and followed here.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, MutableMapping
from pathlib import Path

from jp_tui.conversation import model as m
from jp_tui.conversation.strict_json import Json, JsonObject
from jp_tui.tools.agents import updates as u
from jp_tui.tools.agents.actions import AgentAction
from jp_tui.tools.agents.connection import AgentConnection, AgentDone, AgentProblem, AgentProgram

PLAN = "update_plan"
"""Our own tool that shows a plan."""
_REASONS: dict[str, m.StopReason] = {"max_tokens": "length", "refusal": "refused", "max_turn_requests": "length"}


class AgentProvider:
    """See `providers.port.Provider`. `connections` holds the agents of all conversations, for their calls."""

    greeting = None
    sample: Path | None = None
    titles = False
    reviews: Callable[[tuple[m.Message, ...]], frozenset[str]] | None = None

    def __init__(self, program: AgentProgram, folder: str, connections: MutableMapping[str, AgentConnection]) -> None:
        self._program, self._folder, self._connections = program, folder, connections
        self._mine: dict[str, AgentConnection] = {}

    async def models(self) -> tuple[()]:
        """Return nothing: an agent has its own list."""
        return ()

    async def close(self) -> None:
        """End the agents."""
        for conversation, connection in list(self._mine.items()):
            if self._connections.get(conversation) is connection:
                del self._connections[conversation]
            await connection.close()
        self._mine.clear()

    def turn_over(self, conversation: str) -> None:
        """Stop what the agent still does: the turn has ended here."""
        if (connection := self._mine.get(conversation)) is not None and connection.prompting:
            connection.cancel()

    async def stream(self, request: m.ModelRequest) -> AsyncIterator[m.Delta]:
        """Yield what the agent says and does, up to its next calls. Raises ModelError."""
        name = self._program.name
        other = request.tool_choice == "none" or request.output is not None or bool(request.inquiry)
        if other or not request.conversation:
            raise m.ModelError("bad_request", f"{name} is an agent: it holds conversations, and nothing else.")
        try:
            connection = await self._connected(request)
        except AgentProblem as problem:
            advice = f"Check [agents.{name}] and that its program works in a terminal."
            raise m.ModelError("unreachable", str(problem), advice, detail=problem.detail) from problem
        reply = _Reply(connection, PLAN in {tool.name for tool in request.tools})
        done = False
        try:
            async for delta in reply.deltas():
                done = done or isinstance(delta, m.Finished)
                yield delta
        finally:
            if not done and connection.prompting:
                connection.cancel()

    async def _connected(self, request: m.ModelRequest) -> AgentConnection:
        """Return the agent of the conversation, with its prompt running. Raises AgentProblem and ModelError."""
        blocks, continues = _said(request.messages)
        connection = self._mine.get(request.conversation)
        if not continues:
            connection = await self._taken_over(request.conversation, connection)
        if continues and connection is not None and (connection.prompting or connection.items):
            _reject_skipped(connection, request.messages)
            return connection
        if continues:
            raise m.ModelError("cut", f"{self._program.name} was stopped in the middle of its work.", "Send a message.")
        if connection is not None and connection.prompting:
            connection.cancel()
            while connection.prompting:
                await connection.changed()
        if connection is None or not connection.alive:
            if connection is not None:
                await connection.close()
            earlier = _session(request.messages, self._program.name)
            connection = AgentConnection(self._program, self._folder)
            self._mine[request.conversation] = self._connections[request.conversation] = connection
            await connection.start(earlier)
            if not earlier and any(one.role == "assistant" for one in request.messages):
                connection.note = f"{self._program.name} doesn't know the earlier messages of this conversation."
        connection.forget()
        _own_commands(blocks, self._program.name)
        connection.prompt([one for one in blocks if connection.images or not _is_image(one)])
        return connection

    async def _taken_over(self, conversation: str, connection: AgentConnection | None) -> AgentConnection | None:
        """Return the agent that holds the conversation, with this model and mode. Raises AgentProblem."""
        other = self._connections.get(conversation)
        if other is not None and other.alive and other.program.command == self._program.command:
            connection = self._mine[conversation] = other
        if connection is not None and connection.alive:
            await connection.turn_to(self._program)
        return connection


class _Reply:
    """One response: parts of text, then calls, then its end."""

    def __init__(self, connection: AgentConnection, plans: bool) -> None:
        self._connection, self._plans = connection, plans
        self._index = -1
        self._kind: m.PartKind | None = None

    async def deltas(self) -> AsyncIterator[m.Delta]:
        """Yield them as they come. Raises ModelError."""
        connection = self._connection
        if connection.note:
            for delta in self._text("reasoning", connection.note):
                yield delta
            connection.note = ""
        called: bool | None = None
        while True:
            while not connection.items and called is None:
                await connection.changed()
            if called is not None and not self._joins(called):
                yield m.Finished("tools")
                return
            item = connection.items.popleft()
            match item:
                case u.AgentText(kind=kind, text=text):
                    for delta in self._text(kind, text):
                        yield delta
                case u.AgentWork():
                    called = item.request is not None
                    for delta in self._work(item):
                        yield delta
                case AgentAction():
                    item.passed = True
                    for delta in self._call(item.call, f"{connection.program.name}.{item.kind}", item.arguments):
                        yield delta
                    yield m.Finished("tools")
                    return
                case u.AgentPlan(steps=steps):
                    if self._plans:
                        called = False
                        for delta in self._call("", PLAN, {"plan": list[Json](steps)}):
                            yield delta
                case AgentDone():
                    for delta in self._end():
                        yield delta
                    yield m.Finished(_REASONS.get(item.reason, "end"), m.Usage(item.input, item.output))
                    return
                case AgentProblem():
                    raise m.ModelError("cut", str(item), "Send the message again.", detail=item.detail)

    def _joins(self, asks: bool) -> bool:
        """True if the next item is a call for the same response: those that ask are decided before any of them runs, so
        that the others don't wait with them."""
        items = self._connection.items
        return bool(items) and isinstance(item := items[0], u.AgentWork) and (item.request is not None) == asks

    def _text(self, kind: m.PartKind, text: str) -> list[m.Delta]:
        found: list[m.Delta] = []
        if self._kind != kind:
            found += self._end()
            self._index += 1
            self._kind = kind
            found.append(m.PartOpened(self._index, kind))
        return [*found, m.PartGrew(self._index, text)]

    def _end(self) -> list[m.Delta]:
        if self._kind is None:
            return []
        self._kind = None
        return [m.PartEnded(self._index, opaque=self._opaque)]

    @property
    def _opaque(self) -> JsonObject:
        return {"agent": self._connection.program.name, "session": self._connection.session}

    def _work(self, work: u.AgentWork) -> list[m.Delta]:
        work.passed, work.asked = True, work.request is not None
        return self._call(work.call, f"{self._connection.program.name}.{work.kind}", work.arguments())

    def _call(self, id_: str, name: str, arguments: JsonObject) -> list[m.Delta]:
        found = self._end()
        self._index += 1
        return [
            *found,
            m.PartOpened(self._index, "tool", id_, name),
            m.PartGrew(self._index, json.dumps(arguments, ensure_ascii=False)),
            m.PartEnded(self._index, arguments, self._opaque),
        ]


def _reject_skipped(connection: AgentConnection, messages: tuple[m.Message, ...]) -> None:
    """Say no to what was asked for and did not run here: it was refused, or its turn never came."""
    said = {part.id: part.content for one in messages[-1:] for part in one.parts if isinstance(part, m.Result)}
    for action in connection.actions:
        if action.passed and action.task is None:
            connection.actions.refuse(action, said.get(action.call) or "It was not permitted.")
    for work in connection.works.values():
        if work.passed and work.request is not None:
            connection.choose(work, work.request.one("reject_once"))


def _said(messages: tuple[m.Message, ...]) -> tuple[list[Json], bool]:
    """Return the user's last message as content blocks, and True if the turn goes on instead, after results."""
    found: list[Json] = []
    for message in reversed(messages):
        if message.role == "assistant":
            break
        blocks: list[Json] = []
        for part in message.parts:
            if isinstance(part, m.TextPart) and part.text.strip():
                blocks.append({"type": "text", "text": part.text})
            elif isinstance(part, m.Picture):
                blocks.append({"type": "image", "mimeType": part.media, "data": part.data})
        found = blocks + found
    return found, not found


def _own_commands(blocks: list[Json], name: str) -> None:
    """Send `/NAME:command` as the agent knows it."""
    for one in blocks:
        if isinstance(one, dict) and isinstance(text := one.get("text"), str) and text.startswith(f"/{name}:"):
            one["text"] = f"/{text[len(name) + 2 :]}"


def _session(messages: tuple[m.Message, ...], name: str) -> str:
    """Return the agent's session that the conversation was held in last; empty if there was none."""
    for message in reversed(messages):
        for part in reversed(message.parts):
            opaque = getattr(part, "opaque", None)
            if isinstance(opaque, dict) and opaque.get("agent") == name and isinstance(opaque.get("session"), str):
                return str(opaque["session"])
    return ""


def _is_image(block: Json) -> bool:
    return isinstance(block, dict) and block.get("type") == "image"
