"""One line above the composer while an earlier message is edited: sending it begins a fork. A line to look at."""

from __future__ import annotations

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from jp_tui.ui.text import blank, cut, join, ours


class ForkNote(Widget):
    """`✎ an earlier message …`; hidden while none is edited."""

    DEFAULT_CSS = """
    ForkNote {
        height: 1; width: 1fr; margin: 0 1; padding: 0 1; display: none; background: $surface;
        &.-shown { display: block; }
    }
    """

    shown = reactive(False, toggle_class="-shown")
    """Whether one is edited."""

    def render(self) -> Content:
        if not self.shown:
            return blank()
        said = ours("✎ an earlier message: Enter sends it in a fork", style="$warning")
        return cut(join(said, ours(" · Esc leaves it", style="$muted-foreground")), max(self.content_size.width, 8))
