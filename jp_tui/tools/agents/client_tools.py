"""Our tools for what an agent asks us to do: read a file, write one, run a command (N43), ask a person (N42).

The first three are the file tools and the runner of models, with the agent's own form of arguments and replies:
workspace only, ignore lists, secrets unread, diffs, backups, the sandbox and its question are theirs.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import ClassVar, Protocol

from jp_tui.conversation.events import SourceKind
from jp_tui.conversation.outcomes import Failure, Success
from jp_tui.conversation.strict_json import Json, JsonObject
from jp_tui.conversation.text import first_line
from jp_tui.questions.types import GivenAnswer, Question
from jp_tui.questions.wire import digest
from jp_tui.system.files import FileProblem, Root
from jp_tui.system.problem import display_path
from jp_tui.tools.agents.actions import AgentAction
from jp_tui.tools.agents.connection import GONE, NO_EDIT, RUNS_ON, AgentConnection
from jp_tui.tools.agents.late import READ, WRITE
from jp_tui.tools.agents.updates import AgentDiff
from jp_tui.tools.files.difference import lines_of
from jp_tui.tools.files.workspace import CallArguments, FileTool, ToolRefusal
from jp_tui.tools.fs_create_file import CreateFile
from jp_tui.tools.fs_read_file import piece, readable
from jp_tui.tools.port import NeedsInput, Outcome, ToolCall
from jp_tui.tools.shell_run import ShellRun

_MOST = 1 << 31
_MOST_FILE = 1 << 23
_YES = GivenAnswer(True, "", unseen=True)
_REPLACES = "overwrite_file"
"""An agent always writes whole files: that one exists is asked about with its change."""
_CHANGES = "apply_changes"


class _AgentFile:
    """Shared part of reading and writing; see `tools.port.Tool`."""

    source: SourceKind = "tool"
    by_agent = True

    def __init__(self, agent: str, connections: Mapping[str, AgentConnection]) -> None:
        self._agent, self._connections = agent, connections

    def title(self, arguments: JsonObject) -> str:
        """Return the file."""
        path = arguments.get("path")
        return path[:200] if isinstance(path, str) else ""

    async def run(self, call: ToolCall) -> Outcome:
        """Do it, and tell the agent."""
        return await carry_out(self._connections.get(call.conversation), call)


class AgentReadsFile(_AgentFile):
    """`NAME.read_text_file`."""


class AgentWritesFile(_AgentFile):
    """`NAME.write_text_file`."""

    applies = True


class Elicits(Protocol):
    """Requests of forms as questions, and answers as what the protocol wants: those of MCP, whose form it is."""

    def asks(self, method: str, params: Mapping[str, Json], *, host: str) -> Question | Unasked: ...
    def accepted(self, question: Question, value: Json) -> JsonObject: ...


class Unasked(Protocol):
    """A request that is answered without a person, and why."""

    @property
    def action(self) -> str: ...
    @property
    def words(self) -> str: ...


class AgentAsks:
    """`NAME.ask`: a form of the agent, or a page to open, as a question (N42). `opens` opens an address in the user's
    browser."""

    source: SourceKind = "tool"
    by_agent = True

    def __init__(
        self,
        agent: str,
        connections: Mapping[str, AgentConnection],
        elicits: Elicits,
        opens: Callable[[str], None],
    ) -> None:
        self._agent, self._connections, self._elicits, self._opens = agent, connections, elicits, opens

    def title(self, arguments: JsonObject) -> str:
        """Return the message's first line."""
        message = arguments.get("message")
        return first_line(message)[:200] if isinstance(message, str) else ""

    async def run(self, call: ToolCall) -> Outcome:
        """Ask, and give the agent the answer; a no declines."""
        connection = self._connections.get(call.conversation)
        action = connection.actions.of(call.id) if connection is not None else None
        if connection is None or action is None or not action.open:
            return Failure(GONE)
        call.cancel.then(connection.cancel)
        if call.ended:
            end = "decline" if call.ended == "decline" else "cancel"
            connection.actions.done(action, {"action": end})
            return Success(f"No answer: {end}.")
        silent: JsonObject = {"message": f"{self._agent} sent no message."}
        made = self._elicits.asks("elicitation/create", {**silent, **action.arguments}, host="")
        if not isinstance(made, Question):
            connection.actions.done(action, {"action": made.action})
            return Failure(f"Not asked: {made.words}.")
        given = call.answers.get(made.id)
        if given is None or given.digest != digest(made):
            return NeedsInput(made)
        result = self._elicits.accepted(made, given.value)
        connection.actions.done(action, result)
        if result["action"] == "accept" and isinstance(url := action.arguments.get("url"), str):
            self._opens(url)
        return Success("Answered." if result["action"] == "accept" else "No answer: decline.")


