"""The workspace: what is where, which keys do what, and the two ways out of a turn.

Layout and keys only; the engine's side is `screens/exchange.py`, what is written `screens/writing.py`. A key that
works is a binding here or in the widget that has the focus, so that the last line and the keys screen can be made
from them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Literal

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.dom import DOMNode
from textual.message import Message
from textual.screen import Screen

from jp_tui import guardian
from jp_tui.ui import textual_patches
from jp_tui.ui.keys import AGAIN, Twice, words
from jp_tui.ui.screens.beside import WIDE, Beside
from jp_tui.ui.screens.drafts import Drafts
from jp_tui.ui.screens.telling import Telling
from jp_tui.ui.screens.writing import Writing
from jp_tui.ui.text import ours
from jp_tui.ui.widgets.composer import Composer
from jp_tui.ui.widgets.footer import KeyBar
from jp_tui.ui.widgets.sidebar import Sidebar
from jp_tui.ui.widgets.slashlist import SlashList
from jp_tui.ui.widgets.status import StatusLine
from jp_tui.view.activity.status import Status
from jp_tui.view.composer.commands import Command as Slashed
from jp_tui.view.questions.interrupt_menu import InterruptWishes, menu

if TYPE_CHECKING:
    from jp_tui.protocol.commands import Command
    from jp_tui.protocol.events import Event
    from jp_tui.ui.bridge import Keys
    from jp_tui.ui.screens.exchange import Exchange
    from jp_tui.ui.screens.waiting import Waits
    from jp_tui.ui.widgets.transcript import Transcript
    from jp_tui.view.activity.agents import Agent
    from jp_tui.view.questions.inbox import Inbox

LATER = (
    "jp_tui.protocol.base",
    "jp_tui.protocol.events",
    "jp_tui.ui.widgets.transcript",
    "jp_tui.ui.widgets.dock",
    "jp_tui.ui.screens.exchange",
    "jp_tui.settings.schema.keys",
    "jp_tui.settings.sources",
)
"""What is loaded after the first frame, in slices of some 10 to 40 ms."""
FIRST_BREATH = 0.03
"""Seconds after the first frame in which nothing is loaded: what was typed ahead is painted first."""
BREATH = 0.002
"""Seconds between two of them."""


class WorkspaceScreen(Telling, Writing, Beside, Screen[None], inherit_bindings=False):
    """Status line, conversation, what stands below it, activity, keys."""

    BINDINGS = [
        Binding(
            "escape", "interrupt", "interrupt", id="workspace.interrupt", tooltip="Stop, redirect or restart the turn"
        ),
        Binding("escape", "back_to_menu", "menu", id="workspace.menu", tooltip="From the words back to the choices"),
        Binding("escape", "close_sidebar", "close sidebar", id="workspace.close", tooltip="When it lies over the rest"),
        Binding("escape", "home", "write", id="workspace.home", tooltip="Back to the composer; puts a notice away"),
        Binding("ctrl+o", "fold", "question", id="workspace.fold", tooltip="Open or fold the question that waits"),
        Binding("ctrl+t", "next", "next one", id="workspace.next", tooltip="Turn to the next question that waits"),
        Binding("f3", "app.agents", "sub-agents", id="workspace.agents", tooltip="Open one's conversation, or go back"),
        Binding("f4", "inbox", "inbox", id="workspace.inbox", tooltip="All that waits for you, wherever it is asked"),
        Binding("ctrl+b", "sidebar", "sidebar", id="workspace.sidebar", tooltip="Show or hide the tool activity"),
        Binding("pageup", "page(-1)", "page up", show=False, id="workspace.up", tooltip="Back in the conversation"),
        Binding("pagedown", "page(1)", "page down", show=False, id="workspace.down", tooltip="On in the conversation"),
        Binding("ctrl+end", "end", "newest", show=False, id="workspace.end", tooltip="To the end of the conversation"),
        Binding("tab", "part(1)", "conversation", show=False, id="workspace.focus", tooltip="Then activity, composer"),
        Binding("shift+tab", "part(-1)", "part before", show=False, id="workspace.back", tooltip="Of the screen"),
        Binding(
            "ctrl+c", "break", "interrupt", show=False, id="workspace.break", tooltip="Twice within a second leaves"
        ),
    ]

    DEFAULT_CSS = """
    WorkspaceScreen {
        layers: base over;
        #main { height: 1fr; }
        #conversation { width: 1fr; height: 1fr; align-vertical: bottom; }
    }
    """

    class Leave(Message):
        """The user wants to leave."""

    class Ready(Message):
        """Everything is there to show what the engine says."""

    class Copied(Message):
        """What is selected is to be on the clipboard."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(
        self,
        *,
        send: Callable[[Command], None],
        clock: Callable[[], float],
        twice: Twice,
        editor: Callable[[str], str],
        workspace: str,
        home: str = "",
        first_prompt: str = "",
        sidebar: Literal["auto", "show", "hide"] = "auto",
        notices: tuple[str, ...] = (),
        interrupts: InterruptWishes | None = None,
        commands: tuple[Slashed, ...] = (),
        keys: Keys | None = None,
    ) -> None:
        """`editor` takes a text and gives it back edited, or raises OSError with the reason; `commands` are what `/`
        may begin, `interrupts` what an interruption does (R233), `keys` knows of keys that are on their way."""
        super().__init__(id="workspace")
        if (kind := textual_patches.compositor()) is not None:
            self._compositor = kind()
        self._send, self._clock, self._editor = send, clock, editor
        self._twice = twice
        self._status = Status(workspace=workspace, home=home)
        self._first_prompt, self._notices = first_prompt, notices
        self._interrupts, self._commands = interrupts or InterruptWishes(), commands
        self._keys = keys
        self._exchange: Exchange | None = None
        self._beside = sidebar != "hide"
        self.agents: tuple[Agent, ...] = ()
        self.inbox: Inbox | None = None
        self.drafts = Drafts(send=send, later=self.set_timer)

    def compose(self) -> ComposeResult:
        yield StatusLine(clock=self._clock, id="status")
        with Horizontal(id="main"):
            with Vertical(id="conversation"):
                yield SlashList(id="commands")
                yield Composer(commands=self._commands, id="composer")
            sidebar = Sidebar(clock=self._clock, id="sidebar")
            sidebar.display = self._beside and self.app.size.width >= WIDE  # from the first frame on
            yield sidebar
        yield KeyBar(speaks_for_itself=_in_sheet, id="keys")

    def on_mount(self) -> None:
        self.composer.busy = bool(self._first_prompt)
        self.query_one(StatusLine).status = self._status
        self.set_focus(self.composer)
        self.composer.typed_ahead(*guardian.typed_so_far())
        first = BREATH if guardian.last_screen_shown() else FIRST_BREATH  # the guardian echoes the keys meanwhile
        self.call_after_refresh(self.set_timer, first, partial(self._load, iter(LATER)))

    def _load(self, names: Iterator[str]) -> None:
        """One module at a time, so that a key that is typed meanwhile is painted between two of them."""
        name = next(names, None)
        if name is None:
            self.call_later(self._furnish)
        else:
            import_module(name)
            self.set_timer(BREATH, partial(self._load, names))

    async def _furnish(self) -> None:
        """What the first frame could do without: the conversation, the sheets, and with them the protocol (T23)."""
        from jp_tui.ui.screens.exchange import Exchange

        self._exchange = Exchange(
            send=self._send,
            clock=self._clock,
            editor=self._editor,
            composer=self.composer,
            drafts=self.drafts,
            status=self._status,
            first_prompt=self._first_prompt,
            notices=self._notices,
            patience=(lambda: self._keys.patience if self._keys is not None else 0.0),
        )
        await self.query_one("#conversation").mount(self._exchange, before="#commands")
        self.post_message(self.Ready())

    def show(self, reported: list[Event]) -> None:
        """What the engine reported, in order."""
        if self._exchange is not None:
            self._exchange.show(reported)

    @property
    def status(self) -> Status:
        """What the status line shows."""
        return self.query_one(StatusLine).status

    @property
    def transcript(self) -> Transcript | None:
        """The conversation itself, once there is an exchange."""
        there = self._exchange is not None and self._exchange.is_mounted
        return self._exchange.column.transcript if there and self._exchange is not None else None

    @property
    def conversation_shown(self) -> bool:
        """True if the open conversation and its status line are painted."""
        return bool(self.status.conversation) and self.transcript is not None and self.transcript.painted

    @property
    def waits(self) -> Waits | None:
        """What knows all that waits, once it is there."""
        return self._exchange

    @property
    def conversation(self) -> str:
        """The id of the one that is open; empty while there is none."""
        return self._status.conversation

    @property
    def place(self) -> tuple[str, str]:
        """The folder, and the user's home, by which it is shortened."""
        return self._status.workspace, self._status.home

    @property
    def model(self) -> str:
        """The one that the conversation is held with."""
        return self._status.model

    @property
    def parent_conversation(self) -> str:
        """The conversation that the one in sight works for; empty when it is no sub-agent's."""
        return self._status.parent

    @property
    def reviewed(self) -> tuple[tuple[str, str], ...]:
        """What a reviewing model is deciding now, as (conversation, inquiry): here, oldest first, then sub-agents'."""
        own = tuple((self.conversation, inquiry) for inquiry, _, _ in self._status.reviewed)
        return (*own, *((agent.info.conversation, one) for agent in self.agents for one in agent.reviewed))

    @property
    def sheet_open(self) -> bool:
        """Whether a question stands open."""
        return self._exchange is not None and self._exchange.is_mounted and self._exchange.column.sheet_open

    def on_waits_said(self, event: Waits.Said) -> None:
        event.stop()
        self.say(event.words)

    def on_column_arranged(self, event: Message) -> None:
        event.stop()
        self.query_one(Sidebar).can_focus = bool(self.composer.display)
        self.refresh_bindings()

    def on_resize(self, event: events.Resize) -> None:
        self._place_sidebar(event.size.width)

    def on_screen_suspend(self) -> None:
        if self._exchange is not None:
            self._exchange.column.cover(True)

    def on_screen_resume(self) -> None:
        if self._exchange is not None:
            self._exchange.column.cover(False)

    # -- keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what does something now is bound, and so shown (E5); a sheet has its keys to itself (R245)."""
        if self._exchange is None or not self._exchange.is_mounted:
            return action in ("break", "sidebar")
        column = self._exchange.column
        match action:
            case "interrupt":
                return self._stoppable and not (column.sheet_open or column.menu_open or self._over)
            case "back_to_menu":
                return column.menu_open
            case "close_sidebar":
                return self._over
            case "home":
                away = self.composer.display and not self.composer.has_focus
                return not column.sheet_open and (away or self._exchange.noticed)
            case "fold":
                return bool(self._status.waiting) and not column.menu_open
            case "inbox":
                return bool(self._status.waiting or self._status.put_off or self._status.elsewhere)
            case "next":
                return len(self._status.waiting) > 1 and not column.menu_open
            case _:
                return not (column.sheet_open and action in ("break", "part"))

    async def action_interrupt(self) -> None:
        """Ask what is to become of the turn, or do what the settings say without asking (R233)."""
        if self._exchange is None:
            return
        self._exchange.put_notice_away()
        wish = self._interrupts.choice(self._status.phase)
        if wish is None or wish.words:
            await self._exchange.column.open_menu(menu(self._status.phase), wish)
        elif wish.action is not None:
            self._exchange.column.interrupt(wish.action)
            self.say(ours("Interrupted: {label}", style="bold $waiting-foreground", label=words(wish.label)))
        else:
            self.say(ours("The settings let it go on · /interrupt opens the menu", style="$waiting-foreground"))

    async def action_interrupt_menu(self) -> None:
        """The menu, whatever the settings say."""
        if self._exchange is None or not self._stoppable:
            self.say(ours("Nothing runs that could be interrupted"))
        else:
            await self._exchange.column.open_menu(menu(self._status.phase))

    @property
    def _stoppable(self) -> bool:
        return self._status.working and not self._status.held_by

    def action_back_to_menu(self) -> None:
        if self._exchange is not None:
            self._exchange.column.back_from_words()

    def action_home(self) -> None:
        if self._exchange is not None:
            self._exchange.put_notice_away()
            self._exchange.column.take_focus()

    async def action_break(self) -> None:
        """Ctrl+C: copies a selection; else interrupts, and within a second, or in the menu, leaves (R215, R248)."""
        if self._copy_selected():
            return
        in_menu = self._exchange is not None and self._exchange.column.menu_open
        if self._twice.pressed() or in_menu:
            self.post_message(self.Leave())
        elif self._stoppable:
            await self.action_interrupt()
        else:
            self.say(ours("Ctrl+C again leaves", style="bold $waiting-foreground"), AGAIN)

    def action_fold(self) -> None:
        if self._exchange is not None:
            self._exchange.column.fold()

    def action_next(self) -> None:
        if self._exchange is not None:
            self._exchange.column.next_question()

    def action_inbox(self) -> None:
        self.call_later(self.app.run_action, "app.inbox")

    def action_part(self, step: int) -> None:
        """The focus to the next part: from the composer first to the conversation, whose lines can be asked about."""
        if self._exchange is not None:
            parts = [self.composer, self._exchange.column.transcript, self.query_one(Sidebar)]
            there = [part for part in parts if part.focusable]
            if there:
                at = there.index(self.focused) if self.focused in there else -min(step, 0) - 1
                self.set_focus(there[(at + step) % len(there)])

    def action_page(self, step: int) -> None:
        if self._exchange is not None:
            self._exchange.column.scroll_pages(step)

    def action_end(self) -> None:
        if self._exchange is not None:
            self._exchange.column.scroll_to_newest()

    def _copy_selected(self) -> bool:
        composer = self.composer
        text = composer.selected_text or self.get_selected_text()
        if not text:
            return False
        composer.move_cursor(composer.cursor_location)
        self.clear_selection()
        self.post_message(self.Copied(text))
        return True


def _in_sheet(node: DOMNode) -> bool:
    """The last line of a sheet shows its own keys and the dock's (E5)."""
    return any(one.id == "dock" for one in node.ancestors_with_self)
