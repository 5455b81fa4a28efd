"""The list of slash commands above the composer, a line for each (issue 4, 6).

Only shows: the composer keeps the focus and all keys. A click picks a line (E60). Not named `CommandList`: that is a
widget of Textual's palette, whose styles would apply to this one.
"""

from __future__ import annotations

from dataclasses import dataclass

from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from jp_tui.ui.keys.bindings import words
from jp_tui.ui.text import blank, cut, join, ours, styled
from jp_tui.view.composer.commands import SlashCommand

MOST = 10
"""Lines of the list; more letters narrow it down to the rest."""


class SlashList(Widget):
    """`❯ /ledger  what is remembered or allowed`; hidden while no command is being written."""

    DEFAULT_CSS = """
    SlashList {
        height: auto; width: 1fr; margin: 0 1; padding: 0 1; display: none; background: $surface;
        &.-shown { display: block; }
    }
    """
    ALLOW_SELECT = False

    commands: reactive[tuple[SlashCommand, ...]] = reactive((), layout=True)
    """The commands that the text may become."""
    chosen: reactive[int] = reactive(0)
    """The index of the one that Enter runs."""

    @dataclass
    class Picked(Message):
        """The user clicked this line."""

        command: SlashCommand

    def watch_commands(self, commands: tuple[SlashCommand, ...]) -> None:
        self.set_class(bool(commands), "-shown")

    @property
    def first(self) -> int:
        """The index of the first line in sight."""
        return max(min(self.chosen - MOST // 2, len(self.commands) - MOST), 0)

    def render(self) -> Content:
        shown = list(enumerate(self.commands))[self.first : self.first + MOST]
        names = [f"/{one.name} {one.argument}".rstrip() for _, one in shown]
        wide = max(map(len, names), default=0) + 2
        room = max(self.content_size.width, 8)
        lines = []
        for (at, one), name in zip(shown, names, strict=True):
            mark = ours("❯ ", style="bold $primary") if at == self.chosen else ours("  ")
            named = styled(words(name), "bold $primary" if at == self.chosen else "$primary")
            does = f"{one.does} · needs {one.needs}" if one.needs else one.does
            if one.needs and len(does) > room - wide - 2:
                does = f"needs {one.needs} · {one.does}"
            line = join(mark, named.pad_right(wide - len(name)), styled(words(does), "$muted-foreground"))
            lines.append(cut(line, room))
        if (left := len(self.commands) - len(shown)) > 0:
            more = ours("  {left} more · ↑ ↓ · type to filter", style="$muted-foreground", left=left)
            lines.append(cut(more, room))
        return join(*lines, sep=ours("\n")) if lines else blank()

    def on_click(self, event: events.Click) -> None:
        event.stop()
        at = self.first + event.y
        if event.y < MOST and at < len(self.commands):
            self.post_message(self.Picked(self.commands[at]))
