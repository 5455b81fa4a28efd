"""Counts of the slash commands that were run: the most used come first in the list (S50).

Kept in a small file of the state folder, read when the first command is typed. It is harmless to lose, so problems with
it are ignored.
"""

from __future__ import annotations

import contextlib
import os
from collections import Counter
from pathlib import Path

from jp_tui.view.composer.commands import SlashCommand

KEPT = 100
"""Commands that are remembered, so that a new habit replaces an old one."""
LONGEST = 4096
"""Most bytes that are read."""


class CommandUses:
    """The commands that were run last, oldest first. `file` is where they are kept, None for nowhere."""

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self._ran: list[str] | None = None

    def ran(self, name: str) -> None:
        """Remember that a command was run."""
        self._ran = [*self._names(), name][-KEPT:]
        if self._file is not None and os.path.isdir(self._file.parent):
            from jp_tui.system.paths import PathsError, write_passing

            with contextlib.suppress(PathsError):
                write_passing(self._file, " ".join(self._ran).encode())

    def ordered(self, commands: tuple[SlashCommand, ...]) -> tuple[SlashCommand, ...]:
        """Return the commands, the most used ones first; the others keep their order."""
        counts = Counter(self._names())
        return tuple(sorted(commands, key=lambda one: -counts[one.name]))

    def _names(self) -> list[str]:
        if self._ran is None:
            try:
                data = b"" if self._file is None else self._file.open("rb").read(LONGEST)
            except (OSError, ValueError):
                data = b""
            self._ran = data.decode(errors="replace").split()[-KEPT:]
        return self._ran
