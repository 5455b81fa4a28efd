"""Schedules of the configuration, as values (store.md D23)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from jp_tui.settings.cron import Cron, CronError, local_zone, time_zone
from jp_tui.settings.errors import SettingsError
from jp_tui.settings.layers.layers import Settings
from jp_tui.system.paths import PathsError, workspace_root


@dataclass(frozen=True, slots=True)
class ScheduledPrompt:
    """A prompt and the times at which a conversation begins with it. `workspace` is absolute; an empty `model` is the
    default one."""

    name: str
    cron: Cron
    prompt: str
    workspace: str
    model: str = ""
    overlap: Literal["skip", "queue"] = "skip"
    missed: Literal["once", "skip"] = "once"


def schedules(settings: Settings, environment: Mapping[str, str]) -> tuple[ScheduledPrompt, ...]:
    """Return the schedules, in the order of the file. Raises SettingsError with all that lack a key or name a folder
    that isn't there."""
    found: list[ScheduledPrompt] = []
    problems = []
    for name, values in (settings.get("schedule") or {}).items():
        path = ("schedule", name)
        if lacks := [key for key in ("cron", "prompt", "workspace") if key not in values]:
            problems.append(settings.problem(path, f"has no {' and no '.join(lacks)}"))
            continue
        try:
            zone = time_zone(values["timezone"]) if "timezone" in values else local_zone(environment)
        except CronError as problem:
            problems.append(settings.problem(path, f"{problem}. Set its timezone"))
            continue
        try:
            folder = str(workspace_root(_from_home(values["workspace"], environment)))
        except PathsError as problem:
            problems.append(settings.problem((*path, "workspace"), str(problem)))
            continue
        chosen = {key: values[key] for key in ("model", "overlap", "missed") if key in values}
        found.append(ScheduledPrompt(name, Cron(values["cron"], zone), values["prompt"], folder, **chosen))
    if problems:
        raise SettingsError(problems)
    return tuple(found)


def _from_home(folder: str, environment: Mapping[str, str]) -> str:
    home = environment.get("HOME", "")
    return home + folder[1:] if home and folder[0] == "~" else folder
