"""The built-in tools by their configuration key (inquiries.md R63); each module is loaded when its tool first runs.

Holds names and modules, nothing else: what a model reads about a tool stands in `config/tools.toml`. A key that is
not here is no built-in; what to say then is the engine's business.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

from jp_tui.conversation.events import SourceKind
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.tools.port import Outcome, Tool, ToolCall

_MODULES: Mapping[str, tuple[str, str, SourceKind]] = {
    "ask_user": ("ask_user", "AskUser", "assistant"),
    "fs_list_files": ("fs_list_files", "ListFiles", "tool"),
    "fs_read_file": ("fs_read_file", "ReadFile", "tool"),
    "fs_grep_files": ("fs_grep_files", "GrepFiles", "tool"),
    "fs_create_file": ("fs_create_file", "CreateFile", "tool"),
    "fs_modify_file": ("fs_modify_file", "ModifyFile", "tool"),
    "fs_move_file": ("fs_move_file", "MoveFile", "tool"),
    "fs_delete_file": ("fs_delete_file", "DeleteFile", "tool"),
}


class Lazy:
    """A tool whose module is imported at its first use."""

    def __init__(self, module: str, name: str, source: SourceKind) -> None:
        self._module, self._name, self._source = module, name, source
        self._tool: Tool | None = None

    @property
    def source(self) -> SourceKind:
        return self._source

    def title(self, arguments: JsonObject) -> str:
        return self._loaded().title(arguments)

    async def run(self, call: ToolCall) -> Outcome:
        return await self._loaded().run(call)

    def _loaded(self) -> Tool:
        if self._tool is None:
            made: Tool = getattr(import_module(f"jp_tui.tools.{self._module}"), self._name)()
            self._tool = made
        return self._tool


def builtin() -> dict[str, Tool]:
    """Every built-in tool by its configuration key."""
    return {key: Lazy(*where) for key, where in _MODULES.items()}
