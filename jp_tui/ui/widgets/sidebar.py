"""The tool activity of the turn: calls, their questions with who answered, what waits, tokens (inquiries.md R244).

It paints the lines of `view/activity_lines.py` and scrolls. The only timer of an idle workspace would be its own:
it ticks once a second while a duration grows, and not at all otherwise (designs.md C).
"""

from __future__ import annotations

from collections.abc import Callable

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Static

from jp_tui.ui.keys import words
from jp_tui.ui.text import blank, cut, foreign, join, ours, styled
from jp_tui.view.activity import Activity
from jp_tui.view.activity_lines import Line, Role, lines

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
    "blank": ("", ""),
}
"""How a role's sign and its text look."""


class Sidebar(VerticalScroll):
    """What the turn is doing, at the right edge."""

    BINDINGS = [
        Binding("escape", "app.focus('composer')", "back to writing", show=False, id="sidebar.leave"),
    ]

    DEFAULT_CSS = """
    Sidebar {
        width: 38; height: 1fr; padding: 0 1; background: $sidebar-background; scrollbar-size-vertical: 1;
        border-left: vkey $foreground 15%;
        &:focus { border-left: vkey $primary; }
        &.-over { layer: over; dock: right; }
        Static { height: auto; width: 1fr; }
    }
    """

    def __init__(self, *, clock: Callable[[], float], id: str | None = None) -> None:
        super().__init__(id=id)
        self._clock = clock
        self._activity = Activity()
        self._ticker: Timer | None = None

    def compose(self) -> ComposeResult:
        yield Static()

    def show(self, activity: Activity) -> None:
        """What to paint from now on."""
        if activity is not self._activity:
            self._activity = activity
            self._paint()
            self._tick()

    def on_resize(self) -> None:
        self._paint()

    def _tick(self) -> None:
        if self._activity.ticking and self._ticker is None:
            self._ticker = self.set_interval(1.0, self._paint)
        elif not self._activity.ticking and self._ticker is not None:
            self._ticker.stop()
            self._ticker = None

    def _paint(self) -> None:
        if self.display and (width := self.scrollable_content_region.width):
            rows = [painted(line, width) for line in lines(self._activity, self._clock())]
            self.query_one(Static).update(join(*rows, sep=ours("\n")))

    def watch_display(self) -> None:
        self._paint()


def painted(line: Line, width: int) -> Content:
    """A line in at most `width` cells (a reason may take several), its right part at the right edge."""
    sign_style, text_style = _STYLES[line.role]
    indent = words(" " * 2 * line.depth)
    room = max(width - indent.cell_length, 8)
    if line.role == "reason":
        quoted = ours("“{reason}”", style=text_style, reason=foreign(line.text, mode="line"))
        rows = quoted.wrap(room)
        return join(*(join(indent, row) for row in rows[:6]), sep=ours("\n"))
    head = join(styled(words(line.sign), sign_style), ours(" ")) if line.sign else blank()
    right = styled(words(line.right), sign_style or "$muted-foreground") if line.right else blank()
    room -= head.cell_length + (right.cell_length + 1 if right else 0)
    text = cut(foreign(line.text, mode="line", style=text_style), room)
    aside = cut(foreign(line.aside, mode="line", style="$muted-foreground"), room - text.cell_length - 1)
    if aside and room - text.cell_length > 4:
        text = join(text, ours(" "), aside)
    gap = words(" " * (room - text.cell_length + 1)) if right else blank()
    return join(indent, head, text, gap, right)
