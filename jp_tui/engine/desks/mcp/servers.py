"""Service for MCP servers (mcp.md P14, P60): lists them, accepts and switches tools, restarts a server, logs in.

Only what was shown is accepted: each tool comes with its fingerprint. A switch is a setting in the user's file.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from jp_tui.conversation.strict_json import JsonObject
from jp_tui.conversation.text import Foreign
from jp_tui.engine.base.dependencies import McpAdmin
from jp_tui.engine.desks.port import Desk, DeskContext
from jp_tui.protocol.events import UserNotice
from jp_tui.protocol.mcp import (
    AcceptMcpTools,
    LogInToMcpServer,
    McpLogin,
    McpRead,
    OpenMcpLogin,
    ReadMcp,
    RestartMcpServer,
    StopMcpLogin,
    SwitchMcpTool,
)
from jp_tui.settings.schema.nodes import dotted

Done = Literal["", "accepted", "switched", "restarted", "logged_in"]


def desk(context: DeskContext) -> Desk:
    """Serves the servers of the settings."""
    servers = _Servers(context)
    return Desk(
        beside={
            ReadMcp: servers.read,
            AcceptMcpTools: servers.accept,
            SwitchMcpTool: servers.switch,
            RestartMcpServer: servers.restart,
            LogInToMcpServer: servers.log_in,
            OpenMcpLogin: servers.open_login,
            StopMcpLogin: servers.stop_login,
        }
    )


class _Servers:
    def __init__(self, context: DeskContext) -> None:
        self._context = context

    @property
    def _admin(self) -> McpAdmin:
        if self._context.setup.mcp is None:
            raise ValueError("MCP servers can't be used here.")
        return self._context.setup.mcp()

    async def read(self, command: ReadMcp) -> None:
        """Show what is known at once, and again when the servers that never ran are ready (P3)."""
        await self._publish(command.conversation)
        if (said := await self._admin.start()) is None:
            return
        for line in said:
            self._context.publish(UserNotice(message=line))
        await self._context.settings_changed()
        await self._publish(command.conversation)

    async def accept(self, command: AcceptMcpTools) -> None:
        self._admin.accept(command.server, command.tools)
        await self._context.settings_changed()
        names = ", ".join(tool for tool, _ in command.tools)
        await self._publish(command.conversation, "accepted", names)

    async def switch(self, command: SwitchMcpTool) -> None:
        shown = self._admin.read(await self._deltas(command.conversation))
        tool = next((one for server in shown.servers for one in server.tools if one.name == command.name), None)
        if tool is None:
            raise ValueError(f"There is no tool {command.name} any more.")
        if tool.locked:
            raise ValueError(f"{command.name} is locked by its setting enable.allow_toggle.")
        key = dotted(("conversation", "tools", command.name, "enable", "state"))
        self._context.setup.save_setting(key, command.on)
        await self._context.settings_changed()
        await self._publish(command.conversation, "switched", command.name)

    async def restart(self, command: RestartMcpServer) -> None:
        await self._admin.restart(command.server)
        await self._publish(command.conversation, "restarted", command.server)

    async def log_in(self, command: LogInToMcpServer) -> None:
        def shows(url: str, notes: Sequence[str]) -> None:
            self._context.publish(McpLogin(server=command.server, url=Foreign(url), notes=tuple(map(Foreign, notes))))

        said = await self._admin.log_in(command.server, shows)
        await self._context.settings_changed()
        await self._publish(command.conversation, "logged_in", said)

    async def open_login(self, command: OpenMcpLogin) -> None:
        self._admin.open_login(command.server)

    async def stop_login(self, command: StopMcpLogin) -> None:
        self._admin.stop_login(command.server)

    async def _publish(self, conversation: str, done: Done = "", changed: str = "") -> None:
        found: McpRead = self._admin.read(await self._deltas(conversation))
        self._context.publish(found.model_copy(update={"done": done, "changed": Foreign(changed)}))

    async def _deltas(self, conversation: str) -> Sequence[JsonObject]:
        session = self._context.sessions.get(conversation)
        return await session.log.deltas() if session is not None and session.log.exists else ()
