"""Load the configuration from all layers, with its notices."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from jp_tui.settings import adjusted, data, toolset
from jp_tui.settings.errors import printable
from jp_tui.settings.layers import layers
from jp_tui.settings.layers.layers import Layer, Settings, SettingsNotice
from jp_tui.settings.layers.toml import Path
from jp_tui.settings.schema.keys import PREFIX, dotted


def load(
    *,
    user_file: str,
    workspace_file: str,
    environment: Mapping[str, str],
    assignments: Sequence[str] = (),
    flags: Mapping[str, tuple[Path, str]] | None = None,
    trusted: bool | Callable[[bytes], bool] = False,
    deltas: Sequence[Mapping[str, Any]] = (),
    builtins: Sequence[str] = (data.DEFAULTS_FILE, data.TOOLS_FILE),
) -> Settings:
    """Merge all layers.

    The files need not exist. Raises SettingsError if one can't be used. `assignments` are the values of `--cfg`,
    `flags` as in `layers.from_flags`, `trusted` decides whether the workspace's file with exactly this content is
    trusted (S10), `deltas` are the settings changes in the conversation's log (R67).
    """
    stack: list[Layer] = [layers.builtin(file) for file in builtins]
    notices: list[SettingsNotice] = []
    user = layers.from_file("user", user_file)
    stack += [user] if user else []
    trusts = trusted if callable(trusted) else (lambda _: bool(trusted))
    workspace, said = layers.from_workspace(workspace_file, Settings(stack), trusted=trusts)
    stack += [workspace] if workspace else []
    notices += said
    if any(name.startswith(PREFIX) for name in environment):
        variables, said = layers.from_environment(environment, Settings(stack))
        stack.append(variables)
        notices += said
    if deltas:
        changes, said = layers.from_conversation(deltas, Settings(stack).tree)
        stack += [changes] if changes else []
        notices += said
    if assignments:
        stack.append(layers.from_assignments(assignments))
    if flags:
        stack.append(layers.from_flags(flags))
    settings = Settings(stack, notices)
    settings.notices += adjusted.notices(settings, environment)
    if unknown := toolset.waiting(settings):
        keys = tuple(dotted((*toolset.TOOLS, name)) for name in unknown)
        words = f"settings of tools that aren't defined here: {', '.join(unknown[:12])}"
        settings.notices = (*settings.notices, SettingsNotice(keys, printable(words, 1_000)))
    if toolset.reviewed(settings):
        from jp_tui.settings import (
            known_models,
            reviewers,  # saves the import at a start without a reviewer
        )

        settings.notices += reviewers.notices(settings, environment, known_models.user_models_file(user_file))
    return settings
