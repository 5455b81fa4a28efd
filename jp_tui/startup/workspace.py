"""Front end with a screen: first what the first frame needs, then the app.

The rest is built after the first frame, including the settings if nothing has changed since the last start
(`first_frame/cached_settings.py`). Errors that prevent the start are printed in the shell, with status 2.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from jp_tui import guardian
from jp_tui.first_frame import cached_settings, last_screen, new_conversation
from jp_tui.first_frame.early_screen import terminal_size
from jp_tui.first_frame.saved_look import terminal_key
from jp_tui.settings.cli.arguments import CommandLine
from jp_tui.settings.errors import SettingsError, UsageError
from jp_tui.settings.themes import themes
from jp_tui.startup.debugging import debug
from jp_tui.startup.engine import link
from jp_tui.startup.parts import RunLocation, can_open, is_shared, journal, kept_secret, opening, parts
from jp_tui.system.paths import PathsError

if TYPE_CHECKING:
    from jp_tui.journal.port import ConversationRow, Journal, StoreNotice
    from jp_tui.link.local import LocalLink
    from jp_tui.startup.parts import Parts
    from jp_tui.view.pages.first_screen import FirstScreenView


def workspace(arguments: CommandLine, place: RunLocation) -> int:
    """Run the screen to its end; return the exit status."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("the workspace needs a terminal; `jp-tui query PROMPT` works without one")
    paths = place.paths
    screens = LastScreens(arguments, place)
    screens.show()
    first_screen = FirstScreenCache(arguments, place, screens.stamp)
    settings = cache(lambda: place.sources.load())  # with its imports
    now = cached_settings.stamp(arguments, paths, place.settings_file, os.environ)
    cached = cached_settings.remembered(paths.state, now)
    look = cached or cached_settings.of(settings(), str(paths.themes))
    paths.prepare()
    from jp_tui.ui.app import WorkspaceApp
    from jp_tui.ui.ascii_signs import wanted
    from jp_tui.ui.failures.crash_report import install_excepthook, keep_out
    from jp_tui.ui.handover import Keep
    from jp_tui.ui.user_files import UserPaths

    install_excepthook(paths.state)
    keep_out(lambda: kept_secret(settings()))
    debug(paths.state, os.environ)

    def make() -> Parts:
        made = parts(arguments, settings(), place)
        read = look if cached is None else cached_settings.of(settings(), str(paths.themes))
        if read != cached:
            cached_settings.remember(paths.state, now, settings(), read)
        return made

    ready = _Ready(make)
    app = WorkspaceApp(
        # Built after the first frame: they import the protocol and the engine (traps.md T23, T28).
        link=ready.link,
        open_command=lambda: opening(arguments),
        workspace=str(place.workspace),
        home=os.environ.get("HOME", ""),
        theme=look.theme,
        themes=themes.names(str(paths.themes)),
        user_paths=UserPaths(str(paths.keys_file), str(paths.themes)),
        ascii_signs=wanted(look.ascii, os.environ),
        sidebar=look.sidebar,
        vi=look.keys == "vi",
        resumes=arguments.resume is not None or arguments.continue_last,
        first_prompt=arguments.prompt or "",
        state_dir=paths.state,
        clock=time.monotonic,
        interrupts=look.interrupts,
        notify=look.notify,
        environment=dict(os.environ),
        notices=look.notices,
        first=first_screen.shown,
    )
    install_excepthook(paths.state, app.failures.report_from_thread)
    # A workspace's own theme isn't used for other workspaces.
    app.handover.keeps = Keep(arguments.theme or "" if look.widely else None, screens.shown.append)
    app.can_start = ready.build
    app.run()
    screens.keep(look.sidebar != "hide")
    if ready.offline:
        guardian.last_word(f"jp-tui: {ready.problem}")
        return 1
    if ready.parts is not None:
        first_screen.keep(ready.parts, app.instructions)
    if ready.problem is not None:
        raise ready.problem
    said = [f"jp-tui: {notice.message} {notice.advice}".rstrip() for notice in ready.notices()]
    if app.resumes and not app.return_code and can_open(paths, app.resumes, settings()):
        said.append(f"Resume this conversation with: jp-tui -r {app.resumes}")
    if said:
        guardian.last_word("\n".join(said))
    return app.return_code or 0


