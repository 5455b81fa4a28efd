"""Problems in files that only the screen reads: the user's keys and themes (surface.md S10), for `config check`.

Keys are checked against the bindings themselves, so Textual is imported, but only if there is a `keys.toml`. Changes
nothing.
"""

from __future__ import annotations

import os

from jp_tui.settings.errors import SettingsError, SettingsProblem
from jp_tui.settings.themes import themes
from jp_tui.system.paths import Paths


def own_problems(paths: Paths) -> list[SettingsProblem]:
    """Return all problems in `themes/*.toml` and `keys.toml`, each with its place."""
    found: list[SettingsProblem] = []
    folder = str(paths.themes)
    for name, file in themes.names(folder).items():
        if os.path.dirname(file) == folder:
            try:
                themes.read(name, file)
            except SettingsError as error:
                found += error.problems
    if paths.keys_file.exists():
        from jp_tui.ui.app import WorkspaceApp
        from jp_tui.ui.keys import scopes, user_keys

        wishes, wrong = user_keys.read_keys(str(paths.keys_file))
        found += [*wrong, *user_keys.make_keymap(wishes, scopes.table(WorkspaceApp))[1]]
    return found
