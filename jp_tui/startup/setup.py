"""The engine's dependencies: its effects on the world, as functions over the parts of this run.

Tools and models are in `tools.py` and `models.py`; only settings that the user sets are written.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from jp_tui.conversation.strict_json import Json, JsonObject
from jp_tui.conversation.text import Foreign
from jp_tui.engine.base.backups import BackupLimits, CopyStore
from jp_tui.engine.base.dependencies import Commits, EngineDependencies, McpAdmin, ModelSetup, ModeSetting, ToolSetup
from jp_tui.engine.reviewer.reviewer import ReviewerModel
from jp_tui.engine.session.store_watch import StoreWatch
from jp_tui.first_frame import last_screen, new_conversation
from jp_tui.journal.port import Journal
from jp_tui.protocol.own_commands import OwnCommand
from jp_tui.settings import providers as servers
from jp_tui.settings import toolset
from jp_tui.settings import typed_settings as config
from jp_tui.settings.cli import toggles
from jp_tui.settings.errors import SettingsError, UsageError
from jp_tui.settings.layers.toml import parse_key
from jp_tui.settings.questions import REVIEWER
from jp_tui.settings.reviewers import INHERIT
from jp_tui.settings.sources import Sources
from jp_tui.startup.context import compaction_settings, context_settings, hides
from jp_tui.startup.first_run import SetupCatalogue
from jp_tui.startup.listing import read_settings
from jp_tui.startup.locks import Locks, machine_name
from jp_tui.startup.mcp.running import RunningServers
from jp_tui.startup.models import named_model, unopened
from jp_tui.startup.outside.settings import outside_rule
from jp_tui.startup.own_commands import command_reader
from jp_tui.startup.parts import new_id
from jp_tui.startup.reviewers import ReviewerFactory
from jp_tui.startup.rule_book import RuleBookOnDisk
from jp_tui.startup.tools import agent_tools, first_decider, outside_call, tool_setups
from jp_tui.startup.trusting import Trusting
from jp_tui.system.paths import Paths

if TYPE_CHECKING:
    from jp_tui.engine.base.draft_spool import DraftSpool
    from jp_tui.rules.danger import Danger
    from jp_tui.rules.decide import RuleLayers
    from jp_tui.rules.values import Places
    from jp_tui.settings.approval_rules import RuleFiles
    from jp_tui.settings.layers.layers import Settings
    from jp_tui.startup.parts import Parts
    from jp_tui.system.agents.presence import AgentSession


def setup(
    parts: Parts,
    journal: Journal,
    *,
    client: bool,
    command: str,
    via: str = "",
    reviews: bool = True,
    secrets: bool = True,
    spools: bool = False,
    locks: Locks | None = None,
    commits: Commits | None = None,
) -> EngineDependencies:
    """Return the engine's dependencies; `via` names a front end other than the screen (R25), `reviews` and `secrets`
    are its capabilities, as in EngineDependencies; with `spools` it waits for a lost store (D12). `locks` and
    `commits` are those of a process with several engines. Raises SettingsError for an impossible configuration."""
    assistant = config.assistant(parts.settings)
    known = servers.providers(parts.settings, parts.environment)

    async def open_agent_model(name: str) -> ModelSetup:
        return named_model(parts, known, name)

    inquiry = parts.settings.get("conversation", "inquiry")
    if locks is None:
        locks = Locks(parts.paths.locks, command, journal.locks())
        journal.holds(locks.again)
    commands = command_reader(parts.sources, parts.environment, lambda: hides(parts))
    tool_servers = RunningServers(parts)
    opens = ReviewerFactory(parts.settings, parts.environment, parts.sources.models)
    walled = parts.sources.sandbox_required()

    def of_agents(settings: Settings) -> dict[str, ToolSetup]:
        return agent_tools(settings, parts.tools, parts.agents, tool_servers.open_page, walled)

    tools = {**tool_setups(parts.settings, parts.tools, walled), **of_agents(parts.settings)}
    return EngineDependencies(
        journal=journal,
        workspace=parts.workspace,
        scratch=parts.paths.cache / "scratch",
        client=client,
        tools=tools,
        tool_choice=assistant.tool_choice,
        open_model=(first := SetupCatalogue(parts, lambda settings: tools.update(of_agents(settings)))).open_model,
        catalogue=first,
        open_agent_model=open_agent_model,
        open_inquiry_model=opens.side if parts.settings.get(*REVIEWER) not in (None, INHERIT) else None,
        reviewer=ReviewerModel(opens.open, inquiry["list_tools"]),
        retry_with_intent=inquiry["retry_with_intent"],
        lock=locks.take,
        secrets_folder=parts.paths.state / "asking",
        outside_rule=lambda tool, question: outside_rule(parts.settings, tool, question),
        holder=locks.holder,
        holders=locks.holders,
        commits=commits or StoreWatch(journal),
        machine=machine_name(parts.settings),
        outside_arrive=parts.settings.get("outside", "arrive"),
        outside_show=parts.settings.get("outside", "show"),
        outside_call=lambda tool: outside_call(parts.settings, tool),
        agent_sessions=lambda: _agent_sessions(parts.paths),
        agent_commands=lambda: _agent_commands(parts),
        save_setting=lambda key, value: _save(parts.paths, key, value),
        unset_setting=lambda key: _unset(parts.sources, key),
        reload_tools=lambda deltas: reloaded(parts, deltas, opens, tool_servers),
        servers=tool_servers,
        server_content=tool_servers.content(),
        now=lambda: datetime.now(UTC),
        monotonic=time.monotonic,
        new_id=new_id,
        max_attempts=config.max_attempts(parts.settings),
        on_failure=inquiry["on_failure"],
        config_delta=dict(parts.delta),
        jp_data=_jp_data(parts.environment),
        titles=client and not via and config.titles(parts.settings) == "model",
        copies=_copies(parts),
        via=via,
        reviews=client and reviews and config.look_settings(parts.settings).review,
        secrets=secrets,
        trust=Trusting(parts.sources, commands),
        own_commands=commands,
        read_settings=lambda: read_settings(parts.sources),
        keep_report=lambda message, report: _keep_report(parts, message, report),
        plan=parts.plan,
        context=lambda: context_settings(parts),
        compaction=compaction_settings(parts, open_agent_model),
        model_facts=lambda held_with: unopened(parts, held_with),
        deleted=lambda conversation: _forget(parts.paths.state, conversation),
        approval_rules=FileRules(parts),
        rule_book=RuleBookOnDisk(parts.sources),
        mcp=lambda: _mcp(parts, tool_servers),
        mode=ModeSetting(*config.mode(parts.settings)),
        approval=first_decider(parts.settings),
        ignored=lambda root: parts.sources.ignored(str(root)),
        spool=_spool(parts) if spools else None,
    )


def _spool(parts: Parts) -> DraftSpool | None:
    """Return what keeps unsent text without the store; None if that is a file of this machine."""
    if not (url := config.store(parts.settings).url):
        return None
    from jp_tui.engine.base.draft_spool import DraftSpool

    return DraftSpool(parts.paths.state / "unsent", url)


class FileRules:
    """See `ApprovalRules`. Nothing is read before the first call."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._files: RuleFiles | None = None

    @property
    def _read(self) -> RuleFiles:
        if self._files is None:
            from jp_tui.settings.approval_rules import RuleFiles

            self._files = RuleFiles(self._parts.sources.rule_places)
        return self._files

    def layers(self) -> RuleLayers:
        return self._read.layers()

    def dangers(self) -> tuple[Danger, ...]:
        return self._read.dangers()

    def places(self, root: str, secrets: Sequence[str] | None) -> Places:
        from jp_tui.tools.files.rule_places import RulePlacesOnDisk

        return RulePlacesOnDisk(root, self._parts.environment, secrets, self._parts.sources.ignored(root))


