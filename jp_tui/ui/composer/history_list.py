"""What was typed before and holds what is looked for, a line a text, newest first, and the words of the search.

A list to look at: the composer keeps the focus and all keys. A click picks a line (E60).
"""

from __future__ import annotations

from dataclasses import dataclass

from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from jp_tui.conversation.text import Foreign
from jp_tui.ui.text import blank, cut, foreign, join, ours, styled

MOST = 8
"""Lines of the list; what is beyond is reached by searching on, or with the arrows."""


@dataclass(frozen=True, slots=True)
class Search:
    """What the list says; `query` None hides it."""

    query: str | None = None
    texts: tuple[str, ...] = ()
    chosen: int = 0


class RecallList(Widget):
    """`❯ why does the build fail?`; hidden while nothing is looked for."""

    DEFAULT_CSS = """
    RecallList {
        height: auto; width: 1fr; margin: 0 1; padding: 0 1; display: none; background: $surface;
        &.-shown { display: block; }
    }
    """
    ALLOW_SELECT = False

    search: reactive[Search] = reactive(Search(), layout=True)
    """What is looked for, and what was found."""

    @dataclass
    class Picked(Message):
        """This line was clicked."""

        at: int

    def watch_search(self, search: Search) -> None:
        self.set_class(search.query is not None, "-shown")

    @property
    def first(self) -> int:
        """The first one in sight."""
        return max(min(self.search.chosen - MOST // 2, len(self.search.texts) - MOST), 0)

    def render(self) -> Content:
        width, search = max(self.content_size.width, 8), self.search
        lines = []
        for at, text in list(enumerate(search.texts))[self.first : self.first + MOST]:
            mark = ours("❯ ", style="bold $primary") if at == search.chosen else ours("  ")
            more = text.strip().count("\n")
            tail = ours(" +{more}", style="$muted-foreground", more=more) if more else blank()
            said = foreign(Foreign(text[:2000]), mode="line", limit=max(width - 2 - tail.cell_length, 4))
            lines.append(join(mark, styled(said, "bold $primary") if at == search.chosen else said, tail))
        asked = foreign(Foreign((search.query or "")[-40:]), mode="line", style="bold")
        how = ours("none holds it") if not search.texts else ours("Enter takes it · Ctrl+R older")
        said = ours("  typed before: {asked}▏ {how} · Esc as before", style="$muted-foreground", asked=asked, how=how)
        return join(*lines, cut(said, width), sep=ours("\n"))

    def on_click(self, event: events.Click) -> None:
        event.stop()
        at = self.first + event.y
        if at < len(self.search.texts):
            self.post_message(self.Picked(at))
