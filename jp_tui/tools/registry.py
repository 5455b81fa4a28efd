"""Executors: built-in tools by their configuration key (inquiries.md R63), local ones by their command.

The module of a built-in is imported on first use. It has names and modules only; text for the model is in the
configuration. The engine reports unknown keys.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING

from jp_tui.conversation.events import SourceKind
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.tools.documentation import NOTHING, Documentation
from jp_tui.tools.port import Corrects, Outcome, Tool, ToolCall

if TYPE_CHECKING:
    from jp_tui.conversation.strict_json_faults import Misread
    from jp_tui.tools.local.spec import LocalSpec

_MODULES: Mapping[str, tuple[str, str, SourceKind]] = {
    "ask_user": ("ask_user", "AskUser", "assistant"),
    "read_history": ("read_history", "HistoryTool", "tool"),
    "fs_list_files": ("fs_list_files", "ListFiles", "tool"),
    "fs_read_file": ("fs_read_file", "ReadFile", "tool"),
    "fs_grep_files": ("fs_grep_files", "GrepFiles", "tool"),
    "fs_create_file": ("fs_create_file", "CreateFile", "tool"),
    "fs_modify_file": ("fs_modify_file", "ModifyFile", "tool"),
    "fs_move_file": ("fs_move_file", "MoveFile", "tool"),
    "fs_delete_file": ("fs_delete_file", "DeleteFile", "tool"),
    "update_plan": ("update_plan", "UpdatePlan", "tool"),
}
_APPLIES = frozenset({"fs_create_file", "fs_modify_file"})
"""Those that ask `apply_changes`."""


class Lazy:
    """Tool whose module is imported on first use."""

    def __init__(
        self,
        load: Callable[[], Tool],
        source: SourceKind,
        *,
        spawns: bool = False,
        submits: bool = False,
        applies: bool = False,
        loads_skills: bool = False,
    ) -> None:
        self._load, self._source = load, source
        self.spawns, self.submits, self.applies, self.loads_skills = spawns, submits, applies, loads_skills
        self._tool: Tool | None = None

    @property
    def source(self) -> SourceKind:
        return self._source

    def title(self, arguments: JsonObject) -> str:
        return self._loaded().title(arguments)

    async def run(self, call: ToolCall) -> Outcome:
        return await self._loaded().run(call)

    def misread(self, name: str, found: Misread) -> str | None:
        tool = self._loaded()
        return tool.misread(name, found) if isinstance(tool, Corrects) else None

    def _loaded(self) -> Tool:
        if self._tool is None:
            self._tool = self._load()
        return self._tool


class SelfFormattingTool(Lazy):
    """Tool that formats its own arguments, as `port.Formats` (R90); `commands` as there."""

    commands = True

    async def render(self, call: ToolCall) -> str:
        tool = self._loaded()
        shown: str = await tool.render(call)  # type: ignore[attr-defined]  # whoever stands here has it
        return shown

    async def walls(self, call: ToolCall) -> tuple[bool, bool]:
        """Return whether there is a sandbox for this call, and whether the network is open in it."""
        sandboxed, network = await self._loaded().walls(call)  # type: ignore[attr-defined]  # as above
        return sandboxed, network


def builtin(documentation: Documentation = NOTHING) -> dict[str, Tool]:
    """Return every built-in tool by its configuration key. `documentation` of this conversation's tools is for the one
    that serves it (R81)."""
    made: dict[str, Tool] = {
        key: Lazy(_from(module, name), source, applies=key in _APPLIES)
        for key, (module, name, source) in _MODULES.items()
    }
    made["submit_plan"] = Lazy(_from("submit_plan", "SubmitPlan"), "tool", submits=True)
    made["skill"] = Lazy(_from("skill", "SkillTool"), "tool", loads_skills=True)
    made["describe_tools"] = Lazy(_from("describe_tools", "DescribeTools", documentation), "tool")
    made["spawn_agent"] = Lazy(_from("spawn_agent", "SpawnAgent"), "tool", spawns=True)
    made["shell_run"] = SelfFormattingTool(_from("shell_run", "ShellRun"), "tool")
    return made


def local(spec: LocalSpec) -> Tool:
    """Return a local tool (R83). It also has `render` of `port.Formats` if a command formats its arguments (R90)."""
    from jp_tui.tools.local.tool import FormattedTool, LocalTool

    return LocalTool(spec) if spec.format_command is None else FormattedTool(spec, spec.format_command)


def _from(module: str, name: str, *given: object) -> Callable[[], Tool]:
    def load() -> Tool:
        made: Tool = getattr(import_module(f"jp_tui.tools.{module}"), name)(*given)
        return made

    return load
