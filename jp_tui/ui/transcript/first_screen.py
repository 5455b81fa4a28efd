"""The first screen of an empty conversation: model, folder, the last conversations, tips (S51).

It shows a value and reports the chosen conversation. On a smaller screen it leaves out the tips first, then the blank
rows, then conversations. It sends nothing to the engine and has no timer.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import time

from textual import events
from textual.binding import Binding
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from jp_tui.conversation.text import Foreign
from jp_tui.ui.keys.bindings import words
from jp_tui.ui.text import blank, cut, foreign, join, ours, styled
from jp_tui.view.activity.status import shortened
from jp_tui.view.pages import first_screen as say
from jp_tui.view.wording.amounts import short_model

_QUIET = "$muted-foreground"
_LEAD = 3
"""Cells left of the text, as in the conversation."""
_TITLE = 60
"""Cells of a title, at most."""


class FirstScreen(Widget, can_focus=True, inherit_bindings=False):
    """Rows from the top. The highlight is shown only while the screen has the focus."""

    BINDINGS = [
        Binding("enter", "open", "open", id="first.open", tooltip="Open the highlighted conversation"),
        Binding("up,k", "move(-1)", "up", show=False, id="first.up", tooltip="Go to the previous conversation"),
        Binding("down,j", "move(1)", "down", show=False, id="first.down", tooltip="Go to the next conversation"),
    ]
    DEFAULT_CSS = """
    FirstScreen { width: 1fr; height: 1fr; padding: 1 2 0 0; background: $background; color: $foreground; }
    """
    ALLOW_SELECT = False
    wall = staticmethod(time)
    """Seconds since 1970."""

    shown: reactive[say.FirstScreenView] = reactive(say.FirstScreenView(model="", folder=""))
    """The content of the screen."""
    at: reactive[int] = reactive(0)
    """The highlighted conversation."""

    @dataclass
    class Picked(Message):
        """The user opens this conversation."""

        conversation: str

    @property
    def focusable(self) -> bool:
        return super().focusable and bool(self.shown.recent)

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    # -- rows

    def _parts(self) -> tuple[list[Content], list[Content], list[Content]]:
        """Return the rows about the place, the conversations with a heading, and the tips."""
        now = self.shown
        model = foreign(Foreign(short_model(now.model)), mode="line", style="bold", limit=_TITLE)
        folder = foreign(Foreign(shortened(now.folder, now.home, _TITLE)), mode="line", style=_QUIET)
        place = [join(model, folder, sep=ours("  "))]
        if now.instructions:
            place.append(foreign(Foreign(now.instructions), mode="line", style=_QUIET))
        listed: list[Content] = []
        if now.recent:
            hint = ours("  Enter open" if self.has_focus else "  Tab, then Enter open", style=_QUIET)
            listed = [join(ours("Last conversations", style="bold"), hint)]
            listed += [self._conversation(number) for number in range(len(now.recent))]
        room = self.content_size.width - _LEAD - 2
        fitting = [tip for tip in now.tips if len(tip) <= room][: say.TIPS_SHOWN]
        tips = [join(ours("· ", style="$primary"), styled(words(tip), _QUIET)) for tip in fitting]
        return place, listed, tips

    def _conversation(self, number: int) -> Content:
        info = self.shown.recent[number]
        marked = self.has_focus and number == self.at
        sign = ours("❯ ", style="bold $primary") if marked else ours("  ")
        name = foreign(info.title, mode="line", style="bold" if marked else "", limit=_TITLE)
        more = foreign(Foreign(say.conversation_facts(info, self.wall())), mode="line", style=_QUIET)
        return join(sign, name, ours("  "), more)

    def _rows(self) -> tuple[list[Content], int]:
        """Return the rows that fit, and the row of the first conversation; -1 if none is there."""
        place, listed, tips = self._parts()
        room = max(self.content_size.height, 1)
        gaps = bool(listed) + bool(tips)
        while tips and len(place) + len(listed) + len(tips) + gaps > room:
            tips.pop()
            gaps = bool(listed) + bool(tips)
        roomy = len(place) + len(listed) + len(tips) + gaps <= room
        gap = [blank()] if roomy else []
        rows = [*place]
        first = -1
        if listed and len(rows) + len(gap) + 2 <= room:
            rows += gap
            first = len(rows) + 1
            rows += listed
        if tips:
            rows += [*gap, *tips]
        return rows[:room], first

    def render(self) -> Content:
        width = max(self.content_size.width - _LEAD, 8)
        return join(*(cut(row, width).pad_left(_LEAD) for row in self._rows()[0]), sep=ours("\n"))

    # -- keys and mouse

    def action_move(self, step: int) -> None:
        if self.shown.recent:
            self.at = (self.at + step) % len(self.shown.recent)

    def action_open(self) -> None:
        if self.at < len(self.shown.recent):
            self.post_message(self.Picked(self.shown.recent[self.at].id))

    def on_click(self, event: events.Click) -> None:
        event.stop()
        first = self._rows()[1]
        number = event.y - self.styles.padding.top - first
        if first >= 0 and 0 <= number < len(self.shown.recent):
            self.post_message(self.Picked(self.shown.recent[number].id))
