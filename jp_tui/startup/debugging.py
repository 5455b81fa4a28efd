"""Debug mode: with JP_TUI_DEBUG=1 everything that blocks the screen's or the engine's loop is written to
`logs/debug.log`.

The log is in the state folder, private, without secrets, and restarted when it is large. Without the variable nothing
of it is imported.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

VARIABLE = "JP_TUI_DEBUG"
OFF = frozenset({"", "0", "false", "no", "off"})
LONG = 1024 * 1024
"""Bytes of a log above which it is restarted."""


def debug(state: Path, environment: Mapping[str, str]) -> bool:
    """Start watching if requested; return True if it runs. A failed log is ignored."""
    if environment.get(VARIABLE, "").strip().lower() in OFF:
        return False
    from jp_tui.link.ui_priority import UiPriority
    from jp_tui.system.watchdog import Watchdog
    from jp_tui.ui.failures.crash_report import redact

    def say(words: str) -> None:
        _append(state, redact(words, environment))

    Watchdog(say, patient=frozenset({UiPriority.yield_to_keys.__code__})).begin()
    return True


def _append(state: Path, words: str) -> None:
    from jp_tui.system.paths import PathsError, private_folder, private_open, write_fully

    try:
        path = private_folder(state / "logs") / "debug.log"
        grown = path.exists() and path.stat().st_size > LONG
        descriptor = private_open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | (os.O_TRUNC if grown else 0))
        try:
            write_fully(descriptor, words.encode("utf-8", "backslashreplace"))
        finally:
            os.close(descriptor)
    except (PathsError, OSError):
        pass  # debugging is optional, so a missing log prevents nothing