def _mcp(parts: Parts, servers: RunningServers) -> McpAdmin:
    from jp_tui.startup.mcp.admin import Admin  # only for its page

    return Admin(parts, servers)


def _keep_report(parts: Parts, message: str, report: str) -> tuple[str, str]:
    from jp_tui.ui.failures import crash_report as crash  # needs no screen, and only runs on an error

    return crash.redacted_line(message), crash.keep_report(report, parts.paths.state)


def reloaded(
    parts: Parts,
    deltas: Sequence[JsonObject],
    reviewers: ReviewerFactory | None = None,
    servers: RunningServers | None = None,
) -> dict[str, ToolSetup]:
    """Return the tools by the present files, the conversation's changes (R67) and this command line; `reviewers` are
    updated.

    Raises ValueError. Changes of the conversation that no longer fit the files are left out.
    """
    try:
        return _reloaded(parts, deltas, reviewers, servers)
    except (SettingsError, UsageError) as problem:
        if not deltas:
            raise ValueError(str(problem)) from problem
    sound: list[JsonObject] = []
    for delta in deltas:
        with suppress(SettingsError, UsageError):
            _reloaded(parts, [*sound, delta])
            sound.append(delta)
    return reloaded(parts, sound if len(sound) < len(deltas) else [], reviewers, servers)


