"""The face with a screen: one engine behind a link, one workspace, the keys that work everywhere.

It starts the engine, hands its events to the workspace, changes themes, and leaves properly. Whatever belongs to
one conversation is in `screens/`; nothing is decided here that an engine or a reducer could decide.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from textual import events, on
from textual.app import App
from textual.binding import Binding
from textual.geometry import Size
from textual.screen import ModalScreen, Screen

from jp_tui.conversation.neutral import neutralise
from jp_tui.conversation.text import Foreign
from jp_tui.guardian import used
from jp_tui.settings.errors import SettingsError
from jp_tui.settings.schema.notify import Notify
from jp_tui.ui import textual_patches, themes
from jp_tui.ui.attention import Attention, Attentive
from jp_tui.ui.background import Background
from jp_tui.ui.bridge import Bridge, EventsWait
from jp_tui.ui.changes_actions import Changing
from jp_tui.ui.commands import COMMANDS, Commands, choosable
from jp_tui.ui.crash import CrashReports, EngineBroke
from jp_tui.ui.handover import Handover
from jp_tui.ui.keys import Twice
from jp_tui.ui.lending import edited_outside
from jp_tui.ui.page_actions import Pages
from jp_tui.ui.personal import NOTHING, Own, Personal, stamp
from jp_tui.ui.screens.small import Leaving, TooSmall, too_large, too_small
from jp_tui.ui.screens.workspace import WorkspaceScreen
from jp_tui.ui.setup_actions import FirstRun
from jp_tui.ui.terminal import workspace_driver
from jp_tui.ui.text import foreign, ours
from jp_tui.ui.textual_patches.private import apply_again
from jp_tui.ui.themes import choices as theme_names
from jp_tui.ui.tidying import first_frame_done
from jp_tui.view.questions.interrupt_menu import InterruptWishes

if TYPE_CHECKING:  # the protocol is loaded after the first frame (T23)
    from jp_tui.link.port import Link
    from jp_tui.protocol.commands import OpenConversation
    from jp_tui.ui.screens.exchange import Exchange

textual_patches.install()  # before the first widget and the first timer

PATIENCE = 5.0
"""Seconds that the engine has to end its turn and close the log when the user leaves."""


class Workspace(  # type: ignore[misc]  # untyped mixin
    CrashReports, Attentive, Personal, Pages, FirstRun, Changing, Commands, App[None], inherit_bindings=False
):
    """jp-tui's workspace."""

    TITLE = "jp"
    ENABLE_COMMAND_PALETTE = True
    NOTIFICATION_TIMEOUT = 3
    CSS_PATH = Path(__file__).parent / "styles" / "workspace.tcss"
    BINDINGS = [
        Binding("ctrl+p", "command_palette", "palette", id="app.palette", tooltip="Find and run a command"),
        Binding(
            "ctrl+z", "suspend_process", "suspend", show=False, priority=True, id="app.suspend", tooltip="fg resumes"
        ),
        Binding("ctrl+q", "leave", "leave", show=False, id="app.leave", tooltip="End the turn, close the log, leave"),
        Binding("f4", "inbox", "inbox", show=False, id="app.inbox", tooltip="All that waits for you, wherever it is"),
        Binding("f7", "ledger", "ledger", show=False, id="app.ledger", tooltip="What is remembered or allowed now"),
        Binding("f8", "inquiries", "inquiries", show=False, id="app.inquiries", tooltip="All that was asked here"),
        Binding("f9", "take_over", "decide yourself", id="app.take_over", tooltip="What a reviewer decides now"),
        Binding("f10", "reviewers", "reviewers", show=False, id="app.reviewers", tooltip="How reviewers fared"),
        Binding("f1", "keys", "keys", id="app.keys", tooltip="All keys, by where they work"),
    ]

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
        own: Own = NOTHING,
    ) -> None:
        """`link` and `open_command` may be ways to make them: then they are made after the first frame.

        `themes` is name → file (`settings.themes.names`); `clock` is monotonic seconds; `home` shortens paths;
        `notices` are what is to be said of the settings; `interrupts` what an interruption does (R233); `notify` how
        somebody is called who does not look, in a terminal with that `environment`.
        """
        self.crash_state = state_dir
        self._theme_files = themes
        self.take_own(own, environment or {})
        self.handover = Handover(self, lambda: self._main)
        self.can_start: Callable[[], bool] = lambda: True
        """Asked once the first frame is painted: whether there can be an engine. If not, the app ends with 2, and
        whoever said so says why."""
        super().__init__(driver_class=self.handover.driver_class())
        self.animation_level = "none"
        self._bridge = Bridge(link if callable(link) else lambda: link, self.post_message)
        self._open_command = open_command if callable(open_command) else lambda: open_command
        self._twice = Twice(clock)
        self._leaving = False
        self._larger: tuple[int, int] | None = None
        self.background = Background(self.call_later, lambda words, advice: self._main.note(words, advice), state_dir)
        self._clock = clock
        self.resumes = ""
        """The id of the conversation that is open and has something in it."""
        self.attention = Attention(
            wishes=notify or Notify(),
            environment=environment or {},
            clock=clock,
            write=lambda sequence: self._to_terminal(sequence),
            later=self.set_timer,
            say=lambda words, seconds: self._main.say(words, seconds),
        )
        self._main = WorkspaceScreen(
            send=self._bridge.send,
            clock=clock,
            twice=self._twice,
            editor=lambda text: edited_outside(self, text),
            workspace=workspace,
            home=home,
            first_prompt=first_prompt,
            sidebar=sidebar,
            notices=notices,
            interrupts=interrupts,
            commands=choosable(COMMANDS, theme=theme_names(themes)),
            keys=self._bridge,
        )
        _ = self._wear(theme) or self._wear("jp-night")

    def get_default_screen(self) -> Screen[None]:
        return self._main

    @on(WorkspaceScreen.Ready)
    def _workspace_ready(self) -> None:
        """The first frame comes before the engine: its imports would hold the interpreter meanwhile (T28)."""
        self.call_after_refresh(self._start_engine)

    def _start_engine(self) -> None:
        first_frame_done()
        if not self.can_start():
            self.exit(return_code=2)
            return
        from jp_tui.protocol.commands import ReadHistory

        self._bridge.start()
        if (driver := workspace_driver(self)) is not None:
            driver.typed = self._bridge.hurry
        self._bridge.send(self._open_command())
        self._bridge.send(ReadHistory())
        self.call_after_refresh(self.read_own, at_start=True)
        self._tell_size()

    def on_mount(self) -> None:
        self.background.watch()

    def on_unmount(self) -> None:
        """However we came here, what was written is saved and the log is closed."""
        self._main.drafts.flush()
        self._bridge.close(PATIENCE)
        self.attention.close()

    # -- the engine

    @on(EventsWait)
    def _events_wait(self) -> None:
        from jp_tui.protocol import events as ev

        with self._bridge.portion() as reported:
            self._main.show(reported)
            self.attention.heard(reported)
            for event in reported:
                if isinstance(event, ev.EngineFailed):
                    self._handle_exception(EngineBroke(f"{event.message}\n{event.report}"))
                elif isinstance(event, ev.Stopped):
                    self.exit(return_code=self.return_code or 0)

    def on_exchange_unopened(self, event: Exchange.Unopened) -> None:
        """Nothing could be opened, so there is nothing to work in: the words go to the shell (S1, Z20)."""
        said = Foreign("\n".join(part for part in (event.message, event.advice) if part))
        self.exit(return_code=event.status, message=neutralise(said, "conversation"))

    # -- leaving (S1: 0, whatever was running)

    def action_break(self) -> None:
        """Ctrl+C over a screen that hides the workspace: closes it, a second one within a second leaves."""
        if self._twice.pressed():
            self.action_leave()
        elif isinstance(self.screen, ModalScreen) and not isinstance(self.screen, TooSmall):
            self.screen.dismiss(None)

    @on(WorkspaceScreen.Leave)
    def action_leave(self) -> None:
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

    def exit(self, *arguments: Any, **named: Any) -> None:
        """However the app ends, the last screen is kept first."""
        try:
            self.handover.keep_screen()
        finally:
            super().exit(*arguments, **named)

    def post_display_hook(self) -> None:
        self.handover.painted()

    async def action_quit(self) -> None:
        """Textual's own way out is ours."""
        self.action_leave()

    # -- themes

    def _wear(self, name: str) -> bool:
        """Put a theme on; False, with words, when its file cannot be used."""
        try:
            found = themes.load(name, self._theme_files)
        except SettingsError as error:
            self.not_worn = str(error)
            self._main.say(foreign(Foreign(str(error)), mode="line", style="$failed-foreground"))
            return False
        if found is None:
            return False
        self.register_theme(found)
        if self.theme == found.name:
            apply_again(self, found.name)  # the same name with other colours
        self.theme = found.name
        self._theme_stamp = stamp(self._theme_files.get(name, ""))
        return True

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return themes.derived(self.current_theme)

    def action_theme(self, name: str = "") -> None:
        """The theme of that name, or a list of them; the highlighted one is worn while it is looked at."""
        from jp_tui.protocol.commands import SetSetting
        from jp_tui.ui.screens.picker import ThemePicker

        self.read_own()
        names = themes.choices(self._theme_files)
        if name and name not in names:
            self._main.say(ours("no theme {name}: /theme lists them", name=foreign(Foreign(name), limit=30)))
            return
        if name:
            if self._wear(name):
                self._bridge.send(SetSetting(key="ui.theme", value=name))
            return
        before = self.theme

        def chosen(name: str | None) -> None:
            if name is None:
                self._wear(before)
            elif name == self.theme and name != before:
                self._bridge.send(SetSetting(key="ui.theme", value=name))

        self.push_screen(ThemePicker(names=names, current=before, wear=self._wear), chosen)

    # -- what can be done from everywhere; more of it in commands.py

    def action_command_palette(self) -> None:
        from jp_tui.ui.screens.palette import Palette

        self.read_own()
        if not Palette.is_open(self):  # type: ignore[arg-type]
            self.push_screen(Palette(id="--command-palette"))

    def on_workspace_screen_copied(self, event: WorkspaceScreen.Copied) -> None:
        self.copied(event.text)

    def on_exchange_copied(self, event: Exchange.Copied) -> None:
        self.copied(event.text, event.what)

    def on_exchange_told(self, event: Exchange.Told) -> None:
        status = event.status
        self.attention.told(status)
        self.told_waiting()
        self.resumes = status.conversation if status.title and not status.held_by else ""

    # -- size

    @property
    def size(self) -> Size:
        """What is used of the terminal: Textual takes it from the console, which knows no bounds."""
        return Size(*used(*super().size))

    def on_resize(self, event: events.Resize) -> None:
        """Too small is a screen of its own over whatever there is, and goes away by itself."""
        small = next((one for one in self.screen_stack if isinstance(one, TooSmall)), None)
        if too_small(*event.size):
            if small is None:
                self.push_screen(TooSmall())
        elif small is not None:
            small.dismiss(None)
        self._tell_size()

    def _tell_size(self) -> None:
        """Of a terminal that is larger than is used, once for each size (Z27)."""
        driver = workspace_driver(self)
        larger = driver.larger if driver is not None else None
        if larger != self._larger and self._bridge.started:
            self._larger = larger
            if larger is not None:
                self._main.note(too_large(*larger))
