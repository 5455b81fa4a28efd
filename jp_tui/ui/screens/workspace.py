"""The workspace screen: layout, keys, routing of typed text, and messages in the last line.

`transcript/conversation_controller.py` has the engine's side. Every key is a binding here or in the widget with the
focus, so that the last line and the keys page can be made from the bindings.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Literal

from textual import events, on
from textual.app import ComposeResult
from textual.binding import ActiveBinding, Binding
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.dom import DOMNode
from textual.message import Message
from textual.screen import Screen
from textual.timer import Timer

from jp_tui import guardian
from jp_tui.first_frame.skeleton import sidebar_width
from jp_tui.ui import textual_patches
from jp_tui.ui.composer.command_uses import CommandUses
from jp_tui.ui.composer.composer import Composer
from jp_tui.ui.composer.drafts import DraftStore
from jp_tui.ui.composer.slash_list import SlashList
from jp_tui.ui.keys.bindings import DOUBLE_PRESS, DoublePress, words
from jp_tui.ui.sidebar.sidebar import Sidebar
from jp_tui.ui.staged_imports import PAUSE, import_one_by_one
from jp_tui.ui.text import ours
from jp_tui.ui.widgets.footer import KeyBar
from jp_tui.ui.widgets.status import StatusLine
from jp_tui.view.activity.status import Status
from jp_tui.view.composer.commands import SlashCommand as Slashed
from jp_tui.view.questions.interrupt_menu import InterruptWishes, menu

if TYPE_CHECKING:
    from jp_tui.protocol.commands import Command
    from jp_tui.protocol.events import Event
    from jp_tui.ui.bridge import KeyPriority
    from jp_tui.ui.sheets.dock.dock import SheetDock
    from jp_tui.ui.transcript.conversation_controller import ConversationController
    from jp_tui.ui.transcript.inbox_controller import InboxController
    from jp_tui.ui.transcript.transcript import Transcript
    from jp_tui.view.activity.agents import Agent
    from jp_tui.view.pages.first_screen import FirstScreenView
    from jp_tui.view.questions.inbox import InboxState

LOADED_LATER = (
    "jp_tui.protocol.base",
    "jp_tui.protocol.events",
    "jp_tui.ui.transcript.transcript",
    "jp_tui.ui.sheets.dock.dock",
    "jp_tui.ui.transcript.conversation_controller",
    "jp_tui.settings.schema.keys",
    "jp_tui.settings.sources",
)
"""Modules that are imported after the first frame. Each takes some 10 to 40 ms."""
FIRST_PAUSE = 0.03
"""Seconds after the first frame before the imports where the user types, so that the next keys are painted first."""
WIDE = 100
"""Columns from which the sidebar fits beside the conversation."""
OVER = 40
"""Columns of the sidebar over a narrower conversation."""
NOTICE_SECONDS = 3.0
"""Seconds for which the last line shows a message."""
TOLD_SECONDS = 5.0
"""Seconds for which it shows a sentence about a change."""
BACK = "go back"


class WorkspaceScreen(Screen[None], inherit_bindings=False):
    """Status line, conversation with composer, sidebar, key line."""

    BINDINGS = [
        Binding(
            "escape",
            "interrupt",
            "interrupt",
            id="workspace.interrupt",
            tooltip="While the model works: interrupt the turn",
        ),
        Binding(
            "escape",
            "back_to_menu",
            "menu",
            id="workspace.menu",
            tooltip="In a reply to the interrupt menu: go back",
        ),
        Binding(
            "escape",
            "close_sidebar",
            "close sidebar",
            id="workspace.close",
            tooltip="With the sidebar over the conversation: close it",
        ),
        Binding("escape", "home", "write", id="workspace.home", tooltip="Return to the composer; dismiss a notice"),
        Binding("ctrl+o", "fold", "question", id="workspace.fold", tooltip="Fold the question to one line, or open it"),
        Binding("ctrl+t", "next", "next question", id="workspace.next", tooltip="Show the next waiting question"),
        Binding(
            "f3",
            "app.open('agents')",
            "sub-agents",
            id="workspace.agents",
            tooltip="Open a sub-agent's conversation, or return",
        ),
        Binding("f4", "inbox", "inbox", id="workspace.inbox", tooltip="Show all questions that wait for you"),
        Binding("ctrl+b", "sidebar", "sidebar", id="workspace.sidebar", tooltip="Show or hide the sidebar"),
        Binding("pageup", "page(-1)", "page up", show=False, id="workspace.up", tooltip="Scroll up one page"),
        Binding("pagedown", "page(1)", "page down", show=False, id="workspace.down", tooltip="Scroll down one page"),
        Binding("ctrl+end", "end", "newest", show=False, id="workspace.end", tooltip="Go to the newest message"),
        Binding(
            "tab",
            "part(1)",
            "conversation",
            show=False,
            id="workspace.focus",
            tooltip="Move to the next part of the screen",
        ),
        Binding(
            "shift+tab",
            "part(-1)",
            "previous part",
            show=False,
            id="workspace.back",
            tooltip="Move to the previous part of the screen",
        ),
        Binding(
            "ctrl+c",
            "break",
            "interrupt",
            show=False,
            id="workspace.break",
            tooltip="Clear the draft or interrupt; press twice to quit",
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
        """All widgets are mounted, and the engine's events can be shown."""

    class Copied(Message):
        """The user wants to copy the selected text."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(
        self,
        *,
        send: Callable[[Command], None],
        clock: Callable[[], float],
        ctrl_c: DoublePress,
        editor: Callable[[str], str],
        workspace: str,
        home: str = "",
        first_prompt: str = "",
        sidebar: Literal["auto", "show", "hide"] = "auto",
        notices: tuple[str, ...] = (),
        interrupts: InterruptWishes | None = None,
        commands: tuple[Slashed, ...] = (),
        uses: CommandUses | None = None,
        keys: KeyPriority | None = None,
        resumes: bool = False,
        vi: bool = False,
        first: FirstScreenView | None = None,
    ) -> None:
        """`editor` edits a text and returns it, or raises OSError with the reason; `commands` are those of `/`, `uses`
        counts how often each is run; `interrupts` sets the effect of an interruption (R233); `ctrl_c` is shared with
        the app's other screens; `resumes`: a conversation is resumed, which probably has something for the sidebar;
        `vi`: the composer uses vi's keys; `first` is the first screen of the new conversation, if it is known."""
        super().__init__(id="workspace")
        if (kind := textual_patches.compositor()) is not None:
            self._compositor = kind()
        self._send, self._clock, self._editor = send, clock, editor
        self._ctrl_c = ctrl_c
        self._first = first
        self._status = Status(workspace=workspace, home=home, model=first.model if first is not None else "")
        self._first_prompt, self._notices = first_prompt, notices
        self._first_command = True
        self._interrupts, self._commands, self._uses = interrupts or InterruptWishes(), commands, uses
        self._keys, self._vi = keys, vi
        self._controller: ConversationController | None = None
        self._beside, self.beside_at_start = sidebar != "hide", sidebar == "show"
        """True if the sidebar is wanted where there is room; True if it is shown before there is a conversation."""
        self._sidebar_always = self.beside_at_start
        self._sidebar_of, self._sidebar_filled = "", resumes
        """The conversation of the sidebar, and True if it had something to show since that was opened."""
        self._yields = False  # to the previews of an open question
        self._over = False
        self._cleared = False
        """The last Ctrl+C cleared the draft."""
        self._bound: object = None
        self._notice_timer: Timer | None = None
        self.agents: tuple[Agent, ...] = ()
        self.inbox: InboxState | None = None
        self.drafts = DraftStore(send=send, later=self.set_timer)

    def compose(self) -> ComposeResult:
        yield StatusLine(clock=self._clock, id="status")
        with Horizontal(id="main"):
            with Vertical(id="conversation"):
                if self._first is not None:
                    from jp_tui.ui.transcript.first_screen import FirstScreen

                    yield (early := FirstScreen(classes="early"))
                    early.shown = self._first
                yield SlashList(id="commands")
                yield Composer(commands=self._commands, uses=self._uses, vi=self._vi, id="composer")
            sidebar = Sidebar(clock=self._clock, id="sidebar")
            sidebar.display = self._beside_now and self.app.size.width >= WIDE  # from the first frame on
            sidebar.styles.width = sidebar_width(self.app.size.width)
            yield sidebar
        yield KeyBar(speaks_for_itself=_in_sheet, id="keys")

    def on_mount(self) -> None:
        self.composer.busy = bool(self._first_prompt)
        self.query_one(StatusLine).status = self._status
        self.set_focus(self.composer)
        self.composer.typed_ahead(*(typed := guardian.typed_so_far()))
        load = partial(import_one_by_one, self, iter(LOADED_LATER), partial(self.call_later, self._mount_conversation))
        pause = FIRST_PAUSE if typed[0] and not guardian.last_screen_shown() else PAUSE
        self.call_after_refresh(self.set_timer, pause, load)

    async def _mount_conversation(self) -> None:
        """Mount the widgets that the first frame doesn't need: the conversation and the sheets, which import the
        protocol (T23)."""
        from jp_tui.ui.transcript.conversation_controller import ConversationController

        self._controller = ConversationController(
            send=self._send,
            clock=self._clock,
            editor=self._editor,
            composer=self.composer,
            drafts=self.drafts,
            status=self._status,
            first_prompt=self._first_prompt,
            first_command=self._first_command,
            notices=self._notices,
            patience=(lambda: self._keys.seconds_left if self._keys is not None else 0.0),
            first=self._first,
        )
        with self.app.batch_update():  # the same first screen, without a frame in between
            await self.query_one("#conversation").mount(self._controller, before="#commands")
            await self.query(".early").remove()
        self.post_message(self.Ready())

    def show(self, reported: list[Event]) -> None:
        """Show the engine's events, in order."""
        if self._controller is not None:
            self._controller.show(reported)

    # -- for the app and the pages

    @property
    def composer(self) -> Composer:
        """The field in which the user writes."""
        return self.query_one(Composer)

    @property
    def status(self) -> Status:
        """The state that the status line shows."""
        return self.query_one(StatusLine).status

    @property
    def transcript(self) -> Transcript | None:
        """The conversation, once it is mounted."""
        controller = self._controller
        return controller.column.transcript if controller is not None and controller.is_mounted else None

    @property
    def conversation_shown(self) -> bool:
        """True if the open conversation and its status line are painted."""
        sidebar = self.query_one(Sidebar)
        laid_out = bool(sidebar.size.width) or not sidebar.display
        return bool(self.status.conversation) and laid_out and self.transcript is not None and self.transcript.fresh

    @property
    def waits(self) -> InboxController | None:
        """The controller of the inbox, once it is mounted."""
        return None if self._controller is None else self._controller.inbox

    @property
    def conversation(self) -> str:
        """The id of the open conversation; empty if there is none."""
        return self._status.conversation

    @property
    def place(self) -> tuple[str, str]:
        """The workspace folder, and the user's home, which shortens it."""
        return self._status.workspace, self._status.home

    @property
    def model(self) -> str:
        """The model of the conversation."""
        return self._status.model

    @property
    def parent_conversation(self) -> str:
        """The conversation that started this one; empty if this isn't a sub-agent's."""
        return self._status.parent

    @property
    def reviewed(self) -> tuple[tuple[str, str], ...]:
        """Questions that reviewing models decide now, as (conversation, inquiry): here, oldest first, then in
        sub-agents."""
        own = tuple((self.conversation, inquiry) for inquiry, _, _ in self._status.reviewed)
        return (*own, *((agent.info.conversation, one) for agent in self.agents for one in agent.reviewed))

    @property
    def instructions(self) -> str | None:
        """Line of the first screen about instruction files; None if it had none."""
        return None if self._controller is None else self._controller.instructions

    @property
    def sheet_open(self) -> bool:
        """True if a question is open in a sheet."""
        return self._controller is not None and self._controller.is_mounted and self._controller.column.sheet_open

    @property
    def beside(self) -> bool:
        """True if the sidebar is shown beside the conversation wherever there is room."""
        return self._beside

    @property
    def sidebar_as_resumed(self) -> bool:
        """True if the sidebar is open or closed as it is when this conversation is resumed."""
        sidebar = self.query_one(Sidebar)
        wanted = self._beside and (self.beside_at_start or sidebar.filled)
        return bool(sidebar.display) == (wanted and self.size.width >= WIDE)

    @property
    def _beside_now(self) -> bool:
        """True if the sidebar is shown where there is room: an empty one is closed, unless the user wants it (S52)."""
        return self._beside and (self._sidebar_always or self._sidebar_filled)

    # -- status, notices

    def on_conversation_controller_state_changed(self, event: ConversationController.StateChanged) -> None:
        """Show the new state."""
        self._status = event.status
        self.query_one(StatusLine).status = event.status
        self.agents = event.agents
        self.inbox = event.inbox
        sidebar = self.query_one(Sidebar)
        sidebar.show(event.activity, event.agents, event.inbox.entries)
        self._open_or_close(sidebar.filled, event.status.conversation)
        if (bound := self._key_facts()) != self._bound:
            self._bound = bound
            self.refresh_bindings()

    def _open_or_close(self, filled: bool, conversation: str) -> None:
        """Open the sidebar once there is something in it, and close it for a conversation without; no other change."""
        if filled or conversation != self._sidebar_of:
            self._sidebar_of = conversation
            if filled != self._sidebar_filled:
                self._sidebar_filled = filled
                self._place_sidebar(self.size.width)

    def on_sheet_dock_turned(self, event: SheetDock.Turned) -> None:
        """Hide the open question in the sidebar, and give the sidebar's room to previews (E21)."""
        event.stop()
        prompt = event.prompt
        self.query_one(Sidebar).opened((prompt.conversation, prompt.inquiry) if prompt is not None else ("", ""))
        kind = prompt.question.answer_type if prompt is not None else None
        self._yields = any(option.preview for option in getattr(kind, "options", ()))
        self._place_sidebar(self.size.width)

    def _key_facts(self) -> object:
        """The facts that decide which keys work. Bindings are refreshed when these change, which is expensive."""
        now = self._status
        waits = min(len(now.waiting), 2), bool(now.put_off), bool(now.elsewhere)
        noticed = self._controller is not None and self._controller.noticed
        reviewed = bool(now.reviewed) or any(one.reviewed for one in self.agents)
        return *waits, now.working, now.phase, now.held_by, now.parent, reviewed, bool(self.agents), noticed

    @property
    def active_bindings(self) -> dict[str, ActiveBinding]:
        """The bindings; in a sub-agent's conversation the key to the sub-agents is named "back", because it goes back
        (E5)."""
        found = super().active_bindings
        if self._status.parent:
            for key, one in found.items():
                if one.binding.id == "workspace.agents":
                    found[key] = one._replace(binding=replace(one.binding, description=BACK))
        return found

    def show_message(self, text: Content, seconds: float = NOTICE_SECONDS) -> None:
        """Show a text in the last line for some seconds."""
        if not self.is_mounted:
            return
        if self._notice_timer is not None:
            self._notice_timer.stop()
        self.query_one(KeyBar).notice = text
        self._notice_timer = self.set_timer(seconds, self._end_notice)

    def _end_notice(self) -> None:
        self.query_one(KeyBar).notice = None

    def note(self, message: str, advice: str = "") -> None:
        """Show a notice above the composer until the user closes it."""
        if self._controller is not None and self._controller.is_mounted:
            self._controller.note(message, advice)

    def on_inbox_controller_notice(self, event: InboxController.Notice) -> None:
        event.stop()
        self.show_message(event.words)

    def on_conversation_controller_told(self, event: ConversationController.Told) -> None:
        event.stop()
        self.show_message(ours(event.words), TOLD_SECONDS)

    # -- layout

    def on_conversation_column_arranged(self, event: Message) -> None:
        event.stop()
        self.query_one(Sidebar).can_focus = bool(self.composer.display)
        self.refresh_bindings()

    def on_resize(self, event: events.Resize) -> None:
        self._place_sidebar(event.size.width)

    def on_screen_suspend(self) -> None:
        if self._controller is not None:
            self._controller.column.cover(True)

    def on_screen_resume(self) -> None:
        if self._controller is not None:
            self._controller.column.cover(False)

    def action_sidebar(self) -> None:
        """Show or hide the sidebar; over the conversation where there is no room beside it (E61)."""
        if self.size.width < WIDE:
            self._over = not self._over
        elif self._yields and self._beside_now:
            self._yields = False
        else:
            self._beside = not self.query_one(Sidebar).display
            self._sidebar_always = self._beside and (self._sidebar_always or not self._sidebar_filled)
        self._place_sidebar(self.size.width)

    action_close_sidebar = action_sidebar

    def _place_sidebar(self, width: int) -> None:
        """Show the sidebar beside the conversation if there is room, else over it if the user asked for it."""
        sidebar = self.query_one(Sidebar)
        narrow = width < WIDE
        self._over &= narrow
        sidebar.set_class(self._over, "-over")
        sidebar.styles.width = OVER if narrow else sidebar_width(width)
        shown = self._over if narrow else self._beside_now and not self._yields
        if sidebar.has_focus and not shown:
            self.set_focus(self.composer)
        sidebar.display = shown
        self.refresh_bindings()

    # -- text that is typed

    def on_key(self, event: events.Key) -> None:
        """Type a character into the composer if no field has the focus (E10). It answers no question."""
        composer = self.composer
        if self._controller is not None and self._controller.column.sheet_open:
            if self._controller.column.dock.gate.key(event):  # its widget isn't mounted yet, or not any more
                event.stop()
            return
        bound = event.key in self.active_bindings
        if event.is_printable and event.character and not bound and composer.display and not composer.has_focus:
            event.stop()
            self.set_focus(composer)
            composer.type_in(event.character)

    def on_paste(self, event: events.Paste) -> None:
        """Paste into the composer if no field has the focus."""
        composer = self.composer
        if composer.display and not composer.has_focus:
            event.stop()
            self.set_focus(composer)
            composer.type_in(event.text)

    @on(Composer.Typed)
    def _composer_typed(self, event: Composer.Typed) -> None:
        event.stop()
        if self._controller is not None:
            self._controller.column.note_typing()
        if self._keys is not None:
            self.call_after_refresh(self._keys.painted)

    @on(Composer.AfterKeys)
    def _composer_after_keys(self, event: Composer.AfterKeys) -> None:
        event.stop()
        event.do()

    @on(Composer.Edited)
    def _composer_edited(self, event: Composer.Edited) -> None:
        event.stop()
        if self._controller is not None:
            self._controller.composing.text_edited()

    @on(Composer.Submitted)
    def _composer_submitted(self, event: Composer.Submitted) -> None:
        event.stop()
        if self._controller is not None:
            self._controller.submit(event.text, event.attachments, event.command)
        else:
            self._first_prompt = event.text  # sent as soon as a conversation is open
            self._first_command = event.command

    @on(Composer.Requested)
    def _composer_requested(self, event: Composer.Requested) -> None:
        event.stop()
        if self._controller is None or not self._controller.composing.handle(event.request):
            self.composer.return_unsent(event.request)

    @on(Composer.Suggested)
    def _commands_suggested(self, event: Composer.Suggested) -> None:
        event.stop()
        found = self.query_one(SlashList)
        found.commands, found.chosen = event.commands, event.chosen

    @on(SlashList.Picked)
    def _command_picked(self, event: SlashList.Picked) -> None:
        event.stop()
        self.set_focus(self.composer)
        self.composer.call_later(self.composer.run_command, event.command)  # posted by the composer, to reach the app

    # -- keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Enable only the keys that do something now, so that only these are shown (E5). An open sheet has all others
        to itself (R245)."""
        if self._controller is None or not self._controller.is_mounted:
            return action in ("break", "sidebar")
        column = self._controller.column
        match action:
            case "interrupt":
                return self._stoppable and not (column.sheet_open or column.menu_open or self._over)
            case "back_to_menu":
                return column.menu_open
            case "close_sidebar":
                return self._over
            case "home":
                away = self.composer.display and not self.composer.has_focus
                return not column.sheet_open and (away or self._controller.noticed)
            case "fold":
                return bool(self._status.waiting or column.dock.waiting) and not column.menu_open
            case "inbox":
                return bool(self._status.waiting or self._status.put_off or self._status.elsewhere)
            case "next":
                return max(len(self._status.waiting), column.dock.waiting) > 1 and not column.menu_open
            case _:
                return not (column.sheet_open and action in ("break", "part"))

    async def action_interrupt(self) -> None:
        """Open the interrupt menu, or interrupt as the settings say without asking (R233)."""
        if self._controller is None:
            return
        self._controller.put_notice_away()
        wish = self._interrupts.choice(self._status.phase)
        if wish is None or wish.words:
            await self._controller.column.open_menu(menu(self._status.phase), wish)
        elif wish.action is not None:
            self._controller.column.interrupt(wish.action)
            self.show_message(ours("Interrupted: {label}", style="bold $waiting-foreground", label=words(wish.label)))
        else:
            self.show_message(
                ours("Your settings continue the turn · /interrupt opens the menu", style="$waiting-foreground")
            )

    async def action_interrupt_menu(self) -> None:
        """Open the interrupt menu, whatever the settings say."""
        if self._controller is None or not self._stoppable:
            self.show_message(ours("Nothing to interrupt"))
        else:
            await self._controller.column.open_menu(menu(self._status.phase))

    @property
    def _stoppable(self) -> bool:
        return self._status.working and not self._status.held_by

    def action_back_to_menu(self) -> None:
        if self._controller is not None:
            self._controller.column.back_from_words()

    def action_home(self) -> None:
        if self._controller is not None:
            self._controller.put_notice_away()
            self._controller.column.take_focus()

    async def action_break(self) -> None:
        """Handle Ctrl+C: copy a selection, else interrupt what runs, else clear the draft; pressed twice or in the
        menu, leave (R215, R248, S50)."""
        if self._copy_selected():
            return
        in_menu = self._controller is not None and self._controller.column.menu_open
        cleared, self._cleared = self._cleared, False
        if self._ctrl_c.pressed() or in_menu:
            if cleared and not self.composer.text:
                self.composer.action_older()  # leaving keeps the draft (E6)
            self.post_message(self.Leave())
        elif not self._stoppable and self.composer.clear_draft():
            self._cleared = True
            self.show_message(ours("Draft cleared · ↑ restores it", style="bold $waiting-foreground"))
        elif self._stoppable:
            await self.action_interrupt()
        else:
            self.show_message(ours("Press Ctrl+C again to quit", style="bold $waiting-foreground"), DOUBLE_PRESS)

    def action_fold(self) -> None:
        if self._controller is not None:
            self._controller.column.dock.toggle_fold()

    def action_next(self) -> None:
        if self._controller is not None:
            self._controller.column.dock.open_next()

    def action_inbox(self) -> None:
        self.call_later(self.app.run_action, "app.open('inbox')")

    def action_part(self, step: int) -> None:
        """Focus the next or previous part: the composer, the conversation, the sidebar."""
        if self._controller is not None:
            column = self._controller.column
            parts = [self.composer, column.first or column.transcript, self.query_one(Sidebar)]
            there = [part for part in parts if part.focusable and part.display]
            if there:
                at = there.index(self.focused) if self.focused in there else -min(step, 0) - 1
                self.set_focus(there[(at + step) % len(there)])

    def action_page(self, step: int) -> None:
        if self._controller is not None:
            self._controller.column.transcript.scroll_pages(step)

    def action_end(self) -> None:
        if self._controller is not None:
            self._controller.column.transcript.scroll_to_end()

    def _copy_selected(self) -> bool:
        composer = self.composer
        text = composer.selected_by_user or self.get_selected_text()
        if not text:
            return False
        composer.move_cursor(composer.cursor_location)
        self.clear_selection()
        self.post_message(self.Copied(text))
        return True


def _in_sheet(node: DOMNode) -> bool:
    """Return True for a node inside a sheet, whose last line shows its own keys and the dock's (E5)."""
    return any(one.id == "dock" for one in node.ancestors_with_self)
