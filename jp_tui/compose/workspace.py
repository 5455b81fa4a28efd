"""The face with a screen: settings first, then the app; what only an engine needs is made behind the first frame.

Whatever cannot start is said before there is anything to work in: in the shell, with status 2.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from jp_tui.compose.debugging import debug
from jp_tui.compose.parts import Place, interrupts, journal, kept_secret, link, opening, parts
from jp_tui.settings import model as config
from jp_tui.settings import themes
from jp_tui.settings.arguments import Arguments
from jp_tui.settings.errors import SettingsError, UsageError
from jp_tui.settings.layers import Settings
from jp_tui.settings.notify import wishes
from jp_tui.system.paths import PathsError

if TYPE_CHECKING:
    from jp_tui.compose.parts import Parts
    from jp_tui.journal.port import Journal
    from jp_tui.link.local import LocalLink


def workspace(arguments: Arguments, settings: Settings, place: Place) -> int:
    """Run the screen to its end; the exit status."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("the workspace needs a terminal; `jp-tui query PROMPT` works without one")
    paths = place.paths
    look = config.look(settings)
    theme, notices = _theme(settings, str(paths.themes))
    paths.prepare()
    from jp_tui import guardian
    from jp_tui.ui.app import Workspace
    from jp_tui.ui.arriving import Keep
    from jp_tui.ui.crash import install_excepthook, keep_out
    from jp_tui.ui.personal import Own
    from jp_tui.ui.plain_signs import wanted

    install_excepthook(paths.state)
    keep_out(lambda: kept_secret(settings))
    debug(paths.state, os.environ)
    ready = _Ready(lambda: parts(arguments, settings, place))
    app = Workspace(
        # Made after the first frame: they load the protocol and the engine (traps.md T23, T28).
        link=ready.link,
        open_command=lambda: opening(arguments),
        workspace=str(place.workspace),
        home=os.environ.get("HOME", ""),
        theme=theme,
        themes=themes.names(str(paths.themes)),
        own=Own(str(paths.keys_file), str(paths.themes), wanted(look.ascii, os.environ)),
        sidebar=look.sidebar,
        first_prompt=arguments.prompt or "",
        state_dir=paths.state,
        clock=time.monotonic,
        interrupts=interrupts(settings),
        notify=wishes(settings),
        environment=dict(os.environ),
        notices=(*(notice.words for notice in settings.notices), *notices),
    )
    worn = settings.origin("ui", "theme")
    if worn is None or worn.layer != "workspace":  # a folder's own theme is not how it looks elsewhere
        app.keeps_look = Keep(arguments.theme or "")
    app.can_start = ready.or_why_not
    app.run()
    if ready.problem is not None:
        raise ready.problem
    if app.resumes and not app.return_code:
        guardian.last_word(f"jp-tui -r {app.resumes} goes on with this conversation.")
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

    def link(self) -> LocalLink:
        """An engine over them."""
        assert self._made is not None
        return link(*self._made, client=True, command="jp-tui", greet=True)


def _theme(settings: Settings, folder: str) -> tuple[str, tuple[str, ...]]:
    """The theme, and what to say about it: a folder's own file that names one we do not have keeps nobody out."""
    name = config.look(settings).theme
    problem = themes.check_name(name, folder)
    if problem is None:
        return name, ()
    origin = settings.origin("ui", "theme")
    if origin is not None:
        problem = replace(problem, file=origin.name, line=origin.line, column=origin.column)
        if origin.layer == "workspace":
            other = str(settings.below("workspace", "ui", "theme"))
            if themes.check_name(other, folder) is None:
                return other, (problem.words(),)
    raise SettingsError(problem)
