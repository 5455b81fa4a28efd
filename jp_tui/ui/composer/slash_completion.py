"""Completion of slash commands: the commands that the text may become, and which of them is highlighted.

`view/composer/commands.py` decides what a text means. Runs no command and has no widget: the composer calls it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual.widgets import TextArea

from jp_tui.ui.composer.command_uses import CommandUses
from jp_tui.view.composer.commands import (
    OwnSlash,
    RunAction,
    SendText,
    ServerPrompt,
    SlashCommand,
    UnknownCommand,
    Value,
    matching,
    parse,
    with_own,
)


class SlashCompletion:
    """Completes the text of `area`, which keeps the text. `show` takes the list and the highlighted one."""

    def __init__(
        self,
        area: TextArea,
        commands: tuple[SlashCommand, ...],
        uses: CommandUses,
        show: Callable[[tuple[SlashCommand, ...], int], None],
    ) -> None:
        self._area, self._commands, self._show = area, commands, show
        self._uses = uses
        self._at = 0
        self._dismissed = ""
        self._shown: tuple[tuple[SlashCommand, ...], int] = (), 0

    def learn(self, own: Sequence[SlashCommand]) -> None:
        """Set the own commands from the user's and the folder's files, and the prompts of servers."""
        self._commands = with_own(self._commands, own)
        self._update()

    @property
    def own(self) -> tuple[OwnSlash, ...]:
        """The own commands."""
        return tuple(one for one in self._commands if isinstance(one, OwnSlash))

    @property
    def matches(self) -> tuple[SlashCommand, ...]:
        """The commands that the text may become; none while the list is dismissed."""
        text = self._area.text
        if text == self._dismissed or not text.startswith("/"):
            return ()
        return matching(text, self._uses.ordered(self._commands))

    def text_changed(self) -> None:
        """Update the list."""
        if self._area.text != self._dismissed:
            self._at, self._dismissed = 0, ""
        self._update()

    def _update(self) -> None:
        """Show the list and the keys that work, if they changed: most key presses change neither."""
        found = self.matches
        before, self._shown = self._shown, (found, min(self._at, max(len(found) - 1, 0)))
        if self._shown != before:
            self._show(*self._shown)
        if bool(found) != bool(before[0]):
            self._area.refresh_bindings()

    def step(self, step: int) -> bool:
        """Move the highlight. Return False if there is no list."""
        found = self.matches
        if found:
            self._at = (self._at + step) % len(found)
            self._update()
        return bool(found)

    def meaning(self, text: str) -> SendText | RunAction | UnknownCommand:
        """Return the effect of Enter on a text: the command that is written in full, else the highlighted one."""
        found, exact = self.matches, parse(text, self._commands)
        if not found:
            return exact
        chosen = found[min(self._at, len(found) - 1)]
        if isinstance(chosen, Value):
            return RunAction(chosen.of, chosen.value)
        return exact if isinstance(exact, RunAction) and self._at == 0 else RunAction(chosen, "")

    def completed(self) -> str | None:
        """Return the text with the highlighted command written in full, or the next one if that is there already."""
        found = self.matches
        for chosen in found[min(self._at, max(len(found) - 1, 0)) :]:
            written = (
                f"/{chosen.name} " if chosen.argument and not isinstance(chosen, ServerPrompt) else f"/{chosen.name}"
            )
            if written != self._area.text:
                return written
        return None

    def ran(self, command: SlashCommand) -> None:
        """Count a command that is run."""
        self._uses.ran(command.of.name if isinstance(command, Value) else command.name)

    def dismiss(self) -> None:
        """Close the list until the text changes."""
        self._dismissed = self._area.text
        self._update()