class AgentRuns:
    """`NAME.terminal`; see `tools.port.Tool`, `Formats` and `commands`."""

    source: SourceKind = "tool"
    by_agent = True
    commands = True

    def __init__(self, agent: str, connections: Mapping[str, AgentConnection]) -> None:
        self._agent, self._connections = agent, connections
        self._shell = ShellRun()

    def title(self, arguments: JsonObject) -> str:
        """Return the command's first line."""
        return self._shell.title(arguments)

    async def render(self, call: ToolCall) -> str:
        """Return everything needed to decide about the run."""
        return await self._shell.render(call)

    async def walls(self, call: ToolCall) -> tuple[bool, bool]:
        """Return whether a sandbox works here for this call, and whether the network is open in it."""
        return await self._shell.walls(call)

    def observed(self, conversation: str, call: str) -> bool:
        """True for a command that was permitted before and goes on."""
        connection = self._connections.get(conversation)
        action = connection.actions.of(call) if connection is not None else None
        return action is not None and action.begun

    async def run(self, call: ToolCall) -> Outcome:
        """Run it, and follow it to its end."""
        return await carry_out(self._connections.get(call.conversation), call)


async def carry_out(connection: AgentConnection | None, call: ToolCall) -> Outcome:
    """Do what the agent asked for with this call."""
    action = connection.actions.of(call.id) if connection is not None else None
    if connection is None or action is None or not (action.open or action.begun):
        return Failure(GONE)
    call.cancel.then(connection.cancel)
    if call.arguments != action.arguments:
        connection.actions.refuse(action, NO_EDIT)
        return Failure(NO_EDIT)
    outcome = await perform(connection, action, call)
    if isinstance(outcome, Failure):
        notes = [f"The user says: {one.note}" for one in call.answers.values() if one.note]
        connection.actions.refuse(action, "\n\n".join([outcome.for_model(), *notes]))
    return outcome


async def perform(
    connection: AgentConnection, action: AgentAction, call: ToolCall, shown: AgentDiff | None = None
) -> Outcome:
    """Do it as our tools do. What an approved request showed of a file isn't asked again."""
    call = replace(call, arguments=action.arguments)
    if action.kind == READ:
        reads = _Reads()
        outcome = await reads.run(call)
        if isinstance(outcome, Success):
            connection.actions.done(action, {"content": reads.text})
        return outcome
    if action.kind == WRITE:
        answers = {**call.answers, _REPLACES: _YES, **({_CHANGES: _YES} if _as_told(call, shown) else {})}
        outcome = await CreateFile().run(replace(call, answers=answers))
        if isinstance(outcome, Success):
            if _holds(call, action):
                connection.actions.done(action, {})
            else:
                connection.actions.refuse(action, outcome.content)
        return outcome
    start(connection, action, call)
    return await _followed(connection, action)


def start(connection: AgentConnection, action: AgentAction, call: ToolCall) -> None:
    """Start the command, unless it runs."""
    if action.task is not None:
        return
    terminal = connection.actions.opened(action)

    def said(line: str) -> None:
        if not action.released:
            call.progress(line)

    given = replace(call, arguments=action.arguments, cancel=terminal.cancel, progress=said)
    call.cancel.then(terminal.cancel_now)
    action.task = asyncio.get_running_loop().create_task(ShellRun().watched(given, terminal))
    action.task.add_done_callback(lambda _: connection.command_ended(action))


async def _followed(connection: AgentConnection, action: AgentAction) -> Outcome:
    """Follow a command to its end, or until the agent needs something else."""
    task = action.task
    assert task is not None, "it was started"
    while not task.done():
        if not connection.prompting and action.terminal is not None:
            action.terminal.cancel_now()
        elif connection.waits_behind(action):
            action.released = True
            return Success(RUNS_ON)
        await connection.changed()
    outcome = task.result()
    if isinstance(outcome, NeedsInput):
        action.task = None
    return outcome


class _Reads(FileTool):
    """One reading; `text` is for the agent, the result for the log."""

    name: ClassVar[str] = "read_text_file"
    keys: ClassVar[frozenset[str]] = frozenset({"path", "line", "limit"})

    def __init__(self) -> None:
        self.text = ""

    async def work(self, call: ToolCall, arguments: CallArguments, root: Root) -> Outcome:
        path = arguments.text("path", required=True)
        first = arguments.number("line", 1, _MOST, 1)
        count = arguments.number("limit", 1, _MOST, _MOST)
        arguments.check()
        found = readable(call, root, path)
        shown = piece(found, first, first + count - 1)
        try:
            text = found.data.decode()
        except UnicodeDecodeError:
            raise ToolRefusal(f"{display_path(found.real)} is not UTF-8 text.") from None
        self.text = "".join(lines_of(text)[first - 1 : first - 1 + count])
        return Success(shown)


def _as_told(call: ToolCall, change: AgentDiff | None) -> bool:
    """Return True if the file has what the agent said that it has: else another change would be made than was shown."""
    if change is None:
        return False
    try:
        with Root(call.root) as root:
            return root.read(change.path, _MOST_FILE).data == (change.old or "").encode("utf-8", "surrogatepass")
    except FileProblem as problem:
        return problem.kind == "not_found" and not change.old


def _holds(call: ToolCall, action: AgentAction) -> bool:
    """True if the file is now what the agent wrote: not if only a part of it was accepted."""
    path, content = action.arguments["path"], action.arguments["content"]
    try:
        with Root(call.root) as root:
            return isinstance(content, str) and root.read(str(path), _MOST_FILE).data == content.encode()
    except FileProblem:
        return False
