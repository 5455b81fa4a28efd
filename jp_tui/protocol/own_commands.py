"""Own commands and skills, from files of the user and of the folder (context.md K50, K51)."""

from __future__ import annotations

from typing import Literal

from jp_tui.conversation.text import Foreign
from jp_tui.protocol.base import Model


class OwnCommand(Model):
    """`/NAME`, from one file. `hint` describes its arguments. `trusted`: it can be used; a folder's file can't before
    the user trusts it. A prompt, `/SERVER:NAME`, is an MCP server's (mcp.md P48)."""

    name: Foreign
    kind: Literal["command", "skill", "prompt"]
    path: Foreign
    description: Foreign = Foreign("")
    hint: Foreign = Foreign("")
    own: bool = True
    trusted: bool = True


class ReadOwnCommands(Model):
    """Answered by OwnCommandsRead, as the files are now, and by another one with the prompts of MCP servers that run,
    and of `server`."""

    type: Literal["read_own_commands"] = "read_own_commands"
    server: str = ""


class OwnCommandsRead(Model):
    """Those that have their name, without broken ones. Also sent before a conversation is opened."""

    type: Literal["own_commands_read"] = "own_commands_read"
    commands: tuple[OwnCommand, ...] = ()
