"""The list of files for an `@` in the composer: a line for each path, best first, and how many there are.

Only shows: the composer keeps the focus and all keys. A click picks a line (E60). Names are foreign text.
"""

from __future__ import annotations

from dataclasses import dataclass

from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from jp_tui.conversation.text import Foreign
from jp_tui.ui.keys.bindings import words
from jp_tui.ui.text import blank, cut, join, ours, styled, whole

MOST = 8
"""Lines of the list; more letters narrow it down to the rest."""


@dataclass(frozen=True, slots=True)
class FileChoices:
    """What the list shows; `known` is false while the files are being read."""

    paths: tuple[str, ...] = ()
    chosen: int = 0
    open: bool = False
    total: int = 0
    cut: bool = False
    known: bool = False
    problem: str = ""


class FileList(Widget):
    """`❯ src/main.py`; hidden while the user isn't naming a file."""

    DEFAULT_CSS = """
    FileList {
        height: auto; width: 1fr; margin: 0 1; padding: 0 1; display: none; background: $surface;
        &.-shown { display: block; }
    }
    """
    ALLOW_SELECT = False

    files: reactive[FileChoices] = reactive(FileChoices(), layout=True)
    """What the list shows."""

    @dataclass
    class Picked(Message):
        """The user clicked this line."""

        path: str

    def watch_files(self, files: FileChoices) -> None:
        self.set_class(files.open, "-shown")

    @property
    def first(self) -> int:
        """The index of the first line in sight."""
        return max(min(self.files.chosen - MOST // 2, len(self.files.paths) - MOST), 0)

    def render(self) -> Content:
        width = max(self.content_size.width, 8)
        lines = []
        for at, path in list(enumerate(self.files.paths))[self.first : self.first + MOST]:
            mark = ours("❯ ", style="bold $primary") if at == self.files.chosen else ours("  ")
            named = whole(Foreign(path), width - 2)
            lines.append(join(mark, styled(named, "bold $primary" if at == self.files.chosen else "$primary")))
        lines.append(cut(styled(self._count(), "$muted-foreground"), width))
        return join(*lines, sep=ours("\n"))

    def _count(self) -> Content:
        files = self.files
        if files.problem:
            return ours("  no file list: {why}", why=words(files.problem))
        if not files.known:
            return ours("  reading files…")
        more, total = ours("+") if files.cut else blank(), files.total
        if not files.paths:
            return ours("  no match in {total:,}{more} files and folders · sent as written", total=total, more=more)
        return ours("  {total:,}{more} files and folders · Tab inserts the path · Esc closes", total=total, more=more)

    def on_click(self, event: events.Click) -> None:
        event.stop()
        at = self.first + event.y
        if at < len(self.files.paths):
            self.post_message(self.Picked(self.files.paths[at]))
