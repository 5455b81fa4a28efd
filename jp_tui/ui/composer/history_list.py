"""The list of earlier messages that a history search found, newest first, and the search text.

Only shows: the composer keeps the focus and all keys. A click picks a line (E60).
"""

from __future__ import annotations

from dataclasses import dataclass

from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from jp_tui.conversation.text import Foreign
from jp_tui.ui.composer.requests import ShowHistory
from jp_tui.ui.text import blank, cut, foreign, join, ours, styled

MOST = 8
"""Lines of the list; the arrows or more letters lead to the rest."""


class HistoryList(Widget):
    """`❯ why does the build fail?`; hidden while there is no search."""

    DEFAULT_CSS = """
    HistoryList {
        height: auto; width: 1fr; margin: 0 1; padding: 0 1; display: none; background: $surface;
        &.-shown { display: block; }
    }
    """
    ALLOW_SELECT = False

    matches: reactive[ShowHistory] = reactive(ShowHistory(), layout=True)
    """The matches to show."""

    @dataclass
    class Picked(Message):
        """The user clicked this line."""

        at: int

    def watch_matches(self, matches: ShowHistory) -> None:
        self.set_class(matches.query is not None, "-shown")

    @property
    def first(self) -> int:
        """The index of the first line in sight."""
        return max(min(self.matches.chosen - MOST // 2, len(self.matches.texts) - MOST), 0)

    def render(self) -> Content:
        width, search = max(self.content_size.width, 8), self.matches
        lines = []
        for at, text in list(enumerate(search.texts))[self.first : self.first + MOST]:
            mark = ours("❯ ", style="bold $primary") if at == search.chosen else ours("  ")
            more = text.strip().count("\n")
            tail = ours(" +{more}", style="$muted-foreground", more=more) if more else blank()
            said = foreign(Foreign(text[:2000]), mode="line", limit=max(width - 2 - tail.cell_length, 4))
            lines.append(join(mark, styled(said, "bold $primary") if at == search.chosen else said, tail))
        asked = foreign(Foreign((search.query or "")[-40:]), mode="line", style="bold")
        how = ours("no matches") if not search.texts else ours("Enter selects · Ctrl+R older")
        said = ours("  search history: {asked}▏ {how} · Esc cancels", style="$muted-foreground", asked=asked, how=how)
        return join(*lines, cut(said, width), sep=ours("\n"))

    def on_click(self, event: events.Click) -> None:
        event.stop()
        at = self.first + event.y
        if at < len(self.matches.texts):
            self.post_message(self.Picked(at))
