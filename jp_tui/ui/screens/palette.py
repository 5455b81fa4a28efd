"""Textual's own command palette over our list of commands, with a way out by Ctrl+C like everything else on top.

What can be found is what `ui/pages.py` lists; each action stands once. It runs nothing itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from textual.binding import Binding
from textual.command import CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.dom import DOMNode

from jp_tui.ui.keys import spelled, words
from jp_tui.ui.pages import PAGES
from jp_tui.ui.text import join, ours, styled

if TYPE_CHECKING:
    from jp_tui.ui.commands import Commands


class Palette(CommandPalette):
    """Find and run a command."""

    BINDINGS = [Binding("ctrl+c", "app.break", "close; twice leaves", show=False, id="palette.break")]


_PLACES = frozenset({"app", "workspace", "composer", "transcript", "queue"})
"""What ids begin with whose keys the palette lists."""
_BY_HAND = frozenset({
    "app.palette", "workspace.break", "composer.older", "composer.newer", "composer.complete", "composer.put_away",
    "composer.send", "composer.queue", "composer.newline", "transcript.up", "transcript.down",
})  # fmt: skip
"""What means something only under the fingers."""


@dataclass(frozen=True, slots=True)
class Key:
    """Something that has a key and no command."""

    title: str
    does: str
    action: str
    node: DOMNode


class OurCommands(Provider):
    """The commands of this program."""

    @property
    def _ours(self) -> Commands:
        app: Commands = self.app  # type: ignore[assignment]  # ours has them
        return app

    async def discover(self) -> Hits:
        for entry in sorted(self._ours.entries(), key=lambda one: one.title):
            shown = _shown(words(entry.title), f"{entry.does} · /{entry.name}")
            yield DiscoveryHit(shown, partial(self._ours.do, entry), text=entry.title)
        for key in self._keys():
            yield DiscoveryHit(_shown(words(key.title), key.does), partial(self._press, key), text=key.title)

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for entry in self._ours.entries():
            if (score := matcher.match(entry.title)) > 0:
                title = matcher.highlight(entry.title)
                shown = _shown(title, f"{entry.does} · /{entry.name}")
                yield Hit(score, shown, partial(self._ours.do, entry), text=entry.title)
        for key in self._keys():
            if (score := matcher.match(key.title)) > 0:
                yield Hit(score, _shown(matcher.highlight(key.title), key.does), partial(self._press, key))

    def _keys(self) -> list[Key]:
        """What has only a key and would do something now, from the place where the palette was opened."""
        entries = self._ours.entries()
        known = {name for entry in entries for name in (entry.action, f"app.{entry.action}")} | PAGES.keys()
        titles = {entry.title for entry in entries}
        found: dict[str, Key] = {}
        for active in self.screen.active_bindings.values():
            binding, node = active.binding, active.node
            place = (binding.id or "").partition(".")[0]
            if place not in _PLACES or binding.id in _BY_HAND or binding.action in known or not active.enabled:
                continue
            title = binding.description[:1].upper() + binding.description[1:]
            does = f"{binding.tooltip} · {spelled(binding.key)}".removeprefix(" · ")
            if title not in titles:
                found.setdefault(binding.id or "", Key(title, does, binding.action, node))
        return sorted(found.values(), key=lambda one: one.title)

    async def _press(self, key: Key) -> None:
        """Do what the key does; what the composer has, it does itself, so that it comes in the order of its keys."""
        await self.app.run_action(key.action, key.node)


def _shown(title: Content, does: str) -> Content:
    """The title, and below it what it does and how it is written or pressed."""
    return join(title, styled(words(does), "$muted-foreground"), sep=ours("\n"))
