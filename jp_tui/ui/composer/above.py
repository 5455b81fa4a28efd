"""What stands between the conversation and the composer, for whoever writes: what waits to be said, which files may be
meant, what was typed before, what a command says. A box, no more."""

from __future__ import annotations

from collections.abc import Callable

from textual.app import ComposeResult
from textual.containers import Vertical

from jp_tui.ui.composer.file_list import FileList
from jp_tui.ui.composer.forknote import ForkNote
from jp_tui.ui.composer.history_list import RecallList
from jp_tui.ui.composer.queue_list import QueueList
from jp_tui.ui.composer.shell_panel import ShellPanel

ROOMY = 36
"""Lines of a screen on which all of it stands at once."""


class Above(Vertical):
    """Its parts are hidden while they have nothing to show."""

    DEFAULT_CSS = """
    Above { height: auto; width: 1fr; &.-listing > ShellPanel, &.-listing > QueueList { display: none; } }
    """

    def __init__(self, *, clock: Callable[[], float], id: str | None = None) -> None:
        """`clock` is monotonic seconds."""
        super().__init__(id=id)
        self._clock = clock

    def make_room(self, listing: bool) -> None:
        """A list is open, or no longer: on a small screen it stands alone here."""
        self.set_class(listing and self.app.size.height < ROOMY, "-listing")

    def compose(self) -> ComposeResult:
        yield ShellPanel(clock=self._clock, id="shell")
        yield QueueList(id="queue")
        yield FileList(id="files")
        yield RecallList(id="recall")
        yield ForkNote(id="fork")
