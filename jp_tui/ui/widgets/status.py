"""The top line: workspace, conversation, model, tokens, the turn's activity, and the number of open questions.

Cut to its width, the least needed parts first; open questions are never cut (asking.md E50). Reads no event itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.timer import Timer
from textual.widget import Widget

from jp_tui.conversation.text import Foreign
from jp_tui.ui.text import cut, foreign, join, ours
from jp_tui.view.activity.status import (
    MODES,
    TIGHT,
    Status,
    meter,
    phase_text,
    shortened,
    store_text,
    tokens,
    waiting_text,
)

_DOT = " · "


class StatusLine(Widget):
    """One line, from the left: jp, workspace, conversation, model, tokens, activity; open questions."""

    DEFAULT_CSS = """
    StatusLine { height: 1; width: 1fr; padding: 0 1; background: $bar-background; color: $bar-foreground; }
    """

    @dataclass
    class Pointed(Message):
        """A part of the line was clicked; `command` shows its details."""

        command: str

    status: reactive[Status] = reactive(Status())
    """The status to show."""

    def __init__(self, *, clock: Callable[[], float], id: str | None = None) -> None:
        super().__init__(id=id)
        self._clock = clock
        self._ticker: Timer | None = None

    def render(self) -> Content:
        return line(self.status, self._clock(), self.size.width - 2)

    def on_click(self, event: events.Click) -> None:
        event.stop()
        if command := pointed(self.status, self.render().plain, event.x - self.styles.padding.left):
            self.post_message(self.Pointed(command))

    def watch_status(self, status: Status) -> None:
        """Count the seconds while a request waits for its next try or a reviewer decides, and only then (designs.md
        C)."""
        counts = status.retry_at is not None or bool(status.reviewed)
        if counts and self._ticker is None:
            self._ticker = self.set_interval(1.0, self.refresh)
        elif not counts and self._ticker is not None:
            self._ticker.stop()
            self._ticker = None


def pointed(status: Status, shown: str, at: int) -> str:
    """Return the command of a character of the line: open questions, the model, the tokens; empty for others."""
    parts = (
        (waiting_text(status), "inbox"),
        (MODES.get(status.mode, ""), "mode"),
        (status.model, "model"),
        (meter(status), "usage"),
        (tokens(status), "usage"),
    )
    for text, command in parts:
        start = shown.rfind(text) if text else -1
        if 0 <= start <= at < start + len(text):
            return command
    return ""


def line(status: Status, now: float, width: int) -> Content:
    """Return the line in at most `width` cells."""
    brand = ours("jp", style="bold $primary")
    waiting = [foreign(Foreign(waiting_text(status)), style="bold $waiting-foreground")] if waiting_text(status) else []
    held = [ours("read-only", style="bold $waiting-foreground")] if status.held_by else []
    if status.offline:
        held = [ours("outdated" if status.outdated else "offline", style="bold $waiting-foreground"), *held]
    mode = _mode(status)
    title = foreign(status.title, mode="line") if status.title else None

    def made(room: int, limit: int, parts: list[Content]) -> Content:
        folder = foreign(
            Foreign(shortened(status.workspace, status.home, room)), mode="line", style="$muted-foreground"
        )
        named = [cut(title, limit)] if title and limit else []
        said = join(folder, *named, *parts, *mode, *held, *waiting, sep=ours(_DOT, style="$muted-foreground"))
        return join(brand, ours("  "), said)

    last: Content | None = None
    for room, limit, parts in _versions(status, now):
        last = made(room, limit, parts)
        if (spare := width - last.cell_length) >= 0:
            wider = cut(title, limit).cell_length + spare if title and limit else 0
            return made(room, wider, parts) if wider > limit else last
    assert last is not None
    dot = ours(_DOT, style="$muted-foreground")
    tail = join(*mode, *held, *waiting, sep=dot)
    if tail.cell_length > width:
        tail = join(*held, *waiting, sep=dot)
    if not tail:
        return cut(last, width)
    head = join(brand, ours("  "))
    return join(cut(head, max(width - tail.cell_length, 0)), tail)


def _mode(status: Status) -> list[Content]:
    """Return the approval mode, once it was anything but `ask` (AR30)."""
    if not (name := MODES.get(status.mode, "")):
        return []
    return [ours(name, style="$muted-foreground" if status.mode == "ask" else "bold $waiting-foreground")]


def _versions(status: Status, now: float) -> list[tuple[int, int, list[Content]]]:
    """Return variants of the line, from everything to the least: cells for the folder, least cells of the title, and
    the parts after it."""
    model = foreign(Foreign(status.model), mode="line", style="$muted-foreground") if status.model else None
    used = foreign(Foreign(tokens(status)), mode="line", style="$muted-foreground") if tokens(status) else None
    tight = bool(status.window) and status.context >= TIGHT * (status.window or 0)
    style = "bold $waiting-foreground" if tight else "$muted-foreground"
    full = foreign(Foreign(meter(status)), mode="line", style=style) if meter(status) else None
    if full is not None:
        used = full if used is None or tight else join(used, full, sep=ours(_DOT, style="$muted-foreground"))
    store = None
    if status.store:
        style = "bold $waiting-foreground" if status.weak else "$muted-foreground"
        store = foreign(Foreign(store_text(status)), mode="line", style=style)
    does = foreign(Foreign(phase_text(status, now)), style="$running-foreground") if phase_text(status, now) else None

    def some(*parts: Content | None) -> list[Content]:
        return [part for part in parts if part is not None]

    metered = [(12, 24, some(model, full, does)), (8, 24, some(model, full, does))] if full is not None else []
    if full is not None and tight:  # the model's name goes before a warning
        metered += [(8, 16, some(full, does)), (8, 0, some(full, does))]
    stored: list[tuple[int, int, list[Content]]] = []
    if store is not None:
        stored = [(60, 60, some(model, used, store, does)), (24, 32, some(model, used, store, does))]
        stored += [(12, 24, some(model, store, does)), (8, 16, some(store, does))]
    return [
        *stored,
        (60, 60, some(model, used, does)),
        (24, 32, some(model, used, does)),
        (12, 24, some(model, used, does)),
        *metered,
        (12, 24, some(model, does)),
        (8, 16, some(model, does)),
        (8, 12, some(does)),
        (8, 0, some(does)),
        (8, 0, []),
    ]
