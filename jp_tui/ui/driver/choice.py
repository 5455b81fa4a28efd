"""Which terminal driver the app uses. Imports no driver before it is asked for one.

Linux only, and only where Textual's driver has the expected shape: elsewhere Textual's own is used.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from jp_tui.ui import textual_patches

if TYPE_CHECKING:
    from textual.app import App

    from jp_tui.ui.driver.workspace_driver import WorkspaceDriver


def driver_class() -> type[WorkspaceDriver] | None:
    """What to give to `App(driver_class=…)`."""
    if sys.platform != "linux" or not textual_patches.applied("driver"):
        return None
    from jp_tui.ui.driver.workspace_driver import WorkspaceDriver

    return WorkspaceDriver


def workspace_driver(app: App[Any]) -> WorkspaceDriver | None:
    """The app's driver if it is one of ours. None also without a terminal."""
    found = getattr(app, "_driver", None)
    kind = driver_class()
    return found if kind is not None and isinstance(found, kind) else None
