"""Debug mode: with JP_TUI_DEBUG=1 whatever holds the screen's or the engine's loop up is told in `logs/debug.log`.

The log stands in the state folder, private, without secrets, and is begun anew when it has grown long. Without the
variable nothing of it is loaded.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

VARIABLE = "JP_TUI_DEBUG"
OFF = frozenset({"", "0", "false", "no", "off"})
LONG = 1024 * 1024
"""Bytes of a log that is begun anew."""


def debug(state: Path, environment: Mapping[str, str]) -> bool:
    """Begin to watch, if that is wanted; whether it is. What cannot be written is not told."""
    if environment.get(VARIABLE, "").strip().lower() in OFF:
        return False
    from jp_tui.link.ui_priority import UiPriority
    from jp_tui.system.watchdog import Watchdog
    from jp_tui.ui.failures.crash_report import redact

    def say(words: str) -> None:
        _append(state, redact(words, environment))

    Watchdog(say, patient=frozenset({UiPriority.give_way.__code__})).begin()
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
        pass  # it is about speed: nobody is stopped for want of a log
