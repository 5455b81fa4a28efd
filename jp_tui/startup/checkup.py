"""`jp-tui doctor`: query the terminal, run all checks, print the findings.

The checks of settings, credentials, servers and files are here, those of the machine in `system/checkup.py`. It works
with broken settings: it reports them and continues with the readable rest. Of a credential only the variable's name is
shown.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import suppress
from urllib.parse import urlsplit

from jp_tui.headless.output import TextOutput
from jp_tui.settings import providers as servers
from jp_tui.settings.errors import SettingsError
from jp_tui.settings.layers.layers import Settings, builtin
from jp_tui.settings.layers.problems import Builds
from jp_tui.settings.sources import Sources
from jp_tui.startup.own_commands import command_reader
from jp_tui.startup.parts import RunLocation, is_shared
from jp_tui.startup.rule_checks import rule_findings
from jp_tui.system import checkup, clipboard
from jp_tui.system.checkup import CheckupFinding
from jp_tui.system.sandbox import probe, visible
from jp_tui.system.terminal_query import TerminalReplies, ask

SERVER_SECS = 2.0


async def checked(
    place: RunLocation,
    environment: Mapping[str, str],
    size: tuple[int, int] | None,
    said: TerminalReplies | None,
    builds: Builds,
) -> AsyncIterator[CheckupFinding]:
    """Yield every finding, in reading order."""
    for finding in checkup.terminal(environment, size, said):
        yield finding
    yield checkup.clipboard(environment, clipboard.program(environment))
    for finding in await checkup.multiplexer(environment):
        yield finding
    settings = None
    for finding in _settings(place, builds):
        yield finding
    for finding in (*rule_findings(place.sources, str(place.workspace)), *_commands(place)):
        yield finding
    try:
        settings = place.sources.load()
    except SettingsError:
        settings = _without(place.sources)
    for finding in await _servers(settings, environment):
        yield finding
    if settings.get("providers", "mcp") or place.settings_file.exists():
        from jp_tui.startup.mcp.checkup import mcp_findings

        for finding in mcp_findings(settings, place, environment):
            yield finding
    for finding in await _agents(place, settings):
        yield finding
    async for finding in _sandbox(place, settings):
        yield finding
    for finding in _schedules(place, settings):
        yield finding
    for finding in _files(place, settings):
        yield finding
    async for finding in _hooks(place):
        yield finding
    for finding in await checkup.programs(environment):
        yield finding
    yield _screen()


async def _hooks(place: RunLocation) -> AsyncIterator[CheckupFinding]:
    """Check the hooks in the settings of other programs."""
    from jp_tui.startup.hooks.checks import hook_findings

    async for finding in hook_findings(place):
        yield finding


def _screen() -> CheckupFinding:
    """Check that the patches of Textual are applied."""
    from jp_tui.ui import textual_patches

    missing = textual_patches.problems()
    if not missing:
        return CheckupFinding("textual", "ok", "all patches applied")
    detail = f"patches not applied: {', '.join(missing)} ({'; '.join(dict.fromkeys(missing.values()))})"
    first, beyond = textual_patches.TESTED
    return CheckupFinding(
        "textual", "warn", detail, f"Install textual>={first},<{beyond}. Until then jp-tui may be slower."
    )


def _commands(place: RunLocation) -> Iterator[CheckupFinding]:
    """Own commands and skills: how many there are, and what is wrong. Nothing where there are none."""
    files = command_reader(place.sources, place.environment).read()
    for problem in files.wrong():
        yield CheckupFinding("commands", "warn", problem.words(), "Fix it. Until then it is ignored.")
    for problem in files.unused():
        yield CheckupFinding("commands", "warn", problem.words(), "Rename it.")
    if waiting := sum(one.state in ("untrusted", "changed") for one in files.named):
        words = f"{waiting} commands or skills of this folder aren't trusted"
        yield CheckupFinding("commands", "warn", words, "Run `jp-tui config trust` to review and trust them.")
    if ready := [one for one in files.named if one.state == "ready"]:
        skills = sum(one.kind == "skill" for one in ready)
        yield CheckupFinding("commands", "ok", f"{len(ready) - skills} commands, {skills} skills")


def _without(sources: Sources) -> Settings:
    """Load the built-in files only, for when the user's are unreadable."""
    return Settings([builtin(file) for file in sources.builtins])


