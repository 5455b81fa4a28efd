"""The last line: the keys that work now, made from the active bindings, and nothing else (asking.md E5).

Every key in it can be clicked (E60). A short notice may replace it for a moment. It declares no key.
"""

from __future__ import annotations

from collections.abc import Callable

from textual import events
from textual.binding import ActiveBinding
from textual.content import Content
from textual.dom import DOMNode
from textual.reactive import reactive
from textual.screen import ModalScreen, Screen
from textual.widget import Widget

from jp_tui.ui.keys.bindings import shown, spelled, words
from jp_tui.ui.text import blank, cut, join, ours, styled

_GAP = 2
_SPARE = (
    "composer.editor", "workspace.sidebar", "composer.newline", "app.palette",
    "searching.search", "library.which", "library.places", "library.undo",
)  # fmt: skip
"""Keys to leave out first where room is short. The keys page has all of them, and a page names its own."""


class KeyBar(Widget):
    """`Ctrl+P palette Ctrl+B sidebar F1 keys`; keys that don't fit are left out from the middle, help never."""

    DEFAULT_CSS = """
    KeyBar { height: 1; width: 1fr; padding: 0 1; background: $bar-background; color: $bar-foreground; }
    """

    notice: reactive[Content | None] = reactive(None)
    """A text in place of the keys."""

    def __init__(self, *, speaks_for_itself: Callable[[DOMNode], bool], id: str | None = None) -> None:
        """`speaks_for_itself` returns True for nodes whose keys are shown elsewhere."""
        super().__init__(id=id)
        self._elsewhere = speaks_for_itself
        self._active: list[ActiveBinding] = []
        self._places: list[tuple[int, int, ActiveBinding]] = []

    def on_mount(self) -> None:
        self.screen.bindings_updated_signal.subscribe(self, self._changed)

    def _changed(self, screen: Screen[object]) -> None:
        found = [one for one in shown(screen.active_bindings) if not self._elsewhere(one.node)]
        if isinstance(screen, ModalScreen):  # on every page the way out is the last key, and never left out
            found.sort(key=lambda one: one.binding.key == "escape")
        if [one.binding for one in found] != [one.binding for one in self._active]:
            self.refresh()
        self._active = found

    def render(self) -> Content:
        self._places = []
        if self.notice is not None:
            return cut(self.notice, self.size.width - 2)
        parts: list[Content] = []
        at = 0
        for one in _fitting(self._active, self.size.width - 2):
            part = _spelled(one)
            parts.append(part)
            self._places.append((at, at + part.cell_length, one))
            at += part.cell_length + _GAP
        return join(*parts, sep=ours("  "))

    def parts(self) -> list[tuple[str, str, int]]:
        """Return the possible parts as (key, effect, order of leaving out where room is short)."""
        found = list(self._active)
        order = {id(one): at for at, one in enumerate(_leaving(found))}
        return [
            (words(spelled(one.binding.key)).plain, words(_lower(one.binding.description)).plain, order[id(one)])
            for one in found
        ]

    async def on_click(self, event: events.Click) -> None:
        event.stop()
        x = event.x - self.styles.padding.left
        for start, end, one in self._places:
            if start <= x < end:
                await self.app.run_action(one.binding.action, one.node)


def _spelled(one: ActiveBinding) -> Content:
    key = styled(words(spelled(one.binding.key)), "bold $primary")
    return (
        join(key, ours(" "), styled(words(_lower(one.binding.description)), "$muted-foreground"))
        if one.binding.key
        else blank()
    )


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]


def _fitting(active: list[ActiveBinding], width: int) -> list[ActiveBinding]:
    """Return as many as fit: the least needed are left out first, the last one (help) stays."""
    found, leaving = list(active), _leaving(active)
    while len(found) > 1 and sum(_spelled(one).cell_length + _GAP for one in found) - _GAP > width:
        found.remove(leaving.pop(0))
    return found


def _leaving(active: list[ActiveBinding]) -> list[ActiveBinding]:
    """Return all keys in the order in which they are left out."""
    spare = [one for name in _SPARE for one in active if one.binding.id == name]
    rest = [one for one in active if one not in spare]
    return [*spare, *reversed(rest[:-1]), *rest[-1:]]
