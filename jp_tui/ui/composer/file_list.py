"""The list of files, or of a server's resources, for an `@` in the composer: a line for each, best first, and how many
there are.

Only shows: the composer keeps the focus and all keys. A click picks a line (E60). Names are untrusted text.
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
    """The files to show; `known` is false while the files are being read. With `server` they are its resources (P48),
    for which it is `asked`."""

    paths: tuple[str, ...] = ()
    chosen: int = 0
    open: bool = False
    total: int = 0
    cut: bool = False
    known: bool = False
    problem: str = ""
    server: str = ""
    asked: bool = False


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
    """The files to show."""

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
        if files.server:
            return _resources(files)
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


def _resources(files: FileChoices) -> Content:
    """Return the last line of a server's resources."""
    total, server = files.total, words(files.server)
    if files.problem:
        return ours("  no resources: {why}", why=words(files.problem))
    if files.asked:
        return ours("  asking {server} for its resources…", server=server)
    if not files.paths:
        return ours("  no match in {total:,} resources of {server} · sent as written", total=total, server=server)
    return ours("  {total:,} resources of {server} · Tab inserts the address · Esc closes", total=total, server=server)
