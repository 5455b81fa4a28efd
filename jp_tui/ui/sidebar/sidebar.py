"""The sidebar: tool calls of the turn, their questions and answerers, open questions, tokens (inquiries.md R244).

Paints the lines of `view/activity/lines.py`; `LineView` scrolls them. Its timer runs once a second while a duration
grows and not at all otherwise, so an idle workspace has none (designs.md C).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, cast

from textual.actions import SkipAction
from textual.app import ComposeResult
from textual.containers import ScrollableContainer, Vertical
from textual.content import Content
from textual.style import Style
from textual.timer import Timer

from jp_tui.conversation.text import Foreign
from jp_tui.ui.keys.bindings import words
from jp_tui.ui.sidebar.line_view import LineView
from jp_tui.ui.text import blank, cut, foreign, join, ours, styled
from jp_tui.view.activity.status import shortened

if TYPE_CHECKING:  # with the protocol, after the first frame
    from jp_tui.view.activity.activity import Activity
    from jp_tui.view.activity.agents import Agent
    from jp_tui.view.activity.lines import ActivityLine
    from jp_tui.view.questions.inbox import InboxEntry
    from jp_tui.view.questions.outcome_line import Role
    from jp_tui.view.questions.queue import Key

_STYLES: dict[Role, tuple[str, str]] = {
    "heading": ("", "bold"),
    "turn": ("", "$muted-foreground"),
    "good": ("$done-foreground", ""),
    "bad": ("$failed-foreground", ""),
    "waiting": ("$waiting-foreground", ""),
    "running": ("$running-foreground", ""),
    "reviewer": ("$reviewer-foreground", ""),
    "quiet": ("$muted-foreground", "$muted-foreground"),
    "question": ("$muted-foreground", ""),
    "reason": ("", "italic $muted-foreground"),
    "take_over": ("", "underline $reviewer-foreground"),
    "agent": ("", "underline $running-foreground"),
    "put_off": ("$muted-foreground", "$muted-foreground"),
    "inbox": ("", "underline $waiting-foreground"),
    "blank": ("", ""),
}
"""The styles of a role's sign and of its text."""

_CLICKS: dict[str, str] = {"take_over": "app.take_over", "agent": "app.open('agents')", "inbox": "app.open('inbox')"}
"""The effect of a click on one of jp-tui's lines."""
_TALL = frozenset({"reason", "question", "waiting"})
"""Roles whose lines may take several rows."""
_MOST_ROWS, _LEAST_ASIDE = 6, 4
"""The most rows of a reason, and the fewest cells of the note after a text: fewer can't be read."""


class Sidebar(Vertical, can_focus=True):
    """The activity of the turn, at the right edge."""

    BINDINGS = [*ScrollableContainer.BINDINGS]

    DEFAULT_CSS = """
    Sidebar {
        height: 1fr; padding: 0 1; background: $sidebar-background;
        border-left: vkey $foreground 15%;
        &:focus { border-left: vkey $primary; }
        &.-over { layer: over; dock: right; border: round $foreground 45%; }
        &.-over:focus { border: round $primary; }
    }
    """

    def __init__(self, *, clock: Callable[[], float], id: str | None = None) -> None:
        super().__init__(id=id)
        self._clock = clock
        self._activity: Activity | None = None
        self._agents: tuple[Agent, ...] = ()
        self._waiting: Sequence[InboxEntry] = ()
        self._open: Key = ("", "")  # the question that is open as a sheet
        self._ticker: Timer | None = None
        self._view = LineView(make=self._rows, paint=_row)

    def compose(self) -> ComposeResult:
        yield self._view

    def show(self, activity: Activity, agents: tuple[Agent, ...] = (), waiting: Sequence[InboxEntry] = ()) -> None:
        """Show these values from now on."""
        if activity is not self._activity or agents != self._agents or waiting is not self._waiting:
            self._activity, self._agents, self._waiting = activity, agents, waiting
            self._paint()
            self._tick()

    @property
    def filled(self) -> bool:
        """True if there is something to show."""
        known = self._activity
        return bool(self._agents or self._waiting or (known is not None and known.shows))

    def opened(self, key: Key) -> None:
        """Leave out the question that is open as a sheet: it is visible already (Z14). An empty key means that none
        is."""
        if key != self._open:
            self._open = key
            self._paint()

    def _tick(self) -> None:
        ticking = self._activity is not None and (
            self._activity.ticking or any(x.activity.ticking for x in self._agents)
        )
        if ticking and self._ticker is None:
            self._ticker = self.set_interval(1.0, self._paint)
        elif not ticking and self._ticker is not None:
            self._ticker.stop()
            self._ticker = None

    def _paint(self) -> None:
        if self.display:
            self._view.again()

    def _rows(self, width: int) -> list[tuple[ActivityLine, int]]:
        if self._activity is None:
            return []
        from jp_tui.view.activity.lines import lines

        agents = {agent.info.call: agent for agent in self._agents if agent.info.turn == self._activity.turn}
        made = lines(self._activity, self._clock(), agents, self._waiting, self._open)
        return [(line, at) for line in made for at in range(tall(line, width))]

    def watch_display(self) -> None:
        self._paint()

    # Keys, as those of any scrolled container; with nothing to scroll they are the workspace's

    def _scroll(self, row: int) -> None:
        if not self._view.scrolls:
            raise SkipAction
        self._view.scroll_to_row(row)

    def action_scroll_up(self) -> None:
        self._scroll(self._view.top - 1)

    def action_scroll_down(self) -> None:
        self._scroll(self._view.top + 1)

    def action_page_up(self) -> None:
        self._scroll(self._view.top - self._view.size.height)

    def action_page_down(self) -> None:
        self._scroll(self._view.top + self._view.size.height)

    def action_scroll_home(self) -> None:
        self._scroll(0)

    def action_scroll_end(self) -> None:
        self._scroll(self._view.total)


