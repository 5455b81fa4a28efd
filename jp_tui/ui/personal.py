"""What is the user's own in the face: keys from `keys.toml`, themes from their folder, both read again when changed.

A part of the app. Files are looked at when the terminal gets the focus and when a page that shows them opens, never by
a timer: an idle workspace does nothing (T24). What is wrong in one is said with its place, and what held before holds.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from jp_tui.settings.errors import Problem
from jp_tui.ui.clipboard import Clipping
from jp_tui.ui.driver import output_gate

if TYPE_CHECKING:
    from jp_tui.ui.screens.workspace import WorkspaceScreen

Stamp = tuple[int, int] | None
BREATH = 0.002
"""Seconds between two modules."""


@dataclass(frozen=True, slots=True)
class Own:
    """The file of the user's keys, the folder of their themes, and whether signs are to be ASCII."""

    keys_file: str = ""
    theme_folder: str = ""
    ascii_signs: bool = False


NOTHING = Own()


def _modules() -> Iterator[str]:
    """The screens and sheets, by name; none is imported by asking."""
    for room in ("sheets", "screens"):
        folder = os.path.join(os.path.dirname(__file__), room)
        for file in sorted(os.listdir(folder)):
            if file.endswith(".py") and file != "__init__.py":
                yield f"jp_tui.ui.{room}.{file[:-3]}"


def stamp(file: str) -> Stamp:
    """Tells a file from what it was: None when there is none."""
    try:
        found = os.stat(file)
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns, found.st_size


class Personal(Clipping):
    """The app's side of the user's own files."""

    keys_file = ""
    theme_folder = ""
    key_problems: tuple[Problem, ...] = ()
    """What is wrong in the user's keys, for the page of keys."""
    not_worn = ""
    """Why a theme could not be put on, said last: at the start nobody sees it yet."""
    _keys_stamp: Stamp = None
    _theme_stamp: Stamp = None
    _theme_files: Mapping[str, str]
    _main: WorkspaceScreen

    def take_own(self, own: Own, environment: Mapping[str, str]) -> None:
        """What is the user's own; `environment` says what clipboard there is."""
        self.theme_folder, self.keys_file = own.theme_folder, own.keys_file
        self.clip_environment, self.clip_say = environment, lambda said: self._main.say(said)
        output_gate.only_ascii(own.ascii_signs)

    def _wear(self, name: str) -> bool:
        raise NotImplementedError

    def read_own(self, *, at_start: bool = False) -> None:
        """Read what changed since it was read last."""
        if at_start:
            if self.not_worn:
                self._main.note(self.not_worn, f"The theme {self.theme} is worn instead.")
            if stamp(self.keys_file) is not None:
                self._load(_modules())
        else:
            self._read_keys()
            self._read_themes()

    def _load(self, names: Iterator[str]) -> None:
        """What the keys are checked against, a module at a time: a key that is typed meanwhile comes between two."""
        name = next(names, None)
        if name is None:
            self._read_keys()
        else:
            import_module(name)
            self.set_timer(BREATH, partial(self._load, names))

    def on_app_focus(self) -> None:
        """Back from an editor, perhaps."""
        self.read_own()

    def _read_keys(self) -> None:
        now = stamp(self.keys_file) if self.keys_file else None
        if now == self._keys_stamp:
            return
        self._keys_stamp = now
        from jp_tui.ui.keys import scopes, user_keys

        wishes, wrong = user_keys.read(self.keys_file)
        ours = next(kind for kind in type(self).__mro__ if "BINDINGS" in kind.__dict__)
        made, clashes = user_keys.keymap(wishes, scopes.table(ours)) if wishes else ({}, [])
        self.key_problems = (*wrong, *clashes)
        self.set_keymap(made)
        if self.key_problems:
            more = len(self.key_problems) - 1
            said = self.key_problems[0].words() + (f" · and {more} more: F1" if more else "")
            self._main.note(said, "What else your keys.toml says holds." if wishes else "")

    def _read_themes(self) -> None:
        """A theme that came or went, and the one that is worn when its file changed."""
        from jp_tui.settings.themes import themes

        if self.theme_folder:
            self._theme_files = themes.names(self.theme_folder)
        name = self.theme
        file = self._theme_files.get(name, "")
        now = stamp(file) if file else None
        before, self._theme_stamp = self._theme_stamp, now
        if now is not None and before is not None and now != before:
            self._wear(name)