def _settings(place: RunLocation, builds: Builds) -> Iterator[CheckupFinding]:
    from jp_tui.settings.layers.problems import problems

    found, notices = problems(place.sources, builds, str(place.paths.themes))
    for problem in found:
        yield CheckupFinding("settings", "bad", problem.words(), "Fix it, then run `jp-tui config check` again.")
    for notice in notices:
        yield CheckupFinding("settings", "warn", notice.words, "Run `jp-tui config trust` to review and trust it.")
    if not found and not notices:
        file = place.sources.user
        yield CheckupFinding("settings", "ok", str(file) if file.exists() else "defaults, no file of your own")


async def _servers(settings: Settings, environment: Mapping[str, str]) -> list[CheckupFinding]:
    """Check which servers have a credential, and which local or user-configured ones respond."""
    try:
        known = servers.providers(settings, environment)
    except SettingsError as problem:
        return [CheckupFinding("servers", "bad", str(problem), "Correct it.")]
    real = [one for one in known.values() if one.is_server]
    keyed = [one for one in real if servers.credential(one, environment) is not None]
    names = ", ".join(f"{one.name} ({one.api_key_env})" for one in keyed)
    asked = [one for one in real if one.name in servers.LOCAL or _own(settings, one) or one in keyed]
    answers = await asyncio.gather(*(_answers(one) for one in asked))
    answered = [one.name for one, there in zip(asked, answers, strict=True) if there]
    findings: list[CheckupFinding] = []
    nothing = not keyed and not answered
    mend = "Set a provider's variable such as ANTHROPIC_API_KEY, start a local server, or run /setup."
    if names:
        findings.append(CheckupFinding("credentials", "ok", names))
    else:
        findings.append(
            CheckupFinding("credentials", "warn" if nothing else "ok", "none found", mend if nothing else "")
        )
    for one, there in zip(asked, answers, strict=True):
        findings.append(_server(one, there, wanted=one in keyed or _own(settings, one)))
    return findings


async def _agents(place: RunLocation, settings: Settings) -> list[CheckupFinding]:
    """Check which agents start, and name those that are installed (N40)."""
    try:
        known = servers.agents(settings)
    except SettingsError as problem:
        return [CheckupFinding("agents", "bad", str(problem), "Correct it.")]
    from jp_tui.tools.agents import installed
    from jp_tui.tools.agents.connection import AgentProgram

    programs = [AgentProgram(one.name, one.command, one.env) for one in known.values()]
    found = await asyncio.gather(*(installed.check(one, str(place.workspace)) for one in programs))
    return [*found, *installed.offers(list(known))]


def _schedules(place: RunLocation, settings: Settings) -> Iterator[CheckupFinding]:
    """Check what workers begin at set times, and when each is due next."""
    if not settings.get("schedule"):
        return
    from datetime import UTC, datetime

    from jp_tui.settings.schedules import schedules

    try:
        found = schedules(settings, place.environment)
    except SettingsError as error:
        for problem in error.problems:
            yield CheckupFinding("schedules", "bad", problem.words(), "Fix it, else `jp-tui serve` doesn't start.")
        return
    now = datetime.now(UTC)
    for one in found:
        due = next(one.cron.after(now), None)
        said = f"next {due.astimezone(one.cron.zone):%Y-%m-%d %H:%M}" if due is not None else "not due any more"
        yield CheckupFinding("schedules", "ok", f"{one.name}: {said} in {one.workspace}")


def _own(settings: Settings, one: servers.ProviderSettings) -> bool:
    """True if the user configured its address."""
    origin = settings.origin("providers", "llm", one.name, "base_url")
    return origin is not None and origin.layer != "built-in"


async def _answers(one: servers.ProviderSettings) -> bool:
    from jp_tui.providers.http import reachable

    return await reachable(one.base_url, SERVER_SECS)  # opens a connection without sending anything


