"""The workspace: what is where, which keys do what, and the two ways out of a turn.

Layout and keys only; the engine's side is `screens/conversation.py`. A key that works is a binding here or in the
widget that has the focus, so that the last line and the keys screen can be made from them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal
from textual.content import Content
from textual.dom import DOMNode
from textual.message import Message
from textual.timer import Timer

from jp_tui.protocol.commands import Command
from jp_tui.ui.screens.conversation import ASK, NOTHING, ConversationScreen
from jp_tui.ui.text import ours
from jp_tui.ui.widgets.banner import Banner
from jp_tui.ui.widgets.column import Column
from jp_tui.ui.widgets.composer import Composer
from jp_tui.ui.widgets.dock import SheetDock
from jp_tui.ui.widgets.footer import KeyBar
from jp_tui.ui.widgets.sidebar import Sidebar
from jp_tui.ui.widgets.status import StatusLine
from jp_tui.ui.widgets.transcript import Transcript
from jp_tui.view.interrupt import menu

WIDE = 100
"""Columns from which the activity stands beside the conversation instead of over it."""
AGAIN = 1.0
"""Seconds within which a second Ctrl+C leaves (R248)."""


class WorkspaceScreen(ConversationScreen, inherit_bindings=False):
    """Status line, conversation, what stands below it, activity, keys."""

    BINDINGS = [
        Binding(
            "escape", "interrupt", "interrupt", id="workspace.interrupt", tooltip="Stop, redirect or restart the turn"
        ),
        Binding("escape", "back_to_menu", "menu", id="workspace.menu", tooltip="From the words back to the choices"),
        Binding("escape", "close_sidebar", "close sidebar", id="workspace.close", tooltip="When it lies over the rest"),
        Binding("escape", "home", "write", id="workspace.home", tooltip="Back to the composer; puts a notice away"),
        Binding("ctrl+o", "fold", "question", id="workspace.fold", tooltip="Open or fold the question that waits"),
        Binding("ctrl+t", "next", "next question", id="workspace.next", tooltip="Turn to the next one that waits"),
        Binding("ctrl+b", "sidebar", "sidebar", id="workspace.sidebar", tooltip="Show or hide the tool activity"),
        Binding("pageup", "page(-1)", "page up", show=False, id="workspace.up", tooltip="Back in the conversation"),
        Binding("pagedown", "page(1)", "page down", show=False, id="workspace.down", tooltip="On in the conversation"),
        Binding("ctrl+end", "end", "newest", show=False, id="workspace.end", tooltip="To the end of the conversation"),
        Binding("tab", "app.focus_next", "next part", show=False, id="workspace.focus", tooltip="Of the screen"),
        Binding(
            "shift+tab", "app.focus_previous", "part before", show=False, id="workspace.back", tooltip="Of the screen"
        ),
        Binding(
            "ctrl+c", "break", "interrupt", show=False, id="workspace.break", tooltip="Twice within a second leaves"
        ),
    ]

    DEFAULT_CSS = """
    WorkspaceScreen {
        layers: base over;
        #main { height: 1fr; }
    }
    """

    class Leave(Message):
        """The user wants to leave."""

    class Ready(Message):
        """Everything is there to show what the engine says."""

    def __init__(
        self,
        *,
        send: Callable[[Command], None],
        clock: Callable[[], float],
        editor: Callable[[str], str],
        workspace: str,
        home: str = "",
        first_prompt: str = "",
        sidebar: Literal["auto", "show", "hide"] = "auto",
    ) -> None:
        super().__init__(
            send=send, clock=clock, editor=editor, workspace=workspace, home=home, first_prompt=first_prompt
        )
        self._beside = sidebar != "hide"
        self._over = False
        self._unsay: Timer | None = None
        self._broke = float("-inf")

    def compose(self) -> ComposeResult:
        yield StatusLine(id="status")
        with Horizontal(id="main"):
            yield Column(clock=self._clock, editor=self._editor, placeholder=ASK, id="conversation")
            yield Sidebar(clock=self._clock, id="sidebar")
        yield KeyBar(speaks_for_itself=self._in_sheet, id="keys")

    def on_mount(self) -> None:
        self._told()
        self.query_one(Column).take_focus()
        self.post_message(self.Ready())

    def _in_sheet(self, node: DOMNode) -> bool:
        """The last line of a sheet shows its own keys and the dock's (E5)."""
        return any(isinstance(one, SheetDock) for one in node.ancestors_with_self)

    def on_resize(self, event: events.Resize) -> None:
        self._place_sidebar(event.size.width)

    def on_screen_suspend(self) -> None:
        self.query_one(Column).cover(True)

    def on_screen_resume(self) -> None:
        self.query_one(Column).cover(False)

    def on_key(self, event: events.Key) -> None:
        """A character typed while nothing that writes has the focus is meant for the composer (E10)."""
        composer = self.query_one(Composer)
        bound = event.key in self.active_bindings
        if event.is_printable and event.character and not bound and composer.display and not composer.has_focus:
            event.stop()
            self.set_focus(composer)
            composer.type_in(event.character)

    def on_paste(self, event: events.Paste) -> None:
        """The same for a paste."""
        composer = self.query_one(Composer)
        if composer.display and not composer.has_focus:
            event.stop()
            self.set_focus(composer)
            composer.type_in(event.text)

    # -- keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what does something now is bound, and so shown (E5); a sheet has its keys to itself (R245)."""
        if not self.is_mounted:
            return True
        column = self.query_one(Column)
        if action == "interrupt":
            return self._status.working and not (column.sheet_open or column.menu_open or self._over)
        if action == "back_to_menu":
            return column.menu_open
        if action == "close_sidebar":
            return self._over
        if action == "home":
            composer = self.query_one(Composer)
            away = composer.display and not composer.has_focus
            return not column.sheet_open and (away or bool(self.query_one(Banner).refusal[0]))
        if action == "fold":
            return bool(self._status.waiting) and not column.menu_open
        if action == "next":
            return len(self._status.waiting) > 1 and not column.menu_open
        return not (column.sheet_open and action in ("break", "app.focus_next", "app.focus_previous"))

    async def action_interrupt(self) -> None:
        self.query_one(Banner).refusal = NOTHING
        await self.query_one(Column).open_menu(menu(self._status.phase))

    def action_back_to_menu(self) -> None:
        self.query_one(Column).back_from_words()

    def action_close_sidebar(self) -> None:
        self.action_sidebar()

    def action_home(self) -> None:
        self.query_one(Banner).refusal = NOTHING
        self.query_one(Column).take_focus()

    async def action_break(self) -> None:
        """Ctrl+C: copies a selection; else interrupts, and within a second, or in the menu, leaves (R215, R248)."""
        if self._copy_selected():
            return
        column = self.query_one(Column)
        now = self._clock()
        if column.menu_open or now - self._broke < AGAIN:
            self.post_message(self.Leave())
            return
        self._broke = now
        if self._status.working:
            await column.open_menu(menu(self._status.phase))
        else:
            self.say(ours("Ctrl+C again leaves", style="bold $waiting-foreground"), AGAIN)

    def say(self, words: Content, seconds: float = 3.0) -> None:
        """A few words in the last line, for a moment."""
        if self._unsay is not None:
            self._unsay.stop()
        self.query_one(KeyBar).notice = words
        self._unsay = self.set_timer(seconds, self._unsaid)

    def _unsaid(self) -> None:
        self.query_one(KeyBar).notice = None

    def _copy_selected(self) -> bool:
        composer = self.query_one(Composer)
        text = composer.selected_text or self.get_selected_text()
        if not text:
            return False
        composer.move_cursor(composer.cursor_location)
        self.clear_selection()
        self.post_message(self.Copied(text))
        return True

    def action_fold(self) -> None:
        self.query_one(SheetDock).toggle_fold()

    def action_next(self) -> None:
        self.query_one(SheetDock).open_next()

    def action_page(self, step: int) -> None:
        self.query_one(Transcript).scroll_pages(step)

    def action_end(self) -> None:
        self.query_one(Transcript).scroll_to_end()

    # -- the activity

    def action_sidebar(self) -> None:
        if self.size.width < WIDE:
            self._over = not self._over
        else:
            self._beside = not self._beside
        self._place_sidebar(self.size.width)

    def _place_sidebar(self, width: int) -> None:
        """Beside the conversation where there is room; over it, and only when asked for, where there is none."""
        sidebar = self.query_one(Sidebar)
        narrow = width < WIDE
        self._over &= narrow
        sidebar.set_class(narrow, "-over")
        shown = self._over if narrow else self._beside
        if sidebar.has_focus and not shown:
            self.query_one(Column).take_focus()
        sidebar.display = shown
        self.refresh_bindings()
