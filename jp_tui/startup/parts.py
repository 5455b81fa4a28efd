"""Parts of a run: settings, paths, tools, the database.

Problems of the settings are found while these are built, before any screen opens.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jp_tui.system.paths import Paths, workspace_root

if TYPE_CHECKING:  # unchanged settings are loaded after the first frame (`first_frame/cached_settings.py`)
    from jp_tui.journal.port import Journal, JournalReading
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
        self.environment = dict(os.environ)
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
            environment=self.environment,
            assignments=self._arguments.cfg,
            flags=self._arguments.flags(),
        )


@dataclass(frozen=True, slots=True)
class Parts:
    """Parts of an engine. `tools` after `toggles`; `delta` are this command line's changes for its conversation
    (R67), `plan` that it begins in plan mode, `agents` the running agents
    by conversation (N40)."""

    settings: Settings
    environment: Mapping[str, str]
    paths: Paths
    workspace: Path
    tools: Mapping[str, ToolSettings]
    sources: Sources
    toggles: Sequence[Toggle] = ()
    delta: Mapping[str, Any] = field(default_factory=dict)
    plan: bool = False
    agents: dict[str, Any] = field(default_factory=dict)


def parts(arguments: CommandLine, settings: Settings, place: RunLocation) -> Parts:
    """Build them. Raises SettingsError and UsageError for problems of the settings with the command line."""
    from jp_tui.settings import providers, toolset
    from jp_tui.settings import typed_settings as config
    from jp_tui.settings.cli import toggles

    configured = toolset.tools(settings)
    tools = toggles.apply(configured, arguments.toggles, settings.get("providers", "mcp") or ())
    toggles.check_choice(tools, config.assistant(settings).tool_choice, settings)
    providers.choose(settings, providers.providers(settings, os.environ), os.environ)
    if toolset.reviewed(settings):
        from jp_tui.settings import reviewers

        reviewers.refuse(settings, tools, os.environ, place.sources.models)
    delta = toggles.delta(settings.own("--cfg"), configured, tools, arguments.effort, arguments.toggles)
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


_LETTERS = "abcdefghjkmnpqrstvwxyz23456789"


def new_id() -> str:
    """Return eight unambiguous characters, a letter first, so that the id is never taken for an option."""
    import secrets

    return secrets.choice(_LETTERS[:22]) + "".join(secrets.choice(_LETTERS) for _ in range(7))


def journal(made: Parts, *, waits: bool = False, offline: bool | None = None) -> Journal:
    """Open the database before any screen, so that problems are printed on stderr. `waits`: writes wait for a server
    that is lost for as long as it takes (D12). `offline`: it opens without an answer, by default with `waits`. Raises
    JournalError."""
    made.paths.prepare()
    if is_shared(made.settings):
        from jp_tui.startup.store.opening import open_on_server

        return open_on_server(made.settings, made.environment, waits=waits, offline=offline)
    from jp_tui.journal.store import open_journal

    return open_journal(made.paths.database)


def is_shared(settings: Settings) -> bool:
    """True if a store on a server is named (store.md D1)."""
    return bool(settings.get("store", "url"))


StoredLog = Callable[[], "AbstractContextManager[JournalReading]"]
"""Opens the log for reading alone."""


@contextmanager
def stored_log(place: RunLocation, settings: Settings | None = None) -> Iterator[JournalReading]:
    """Open the log for reading alone. Raises JournalError, `missing` where there is none yet, and SettingsError."""
    settings = settings if settings is not None else place.sources.load()
    if is_shared(settings):
        from jp_tui.startup.store.opening import open_on_server

        there = open_on_server(settings, place.environment)
        try:
            yield there
        finally:
            there.close()
        return
    with log_of_file(place.paths) as reader:
        yield reader


@contextmanager
def log_of_file(paths: Paths) -> Iterator[JournalReading]:
    """Open the file of this machine for reading alone. Raises JournalError, `missing` where there is none yet."""
    from jp_tui.journal.reader import open_reader

    reader = open_reader(paths.database)
    try:
        yield reader
    finally:
        reader.close()


def can_open(paths: Paths, conversation: str, settings: Settings) -> bool:
    """True if the store has this conversation: only then an exit message may name it (Z23). No file of a server's store
    can be moved away."""
    if is_shared(settings):
        return True
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

    known = providers.secrets(providers.providers(settings, os.environ), os.environ)
    return [*(one.reveal() for one in known), *_of_servers(settings)]


def _of_servers(settings: Settings) -> list[str]:
    """Return what MCP servers get of the environment, and their literal variables and headers (mcp.md P2): any of it
    may be a credential."""
    found: list[str] = []
    for one in (settings.get("providers", "mcp") or {}).values():
        named = [*one.get("env_from", {}).values(), *one.get("headers_from", {}).values(), one.get("bearer_env", "")]
        named.append(one.get("oauth", {}).get("client_secret_env", ""))
        values = [os.environ.get(name, "") for name in named if name]
        values += [*one.get("env", {}).values(), *one.get("headers", {}).values()]
        found += [value for value in values if len(value) >= 8]
    return found
