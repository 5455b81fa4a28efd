"""What a `/` in the composer does to its keys: a list of commands, one of them chosen, Enter runs it (issue 4, 6).

A part of `Composer`, which has the text; what is meant is decided in `view/composer/commands.py`. It runs no command.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.binding import Binding
from textual.message import Message

from jp_tui.view.composer.commands import Command, Run, Text, Unknown, Value, matching, parse

if TYPE_CHECKING:
    from textual.widgets import TextArea

    _Part = TextArea
else:
    _Part = object

SLASH = [
    Binding("tab", "complete", "complete", id="composer.complete", tooltip="Write the command that is marked"),
    Binding("escape", "put_away", "close list", id="composer.put_away", tooltip="The list of commands"),
]


class Slash(_Part):
    """The list that opens above the composer while a command is being written."""

    commands: tuple[Command, ...] = ()
    _at = 0
    _away = ""
    _told: tuple[tuple[Command, ...], int] = (), 0

    @dataclass
    class Suggested(Message):
        """What may be meant by what is written, and which of it Enter takes; nothing closes the list."""

        commands: tuple[Command, ...]
        chosen: int

    @dataclass
    class Commanded(Message):
        """This is to be done."""

        command: Command
        argument: str

    @property
    def suggested(self) -> tuple[Command, ...]:
        """What the list holds now."""
        return matching(self.text, self.commands) if self.text != self._away else ()

    def suggest(self) -> None:
        """The text changed."""
        if self.text != self._away:
            self._at, self._away = 0, ""
        self._show()

    def _show(self) -> None:
        """Say what the list holds, and that keys mean something else, where that has changed: most keys change none."""
        found = self.suggested
        before, self._told = self._told, (found, min(self._at, max(len(found) - 1, 0)))
        if self._told != before:
            self.post_message(self.Suggested(*self._told))
        if bool(found) != bool(before[0]):
            self.refresh_bindings()

    def choose(self, step: int) -> bool:
        """Move the mark; whether there is a list."""
        found = self.suggested
        if found:
            self._at = (self._at + step) % len(found)
            self._show()
        return bool(found)

    def meant(self, text: str) -> Text | Run | Unknown:
        """What Enter means: what is written in full, else what is marked."""
        found, exact = self.suggested, parse(text, self.commands)
        if not found:
            return exact
        chosen = found[min(self._at, len(found) - 1)]
        if isinstance(chosen, Value):
            return Run(chosen.of, chosen.value)
        return exact if isinstance(exact, Run) and self._at == 0 else Run(chosen, "")

    def written_instead(self, text: str) -> None:
        """This instead of what is written, the cursor behind it."""
        self.load_text(text)
        self.move_cursor(self.document.end)

    def take(self, command: Command, argument: str = "") -> None:
        """Run a command; what was written of it is gone."""
        self.load_text("")
        chosen = Run(command.of, command.value) if isinstance(command, Value) else Run(command, argument)
        self.post_message(self.Commanded(chosen.command, chosen.argument))

    def action_complete(self) -> None:
        found = self.suggested
        for chosen in found[min(self._at, max(len(found) - 1, 0)) :]:
            written = f"/{chosen.name} " if chosen.argument else f"/{chosen.name}"
            if written != self.text:  # it stands there already: the next one
                self.written_instead(written)
                return

    def action_put_away(self) -> None:
        self._away = self.text
        self._show()
