"""Services of the engine.

Each is a module in this folder with a function `desk`; no other module names them. None appends to a conversation that
another process owns.
"""

from __future__ import annotations

from importlib import import_module

from jp_tui.engine.desks.port import Desk, DeskContext

DESKS = (
    "turns",
    "stored",
    "inquiries",
    "outside",
    "models",
    "settings",
    "message_queue",
    "files",
    "shell",
    "images",
    "trust",
    "rules",
    "mcp.servers",
    "mcp.content",
    "undo",
    "usage",
    "context",
    "conversations",
)


def desks(context: DeskContext) -> tuple[Desk, ...]:
    """Return all of them, ready for commands."""
    return tuple(import_module(f"{__package__}.{name}").desk(context) for name in DESKS)
