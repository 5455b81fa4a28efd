"""What makes a conversation a sub-agent's (inquiries.md 13.2): whose it is, where it works, where its questions go, and
which of its parent's tools it has. Values; who runs it is `agents.py`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from jp_tui.conversation.strict_json import JsonObject
from jp_tui.engine.asking.subagent_relay import ParentPort
from jp_tui.engine.base.dependencies import EngineDependencies, ModelSetup, ToolSetup
from jp_tui.engine.record import subagent_events
from jp_tui.engine.record.secret_redaction import Secrets
from jp_tui.protocol.values import AgentInfo
from jp_tui.tools.port import spawns

Names = Collection[str] | None


@dataclass(frozen=True, slots=True)
class SubagentContext:
    """A conversation that works for another one. `root` is the folder of the parent's turn, `handler` its side of the
    questions; `tools` are the names of those it was given, None for all."""

    agent: AgentInfo
    root: Path
    handler: ParentPort
    tools: tuple[str, ...] | None = None

    def metadata(self) -> JsonObject:
        """What the beginning of its turn says of it."""
        about = subagent_events.written(self.agent)
        return {subagent_events.AGENT: about if self.tools is None else {**about, "tools": list(self.tools)}}


@dataclass(frozen=True, slots=True)
class SubagentTask:
    """A task for a sub-agent that is to run now. `setup` is its own; `secrets` are its parent's: neither may show what
    the other was told (R202); `leaves` says whether its parent is being left to be taken up again, or ended."""

    child: SubagentContext
    task: str
    setup: EngineDependencies
    model: ModelSetup
    secrets: Secrets
    leaves: Callable[[], bool]


def tools_of(tools: Mapping[str, ToolSetup], names: Names = None) -> dict[str, ToolSetup]:
    """The tools of its parent that a sub-agent has: those that are named, and none that starts sub-agents (R224)."""
    return {name: setup for name, setup in tools.items() if not spawns(setup.tool) and (names is None or name in names)}


def setup_of(parent: EngineDependencies, names: Names, delta: JsonObject) -> EngineDependencies:
    """A sub-agent's setup: its parent's, with its own tools, also when the settings are read anew. `delta` is what the
    parent's conversation changes of them (R67)."""

    def reload(deltas: Sequence[JsonObject]) -> Mapping[str, ToolSetup]:
        return tools_of(parent.reload_tools(deltas), names)

    return replace(
        parent,
        tools=tools_of(parent.tools, names),
        reload_tools=reload,
        tool_choice="none" if parent.tool_choice == "none" else "auto",
        config_delta=delta,
    )
