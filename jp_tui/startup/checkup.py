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
from jp_tui.startup.parts import RunLocation
from jp_tui.system import checkup, clipboard
from jp_tui.system.checkup import CheckupFinding
from jp_tui.system.ignore_lists import IgnoreLists, IgnoreProblem
from jp_tui.system.sandbox import probe, visible
from jp_tui.system.terminal_query import TerminalReplies, ask

SERVER_SECS = 2.0
_MOST_FILES = 50_000


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
    for finding in _rules(place):
        yield finding
    try:
        settings = place.sources.load()
    except SettingsError:
        settings = _without(place.sources)
    for finding in await _servers(settings, environment):
        yield finding
    async for finding in _sandbox(place, settings):
        yield finding
    for finding in _files(place):
        yield finding
    for finding in await checkup.programs(environment):
        yield finding
    yield _screen()


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


def _rules(place: RunLocation) -> Iterator[CheckupFinding]:
    """Approval rules: the policy in force, and how many rules count. Nothing where there are none."""
    from jp_tui.settings.approval_rules import RuleFiles, file_problems

    places = place.sources.rule_places
    for problem in file_problems(places):
        yield CheckupFinding("rules", "bad", problem.words(), "Correct it. Until then the file allows nothing.")
    try:
        layers, (*policies, user, folder) = RuleFiles(places).read()
    except SettingsError:
        return  # named with the settings
    if named := [file.file for file in policies if os.path.exists(file.file)]:
        walls = ", commands in a sandbox only" if any(file.sandbox for file in policies) else ""
        count = sum(len(file.rules) for file in policies)
        yield CheckupFinding("policy", "ok", f"{', '.join(named)}: {count} rules, modes up to {layers.max_mode}{walls}")
    try:
        lists = IgnoreLists(place.sources.ignored(str(place.workspace)))
    except IgnoreProblem as problem:
        yield CheckupFinding("ignore lists", "bad", str(problem), "Correct it. Until then no file tool runs.")
    else:
        if lists:
            yield CheckupFinding("ignore lists", "ok", _hidden(lists, str(place.workspace)))
    if user.rules or folder.rules:
        yield CheckupFinding("rules", "ok", f"{len(user.rules)} of yours, {len(folder.rules)} of this folder")


def _hidden(lists: IgnoreLists, root: str) -> str:
    """Count the hidden files of the workspace; the search is limited."""
    hidden = seen = 0
    for folder, folders, files in os.walk(root):
        below = os.path.relpath(folder, root)
        names = (name if below == "." else f"{below}/{name}" for name in files)
        hidden += sum(bool(lists.hidden(name, False)) for name in names)
        seen += len(files) + len(folders)
        if seen > _MOST_FILES:
            return f"{hidden:,} of the first {_MOST_FILES:,} files here are hidden from models"
    return f"{hidden:,} {'file' if hidden == 1 else 'files'} hidden from models"


def _without(sources: Sources) -> Settings:
    """Load the built-in files only, for when the user's are unreadable."""
    return Settings([builtin(file) for file in sources.builtins])


def _settings(place: RunLocation, builds: Builds) -> Iterator[CheckupFinding]:
    from jp_tui.settings.layers.problems import problems

    found, notices = problems(place.sources, builds, str(place.paths.themes))
    for problem in found:
        yield CheckupFinding("settings", "bad", problem.words(), "Correct it, then run `jp-tui config check` again.")
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
        mend = f"Start it, or correct providers.llm.{one.name}.base_url."
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


def _files(place: RunLocation) -> Iterator[CheckupFinding]:
    from jp_tui.journal.checkup import damaged_files, find_problem

    paths = place.paths
    rows = (("configuration", paths.config), ("data", paths.data), ("state", paths.state), ("cache", paths.cache))
    for name, path in rows:
        yield checkup.folder(name, path)
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
