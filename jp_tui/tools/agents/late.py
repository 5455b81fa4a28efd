"""Tools of agents that are loaded with their first call: at a start they cost their names only (N40)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jp_tui.conversation.events import SourceKind
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.tools.port import Outcome, Tool, ToolCall

KINDS = ("read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other")
"""Kinds of calls: `NAME.KIND` is the name of a tool."""
READ, WRITE, TERMINAL, ASK = "read_text_file", "write_text_file", "terminal", "ask"
"""Kinds of what an agent asks us to do."""


class LateTool:
    """A tool that `load` makes. `more` are its methods beside those of `tools.port.Tool`; `facts` are what the engine
    asks of it before it is used."""

    source: SourceKind = "tool"
    by_agent = True

    def __init__(self, load: Callable[[], Tool], more: tuple[str, ...] = (), **facts: bool) -> None:
        self._load, self._more = load, more
        self._tool: Tool | None = None
        self.__dict__.update(facts)

    def title(self, arguments: JsonObject) -> str:
        return self._loaded().title(arguments)

    async def run(self, call: ToolCall) -> Outcome:
        return await self._loaded().run(call)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._more:
            raise AttributeError(name)
        return getattr(self._loaded(), name)

    def _loaded(self) -> Tool:
        if self._tool is None:
            self._tool = self._load()
        return self._tool
