"""Context of a sub-agent's conversation (inquiries.md 13.2): its parent, its folder, the handler of its questions, and
its tools. Values; `session/subagents.py` runs it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from jp_tui.conversation.strict_json import JsonObject
from jp_tui.engine.asking.subagent_relay import SubagentRelay
from jp_tui.engine.base.dependencies import EngineDependencies, ModelSetup, ToolSetup
from jp_tui.engine.record import subagent_events
from jp_tui.engine.record.secret_redaction import Secrets
from jp_tui.protocol.values import AgentInfo
from jp_tui.tools.port import spawns

Names = Collection[str] | None


@dataclass(frozen=True, slots=True)
class SubagentContext:
    """Conversation that works for another one. `root` is the folder of the parent's turn, `handler` its side of the
    questions; `tools` are the given names, None for all."""

    agent: AgentInfo
    root: Path
    handler: SubagentRelay
    tools: tuple[str, ...] | None = None

    def metadata(self) -> JsonObject:
        """Return the metadata for the start of its turn."""
        about = subagent_events.written(self.agent)
        return {subagent_events.AGENT: about if self.tools is None else {**about, "tools": list(self.tools)}}


@dataclass(frozen=True, slots=True)
class SubagentTask:
    """Task for a sub-agent to run now. `setup` is its own; `secrets` are its parent's: neither may show what the other
    received (R202); `leaves` tells whether its parent stops to be resumed, or ends."""

    child: SubagentContext
    task: str
    setup: EngineDependencies
    model: ModelSetup
    secrets: Secrets
    leaves: Callable[[], bool]


def tools_of(tools: Mapping[str, ToolSetup], names: Names = None) -> dict[str, ToolSetup]:
    """Return the parent's tools that a sub-agent gets: the named ones, and none that starts sub-agents (R224)."""
    return {name: setup for name, setup in tools.items() if not spawns(setup.tool) and (names is None or name in names)}


def setup_of(
    parent: EngineDependencies, names: Names, delta: JsonObject, *, planning: bool = False
) -> EngineDependencies:
    """Return a sub-agent's dependencies: its parent's, with its own tools, also after settings are loaded again.
    `delta` are the settings changes of the parent's conversation (R67)."""

    def reload(deltas: Sequence[JsonObject]) -> Mapping[str, ToolSetup]:
        return reading(tools_of(parent.reload_tools(deltas), names))

    def reading(tools: dict[str, ToolSetup]) -> dict[str, ToolSetup]:
        """In plan mode only what reads (K41)."""
        return {name: one for name, one in tools.items() if one.read_only} if planning else tools

    return replace(
        parent,
        tools=reading(tools_of(parent.tools, names)),
        reload_tools=reload,
        tool_choice="none" if parent.tool_choice == "none" else "auto",
        config_delta=delta,
        plan=False,
    )