class LastScreens:
    """Last screens of conversations: shown before anything is loaded, and saved on leaving the workspace."""

    def __init__(self, arguments: CommandLine, place: RunLocation) -> None:
        self._arguments, self._place = arguments, place
        self._settings = self.stamp()
        self.shown: list[last_screen.PaintedScreen] = []
        """Screen contents on leaving the workspace."""

    def stamp(self) -> str:
        """Return what all settings come from, for comparison; empty if that is unknown."""
        return cached_settings.full_stamp(self._arguments, self._place.paths, self._place.settings_file, os.environ)

    def _facts(self, conversation: str, last_seq: int, title: str, model: str, size: tuple[int, int]) -> str:
        """Return everything that the painted rows depend on, in one line."""
        here = self._settings, str(self._place.workspace), terminal_key(os.environb)
        return repr((*here, size, conversation, last_seq, title, model))

    def _find_resumable(self, conversation: str | None) -> ConversationRow | None:
        from jp_tui.journal.reader import find_resumable

        return find_resumable(self._place.paths.database, str(self._place.workspace), conversation)

    def show(self) -> None:
        """Show the last screen of the resumed conversation, if it is still valid."""
        arguments, paths = self._arguments, self._place.paths
        resumes = arguments.resume is not None or arguments.continue_last
        if not resumes or arguments.prompt or not self._settings or not guardian.guardian_reads_keys():
            return
        if not last_screen.any_kept(paths.state):
            return
        row = self._find_resumable(arguments.resume)
        if row is None or not self._free(row.id):
            return  # another process writes it, so it is read-only here
        size = terminal_size()
        facts = self._facts(row.id, row.last_seq, row.title, row.model, size)
        if (found := last_screen.load(paths.state, row.id, facts, size)) is not None:
            guardian.show_last_screen(*size, found)

    def keep(self, beside: bool) -> None:
        """Save the screen for the next start, if that would show the same: unchanged settings, the sidebar as
        configured, and the conversation as stored.

        Only after the engine has closed the store: closing a second connection would drop the locks of the first.
        """
        for shown in self.shown:
            free = self._free(shown.conversation)
            if not (free and self._settings and shown.beside == beside and self.stamp() == self._settings):
                continue
            row = self._find_resumable(shown.conversation)
            facts = self._facts(shown.conversation, shown.last_seq, shown.title, shown.model, shown.size)
            if row is not None and facts == self._facts(row.id, row.last_seq, row.title, row.model, shown.size):
                last_screen.keep(self._place.paths.state, row.id, facts, shown.rows)

    def _free(self, conversation: str) -> bool:
        """True if no process has the conversation open, nor an unfinished engine of this one."""
        from jp_tui.system.lock import LockError, holder, lock_path

        try:
            return holder(lock_path(self._place.paths.locks, conversation)) is None
        except LockError:
            return False


class FirstScreenCache:
    """First screen of a new conversation: shown in the first frame, and saved on leaving the workspace.

    Only for a model that the settings name: every other choice depends on the servers that run now. Only for
    conversations in a file: others change unseen.
    """

    def __init__(self, arguments: CommandLine, place: RunLocation, stamp: Callable[[], str]) -> None:
        self._place, self._stamp = place, stamp
        self._settings = stamp()
        self.shown: FirstScreenView | None = None
        """None if none is kept that is still true, or if this start shows something else."""
        if self._settings and arguments.resume is None and not arguments.continue_last and not arguments.prompt:
            here, home = str(place.workspace), os.environ.get("HOME", "")
            self.shown = new_conversation.load(place.paths.state, self._facts(), here, home, str(time.time_ns()))

    def _facts(self) -> str:
        """Return everything that the content depends on."""
        database = new_conversation.database_stamp(self._place.paths.database)
        return repr((self._settings, str(self._place.workspace), database))

    def keep(self, made: Parts, instructions: str | None) -> None:
        """Save the content for the next start. Only after the engine has closed the store (`LastScreens.keep`)."""
        from jp_tui.engine.record.rows import conversation_info
        from jp_tui.journal.reader import latest_conversations
        from jp_tui.settings import providers
        from jp_tui.view.pages.first_screen import RECENT, FirstScreenView, recent

        named = made.settings.get("assistant", "model", "id") is not None
        if not (named and self._settings and self._stamp() == self._settings) or is_shared(made.settings):
            return
        here, paths = str(self._place.workspace), self._place.paths
        model = providers.choose(made.settings, providers.providers(made.settings, os.environ), os.environ).id
        rows = latest_conversations(paths.database, here, RECENT + 1)
        if rows is None or model.provider == providers.DEMO:  # the tour begins with its greeting
            return
        if instructions is None:
            instructions = self.shown.instructions if self.shown is not None else ""
        listed = recent(tuple(map(conversation_info, rows)), "")
        view = FirstScreenView(model=str(model), folder=here, instructions=instructions, recent=listed)
        new_conversation.keep(paths.state, self._facts(), view)


class _Ready:
    """Parts of an engine, and the database: built directly after the first frame."""

    def __init__(self, make: Callable[[], Parts]) -> None:
        self._make = make
        self._made: tuple[Parts, Journal] | None = None
        self.problem: Exception | None = None
        """Why no engine can be built."""
        self.offline = False
        """True if it is a server that doesn't answer (D4)."""

    def build(self) -> bool:
        """Build them; return False on failure, with `problem` set."""
        from jp_tui.journal.port import JournalError

        try:
            made = self._make()
            self._made = made, journal(made, waits=True)
        except (UsageError, SettingsError, PathsError) as problem:
            self.problem = problem
        except JournalError as problem:
            self.problem = PathsError(str(problem))
            self.offline = problem.kind == "offline"
        return self.problem is None

    @property
    def parts(self) -> Parts | None:
        """The parts; None if they couldn't be built."""
        return self._made[0] if self._made is not None else None

    def notices(self) -> list[StoreNotice]:
        """Return the store's notices since the engine ended."""
        return self._made[1].notices() if self._made is not None else []

    def link(self) -> LocalLink:
        """Return an engine over them."""
        assert self._made is not None
        return link(*self._made, client=True, command="jp-tui", greet=True, spools=True)
