"""Which terminal driver the app uses, and what apps and drivers tell each other. Imports no driver.

Linux only, and only where Textual's driver has the expected shape: elsewhere Textual's own is used.
"""

from __future__ import annotations

import gc
import sys
from typing import TYPE_CHECKING, Any

from textual.message import Message

from jp_tui.ui import textual_patches

if TYPE_CHECKING:
    from textual.app import App

    from jp_tui.ui.driver import WorkspaceDriver

_GC_THRESHOLDS = (20_000, 20, 20)


class TerminalAnswered(Message):
    """What the terminal says of itself: whether it reports its focus (None: it did not say), its name and version, and
    whether it takes OSC 99. The later one holds what the earlier one held."""

    def __init__(self, focus: bool | None, version: str, osc99: bool) -> None:
        super().__init__()
        self.focus, self.version, self.osc99 = focus, version, osc99


def driver_class() -> type[WorkspaceDriver] | None:
    """What to give to `App(driver_class=…)`."""
    if sys.platform != "linux" or not textual_patches.applied("driver"):
        return None
    from jp_tui.ui.driver import WorkspaceDriver

    return WorkspaceDriver


def workspace_driver(app: App[Any]) -> WorkspaceDriver | None:
    """The app's driver if it is one of ours. None also without a terminal."""
    found = getattr(app, "_driver", None)
    kind = driver_class()
    return found if kind is not None and isinstance(found, kind) else None


def first_frame_done() -> None:
    """Collect garbage again, without what start-up made; to be called at the first frame, harmless later."""
    if not gc.isenabled():
        gc.freeze()
        gc.set_threshold(*_GC_THRESHOLDS)
        gc.enable()
