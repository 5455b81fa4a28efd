"""Reader of own commands and skills for this run, with the names that files can't have (context.md K50, K51)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from jp_tui.settings.command_files.reading import CommandPlaces, CommandReader
from jp_tui.settings.sources import Sources


def command_reader(
    sources: Sources,
    environment: Mapping[str, str],
    hides: Callable[[], Callable[[str], str] | None] = lambda: None,
) -> CommandReader:
    """Return a reader; it reads nothing yet. `hides` as in CommandPlaces."""
    home = environment.get("HOME")
    return CommandReader(
        CommandPlaces(
            config=sources.user.parent,
            home=Path(home) if home else None,
            workspace=sources.workspace.parent.parent,
            store=sources.store,
            built_in=_built_in,
            hides=hides,
        )
    )


def _built_in() -> frozenset[str]:
    """Return the names of the commands of both front ends."""
    from jp_tui.headless.composer import COMMANDS as PLAIN
    from jp_tui.ui.pages import COMMANDS

    return frozenset(one.name for one in (*COMMANDS, *PLAIN))
