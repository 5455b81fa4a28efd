"""The output of the user's shell command, above the composer, while it runs and until the panel is closed.

Only shows: its keys are the composer's. It keeps only the end of the output and takes a third of the screen at most.
The last line, with the state or the exit of the command, is always visible.
"""

from __future__ import annotations

from collections.abc import Callable

from textual.content import Content
from textual.reactive import reactive
from textual.timer import Timer
from textual.widget import Widget

from jp_tui.conversation.text import Foreign
from jp_tui.ui.keys.bindings import words
from jp_tui.ui.text import blank, cut, foreign, join, ours, styled
from jp_tui.view.composer.shell import Ran, plain
from jp_tui.view.wording.amounts import duration

LINES = 10
"""The most lines of output that are shown."""
HELD = 20_000
"""Characters of output that are kept: more than the lines in sight at any width."""


class ShellPanel(Widget):
    """`$ make test`, its last lines of output, and how it ended."""

    DEFAULT_CSS = """
    ShellPanel {
        height: auto; width: 1fr; margin: 0 1; padding: 0 1; display: none; background: $surface;
        &.-shown { display: block; }
    }
    """

    ran: reactive[Ran | None] = reactive(None, layout=True)
    """The command; its `ended` is empty while it runs."""
    keys: reactive[bool] = reactive(True, layout=True)
    """True while the composer, whose keys are named here, is in sight."""

    def __init__(self, *, clock: Callable[[], float], id: str | None = None) -> None:
        super().__init__(id=id)
        self._clock = clock
        self._began = 0.0
        self._tick: Timer | None = None

    def begin(self, line: str) -> None:
        """Open the panel for a command that starts."""
        self._began = self._clock()
        self.ran = Ran(line=line)
        if self._tick is None:
            self._tick = self.set_interval(1.0, self.refresh)

    def more(self, text: str) -> None:
        """Add output of the command that runs."""
        if self.ran is not None and not self.ran.ended:
            self.ran = Ran(line=self.ran.line, text=(self.ran.text + text)[-HELD:])

    def end(self, ran: Ran | None) -> None:
        """Show how the command ended; None closes the panel."""
        self.ran = ran
        if self._tick is not None:
            self._tick.stop()
            self._tick = None

    def watch_ran(self, ran: Ran | None) -> None:
        self.set_class(ran is not None, "-shown")

    def render(self) -> Content:
        if (ran := self.ran) is None:
            return blank()
        width = max(self.content_size.width, 8)
        most = max(min(LINES, self.app.size.height * 33 // 100 - 2), 1)  # the command and its exit take two
        lines = plain(ran.text[-HELD:]).replace("\r\n", "\n").replace("\r", "\n").rstrip("\n").split("\n")
        shown = [foreign(Foreign(line[:2000] or " "), mode="line", limit=width - 2) for line in lines[-most:]]
        left = len(lines) - len(shown)
        more = ours(" · {left:,} earlier lines", left=left) if left > 0 else blank()
        said = foreign(Foreign(f"$ {ran.line[:1000]}"), mode="line", limit=max(width - 2, 4), style="bold")
        return join(
            said, *(one.pad_left(2) for one in shown if one), cut(self._footer(ran, more), width), sep=ours("\n")
        )

    def _footer(self, ran: Ran, more: Content) -> Content:
        if not ran.ended:
            took = duration(int((self._clock() - self._began) * 1000))
            how = ours("◐ runs · {took}{more}", style="$primary", took=words(took), more=more)
            keys = ours(" · Esc stops it")
        else:
            style = "$success" if ran.good else "$failed-foreground"
            sign = ours("✓ {how}", how=words(ran.ended)) if ran.good else ours("✗ {how}", how=words(ran.ended))
            how = join(styled(sign, style), ours(" · {took}{more}", took=words(duration(ran.ms)), more=more))
            keys = ours(" · Alt+A adds it · Esc closes")
        return join(how, styled(keys, "$muted-foreground")) if self.keys else how