def tall(line: ActivityLine, width: int) -> int:
    """Return the number of rows of a line; most are cut to one and need not be painted for that."""
    return len(rows(line, width)) if line.role in _TALL else 1


def _row(row: Hashable, width: int) -> Content:
    line, at = cast("tuple[ActivityLine, int]", row)
    found = rows(line, width)
    return found[at] if at < len(found) else blank()  # a row of an earlier width: the rows are made again soon


def rows(line: ActivityLine, width: int) -> tuple[Content, ...]:
    """Return the rows of a painted line."""
    return (_rows_of_tall if line.role in _TALL else _rows_of_one)(line, width)


def _made(line: ActivityLine, width: int) -> tuple[Content, ...]:
    return tuple(painted(line, width).split("\n", allow_blank=True)) or (blank(),)


_rows_of_tall = lru_cache(maxsize=1024)(_made)
"""Read at every change of the open questions, visible or not."""
_rows_of_one = lru_cache(maxsize=64)(_made)
"""Read once: the view caches the strips, and durations make new ones all day."""


def painted(line: ActivityLine, width: int) -> Content:
    """Return a line in `width` cells, its right part at the right edge; a reason or a question may take several rows. A
    click on an open question opens it."""
    found = _painted(line, width)
    if all(line.key):
        return found.stylize(Style.from_meta({"@click": ("app.jump", line.key)}))  # a key: texts are untrusted
    return found


def _painted(line: ActivityLine, width: int) -> Content:
    sign_style, text_style = _STYLES[line.role]
    indent = 2 * line.depth
    room = max(width - indent, 8)
    text = foreign(line.text, mode="line", style=text_style)
    if (action := _CLICKS.get(line.role)) is not None:
        return text.stylize(Style.from_meta({"@click": action})).pad_left(indent)
    if line.role == "reason":
        quoted = ours("“{reason}”", style=text_style, reason=text)
        rows = list(quoted.wrap(room))
        if (more := len(rows) - _MOST_ROWS + 1) > 1:
            rows = [*rows[: _MOST_ROWS - 1], ours("… {n} more lines", style=text_style, n=more)]
        return join(*(row.pad_left(indent) for row in rows), sep=ours("\n"))
    head = join(styled(words(line.sign), sign_style), ours(" ")) if line.sign else blank()
    right = styled(words(line.right), sign_style or "$muted-foreground").pad_left(1) if line.right else blank()
    room -= head.cell_length + right.cell_length
    asked = text.cell_length  # the asker is always shown, below where there is no room beside
    if line.role == "waiting" and line.aside:
        asked += 1 + foreign(line.aside, mode="line").cell_length
    if line.role in ("question", "waiting") and not right and asked > room:
        rows = text.wrap(room)
        kept = [rows[0], cut(join(*rows[1:3], sep=ours(" ")), room)] if len(rows) > 2 else list(rows)
        if line.aside:
            kept.append(cut(foreign(line.aside, mode="line", style="$muted-foreground"), room))
        beside = [head, *(head if line.role == "waiting" else blank().pad_left(head.cell_length) for _ in kept[1:])]
        return join(*(join(one, row).pad_left(indent) for one, row in zip(beside, kept, strict=True)), sep=ours("\n"))
    text = cut(text, room)
    left = room - text.cell_length - 1
    if line.aside and left > _LEAST_ASIDE:
        aside = Foreign(shortened(line.aside.raw, "", left))
        text = join(text, ours(" "), cut(foreign(aside, mode="line", style="$muted-foreground"), left))
    if right:
        text = text.pad_right(room - text.cell_length)
    return join(head, text, right).pad_left(indent)
