"""The app of the screen: one engine behind a link, one workspace, and the actions that work everywhere.

It starts the engine, passes its events to the workspace, opens pages over it, and leaves. A conversation is shown by
`screens/`. The app makes no decision that belongs to the engine or to a reducer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import time
from typing import TYPE_CHECKING, Literal

from textual import events, on
from textual.app import App
from textual.binding import Binding
from textual.filter import LineFilter, Monochrome, NoColor
from textual.geometry import Size
from textual.screen import ModalScreen, Screen, SystemModalScreen

from jp_tui.conversation.neutral import neutralise
from jp_tui.conversation.text import Foreign
from jp_tui.guardian import used
from jp_tui.settings.schema.notify import Notify
from jp_tui.ui import textual_patches
from jp_tui.ui.bridge import Bridge, EventsWait
from jp_tui.ui.clipboard import Copier
from jp_tui.ui.composer.command_uses import CommandUses
from jp_tui.ui.composer.composer import Composer
from jp_tui.ui.driver.choice import workspace_driver
from jp_tui.ui.driver.replies import TerminalAnswered
from jp_tui.ui.external_editor import edited_outside
from jp_tui.ui.failures.app_failures import AppFailures, EngineBroke
from jp_tui.ui.gc_schedule import first_frame_done
from jp_tui.ui.handover import Handover
from jp_tui.ui.keys.bindings import DoublePress, bound, declaring_class
from jp_tui.ui.notify.notifier import Notifier
from jp_tui.ui.open_pages import OpenPages
from jp_tui.ui.pages import COMMANDS, AppCommand, Host, choosable, run
from jp_tui.ui.screens.small import Leaving, TooSmall, too_large, too_small
from jp_tui.ui.screens.workspace import WorkspaceScreen
from jp_tui.ui.text import foreign, ours
from jp_tui.ui.textual_patches import output_gate
from jp_tui.ui.textual_patches.private import keymap, terminal_of
from jp_tui.ui.themes import choices, derived
from jp_tui.ui.user_files import UserFiles, UserPaths
from jp_tui.ui.widgets.status import StatusLine
from jp_tui.view.questions.interrupt_menu import InterruptWishes

if TYPE_CHECKING:  # the protocol and most screens are loaded after the first frame (T23)
    from textual.command import Provider
    from textual.theme import Theme

    from jp_tui.link.port import Link
    from jp_tui.protocol.commands import OpenConversation
    from jp_tui.ui.screens.listing import Listing
    from jp_tui.ui.screens.overlay import CommandWanted
    from jp_tui.ui.transcript.claim_controller import ClaimController
    from jp_tui.ui.transcript.conversation_controller import ConversationController
    from jp_tui.ui.transcript.first_screen import FirstScreen
    from jp_tui.ui.transcript.inbox_controller import InboxController
    from jp_tui.view.pages.first_screen import FirstScreenView

textual_patches.install()  # before the first widget and the first timer

PATIENCE = 5.0
"""Seconds that the engine has to end its turn and close the log when the user leaves."""
DEFAULT_THEME = "jp-night"


def _command_provider() -> type[Provider]:
    from jp_tui.ui.screens.palette import CommandProvider

    return CommandProvider


_NO_COLOUR = NoColor()


class WorkspaceApp(App[None], inherit_bindings=False):
    """jp-tui's workspace."""

    TITLE = "jp"
    ENABLE_COMMAND_PALETTE = True
    NOTIFICATION_TIMEOUT = 3
    CSS_PATH = Path(__file__).parent / "styles" / "workspace.tcss"
    COMMANDS = {_command_provider}
    BINDINGS = [
        Binding("ctrl+p", "command_palette", "palette", id="app.palette", tooltip="Find and run a command"),
        Binding(
            "ctrl+z",
            "suspend_process",
            "suspend",
            show=False,
            priority=True,
            id="app.suspend",
            tooltip="Suspend jp-tui; fg resumes it",
        ),
        Binding("ctrl+q", "leave", "quit", show=False, id="app.leave", tooltip="Stop the turn, save the log and quit"),
        Binding(
            "f2",
            "open('conversations')",
            "conversations",
            show=False,
            id="app.conversations",
            tooltip="Search and open conversations",
        ),
        Binding(
            "f4", "open('inbox')", "inbox", show=False, id="app.inbox", tooltip="Show all questions that wait for you"
        ),
        Binding(
            "f7",
            "open('ledger')",
            "ledger",
            show=False,
            id="app.ledger",
            tooltip="Show remembered answers and permissions",
        ),
        Binding(
            "f8",
            "open('inquiries')",
            "inquiries",
            show=False,
            id="app.inquiries",
            tooltip="Show this conversation's questions and answers",
        ),
        Binding(
            "f9", "take_over", "decide yourself", id="app.take_over", tooltip="Decide yourself instead of the reviewer"
        ),
        Binding(
            "f10",
            "open('reviewers')",
            "reviewers",
            show=False,
            id="app.reviewers",
            tooltip="Show what reviewers decided and cost",
        ),
        Binding("f1", "keys", "keys", id="app.keys", tooltip="Show all keys by task"),
    ]
    wall = staticmethod(time)
    """Seconds since 1970, for times that are shown."""

    def __init__(
        self,
        *,
        link: Link | Callable[[], Link],
        open_command: OpenConversation | Callable[[], OpenConversation],
        workspace: str,
        theme: str,
        themes: Mapping[str, str],
        state_dir: Path,
        clock: Callable[[], float],
        home: str = "",
        first_prompt: str = "",
        sidebar: Literal["auto", "show", "hide"] = "auto",
        notices: tuple[str, ...] = (),
        interrupts: InterruptWishes | None = None,
        notify: Notify | None = None,
        environment: Mapping[str, str] | None = None,
        user_paths: UserPaths | None = None,
        ascii_signs: bool = False,
        resumes: bool = False,
        vi: bool = False,
        first: FirstScreenView | None = None,
    ) -> None:
        """`link` and `open_command` may be functions that make them: these are called after the first frame.

        `themes` is name → file (`settings.themes.names`); `clock` gives monotonic seconds; `home` shortens paths;
        `notices` are shown about the settings; `interrupts` says what an interruption does (R233); `notify` how the
        user is notified, in a terminal with that `environment`; `ascii_signs` draws signs and frames in ASCII;
        `resumes`: the opened conversation has messages; `vi`: the composer uses vi's keys; `first` is the first screen
        of the new conversation, if it is known.
        """
        self.handover = Handover(self, lambda: self._main)
        super().__init__(driver_class=self.handover.driver_class())
        self.animation_level = "none"
        self.resumes = ""
        """The id of the open conversation if it has a title and this process writes it."""
        output_gate.only_ascii(ascii_signs)
        environment = environment or {}
        self._bridge = Bridge(link if callable(link) else lambda: link, self.post_message)
        self._open_command = open_command if callable(open_command) else lambda: open_command
        self.can_start: Callable[[], bool] = lambda: True
        """Called once the first frame is painted. If it returns False, there can be no engine, and the app ends with 2.
        """
        self._clock = clock
        self._ctrl_c = DoublePress(clock)
        self._leaving = False
        self._larger: tuple[int, int] | None = None
        self._main = WorkspaceScreen(
            send=self._bridge.send,
            clock=clock,
            ctrl_c=self._ctrl_c,
            editor=lambda text: edited_outside(self, text),
            workspace=workspace,
            home=home,
            first_prompt=first_prompt,
            sidebar=sidebar,
            notices=notices,
            interrupts=interrupts,
            commands=choosable(COMMANDS, theme=choices(themes)),
            uses=CommandUses(state_dir / "commands"),
            keys=self._bridge,
            resumes=resumes,
            vi=vi,
            first=first,
        )
        self.failures = AppFailures(self, state_dir, self._main.note)
        self.notifier = Notifier(
            settings=notify or Notify(),
            environment=environment,
            clock=clock,
            write=lambda sequence: self._to_terminal(sequence),
            later=self.set_timer,
            say=self._main.show_message,
        )
        self._copier = Copier(self, environment, self._main.show_message)
        self.user_files = UserFiles(self, user_paths or UserPaths(), themes, self._main.note, self._main.show_message)
        self._pages = OpenPages(self, self._main, self._page_host)
        _ = self.user_files.apply_theme(theme) or self.user_files.apply_theme(DEFAULT_THEME)
        self.stylesheet.set_variables(self.get_css_variables())
        self._parsed_with: Theme | None = self.current_theme
        """The theme whose colours the styles have from the start."""

    @property
    def instructions(self) -> str | None:
        """Line of the first screen about instruction files; None if it had none."""
        return self._main.instructions

    def get_default_screen(self) -> Screen[None]:
        return self._main

    # -- start and end

    def post_display_hook(self) -> None:
        """Called by Textual after each frame."""
        self.handover.painted()

    def on_mount(self) -> None:
        self.failures.watch()
        if (driver := workspace_driver(self)) is not None:
            driver.title = self.notifier.title
            self.notifier.query_terminal = driver.ask

    @on(WorkspaceScreen.Ready)
    def _workspace_ready(self) -> None:
        """Start the engine after the first frame: its imports would delay it (T28)."""
        self.call_after_refresh(self._start_engine)

    def _start_engine(self) -> None:
        first_frame_done()
        if not self.can_start():
            self.exit(return_code=2)
            return
        from jp_tui.protocol.commands import ReadHistory

        self._bridge.start()
        if (driver := workspace_driver(self)) is not None:
            driver.on_input = self._bridge.hurry
        self._bridge.send(self._open_command())
        self._bridge.send(ReadHistory())
        self.call_after_refresh(self.user_files.read_at_start)
        self._note_size()

    def action_break(self) -> None:
        """Handle Ctrl+C on a screen over the workspace: close it. A second press within a second leaves."""
        if self._ctrl_c.pressed():
            self.action_leave()
        elif isinstance(self.screen, ModalScreen) and not isinstance(self.screen, TooSmall):
            self.screen.dismiss(None)

    @on(WorkspaceScreen.Leave)
    def action_leave(self) -> None:
        """Leave with status 0, whatever runs (S1), once the engine has closed the log."""
        if not self._bridge.started:
            self.action_leave_now()
        elif not self._leaving:
            self._leaving = True
            self.handover.keep_look()
            self.handover.keep_screen()
            self.push_screen(Leaving())
            self._main.drafts.flush()
            from jp_tui.protocol.commands import Shutdown

            self._bridge.send(Shutdown())
            self.set_timer(PATIENCE, self.action_leave_now)

    def action_leave_now(self) -> None:
        self.exit(return_code=0)

    async def action_quit(self) -> None:
        """Leave properly when Textual wants to quit."""
        self.action_leave()

    def on_unmount(self) -> None:
        """Save the drafts and close the log, however the app ends."""
        self._main.drafts.flush()
        self._bridge.close(PATIENCE)
        self.notifier.close()

    # -- failures

    def _handle_exception(self, error: Exception) -> None:
        self.failures.crash(error)

    def panic(self, *renderables: object) -> None:
        self.failures.panic(*renderables)

    def _print_error_renderables(self) -> None:
        """Print nothing: the guardian prints the last message once the terminal is restored."""
        self.failures.hold_exit_message()

    def exit(self, result: None = None, return_code: int = 0, message: object = None) -> None:
        """Keep the last screen first, however the app ends."""
        try:
            self.handover.keep_screen()
        finally:
            super().exit(result, self.failures.status(return_code), message)  # type: ignore[arg-type]

    # -- events of the engine

    @on(EventsWait)
    def _events_wait(self) -> None:
        from jp_tui.protocol import events as ev

        with self._bridge.portion() as reported:
            self._main.show(reported)
            self.notifier.handle(reported)
            for event in reported:
                if isinstance(event, ev.EngineFailed):
                    self._handle_exception(EngineBroke(f"{event.message}\n{event.report}"))
                elif isinstance(event, ev.Stopped):
                    self.exit(return_code=self.return_code or 0)

    def on_conversation_controller_open_failed(self, event: ConversationController.OpenFailed) -> None:
        """Leave with a message in the shell if no conversation can be opened (S1, Z20)."""
        message = Foreign("\n".join(part for part in (event.message, event.advice) if part))
        self.exit(return_code=event.status, message=neutralise(message, "conversation"))

    def on_conversation_controller_state_changed(self, event: ConversationController.StateChanged) -> None:
        status = event.status
        self._bridge.offline = status.offline
        self.notifier.show_status(status)
        self._pages.show_waiting()
        self.resumes = status.conversation if status.title and not status.held_by else ""

    def on_conversation_controller_for_page(self, event: ConversationController.ForPage) -> None:
        self._pages.deliver(event.reported)

    def on_claim_controller_choose(self, event: ClaimController.Choose) -> None:
        """Let the user choose who gets a question."""
        event.stop()
        from jp_tui.ui.screens.choosing import Choosing
        from jp_tui.view.questions.people import HAND_OVER

        def take(name: str | None) -> None:
            event.chosen(event.names.get(name) if name is not None else None)

        self.push_screen(Choosing(HAND_OVER, [*event.names], ""), take)

    def on_first_screen_picked(self, event: FirstScreen.Picked) -> None:
        event.stop()
        self._open_conversation(event.conversation)

    def on_inbox_controller_turn_ended(self, event: InboxController.TurnEnded) -> None:
        event.stop()
        self.notifier.turn_ended_elsewhere(event.ended, event.title)

    def on_inbox_controller_unsnoozed(self, event: InboxController.Unsnoozed) -> None:
        event.stop()
        self.notifier.snooze_ended(*event.key)

    # -- the terminal: focus, keys, size, clipboard

    @on(TerminalAnswered)
    def _terminal_answered(self, event: TerminalAnswered) -> None:
        from jp_tui.ui.notify.channels import TerminalFacts

        self.notifier.terminal_answered(TerminalFacts(event.version, event.osc99, event.focus))

    def on_app_focus(self) -> None:
        self.notifier.focus_changed(True)
        self.user_files.read_changed()  # the user may come back from an editor

    def on_app_blur(self) -> None:
        self.notifier.focus_changed(False)

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, (events.Key, events.MouseDown, events.Paste)) and not event.is_forwarded:
            self.notifier.user_active()
        await super().on_event(event)

    def _to_terminal(self, sequence: str) -> None:
        if (driver := terminal_of(self)) is not None:
            driver.write(sequence)

    def bell(self) -> None:
        if self.notifier.rings:
            super().bell()

    @property
    def size(self) -> Size:
        """The part of the terminal that is used. Textual takes it from the console, which knows no bounds."""
        return Size(*used(*super().size))

    def on_resize(self, event: events.Resize) -> None:
        """Cover everything while the terminal is too small."""
        small = next((one for one in self.screen_stack if isinstance(one, TooSmall)), None)
        if too_small(*event.size):
            if small is None:
                self.push_screen(TooSmall())
        elif small is not None:
            small.dismiss(None)
        self._note_size()

    def _note_size(self) -> None:
        """Show a notice if the terminal is larger than the used part, once for each size (Z27)."""
        driver = workspace_driver(self)
        larger = driver.larger if driver is not None else None
        if larger != self._larger and self._bridge.started:
            self._larger = larger
            if larger is not None:
                self._main.note(too_large(*larger))

    @on(WorkspaceScreen.Copied)
    def _selection_copied(self, event: WorkspaceScreen.Copied) -> None:
        self._copier.copy(event.text)

    def on_conversation_controller_copied(self, event: ConversationController.Copied) -> None:
        self._copier.copy(event.text, event.what)

    # -- commands and keys

    @on(Composer.Commanded)
    def _slash_commanded(self, event: Composer.Commanded) -> None:
        event.stop()
        if isinstance(event.command, AppCommand):
            run(self, event.command, event.argument)

    @on(StatusLine.Pointed)
    def _status_pointed(self, event: StatusLine.Pointed) -> None:
        """Open the page about the clicked part of the status line."""
        event.stop()
        for command in COMMANDS:
            if command.name == event.command:
                run(self, command)

    def action_open(self, name: str, argument: str = "") -> None:
        """Open a page over the workspace."""
        self._pages.open(name, argument)

    def _page_host(self) -> Host:
        return Host(
            main=self._main,
            send=self._bridge.send,
            new=self.action_new,
            go_to=self._open_conversation,
            wear=self.user_files.apply_theme,
            themes=self.user_files.theme_names,
            copy=self._copier.copy,
            write=self._main.composer.prepend,
            clock=self._clock,
            wall=self.wall,
        )

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable keys that an open sheet doesn't show (R245), and those without anything to act on."""
        if action == "open":
            return self._pages.works(str(parameters[0]))
        if action == "take_over":
            return bool(self._main.reviewed)
        return super().check_action(action, parameters)

    def on_key(self, event: events.Key) -> None:
        """Let the key of the keys page work on a page over the workspace, which gets no other key of the app."""
        wanted = any(one.action == "keys" for one in bound(self).get(event.key, ()))
        page = isinstance(self.screen, ModalScreen) and not isinstance(self.screen, SystemModalScreen)
        there = bound(self.screen)
        if wanted and page and "escape" in there and event.key not in there:  # it can be left, and has no F1 itself
            event.stop()
            self.screen.call_later(self.action_keys)

    def action_keys(self) -> None:
        from jp_tui.ui.screens.keylist import KeyList, every_key  # with the widgets of every sheet

        if isinstance(self.screen, KeyList):
            self.screen.dismiss()
        else:
            self.user_files.read_changed()
            node = self.focused or self.screen
            nodes = node.ancestors_with_self
            here = [kind for one in nodes for kind in (*type(one).__mro__, *getattr(one, "key_owners", ()))]
            sections = every_key(
                declaring_class(self), (*COMMANDS, *self._main.composer.own_commands), keymap(self), here
            )
            self.push_screen(KeyList(sections=sections, problems=self.user_files.key_problems))

    def action_command_palette(self) -> None:
        from jp_tui.ui.screens.palette import Palette

        self.user_files.read_changed()
        if not Palette.is_open(self):  # type: ignore[arg-type]  # any app will do
            self.push_screen(Palette(id="--command-palette"))

    def action_sidebar(self) -> None:
        self._main.action_sidebar()

    def action_interrupt_menu(self) -> None:
        self._main.call_later(self._main.action_interrupt_menu)

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Return Textual's filters. Without colours a theme of the terminal's own loses them: they have no shade of
        grey, and Textual, which chooses before the theme is known, would make all of them black."""
        found = super().get_line_filters()
        if not any(isinstance(one, Monochrome) for one in found) or not self.current_theme.ansi:
            return found
        return [_NO_COLOUR if isinstance(one, Monochrome) else one for one in found]

    def refresh_css(self, animate: bool = True) -> None:
        """Don't parse and apply all styles a second time for the theme that was set before the first."""
        parsed_with, self._parsed_with = self._parsed_with, None
        if parsed_with is None or parsed_with is not self.current_theme:
            super().refresh_css(animate=animate)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return derived(self.current_theme)

    def action_theme(self, name: str = "") -> None:
        """Apply the theme of that name, or open the list of themes, which applies the highlighted one."""
        from jp_tui.protocol.commands import SetSetting
        from jp_tui.ui.screens.picker import ThemePicker

        files = self.user_files
        files.read_changed()
        names = files.theme_names()
        if name and name not in names:
            self._main.show_message(
                ours("Unknown theme {name}. /theme lists them.", name=foreign(Foreign(name), limit=30))
            )
            return
        if name:
            if files.apply_theme(name):
                self._bridge.send(SetSetting(key="ui.theme", value=name))
            return
        before = self.theme

        def chosen(name: str | None) -> None:
            if name is None:
                files.apply_theme(before)
            elif name == self.theme and name != before:
                self._bridge.send(SetSetting(key="ui.theme", value=name))

        self.push_screen(ThemePicker(names=names, current=before, wear=files.apply_theme), chosen)

    # -- conversations

    def action_new(self) -> None:
        from jp_tui.protocol.commands import OpenConversation

        self._main.drafts.flush()
        self._bridge.send(OpenConversation(which="new"))

    def _open_conversation(self, conversation: str) -> None:
        from jp_tui.protocol.commands import OpenConversation

        self._main.drafts.flush()
        command = OpenConversation(which="id", conversation=conversation)
        if self._bridge.started:
            self._bridge.send(command)
        else:  # it was chosen on the first screen, before the engine was there
            self._open_command = lambda: command

    # -- open questions and decisions

    def action_jump(self, conversation: str, inquiry: str) -> None:
        """Jump to a question that waits."""
        if (waits := self._main.waits) is not None:
            waits.jump((conversation, inquiry))

    def action_take_over(self) -> None:
        """Take over the oldest decision that a reviewing model is making (R156)."""
        from jp_tui.protocol.commands import TakeOver

        if reviewed := self._main.reviewed:
            self._bridge.send(TakeOver(conversation=reviewed[0][0], inquiry=reviewed[0][1]))
        else:
            self._main.show_message(ours("No reviewer is deciding now"))

    # -- what pages ask of the engine

    def on_listing_shown(self, event: Listing.Shown) -> None:
        event.stop()
        self._pages.show_waiting()

    def on_command_wanted(self, event: CommandWanted) -> None:
        event.stop()
        self._bridge.send(event.command)
