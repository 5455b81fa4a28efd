"""MCP servers and their tools (mcp.md P14): state, switches, whole descriptions and schemas, what changed, the log.

It shows the engine's list. Accepting changes and restarting are confirmed by a second press; Enter shows all of a row.
"""

from __future__ import annotations

from textual.app import ComposeResult
from textual.binding import Binding
from textual.screen import ModalScreen
from textual.widgets import Static

from jp_tui.conversation.text import Foreign
from jp_tui.protocol import events as ev
from jp_tui.protocol.commands import (
    AcceptMcpTools,
    LogInToMcpServer,
    OpenMcpLogin,
    ReadMcp,
    RestartMcpServer,
    StopMcpLogin,
    SwitchMcpTool,
)
from jp_tui.protocol.mcp import McpLogin, McpRead
from jp_tui.ui.pages import Host
from jp_tui.ui.screens.listing import Item, Listing, Rows
from jp_tui.ui.screens.mcp.login import LoginScreen
from jp_tui.ui.screens.overlay import CommandWanted
from jp_tui.ui.text import blank, foreign, join, ours
from jp_tui.ui.widgets.page_box import TextBox
from jp_tui.view.pages import mcp as say

_QUIET = "$muted-foreground"
_TONES = {
    "good": "$done-foreground",
    "waiting": "$waiting-foreground",
    "bad": "$failed-foreground",
    "quiet": _QUIET,
}
_WHOLE = 200_000
"""Characters of a row that Enter shows."""
_DETAIL = 2_000
McpCommand = AcceptMcpTools | SwitchMcpTool | RestartMcpServer | LogInToMcpServer | OpenMcpLogin


def open_page(host: Host, _: str) -> McpPage:
    """See `ui/pages.py`."""
    return McpPage(host)


class McpPage(Listing):
    """A row for each server, and for each of its tools."""

    BINDINGS = [
        Binding("enter", "whole", "show all", id="mcp.whole", tooltip="Show description, schemas, log: all of the row"),
        Binding("space", "switch", "on/off", id="mcp.switch", tooltip="Offer the tool to the model, or don't"),
        Binding("a", "accept", "accept", id="mcp.accept", tooltip="Accept what changed; press twice"),
        Binding("s", "restart", "restart", id="mcp.restart", tooltip="Start the server, or restart it; press twice"),
        Binding("l", "login", "log in", id="mcp.login", tooltip="Log in at the server with your browser"),
    ]
    DEFAULT_CSS = """
    McpPage {
        OptionList, OptionList:focus { max-height: 50vh; }
        #detail { max-height: 8; }
    }
    """
    title_words = "MCP servers"
    rows = Rows

    def __init__(self, host: Host) -> None:
        super().__init__()
        self._host = host
        self._rows: dict[str, say.McpRow] = {}
        self._login = ""
        self._login_screen: LoginScreen | None = None

    def on_unmount(self) -> None:
        """Stop a login that waits: its page can't be shown any more."""
        self._stop_login()

    # -- the engine

    def on_listing_again(self, event: Listing.Again) -> None:
        event.stop()
        self.confirmation.drop()
        self.post_message(CommandWanted(ReadMcp(conversation=self._host.main.conversation)))

    def handle(self, event: ev.Event) -> None:
        match event:
            case McpRead():
                if event.done == "logged_in":
                    self._login_over()
                self._read(event)
            case McpLogin(server=server) if server == self._login:
                self._show_login(event)
            case ev.Refused(command="log_in_to_mcp_server", message=message):
                self._login_over()
                self.show_refusal(message, "")
                self.post_message(CommandWanted(ReadMcp(conversation=self._host.main.conversation)))
            case ev.Refused(message=message, advice=advice):
                self.confirmation.drop()
                self.show_refusal(message, advice)
                self.post_message(CommandWanted(ReadMcp(conversation=self._host.main.conversation)))
            case _:
                pass

    def _read(self, told: McpRead) -> None:
        self.confirmation.drop()
        self._rows = {row.key: row for row in say.rows(told)}
        problem = foreign(told.problem, style="$failed-foreground", limit=300)
        self.show_state(*([problem] if told.problem else ()))
        self.show([_item(row) for row in self._rows.values()], ours(say.EMPTY))
        if told.done:
            done = {
                "accepted": say.ACCEPTED,
                "switched": say.SWITCHED,
                "restarted": say.RESTARTED,
                "logged_in": say.LOGGED_IN,
            }
            shown = foreign(told.changed, mode="line", limit=300)
            self.show_message(ours(done[told.done], what=shown))

    # -- what the user does

    @property
    def _row(self) -> say.McpRow | None:
        return self._rows.get(self.chosen.key) if self.chosen else None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        row = self._row
        match action:
            case "whole":
                return row is not None
            case "switch":
                return row is not None and bool(row.tool) and not row.locked
            case "accept":
                return row is not None and bool(row.waits)
            case "restart":
                return row is not None and not row.tool and row.startable
            case "login":
                return row is not None and row.logs_in and not self._login
            case _:
                return True

    def action_whole(self) -> None:
        if (row := self._row) is not None:
            self.app.push_screen(WholeRow(row))

    def action_switch(self) -> None:
        row = self._row
        if row is None or not row.tool or row.locked:
            return
        self.show_message(ours(say.SWITCHING))
        self._send(SwitchMcpTool(conversation=self._host.main.conversation, name=row.name, on=not row.on))

    def action_accept(self) -> None:
        row = self._row
        if row is None or not row.waits:
            return
        what = join(*(foreign(Foreign(tool), mode="line", limit=40) for tool, _ in row.waits[:6]), sep=ours(", "))
        if len(row.waits) > 6:
            what = join(what, ours("{n} more", n=len(row.waits) - 6), sep=ours(", "))
        if self.confirmation.given(("a",), row.key, ours(say.ACCEPTS, what=what)):
            self.show_message(ours(say.ACCEPTING))
            said = AcceptMcpTools(conversation=self._host.main.conversation, server=row.server, tools=row.waits)
            self._send(said)

    def action_restart(self) -> None:
        row = self._row
        if row is None or row.tool or not row.startable:
            return
        name = foreign(row.what, mode="line")
        if row.running and not self.confirmation.given(("s",), row.key, ours(say.RESTARTS, what=name)):
            return
        self.show_message(ours(say.STARTING, what=name))
        self._send(RestartMcpServer(conversation=self._host.main.conversation, server=row.server))

    def action_login(self) -> None:
        row = self._row
        if row is None or not row.logs_in or self._login:
            return
        self._login = row.server
        self.show_message(ours(say.LOGS_IN, what=foreign(row.what, mode="line")))
        self._send(LogInToMcpServer(conversation=self._host.main.conversation, server=row.server))

    def _show_login(self, page: McpLogin) -> None:
        server = page.server
        self._login_screen = LoginScreen(page, lambda: self._send(OpenMcpLogin(server=server)), self._host.copy)

        def left(over: bool | None) -> None:
            if not over:
                self._stop_login()

        self.app.push_screen(self._login_screen, left)

    def _login_over(self) -> None:
        self._login, screen = "", self._login_screen
        self._login_screen = None
        if screen is not None and screen.is_current:
            screen.dismiss(True)

    def _stop_login(self) -> None:
        server, self._login = self._login, ""
        if server:  # posted to the app: a page that is gone posts nothing
            self.app.post_message(CommandWanted(StopMcpLogin(server=server)))

    def _send(self, command: McpCommand) -> None:
        self.post_message(CommandWanted(command))