def _server(one: servers.ProviderSettings, there: bool, *, wanted: bool) -> CheckupFinding:
    at = urlsplit(one.base_url).netloc
    if there:
        return CheckupFinding(f"server {one.name}", "ok", f"running at {at}")
    if not wanted:
        return CheckupFinding(f"server {one.name}", "ok", f"not running at {at}")
    from jp_tui.providers.http import is_loopback

    if is_loopback(one.base_url):
        mend = f"Start it, or fix providers.llm.{one.name}.base_url."
        return CheckupFinding(f"server {one.name}", "warn", f"no server at {at}", mend)
    mend = f"Check the network, the proxy variables and providers.llm.{one.name}.base_url."
    return CheckupFinding(f"server {one.name}", "warn", f"no response from {at} within {SERVER_SECS:g} s", mend)


async def _sandbox(place: RunLocation, settings: Settings) -> AsyncIterator[CheckupFinding]:
    """Check whether commands can run in a sandbox, and which parts of the home folder they can read."""
    found = await probe.probed(place.workspace)
    if found.bubblewrap is None:
        mend = "Install bubblewrap, or allow user namespaces. Without it commands run as you, and their prompts say so."
        yield CheckupFinding("sandbox", "warn", found.reason, mend)
        return
    yield CheckupFinding("sandbox", "ok", f"{found.bubblewrap.program} works: model commands can run in a sandbox")
    said = settings.get("conversation", "tools", "shell_run", "options", "sandbox", "visible")
    entries = [str(one) for one in said] if isinstance(said, list) else [visible.DEFAULT]
    places = visible.visible(entries, os.environ, str(place.workspace))
    names = [one.entry for one in places if not one.refused]
    yield CheckupFinding("sandbox visible", "ok", ", ".join(names) if names else "no files of your home folder")
    for one in places:
        if one.refused:
            mend = "Remove it from options.sandbox.visible of shell_run."
            yield CheckupFinding("sandbox visible", "warn", f"{one.entry} stays hidden: {one.refused}", mend)


def _files(place: RunLocation, settings: Settings) -> Iterator[CheckupFinding]:
    from jp_tui.journal.checkup import damaged_files, find_problem

    paths = place.paths
    rows = (("configuration", paths.config), ("data", paths.data), ("state", paths.state), ("cache", paths.cache))
    for name, path in rows:
        yield checkup.folder(name, path)
    if is_shared(settings):
        from jp_tui.startup.store.commands import store_findings

        yield from (CheckupFinding("store", *found) for found in store_findings(settings))
        if number := len(list((unsent := paths.state / "unsent").glob("*.json"))):
            said = f"{number} file{'s' if number > 1 else ''} in {unsent}: the store doesn't have this text yet."
            mend = "Open jp-tui where it was typed, with the store in reach."
            yield CheckupFinding("unsent text", "warn", said, mend)
        return
    if said := find_problem(paths.database):
        mend = "Start jp-tui. It recovers what is readable and keeps the damaged file beside it."
        yield CheckupFinding("database", "bad", said, mend)
    else:
        yield CheckupFinding("database", "ok", str(paths.database) if paths.database.exists() else "none yet")
    for kept in damaged_files(paths.database):
        words = f"a damaged or replaced file is kept: {kept}"
        yield CheckupFinding("database", "warn", words, "Delete it and its -wal file when you no longer need it.")


def doctor(place: RunLocation, builds: Builds, output: TextOutput) -> int:
    """Run all checks; return the exit status. Raises OutputEnded."""
    from jp_tui.headless.lists.doctor import report

    size, said = _terminal()
    return report(asyncio.run(_found(place, builds, size, said)), output)


async def _found(
    place: RunLocation, builds: Builds, size: tuple[int, int] | None, said: TerminalReplies | None
) -> list[CheckupFinding]:
    return [one async for one in checked(place, dict(os.environ), size, said, builds)]


def _terminal() -> tuple[tuple[int, int] | None, TerminalReplies | None]:
    """Return its size and replies if input and output are one terminal; only the size otherwise."""
    size: tuple[int, int] | None = None
    for number in (0, 2, 1):  # the output's terminal counts
        with suppress(OSError):
            columns, lines = os.get_terminal_size(number)
            size = columns, lines
    if size is None or not (os.isatty(0) and os.isatty(1)):
        return size, None
    try:
        descriptor = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError:
        return size, None
    try:
        return size, ask(descriptor)
    except OSError:
        return size, None
    finally:
        os.close(descriptor)
