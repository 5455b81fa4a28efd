"""The top line: where one is, which model, how many tokens, what the turn does, and what waits for the human.

Cut to the width it has, the least needed first; what waits is never cut (asking.md E50). Reads no event itself.
"""

from __future__ import annotations

from collections.abc import Callable

from textual.content import Content
from textual.reactive import reactive
from textual.timer import Timer
from textual.widget import Widget

from jp_tui.conversation.text import Foreign
from jp_tui.ui.text import cut, foreign, join, ours
from jp_tui.view.status import TIGHT, Status, doing, meter, shortened, tokens, waits

_DOT = " · "


class StatusLine(Widget):
    """One line, from the left: jp, workspace, conversation, model, tokens, doing; what waits."""

    DEFAULT_CSS = """
    StatusLine { height: 1; width: 1fr; padding: 0 1; background: $bar-background; color: $bar-foreground; }
    """

    status: reactive[Status] = reactive(Status())
    """What to say."""

    def __init__(self, *, clock: Callable[[], float], id: str | None = None) -> None:
        super().__init__(id=id)
        self._clock = clock
        self._ticker: Timer | None = None

    def render(self) -> Content:
        return line(self.status, self._clock(), self.size.width - 2)

    def watch_status(self, status: Status) -> None:
        """Count while something is tried again or a reviewer decides, and only then (designs.md C)."""
        counts = status.retry_at is not None or bool(status.reviewed)
        if counts and self._ticker is None:
            self._ticker = self.set_interval(1.0, self.refresh)
        elif not counts and self._ticker is not None:
            self._ticker.stop()
            self._ticker = None


def line(status: Status, now: float, width: int) -> Content:
    """The line in at most `width` cells."""
    brand = ours("jp", style="bold $primary")
    waiting = [foreign(Foreign(waits(status)), style="bold $waiting-foreground")] if waits(status) else []
    held = [ours("read-only", style="bold $waiting-foreground")] if status.held_by else []
    title = foreign(status.title, mode="line") if status.title else None

    def made(room: int, limit: int, parts: list[Content]) -> Content:
        folder = foreign(
            Foreign(shortened(status.workspace, status.home, room)), mode="line", style="$muted-foreground"
        )
        named = [cut(title, limit)] if title and limit else []
        said = join(folder, *named, *parts, *held, *waiting, sep=ours(_DOT, style="$muted-foreground"))
        return join(brand, ours("  "), said)

    last: Content | None = None
    for room, limit, parts in _versions(status, now):
        last = made(room, limit, parts)
        if (spare := width - last.cell_length) >= 0:
            wider = cut(title, limit).cell_length + spare if title and limit else 0
            return made(room, wider, parts) if wider > limit else last
    assert last is not None
    tail = join(*held, *waiting, sep=ours(_DOT, style="$muted-foreground"))
    if not tail:
        return cut(last, width)
    head = join(brand, ours("  "))
    return join(cut(head, max(width - tail.cell_length, 0)), tail)


def _versions(status: Status, now: float) -> list[tuple[int, int, list[Content]]]:
    """Room for the folder, room that the title has at least, and the parts behind it, from everything to the least."""
    model = foreign(Foreign(status.model), mode="line", style="$muted-foreground") if status.model else None
    used = foreign(Foreign(tokens(status)), mode="line", style="$muted-foreground") if tokens(status) else None
    tight = bool(status.window) and status.context >= TIGHT * (status.window or 0)
    style = "bold $waiting-foreground" if tight else "$muted-foreground"
    full = foreign(Foreign(meter(status)), mode="line", style=style) if meter(status) else None
    if full is not None:
        used = full if used is None or tight else join(used, full, sep=ours(_DOT, style="$muted-foreground"))
    does = foreign(Foreign(doing(status, now)), style="$running-foreground") if doing(status, now) else None

    def some(*parts: Content | None) -> list[Content]:
        return [part for part in parts if part is not None]

    return [
        (60, 60, some(model, used, does)),
        (24, 32, some(model, used, does)),
        (12, 24, some(model, used, does)),
        (12, 24, some(model, does)),
        (8, 16, some(model, does)),
        (8, 12, some(does)),
        (8, 0, some(does)),
        (8, 0, []),
    ]