class WholeRow(ModalScreen[None], inherit_bindings=False):
    """All of a server or a tool, to scroll."""

    BINDINGS = [
        Binding("escape,q,enter", "dismiss(None)", "back", id="mcp.back", tooltip="Return to the list"),
        Binding("down,j", "scroll(1)", "down", show=False, id="mcp.down", tooltip="Scroll down"),
        Binding("up,k", "scroll(-1)", "up", show=False, id="mcp.up", tooltip="Scroll up"),
        Binding("pagedown,space", "scroll(12)", "page down", id="mcp.page_down", tooltip="Scroll a page down"),
        Binding("pageup", "scroll(-12)", "page up", show=False, id="mcp.page_up", tooltip="Scroll a page up"),
    ]
    DEFAULT_CSS = "WholeRow { align: center middle; background: $background 60%; }"

    def __init__(self, row: say.McpRow) -> None:
        super().__init__()
        self._row = row

    def compose(self) -> ComposeResult:
        title = foreign(self._row.what, mode="line", limit=80)
        yield TextBox(title, Static(foreign(self._row.whole, mode="approval", limit=_WHOLE)))

    def action_scroll(self, rows: int) -> None:
        self.query_one(TextBox).scroll_by(rows)


def _item(row: say.McpRow) -> Item:
    mark = ours("{mark}", style=f"bold {_TONES[row.tone]}", mark=Foreign(row.mark))
    name = foreign(row.what, mode="approval", style="" if row.tool else "bold", limit=60)
    first = join(ours("  ") if row.tool else blank(), name, ours("  "), mark)
    second = foreign(row.about, mode="line", style=_QUIET, limit=200)
    if row.tool:
        second = join(ours("  "), second)
    return Item(row.key, (first, second), foreign(row.detail, mode="approval", limit=_DETAIL))
