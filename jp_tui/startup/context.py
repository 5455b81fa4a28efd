"""Values of `[context]` for the engine, loaded each time (context.md K6)."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jp_tui.engine.base.context_settings import ContextSettings
from jp_tui.engine.base.dependencies import CompactionSettings, ModelSetup
from jp_tui.settings import typed_settings as config
from jp_tui.settings.errors import SettingsError
from jp_tui.settings.reviewers import INHERIT
from jp_tui.system.ignore_lists import IgnoreLists, IgnoreProblem

if TYPE_CHECKING:
    from jp_tui.startup.parts import Parts

OWN = "AGENTS.md"


def context_settings(parts: Parts) -> ContextSettings:
    """Return them from the present files; from those at the start if they are unreadable."""
    try:
        wanted = config.context(parts.sources.load())
    except SettingsError:
        wanted = config.context(parts.settings)
    home = parts.environment.get("HOME")
    return ContextSettings(
        files=wanted.files,
        instructions=wanted.instructions,
        instructions_kib=wanted.instructions_kib,
        environment=wanted.environment,
        own=parts.paths.config / OWN,
        home=Path(home) if home else None,
        trusted=_trusted(parts),
        shell=parts.environment.get("SHELL", ""),
        hides=hides(parts),
    )


def hides(parts: Parts) -> Callable[[str], str] | None:
    """Return why a file of the workspace is hidden (AR41); if a list is unreadable, all are."""
    root = os.path.realpath(parts.workspace)
    try:
        lists = IgnoreLists(parts.sources.ignored(root))
    except (IgnoreProblem, SettingsError) as problem:
        words = str(problem)
        return lambda path: words

    def hidden(path: str) -> str:
        inside = os.path.relpath(path, root)
        return "" if inside.startswith("..") else lists.hidden(inside, False)

    return hidden if lists else None


def compaction_settings(parts: Parts, opened: Callable[[str], Awaitable[ModelSetup]]) -> CompactionSettings:
    """Return the settings of compaction (K20); `opened` opens a model by its name."""
    wanted: dict[str, Any] = parts.settings.get("context")
    at, name = wanted["compact_at"], wanted["summary"]["model"]["id"]

    async def open_model() -> ModelSetup:
        return await opened(name)

    return CompactionSettings(None if at is False else at, wanted["keep"], None if name == INHERIT else open_model)


def _trusted(parts: Parts) -> bool:
    """True if the workspace has its own configuration, trusted with its present content (K5)."""
    try:
        data = parts.sources.workspace.read_bytes()
    except OSError:
        return False
    return parts.sources.trusts(data)
