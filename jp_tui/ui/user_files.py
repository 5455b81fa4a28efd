"""The user's own keys (`keys.toml`) and themes (a folder), read again when they change.

Files are checked when the terminal gets the focus and when a page that shows them opens, never by a timer: an idle
workspace does nothing (T24). A problem in a file is shown with its place, and the earlier content stays in effect.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from textual.app import App
from textual.content import Content

from jp_tui.conversation.text import Foreign
from jp_tui.settings.errors import SettingsError, SettingsProblem
from jp_tui.settings.themes.themes import names as theme_files_in
from jp_tui.ui import themes
from jp_tui.ui.keys.bindings import declaring_class
from jp_tui.ui.staged_imports import import_one_by_one
from jp_tui.ui.text import foreign
from jp_tui.ui.textual_patches.private import apply_again

Stamp = tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class UserPaths:
    """The file of the user's keys and the folder of their themes; empty for none."""

    keys_file: str = ""
    theme_folder: str = ""


def _stamp(file: str) -> Stamp:
    """Return the time of change and the size of a file; None if there is no file."""
    try:
        found = os.stat(file)
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns, found.st_size


def _modules_with_keys() -> Iterator[str]:
    """Name the modules of sheets and screens without importing one."""
    for package in ("sheets", "screens"):
        folder = os.path.join(os.path.dirname(__file__), package)
        for file in sorted(os.listdir(folder)):
            if file.endswith(".py") and file != "__init__.py":
                yield f"jp_tui.ui.{package}.{file[:-3]}"


class UserFiles:
    """Keys and themes of one app.

    `theme_files` is name → file. `note(message, advice)` shows a notice, `say` a text in the last line.
    """

    def __init__(
        self,
        app: App[Any],
        paths: UserPaths,
        theme_files: Mapping[str, str],
        note: Callable[[str, str], None],
        say: Callable[[Content], None],
    ) -> None:
        self._app, self._note, self._say = app, note, say
        self.paths = paths
        self.theme_files = theme_files
        self.key_problems: tuple[SettingsProblem, ...] = ()
        """Problems of the user's keys, for the page of keys."""
        self.theme_problem = ""
        """Why a theme couldn't be applied, the last time. At the start there is no screen yet that could show it."""
        self._keys_stamp: Stamp = None
        self._theme_stamp: Stamp = None

    def read_at_start(self) -> None:
        """Report a theme that couldn't be applied before there was a screen, and read the user's keys."""
        if self.theme_problem:
            self._note(self.theme_problem, f"Using theme {self._app.theme} instead.")
        if _stamp(self.paths.keys_file) is not None:  # the keys are checked against every declared binding
            import_one_by_one(self._app, _modules_with_keys(), self._read_keys)

    def read_changed(self) -> None:
        """Read what changed since it was read last."""
        self._read_keys()
        self._read_themes()

    def _read_keys(self) -> None:
        now = _stamp(self.paths.keys_file) if self.paths.keys_file else None
        if now == self._keys_stamp:
            return
        self._keys_stamp = now
        from jp_tui.ui.keys import scopes, user_keys

        wishes, wrong = user_keys.read_keys(self.paths.keys_file)
        table = scopes.table(declaring_class(self._app))
        made, clashes = user_keys.make_keymap(wishes, table) if wishes else ({}, [])
        self.key_problems = (*wrong, *clashes)
        self._app.set_keymap(made)
        if self.key_problems:
            more = len(self.key_problems) - 1
            message = self.key_problems[0].words() + (f" · and {more} more: F1" if more else "")
            self._note(message, "Your other keys still apply." if wishes else "")

    def _read_themes(self) -> None:
        """Find themes that were added or removed, and apply the current one again if its file changed."""
        if self.paths.theme_folder:
            self.theme_files = theme_files_in(self.paths.theme_folder)
        name = self._app.theme
        file = self.theme_files.get(name, "")
        now = _stamp(file) if file else None
        before, self._theme_stamp = self._theme_stamp, now
        if now is not None and before is not None and now != before:
            self.apply_theme(name)

    def theme_names(self) -> list[str]:
        """Return all themes that can be chosen."""
        return themes.choices(self.theme_files)

    def apply_theme(self, name: str) -> bool:
        """Apply a theme. Return False if there is none of that name or its file can't be used."""
        try:
            found = themes.load(name, self.theme_files)
        except SettingsError as error:
            # The last line is short: the reason counts for more than the folder of themes.
            self.theme_problem = str(error).removeprefix(f"{self.paths.theme_folder}/")
            self._say(foreign(Foreign(self.theme_problem), mode="line", style="$failed-foreground"))
            return False
        if found is None:
            return False
        self._app.register_theme(found)
        if self._app.theme == found.name:
            apply_again(self._app, found.name)  # the same name with other colours
        self._app.theme = found.name
        self._theme_stamp = _stamp(self.theme_files.get(name, ""))
        return True
