"""What the first frame takes from the settings, and how the last start's is taken again while no file has changed.

Reading the settings costs a tenth of the start. So after a start what came out of them is kept in a private file of
ours, with the size and times of each file it came from; the next start shows its first frame by that, and reads the
settings behind it, before anything else is made of them. Whatever could say something else (a folder's own settings,
variables, flags, reviewers, anything to be told) is read before the frame as ever. Nothing that acts is kept.
"""

from __future__ import annotations

import ast
import contextlib
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from jp_tui import __version__
from jp_tui.settings import data
from jp_tui.settings.schema.notify import Notify
from jp_tui.system.paths import PathsError, write_passing
from jp_tui.view.questions.interrupt_menu import InterruptWishes

if TYPE_CHECKING:
    from pathlib import Path

    from jp_tui.settings.cli.arguments import Arguments
    from jp_tui.settings.layers.layers import Settings
    from jp_tui.startup.parts import Place

NAME = "first-wishes"
MOST = 16384
"""Bytes of the file; more is none of ours."""
_OWN, _HARMLESS = "JP_TUI_", ("JP_TUI_HOME", "JP_TUI_FIXTURES", "JP_TUI_DEBUG")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """How it looks and calls; `notices` are what is to be said of the settings, `widely` whether it looks so in every
    folder."""

    theme: str
    sidebar: Literal["auto", "show", "hide"] = "auto"
    ascii: str = "auto"
    notify: Notify = field(default_factory=Notify)
    interrupts: InterruptWishes = field(default_factory=InterruptWishes)
    notices: tuple[str, ...] = ()
    widely: bool = True


def wished(settings: Settings, themes_folder: str) -> Wishes:
    """From the settings themselves. SettingsError for a theme that is not there."""
    from jp_tui.settings import typed_settings
    from jp_tui.startup.parts import interrupts

    look = typed_settings.look(settings)
    theme, notices = _theme(settings, themes_folder)
    worn = settings.origin("ui", "theme")
    return Wishes(
        theme=theme,
        sidebar=look.sidebar,
        ascii=look.ascii,
        notify=typed_settings.notify(settings),
        interrupts=interrupts(settings),
        notices=(*(notice.words for notice in settings.notices), *notices),
        widely=worn is None or worn.layer != "workspace",
    )


def stamp(arguments: Arguments, place: Place, environment: Mapping[str, str]) -> str:
    """All that a start's wishes come from, to be compared; empty when that is more than a few files.

    To be asked before the files are read: what changes meanwhile is not taken for what was read.
    """
    flags = (arguments.cfg, arguments.toggles, arguments.theme)
    own = [name for name, value in environment.items() if name.startswith(_OWN) and value and name not in _HARMLESS]
    if any(flags) or arguments.tool_use is not None or own or os.path.lexists(place.settings_file):
        return ""
    files = (data.DEFAULTS_FILE, data.TOOLS_FILE, str(place.paths.config_file), str(place.paths.themes))
    return repr((__version__, *((file, _state(file)) for file in files)))


def _state(file: str) -> tuple[int, ...] | None:
    try:
        found = os.stat(file)
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def remembered(folder: Path, now: str) -> Wishes | None:
    """What was kept in the state's `folder`; None where nothing is that came from the same files, or nothing sure."""
    if not now:
        return None
    try:
        descriptor = os.open(folder / NAME, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            said = os.read(descriptor, MOST + 1).decode()
        finally:
            os.close(descriptor)
        kept: Any = ast.literal_eval(said) if len(said) <= MOST else None
        return _read(kept["wishes"]) if kept["stamp"] == now else None
    except (OSError, ValueError, SyntaxError, TypeError, KeyError, AttributeError, MemoryError, RecursionError):
        return None


def _read(kept: dict[str, Any]) -> Wishes:
    """TypeError, KeyError or ValueError when it is not what we write."""
    wishes = Wishes(
        theme=kept["theme"],
        sidebar=kept["sidebar"],
        ascii=kept["ascii"],
        notify=Notify(**kept["notify"]),
        interrupts=InterruptWishes(**kept["interrupts"]),
    )
    if wishes.notify.command or _kinds(_written(wishes)) != _kinds(_written(Wishes(theme=""))):
        raise ValueError("another form")
    return wishes


def _kinds(written: Mapping[str, Any]) -> Any:
    return {key: _kinds(value) if isinstance(value, dict) else type(value) for key, value in written.items()}


def _written(wishes: Wishes) -> dict[str, Any]:
    return {
        "theme": wishes.theme,
        "sidebar": wishes.sidebar,
        "ascii": wishes.ascii,
        "notify": asdict(wishes.notify),
        "interrupts": asdict(wishes.interrupts),
    }


def remember(folder: Path, now: str, settings: Settings, wishes: Wishes) -> None:
    """Keep it for the next start, or nothing where that is not all of it; without a word when that is impossible."""
    from jp_tui.settings import toolset

    if not now:
        return
    with contextlib.suppress(OSError, PathsError):
        if wishes.notices or wishes.notify.command or toolset.reviewed(settings):
            os.unlink(folder / NAME)
            return
        write_passing(folder / NAME, repr({"stamp": now, "wishes": _written(wishes)}).encode())


def _theme(settings: Settings, folder: str) -> tuple[str, tuple[str, ...]]:
    """The theme, and what to say about it: a folder's own file that names one we do not have keeps nobody out."""
    from jp_tui.settings import typed_settings as model
    from jp_tui.settings.errors import SettingsError
    from jp_tui.settings.themes import themes

    name = model.look(settings).theme
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
