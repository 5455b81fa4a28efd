"""Checks of the installed hooks for `jp-tui doctor` (intake.md N25): which there are, and what to fix."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jp_tui.startup.hooks.entries import DAY, FILES, PLUGIN_MARK, HookFile, NotOurs, ours_in
from jp_tui.startup.hooks.install import BLOCKS_SINCE, claude_version, hook_path, read_own
from jp_tui.system.checkup import CheckupFinding

if TYPE_CHECKING:
    from jp_tui.startup.parts import RunLocation

_LIMIT = re.compile(r"--limit ([\d.]+)$")
Version = Callable[[dict[str, str]], Awaitable["tuple[int, ...] | None"]]


async def hook_findings(place: RunLocation, version: Version = claude_version) -> AsyncIterator[CheckupFinding]:
    """Yield a finding for each file with hooks of ours, and one for each thing to fix."""
    home = Path(place.environment.get("HOME", "/"))
    for file in FILES.values():
        paths = (
            hook_path(file, home, None, place.environment),
            hook_path(file, home, place.workspace, place.environment),
        )
        for path, where in dict(zip(paths, ("", " --project"), strict=True)).items():
            content, found = _read(file, path)
            if content is None:
                continue
            again = f"Run `jp-tui hook install {file.word}{where}` again."
            now = await version(place.environment) if found and file.on_failure else None
            for finding in _findings(file, path, content, found, again, now):
                yield finding


def _read(file: HookFile, path: Path) -> tuple[bytes | None, dict[str, list[dict[str, Any]]]]:
    """Return the content if it has hooks of ours, and them; a file that can't be read is its program's to report."""
    try:
        content = read_own(path)
        if content is None:
            return None, {}
        if file.word == "opencode":
            return (content if content.decode("utf-8", "replace").startswith(PLUGIN_MARK) else None), {}
        found = ours_in(content)
    except (NotOurs, OSError):
        return None, {}
    return (content if found else None), found


def _findings(
    file: HookFile,
    path: Path,
    content: bytes,
    found: dict[str, list[dict[str, Any]]],
    again: str,
    version: tuple[int, ...] | None,
) -> Iterator[CheckupFinding]:
    if file.word == "opencode":
        yield _plugin(file, path, content, again)
        return
    wrong = list(dict.fromkeys(_wrong(file, found)))
    if version is not None and version < BLOCKS_SINCE:
        wrong.append(f"Claude Code {'.'.join(map(str, version))} runs a tool when its hook dies; update it")
    for problem in wrong:
        yield CheckupFinding("hooks", "warn", f"{file.title}: {problem} ({path})", again)
    if not wrong:
        yield CheckupFinding("hooks", "ok", f"{file.title} asks in jp-tui ({path})", file.after)


def _plugin(file: HookFile, path: Path, content: bytes, again: str) -> CheckupFinding:
    program = re.search(r'DECIDE = \["([^"]+)"', content.decode("utf-8", "replace"))
    if program is None or not os.access(program[1], os.X_OK):
        return CheckupFinding("hooks", "warn", f"{file.title}: its plugin runs nothing that exists ({path})", again)
    return CheckupFinding("hooks", "ok", f"{file.title} asks in jp-tui ({path})")


def _wrong(file: HookFile, found: dict[str, list[dict[str, Any]]]) -> Iterator[str]:
    for event in (*file.decisions, *file.notices):
        if event not in found:
            yield f"no hook for {event}"
    for event, commands in found.items():
        for one in commands:
            words = shlex.split(one["command"])
            if not os.access(words[0], os.X_OK) or not os.path.isabs(words[0]):
                yield f"{words[0]} doesn't exist"
            if event in file.decisions:
                yield from _decides(file, one)


def _decides(file: HookFile, one: dict[str, Any]) -> Iterator[str]:
    if file.on_failure and one.get("onFailure") != "block":
        yield 'without "onFailure": "block", a tool runs when the hook dies'
    limit = _LIMIT.search(one["command"])
    given = one.get("timeout")
    seconds = given / (1000 if file.milliseconds else 1) if isinstance(given, int | float) else DAY / 1440
    if limit is None or float(limit[1]) >= seconds:
        yield "the program ends the hook before its question ends"
