"""Parts of a run: settings, paths, tools, the database.

Problems of the settings are found while these are built, before any screen opens.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jp_tui.system.paths import Paths, workspace_root

if TYPE_CHECKING:  # unchanged settings are loaded after the first frame (`first_frame/cached_settings.py`)
    from jp_tui.journal.port import Journal
    from jp_tui.protocol.commands import OpenConversation
    from jp_tui.settings.cli.arguments import CommandLine
    from jp_tui.settings.cli.toggles import Toggle
    from jp_tui.settings.layers.layers import Settings
    from jp_tui.settings.sources import Sources
    from jp_tui.settings.toolset import ToolSettings


class RunLocation:
    """Location of a run: the user's folders, the workspace, and the sources of its settings (none loaded yet)."""

    def __init__(self, arguments: CommandLine) -> None:
        """Raises PathsError."""
        self.paths = Paths.of(os.environ)
        self.workspace = workspace_root(arguments.workspace)
        self._environment = dict(os.environ)
        self._arguments = arguments

    @property
    def settings_file(self) -> Path:
        """Return the workspace's own file."""
        return self.workspace / ".jp-tui" / "config.toml"

    @cached_property
    def sources(self) -> Sources:
        """Return the files, the environment and the command line."""
        from jp_tui.settings.sources import Sources

        return Sources(
            user=self.paths.config_file,
            workspace=self.settings_file,
            store=self.paths.data / "trusted-workspaces",
            environment=self._environment,
            assignments=self._arguments.cfg,
            flags=self._arguments.flags(),
        )


@dataclass(frozen=True, slots=True)
class Parts:
    """Parts of an engine. `tools` after `toggles`; `delta` are this command line's changes for its conversation
    (R67), `plan` that it begins in plan mode."""

    settings: Settings
    environment: Mapping[str, str]
    paths: Paths
    workspace: Path
    tools: Mapping[str, ToolSettings]
    sources: Sources
    toggles: Sequence[Toggle] = ()
    delta: Mapping[str, Any] = field(default_factory=dict)
    plan: bool = False


def parts(arguments: CommandLine, settings: Settings, place: RunLocation) -> Parts:
    """Build them. Raises SettingsError and UsageError for problems of the settings with the command line."""
    from jp_tui.settings import providers, toolset
    from jp_tui.settings import typed_settings as config
    from jp_tui.settings.cli import toggles

    configured = toolset.tools(settings)
    tools = toggles.apply(configured, arguments.toggles)
    toggles.check_choice(tools, config.assistant(settings).tool_choice, settings)
    providers.choose(settings, providers.providers(settings, os.environ), os.environ)
    if toolset.reviewed(settings):
        from jp_tui.settings import reviewers

        reviewers.refuse(settings, tools, os.environ, place.sources.models)
    delta = toggles.delta(settings.own("--cfg"), configured, tools)
    return Parts(
        settings,
        dict(os.environ),
        place.paths,
        place.workspace,
        tools,
        place.sources,
        arguments.toggles,
        delta,
        arguments.plan,
    )


def journal(made: Parts) -> Journal:
    """Open the database before any screen, so that problems are printed on stderr. Raises JournalError."""
    from jp_tui.journal.store import open_journal

    made.paths.prepare()
    return open_journal(made.paths.database)


def can_open(paths: Paths, conversation: str) -> bool:
    """True if the database at the path has this conversation: only then an exit message may name it (Z23)."""
    from jp_tui.journal.reader import has

    return has(paths.database, conversation)


def opening(arguments: CommandLine) -> OpenConversation:
    """Return the requested conversation: a new one, the latest here, or one by its id."""
    from jp_tui.protocol.commands import OpenConversation

    if arguments.resume is not None:
        return OpenConversation(which="id", conversation=arguments.resume)
    return OpenConversation(which="latest" if arguments.continue_last else "new")


def kept_secret(settings: Settings) -> list[str]:
    """Return what reports must not contain: secrets of the configuration and of the variables it names."""
    from jp_tui.settings import providers

    return [one.reveal() for one in providers.secrets(providers.providers(settings, os.environ), os.environ)]
