"""Textual's command palette over jp-tui's commands. Ctrl+C closes it, like every page.

It lists the commands of `ui/pages.py`, each action once, and actions that have only a key.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from textual.command import CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.dom import DOMNode

from jp_tui.ui.keys.bindings import spelled, words
from jp_tui.ui.pages import PAGES, by_action, run
from jp_tui.ui.screens.vi import break_key
from jp_tui.ui.text import join, ours, styled


class Palette(CommandPalette):
    """Find and run a command."""

    DEFAULT_CSS = """
    Palette CommandList > .option-list--option-highlighted { background: $primary 8%; }
    Palette CommandList:ansi > .option-list--option-highlighted { background: $block-cursor-background; }
    """
    BINDINGS = [break_key("palette")]


_SCOPES = frozenset({"app", "workspace", "composer", "transcript", "queue"})
"""First parts of the ids of bindings that the palette lists."""
_KEY_ONLY = frozenset({
    "app.palette", "workspace.break", "composer.older", "composer.newer", "composer.complete", "composer.put_away",
    "composer.send", "composer.queue", "composer.newline", "transcript.up", "transcript.down",
})  # fmt: skip
"""Ids of bindings that are useful only as keys."""


@dataclass(frozen=True, slots=True)
class _KeyAction:
    """An action with a key and without a command."""

    title: str
    does: str
    action: str
    node: DOMNode


class CommandProvider(Provider):
    """Finds jp-tui's commands for the palette."""

    async def discover(self) -> Hits:
        for entry in sorted(by_action(), key=lambda one: one.title):
            shown = _shown(words(entry.title), f"{entry.does} · /{entry.name}")
            yield DiscoveryHit(shown, partial(run, self.app, entry), text=entry.title)
        for key in self._keys():
            yield DiscoveryHit(_shown(words(key.title), key.does), partial(self._press, key), text=key.title)

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for entry in by_action():
            if (score := matcher.match(entry.title)) > 0:
                title = matcher.highlight(entry.title)
                shown = _shown(title, f"{entry.does} · /{entry.name}")
                yield Hit(score, shown, partial(run, self.app, entry), text=entry.title)
        for key in self._keys():
            if (score := matcher.match(key.title)) > 0:
                yield Hit(score, _shown(matcher.highlight(key.title), key.does), partial(self._press, key))

    def _keys(self) -> list[_KeyAction]:
        """Actions that have only a key and are enabled where the palette was opened."""
        entries = by_action()
        known = {name for entry in entries for name in (entry.action, f"app.{entry.action}")} | PAGES.keys()
        titles = {entry.title for entry in entries}
        found: dict[str, _KeyAction] = {}
        for active in self.screen.active_bindings.values():
            binding, node = active.binding, active.node
            scope = (binding.id or "").partition(".")[0]
            if scope not in _SCOPES or binding.id in _KEY_ONLY or binding.action in known or not active.enabled:
                continue
            title = binding.description[:1].upper() + binding.description[1:]
            does = f"{binding.tooltip} · {spelled(binding.key)}".removeprefix(" · ")
            if title not in titles:
                found.setdefault(binding.id or "", _KeyAction(title, does, binding.action, node))
        return sorted(found.values(), key=lambda one: one.title)

    async def _press(self, key: _KeyAction) -> None:
        """Run the key's action on its node: the composer's actions then come in the order of its keys."""
        await self.app.run_action(key.action, key.node)


def _shown(title: Content, does: str) -> Content:
    """Return the title, and below it the description and the command or key."""
    return join(title, styled(words(does), "$muted-foreground"), sep=ours("\n"))
