"""The page of MCP servers, see `ui/pages.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jp_tui.ui.pages import Host
    from jp_tui.ui.screens.mcp.page import McpPage


def open_page(host: Host, _: str) -> McpPage:
    """See `ui/pages.py`."""
    from jp_tui.ui.screens.mcp.page import McpPage

    return McpPage(host)
