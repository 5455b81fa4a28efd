"""Textual's own command palette over our list of commands, with a way out by Ctrl+C like everything else on top.

What can be found is what `ui/commands.py` lists; each action stands once. It runs nothing itself.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from textual.binding import Binding
from textual.command import CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.content import Content

from jp_tui.ui.keys import words
from jp_tui.ui.text import join, ours, styled

if TYPE_CHECKING:
    from jp_tui.ui.commands import Commands, Entry


class Palette(CommandPalette):
    """Find and run a command."""

    BINDINGS = [Binding("ctrl+c", "app.break", "close; twice leaves", show=False, id="palette.break")]


class OurCommands(Provider):
    """The commands of this program."""

    @property
    def _ours(self) -> Commands:
        app: Commands = self.app  # type: ignore[assignment]  # ours has them
        return app

    async def discover(self) -> Hits:
        for entry in sorted(self._ours.entries(), key=lambda one: one.title):
            shown = _shown(words(entry.title), entry)
            yield DiscoveryHit(shown, partial(self._ours.do, entry), text=entry.title)

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for entry in self._ours.entries():
            if (score := matcher.match(entry.title)) > 0:
                title = matcher.highlight(entry.title)
                yield Hit(score, _shown(title, entry), partial(self._ours.do, entry), text=entry.title)


def _shown(title: Content, entry: Entry) -> Content:
    """The title, what it does below it, and how it is written."""
    does = styled(words(f"{entry.does} · /{entry.name}"), "$muted-foreground")
    return join(title, does, sep=ours("\n"))
