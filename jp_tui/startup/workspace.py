"""The face with a screen: what the first frame needs, then the app; the rest is made behind the first frame, and the
settings are read there too where nothing has changed since the last start (`wishes.py`).

Whatever cannot start is said before there is anything to work in: in the shell, with status 2.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from jp_tui.settings.cli.arguments import Arguments
from jp_tui.settings.errors import SettingsError, UsageError
from jp_tui.settings.themes import themes
from jp_tui.startup import wishes
from jp_tui.startup.debugging import debug
from jp_tui.startup.engine import link
from jp_tui.startup.parts import Place, can_open, journal, kept_secret, opening, parts
from jp_tui.system.paths import PathsError

if TYPE_CHECKING:
    from jp_tui.journal.port import Journal, Notice
    from jp_tui.link.local import LocalLink
    from jp_tui.startup.parts import Parts


def workspace(arguments: Arguments, place: Place) -> int:
    """Run the screen to its end; the exit status."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("the workspace needs a terminal; `jp-tui query PROMPT` works without one")
    paths = place.paths
    settings = cache(lambda: place.sources.load())  # with the modules that it needs
    now = wishes.stamp(arguments, place, os.environ)
    known = wishes.remembered(paths.state, now)
    wish = known or wishes.wished(settings(), str(paths.themes))
    paths.prepare()
    from jp_tui import guardian
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
        read = wish if known is None else wishes.wished(settings(), str(paths.themes))
        if read != known:
            wishes.remember(paths.state, now, settings(), read)
        return made

    ready = _Ready(make)
    app = WorkspaceApp(
        # Made after the first frame: they load the protocol and the engine (traps.md T23, T28).
        link=ready.link,
        open_command=lambda: opening(arguments),
        workspace=str(place.workspace),
        home=os.environ.get("HOME", ""),
        theme=wish.theme,
        themes=themes.names(str(paths.themes)),
        user_paths=UserPaths(str(paths.keys_file), str(paths.themes)),
        ascii_signs=wanted(wish.ascii, os.environ),
        sidebar=wish.sidebar,
        first_prompt=arguments.prompt or "",
        state_dir=paths.state,
        clock=time.monotonic,
        interrupts=wish.interrupts,
        notify=wish.notify,
        environment=dict(os.environ),
        notices=wish.notices,
    )
    install_excepthook(paths.state, app.failures.report_from_thread)
    if wish.widely:  # a folder's own theme is not how it looks elsewhere
        app.handover.keeps = Keep(arguments.theme or "")
    app.can_start = ready.or_why_not
    app.run()
    if ready.problem is not None:
        raise ready.problem
    said = [f"jp-tui: {notice.message} {notice.advice}".rstrip() for notice in ready.notices()]
    if app.resumes and not app.return_code and can_open(paths, app.resumes):
        said.append(f"jp-tui -r {app.resumes} goes on with this conversation.")
    if said:
        guardian.last_word("\n".join(said))
    return app.return_code or 0


class _Ready:
    """What an engine is made of, and the database: made when the first frame is painted, before anything else."""

    def __init__(self, make: Callable[[], Parts]) -> None:
        self._make = make
        self._made: tuple[Parts, Journal] | None = None
        self.problem: Exception | None = None
        """Why there can be no engine."""

    def or_why_not(self) -> bool:
        """Make them; false when that is impossible, and then `problem` says why."""
        from jp_tui.journal.port import JournalError

        try:
            made = self._make()
            self._made = made, journal(made)
        except (UsageError, SettingsError, PathsError) as problem:
            self.problem = problem
        except JournalError as problem:
            self.problem = PathsError(str(problem))
        return self.problem is None

    def notices(self) -> list[Notice]:
        """What happened to the store since the engine ended."""
        return self._made[1].notices() if self._made is not None else []

    def link(self) -> LocalLink:
        """An engine over them."""
        assert self._made is not None
        return link(*self._made, client=True, command="jp-tui", greet=True)
