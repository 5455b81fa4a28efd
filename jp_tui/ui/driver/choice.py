"""Choose the terminal driver of the app. No driver is imported before that.

jp-tui's driver is used on Linux, if Textual's driver has the expected shape. Otherwise Textual's own is used.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from jp_tui.ui import textual_patches

if TYPE_CHECKING:
    from textual.app import App

    from jp_tui.ui.driver.workspace_driver import WorkspaceDriver


def driver_class() -> type[WorkspaceDriver] | None:
    """Return the value for `App(driver_class=…)`: jp-tui's driver, or None for Textual's."""
    if sys.platform != "linux" or not textual_patches.applied("driver"):
        return None
    from jp_tui.ui.driver.workspace_driver import WorkspaceDriver

    return WorkspaceDriver


def workspace_driver(app: App[Any]) -> WorkspaceDriver | None:
    """Return the app's driver if it is jp-tui's; None for another one and without a terminal."""
    found = getattr(app, "_driver", None)
    kind = driver_class()
    return found if kind is not None and isinstance(found, kind) else None