def _reloaded(
    parts: Parts,
    deltas: Sequence[JsonObject],
    reviewers: ReviewerFactory | None = None,
    servers: RunningServers | None = None,
) -> dict[str, ToolSetup]:
    settings = parts.sources.load(deltas)
    tools = toggles.apply(toolset.tools(settings), parts.toggles)
    if toolset.reviewed(settings):
        from jp_tui.settings.reviewers import refuse

        refuse(settings, tools, parts.environment, parts.sources.models)
    made = {
        **tool_setups(settings, tools, parts.sources.sandbox_required()),
        **agent_tools(
            settings,
            tools,
            parts.agents,
            servers.open_page if servers is not None else lambda _: None,
            parts.sources.sandbox_required(),
        ),
    }
    if reviewers is not None:
        reviewers.follow(settings)
    if servers is not None:
        servers.follow(settings)
        made |= servers.tools(settings)
    return made


def _copies(parts: Parts) -> CopyStore | None:
    """Return the store for backups; None if they are turned off."""
    wanted = config.undo(parts.settings)
    limits = BackupLimits(wanted.file_mib << 20, wanted.total_mib << 20, wanted.days)
    return CopyStore(parts.paths.undo, limits, time.time, new_id) if wanted.copies else None


def _jp_data(environment: Mapping[str, str]) -> Path | None:
    """Return jp's folder of the user's own data."""
    if own := environment.get("JP_USER_DATA_DIR"):
        return Path(own)
    if base := environment.get("XDG_DATA_HOME"):
        return Path(base, "jp")
    home = environment.get("HOME")
    return Path(home, ".local/share/jp") if home else None


def _agent_commands(parts: Parts) -> Sequence[OwnCommand]:
    """Return the commands of the agents that run, each name once (N44)."""
    found = {
        f"{running.program.name}:{one.name}": one
        for running in parts.agents.values()
        if running.alive
        for one in running.offers.commands
    }
    return [
        OwnCommand(
            name=Foreign(name), kind="command", path=Foreign(""), description=Foreign(one.about), hint=Foreign(one.hint)
        )
        for name, one in found.items()
    ]


def _agent_sessions(paths: Paths) -> Sequence[AgentSession]:
    from jp_tui.system.agents.presence import folder_of, sessions

    return sessions(folder_of(paths))


def _forget(state: Path, conversation: str) -> None:
    """Remove what the next start would show of a conversation that is deleted."""
    last_screen.forget(state, conversation)
    new_conversation.forget(state)


def _save(paths: Paths, key: str, value: Json) -> Path:
    from jp_tui.settings.edit.edit import set_value  # imports tomlkit, so only for a write

    try:
        set_value(paths.config_file, parse_key(key, key), value)
    except SettingsError as problem:
        raise ValueError(str(problem)) from problem
    return paths.config_file


def _unset(sources: Sources, key: str) -> Path:
    """Raises ValueError that names the key's place if it isn't the user's file."""
    from jp_tui.settings.edit.edit import unset_value

    try:
        path = parse_key(key, key)
        if unset_value(sources.user, path):
            return sources.user
        origin = sources.load().origin(*path)
    except SettingsError as problem:
        raise ValueError(str(problem)) from problem
    if origin is None:
        raise ValueError(f"{key} isn't set anywhere")
    raise ValueError(f"{key} isn't in {sources.user}; it comes from {origin.words()}")
