"""`jp-tui serve`: from the command line to a worker over its link (store.md D20-D22).

A folder's settings are loaded for each turn, so a worker that runs for weeks follows the files.
"""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

from jp_tui.engine.base.dependencies import EngineDependencies
from jp_tui.engine.serving.worker import Worker, WorkerAccess, WorkerSettings
from jp_tui.engine.session.store_watch import StoreWatch
from jp_tui.headless.output import TextOutput
from jp_tui.headless.serve import ServeRun, WorkerFacts
from jp_tui.link.local import LocalLink
from jp_tui.link.port import EngineEndpoint
from jp_tui.protocol.events import Event
from jp_tui.protocol.worker import PROGRAM
from jp_tui.settings import typed_settings as config
from jp_tui.settings.cli.arguments import CommandLine
from jp_tui.settings.errors import SettingsError, UsageError
from jp_tui.settings.layers.layers import Settings
from jp_tui.settings.schedules import ScheduledPrompt, schedules
from jp_tui.startup.locks import Locks, machine_name
from jp_tui.startup.parts import RunLocation, is_shared, journal, parts
from jp_tui.startup.setup import setup
from jp_tui.system.paths import PathsError, workspace_root
from jp_tui.system.processes import host

NEWS_SECONDS = 0.5
"""Seconds between two looks at what a server's notifications brought: they cost nothing."""


def serve(arguments: CommandLine, settings: Settings, place: RunLocation, to: TextOutput) -> int:
    """Run a worker to its end; return the exit status. Raises SettingsError, UsageError, PathsError, JournalError."""
    every = schedules(settings, place.environment)
    given = [str(workspace_root(one)) for one in arguments.folders or (None,)]
    if not arguments.folders:
        given += [one.workspace for one in every]
    folders = tuple(dict.fromkeys(given))
    mine = tuple(one for one in every if one.workspace in folders)
    for other in every:
        if other not in mine:
            to.tell(f"jp-tui serve: schedule.{other.name} needs a worker for {other.workspace}.")
    made = parts(arguments, settings, place)
    log = journal(made, waits=True, offline=False)
    gc.enable()  # it may run for weeks
    locks, commits = Locks(made.paths.locks, PROGRAM, log.locks()), StoreWatch(log)
    log.holds(locks.again)

    def setup_for(folder: str, model: str) -> EngineDependencies:
        try:
            there = RunLocation(replace(arguments, workspace=folder, model=model or None))
            given = parts(arguments, there.sources.load(), there)
            return setup(given, log, client=False, command=PROGRAM, locks=locks, commits=commits)
        except (SettingsError, UsageError, PathsError) as problem:
            raise ValueError(str(problem)) from problem

    access = WorkerAccess(setup_for, locks.take, locks.holder, time.monotonic, utc_now, commits)
    values = _values(settings, folders, mine)

    def build(publish: Callable[[Event], None]) -> EngineEndpoint:
        return Worker(log, access, values, publish)

    shown, drain = _shown(settings, place), float(config.serve(settings).drain_secs)
    names = tuple(one.name for one in mine)
    served = WorkerFacts(f"{values.machine or host()}:{os.getpid()}", shown, folders, drain, names)
    return ServeRun(LocalLink(build), served, to, place.environment).run()


def utc_now() -> datetime:
    """Return the time by which schedules are due."""
    return datetime.now(UTC)


def _values(settings: Settings, folders: tuple[str, ...], mine: tuple[ScheduledPrompt, ...]) -> WorkerSettings:
    serving, store = config.serve(settings), config.store(settings)
    shared = is_shared(settings)
    return WorkerSettings(
        folders,
        mine,
        machine_name(settings),
        serving.any_machine,
        serving.parallel,
        look_secs=min(NEWS_SECONDS, store.poll_secs) if shared else store.poll_secs,
        held_secs=store.lease_secs / 3 if shared else store.poll_secs,
    )


def _shown(settings: Settings, place: RunLocation) -> str:
    """Return the store's URL, without a password."""
    if not is_shared(settings):
        return f"sqlite:{place.paths.database}"
    from jp_tui.startup.store.opening import address

    return address(settings, place.environment).url
