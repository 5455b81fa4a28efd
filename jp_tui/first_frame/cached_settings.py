"""The settings that the first frame needs, cached so that the next start shows it before it reads any file.

Reading the settings takes a tenth of the start. So after a start the few values that the frame needs are kept in a
private file, with the size and times of each file they came from. The next start uses them while all of these are the
same, and reads the settings behind its first frame, before it acts on any. A start whose settings come from more than
the user's files (a folder's own settings, variables, flags) or are to be reported reads them first. Nothing that runs
anything is kept.
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

    from jp_tui.settings.cli.arguments import CommandLine
    from jp_tui.settings.layers.layers import Settings
    from jp_tui.system.paths import Paths

NAME = "first-wishes"
MOST = 16384
"""Bytes of the file; a larger one isn't ours."""
_OWN, _NEUTRAL = "JP_TUI_", ("JP_TUI_HOME", "JP_TUI_FIXTURES", "JP_TUI_DEBUG")


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameSettings:
    """The look, and how the user is notified. `notices` report problems in the settings; `widely` is true if the theme
    is the same in every folder."""

    theme: str
    sidebar: Literal["auto", "show", "hide"] = "auto"
    ascii: str = "auto"
    keys: Literal["usual", "vi"] = "usual"
    notify: Notify = field(default_factory=Notify)
    interrupts: InterruptWishes = field(default_factory=InterruptWishes)
    notices: tuple[str, ...] = ()
    widely: bool = True


def of(settings: Settings, themes_folder: str) -> FrameSettings:
    """Take the values from settings that were read. Raises SettingsError for an unknown theme."""
    from jp_tui.settings import typed_settings

    look = typed_settings.look_settings(settings)
    theme, notices = _theme(settings, themes_folder)
    worn = settings.origin("ui", "theme")
    return FrameSettings(
        theme=theme,
        sidebar=look.sidebar,
        ascii=look.ascii,
        keys=look.keys,
        notify=typed_settings.notify(settings),
        interrupts=interrupts(settings),
        notices=(*(notice.words for notice in settings.notices), *notices),
        widely=worn is None or worn.layer != "workspace",
    )


def interrupts(settings: Settings) -> InterruptWishes:
    """Return the action of an interrupt without a menu (R233)."""
    from jp_tui.settings import typed_settings

    chosen = typed_settings.interrupts(settings)
    return InterruptWishes(streaming=chosen.streaming, tool_call=chosen.tool_call)


def stamp(arguments: CommandLine, paths: Paths, workspace_file: Path, environment: Mapping[str, str]) -> str:
    """Everything that the cached values come from, for comparison; empty if that is more than a few files.

    Call it before the files are read, so that a change in between isn't taken for what was read.
    """
    flags = (arguments.cfg, arguments.toggles, arguments.theme)
    if any(flags) or arguments.tool_use is not None or _variables(environment) or os.path.lexists(workspace_file):
        return ""
    files = (data.DEFAULTS_FILE, data.TOOLS_FILE, str(paths.config_file), str(paths.themes))
    return repr((__version__, *((file, _state(file)) for file in files)))


def full_stamp(arguments: CommandLine, paths: Paths, workspace_file: Path, environment: Mapping[str, str]) -> str:
    """Everything that any setting, key or theme comes from, for comparison.

    Empty if values are given in variables or with `--cfg`: they may be secret, and the stamp is kept in a file.
    """
    if arguments.cfg or _variables(environment):
        return ""
    files = [data.DEFAULTS_FILE, data.TOOLS_FILE, str(workspace_file), str(paths.data / "trusted-workspaces")]
    files += [str(paths.config_file), str(paths.config / "models.toml"), str(paths.keys_file), str(paths.themes)]
    with contextlib.suppress(OSError):
        files += sorted(one.path for one in os.scandir(paths.themes))
    flags = (arguments.toggles, arguments.theme, arguments.tool_use, arguments.model, arguments.mode)
    return repr((__version__, flags, *((file, _state(file)) for file in files)))


def _variables(environment: Mapping[str, str]) -> list[str]:
    """The names of the variables that are settings."""
    return [name for name, value in environment.items() if name.startswith(_OWN) and value and name not in _NEUTRAL]


def _state(file: str) -> tuple[int, ...] | None:
    try:
        found = os.stat(file)
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def remembered(folder: Path, now: str) -> FrameSettings | None:
    """Return the cached values in the state `folder`; None if they came from other files, and for any fault."""
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


def _read(kept: dict[str, Any]) -> FrameSettings:
    """Raises TypeError, KeyError or ValueError for anything that `remember` doesn't write."""
    values = FrameSettings(
        theme=kept["theme"],
        sidebar=kept["sidebar"],
        ascii=kept["ascii"],
        keys=kept["keys"],
        notify=Notify(**kept["notify"]),
        interrupts=InterruptWishes(**kept["interrupts"]),
    )
    if values.notify.command or _kinds(_written(values)) != _kinds(_written(FrameSettings(theme=""))):
        raise ValueError("another form")
    return values


def _kinds(written: Mapping[str, Any]) -> Any:
    return {key: _kinds(value) if isinstance(value, dict) else type(value) for key, value in written.items()}


def _written(values: FrameSettings) -> dict[str, Any]:
    return {
        "theme": values.theme,
        "sidebar": values.sidebar,
        "ascii": values.ascii,
        "keys": values.keys,
        "notify": asdict(values.notify),
        "interrupts": asdict(values.interrupts),
    }


def remember(folder: Path, now: str, settings: Settings, values: FrameSettings) -> None:
    """Keep the values for the next start, unless they aren't all of it. No error if that is impossible."""
    from jp_tui.settings import toolset

    if not now:
        return
    with contextlib.suppress(OSError, PathsError):
        if values.notices or values.notify.command or toolset.reviewed(settings):
            os.unlink(folder / NAME)
            return
        write_passing(folder / NAME, repr({"stamp": now, "wishes": _written(values)}).encode())


def _theme(settings: Settings, folder: str) -> tuple[str, tuple[str, ...]]:
    """The theme, and notices: an unknown theme in a folder's own settings is reported, and the one below is used."""
    from jp_tui.settings import typed_settings as model
    from jp_tui.settings.errors import SettingsError
    from jp_tui.settings.themes import themes

    name = model.look_settings(settings).theme
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
