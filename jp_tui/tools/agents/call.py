"""A call that an agent makes: permitted here where the agent asks, then followed to its end (N41, N42).

The agent runs it itself, outside our sandbox. Each kind of call is a tool, `NAME.KIND`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from jp_tui.conversation.events import SourceKind
from jp_tui.conversation.outcomes import Failure, Success
from jp_tui.conversation.strict_json import JsonObject, dump
from jp_tui.questions.options import Option
from jp_tui.questions.types import Question, SelectAnswer
from jp_tui.tools.agents.actions import AgentAction
from jp_tui.tools.agents.client_tools import perform, start
from jp_tui.tools.agents.connection import CHANGED, GONE, NO_EDIT, RUNS_ON, AgentConnection
from jp_tui.tools.agents.late import TERMINAL
from jp_tui.tools.agents.updates import AgentRequest, AgentWork
from jp_tui.tools.port import NeedsInput, Outcome, ToolCall

ASKS = "The agent asks before it goes on."
_TITLES = ("command", "path", "file_path", "filePath", "url", "query", "pattern", "title", "description")


class AgentCall:
    """See `tools.port.Tool`. `connections` are the agents by conversation."""

    source: SourceKind = "tool"
    by_agent = True
    reasonless = True

    def __init__(self, agent: str, connections: Mapping[str, AgentConnection]) -> None:
        self._agent, self._connections = agent, connections

    def title(self, arguments: JsonObject) -> str:
        """Return the call's subject."""
        for name in _TITLES:
            value = arguments.get(name)
            if isinstance(value, str) and value.strip():
                return value.strip().partition("\n")[0]
        return ""

    def observed(self, conversation: str, call: str) -> bool:
        """True for a call that the agent makes without asking: there is nothing to permit."""
        work = self._work(conversation, call)[1]
        return work is not None and not work.asked

    async def render(self, call: ToolCall) -> str:
        """Return what a yes allows: who runs it, and its changes or arguments."""
        work = self._work(call.conversation, call.id)[1]
        changes = work.changes(str(call.root)) if work is not None else ""
        said = f"```diff\n{changes}```" if changes else _arguments(call.arguments)
        return f"{self._agent} runs this itself, outside the sandbox.\n\n{said}"

    async def run(self, call: ToolCall) -> Outcome:
        """Say yes to the agent, if it asked, and wait for the end of the call."""
        connection, work = self._work(call.conversation, call.id)
        if connection is None or work is None:
            return Failure(GONE)
        call.cancel.then(connection.cancel)
        if call.arguments != work.arguments() or (work.request is not None and work.changed(connection.folder)):
            if work.request is not None:
                connection.choose(work, work.request.one("reject_once"))
            return Failure(CHANGED if work.changed(connection.folder) else NO_EDIT)
        if work.call != call.id:
            return Success(ASKS)
        if work.asked and work.request is not None:
            if not (option := work.request.one("allow_once")):
                chosen = _selected(work.request, call)
                if isinstance(chosen, NeedsInput):
                    return chosen
                option = chosen
            connection.choose(work, option)
        mine: list[AgentAction] = []
        try:
            if (early := await self._followed(connection, work, call, mine)) is not None:
                return early
        finally:
            for action in mine:
                if action.task is not None and not action.task.done():
                    connection.goes_on(action)
        result = work.result(str(call.root)) or connection.actions.output(work.content)
        return Failure(result or "The agent reports a failure.") if work.status == "failed" else Success(result)

    async def _followed(
        self, connection: AgentConnection, work: AgentWork, call: ToolCall, mine: list[AgentAction]
    ) -> Outcome | None:
        """Follow a call of the agent to its end, and do for it what its approved request showed; `mine` are its
        commands. Return how its call here ends before that."""
        while not work.over:
            if work.call != call.id:
                return Success(ASKS)
            if not connection.alive:
                return Failure(f"{self._agent} ended before this call did.")
            if (action := connection.take_shown(work)) is not None:
                if action.kind == TERMINAL:
                    work.ran = True
                    start(connection, action, replace(call, leave=True))
                    mine.append(action)
                elif isinstance(done := await perform(connection, action, call, action.change(work)), NeedsInput):
                    connection.returned(action)
                elif isinstance(done, Failure):
                    connection.actions.refuse(action, done.for_model())
                continue
            if connection.waits_behind(work):
                work.released = True
                return Success(RUNS_ON)
            await connection.changed()
        return None

    def _work(self, conversation: str, call: str) -> tuple[AgentConnection | None, AgentWork | None]:
        connection = self._connections.get(conversation)
        return connection, connection.work(call) if connection is not None else None


def _selected(request: AgentRequest, call: ToolCall) -> str | NeedsInput:
    """Return the option that a person chose; the question without an answer. None stands for yes."""
    answer = call.answers.get("option")
    known = {option.name: option.id for option in request.options}
    if answer is not None and isinstance(answer.value, str) and answer.value in known:
        return known[answer.value]
    kind = SelectAnswer(tuple(Option(name) for name in known))
    shown = _arguments(call.arguments)
    return NeedsInput(Question("option", "What shall the agent do?", kind, shown, persistence="none", acts=True))


def _arguments(arguments: JsonObject) -> str:
    return "\n".join(f"{key}: {value if isinstance(value, str) else dump(value)}" for key, value in arguments.items())
