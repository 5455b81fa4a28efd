"""The page of a login at an MCP server (mcp.md P60): its address whole, its host, warnings. Only the user opens it."""

from __future__ import annotations

from collections.abc import Callable

from textual.app import ComposeResult
from textual.binding import Binding
from textual.screen import ModalScreen
from textual.widgets import Static

from jp_tui.conversation.text import Foreign
from jp_tui.protocol.mcp import McpLogin
from jp_tui.ui.text import foreign, join, ours
from jp_tui.ui.widgets.page_box import TextBox
from jp_tui.view.pages import mcp as say

_WHOLE = 20_000


class LoginScreen(ModalScreen[bool], inherit_bindings=False):
    """Waits for a login. Returns False if the user stops it, True if it is over."""

    BINDINGS = [
        Binding("enter,o", "browse", "open in browser", id="mcp.browse", tooltip="Open this page in your browser"),
        Binding("c", "copy", "copy", id="mcp.copy", tooltip="Copy the address"),
        Binding("escape,q", "dismiss(False)", "stop", id="mcp.stop", tooltip="Stop the login"),
        Binding("pagedown,down,j", "scroll(3)", "down", show=False, id="mcp.login_down", tooltip="Scroll down"),
        Binding("pageup,up,k", "scroll(-3)", "up", show=False, id="mcp.login_up", tooltip="Scroll up"),
    ]
    DEFAULT_CSS = "LoginScreen { align: center middle; background: $background 60%; }"

    def __init__(self, page: McpLogin, opens: Callable[[], None], copies: Callable[[str, str], None]) -> None:
        super().__init__()
        self._page, self._opens, self._copies = page, opens, copies

    def compose(self) -> ComposeResult:
        notes = [foreign(one, mode="line", limit=400) for one in self._page.notes]
        yield TextBox(
            ours(say.LOGIN_TITLE, what=foreign(Foreign(self._page.server), mode="line", limit=40)),
            Static(ours(say.LOGIN_ASKS)),
            Static(foreign(self._page.url, mode="approval", style="bold", limit=_WHOLE), id="address"),
            Static(join(*notes, sep=ours("\n"))),
            Static(ours(say.LOGIN_WAITS), id="state"),
        )

    def action_browse(self) -> None:
        self._opens()
        self.query_one("#state", Static).update(ours(say.LOGIN_OPENED))

    def action_copy(self) -> None:
        self._copies(self._page.url.raw, "the address")

    def action_scroll(self, rows: int) -> None:
        self.query_one(TextBox).scroll_by(rows)
