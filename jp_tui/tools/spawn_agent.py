"""`spawn_agent`: a task for a sub-agent, which works in its own conversation (surface.md S40, inquiries.md 13.2).

It parses its arguments and passes the task on (`port.Spawner`); its result is the sub-agent's last message. The engine
decides who may be spawned and with what.
"""

from __future__ import annotations

from jp_tui.conversation.events import SourceKind
from jp_tui.conversation.outcomes import Failure
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.conversation.text import first_line
from jp_tui.tools.files.workspace import CallArguments, ToolRefusal
from jp_tui.tools.port import Outcome, Spawn, ToolCall

_LINE = 200
_NAME = 60


class SpawnAgent:
    """The tool; see `jp_tui.tools.port.Tool` and `Spawns`."""

    spawns = True

    @property
    def source(self) -> SourceKind:
        return "tool"

    def title(self, arguments: JsonObject) -> str:
        """Return the agent's name, else the first line of its task."""
        name, task = arguments.get("name"), arguments.get("task")
        named = first_line(name) if isinstance(name, str) else ""
        return (named or (first_line(task) if isinstance(task, str) else ""))[:_LINE]

    async def run(self, call: ToolCall) -> Outcome:
        arguments = CallArguments("spawn_agent", call.arguments, frozenset({"task", "name", "model", "tools"}))
        task = arguments.text("task", required=True)
        name, model = arguments.text("name").strip(), arguments.text("model").strip()
        tools = arguments.texts("tools")
        if task and not task.strip():
            arguments.problem("`task` must say what to do.")
        if len(name) > _NAME or len(name.splitlines()) > 1:
            arguments.problem(f"`name` must be one line of at most {_NAME} characters.")
        try:
            arguments.check()
        except ToolRefusal as problem:
            return Failure(str(problem))
        if call.spawn is None:
            return Failure("A sub-agent cannot be started here: sub-agents do not start others.")
        chosen = None if call.arguments.get("tools") is None else tuple(dict.fromkeys(tools))
        return await call.spawn(Spawn(task, name, model, chosen))
