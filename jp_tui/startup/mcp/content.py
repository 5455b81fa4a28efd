"""Resources and prompts of the servers of a run (mcp.md P48): listed and read when the user names one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from jp_tui.engine.base.server_content import ContentArgument, ContentPrompt

if TYPE_CHECKING:
    from jp_tui.conversation.strict_json import JsonObject
    from jp_tui.startup.mcp.running import RunningServers


class RunningContent:
    """See `ServerContent`."""

    def __init__(self, running: RunningServers) -> None:
        self._running = running

    def names(self) -> Sequence[str]:
        if not self._running.settings.get("providers", "mcp"):
            return ()
        return self._running.servers().enabled

    def running(self, server: str) -> bool:
        return self._running.alive(server)

    async def resources(self, server: str) -> Sequence[str]:
        found = (await self._ask(server, {"do": "resources"})).get("resources")
        return [one["uri"] for one in _tables(found) if isinstance(one.get("uri"), str)]

    async def read(self, server: str, address: str) -> str:
        from jp_tui.mcp.results import cut_middle, resource_text

        found = _result(await self._ask(server, {"do": "read", "uri": address})).get("contents")
        text = "\n\n".join(resource_text(one) for one in _tables(found))
        return cut_middle(text, self._running.servers().server(server).max_result_bytes)

    async def prompts(self, server: str) -> Sequence[ContentPrompt]:
        found = (await self._ask(server, {"do": "prompts"})).get("prompts")
        return [_prompt(one) for one in _tables(found) if isinstance(one.get("name"), str)]

    async def fill(self, server: str, prompt: str, arguments: Mapping[str, str]) -> str:
        from jp_tui.mcp.results import block_text, cut_middle

        asked: JsonObject = {"do": "prompt", "name": prompt, "arguments": dict(arguments)}
        messages = _tables(_result(await self._ask(server, asked)).get("messages"))
        said = [(one.get("role"), one.get("content")) for one in messages]
        parts = [
            f"[assistant]\n{block_text(content)}" if role == "assistant" else block_text(content)
            for role, content in said
            if isinstance(content, dict)
        ]
        return cut_middle("\n\n".join(parts), self._running.servers().server(server).max_result_bytes)

    async def _ask(self, server: str, message: JsonObject) -> Mapping[str, Any]:
        """Raises ValueError."""
        from jp_tui.mcp.connection import McpProblem

        if server not in self.names():
            raise ValueError(f"No enabled MCP server is named {server}.")
        try:
            connection = await self._running.servers().connection(server)
            return await connection.ask(message)
        except McpProblem as problem:
            raise ValueError(f"{str(problem).rstrip('.')}.") from problem


def _result(reply: Mapping[str, Any]) -> Mapping[str, Any]:
    found = reply.get("result")
    return found if isinstance(found, dict) else {}


def _tables(found: object) -> list[dict[str, Any]]:
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _prompt(one: Mapping[str, Any]) -> ContentPrompt:
    given = [
        ContentArgument(each["name"], _text(each.get("description")), each.get("required") is True)
        for each in _tables(one.get("arguments"))
        if isinstance(each.get("name"), str)
    ]
    return ContentPrompt(one["name"], _text(one.get("description")) or _text(one.get("title")), tuple(given))


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
