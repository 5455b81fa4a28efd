"""Writes by any process to the files of a folder, as an inotify descriptor (Linux).

Without it only a look at the store's change counter, several times a second, notices another process's commit within
N6's 250 ms; a wake-up each time costs more processor time than all else that an idle workspace does.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

_MODIFY, _MOVED, _CREATED, _DELETED, _ITSELF = 0x2, 0xC0, 0x100, 0x200, 0xC00  # linux/inotify.h


def open_events(folder: Path) -> int | None:
    """Return a non-blocking descriptor that is readable once a file of the folder changes, comes or goes; None where
    the system has none, or no more for this user. Memory maps and other machines' writes cause no event."""
    if not sys.platform.startswith("linux"):
        return None
    import ctypes  # loads in 5 ms, after the start

    try:
        events: int = ctypes.CDLL(None).inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
    except AttributeError:  # a C library without it
        return None
    if events < 0:
        return None
    if not watch(events, folder):
        os.close(events)
        return None
    return events


def watch(events: int, folder: Path) -> bool:
    """Add a folder to the descriptor, or the one that is at this path now; False if there is none."""
    import ctypes

    what = _MODIFY | _MOVED | _CREATED | _DELETED | _ITSELF
    return bool(ctypes.CDLL(None).inotify_add_watch(events, os.fsencode(folder), what) >= 0)
