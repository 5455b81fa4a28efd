"""What stands between the conversation and the composer, for whoever writes: what waits to be said. A box, no more."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Vertical

from jp_tui.ui.widgets.filelist import FileList
from jp_tui.ui.widgets.queuelist import QueueList
from jp_tui.ui.widgets.recalllist import RecallList


class Above(Vertical):
    """Its parts are hidden while they have nothing to show."""

    DEFAULT_CSS = """
    Above { height: auto; width: 1fr; }
    """

    def compose(self) -> ComposeResult:
        yield QueueList(id="queue")
        yield FileList(id="files")
        yield RecallList(id="recall")
