"""Return freed memory to the system: what the C library keeps is useless after a busy moment.

Also frees pages in the middle of the heaps of all threads. It neither collects garbage nor chooses the moment.
"""

from __future__ import annotations

import functools
from collections.abc import Callable


def release_free_memory() -> None:
    """Takes 1-2 ms. No effect if the C library lacks the function (musl, macOS)."""
    if (trim := _malloc_trim()) is not None:
        trim(0)


@functools.cache
def _malloc_trim() -> Callable[[int], object] | None:
    """Return glibc's `malloc_trim`; other threads run meanwhile."""
    import ctypes  # takes a few milliseconds: not at start-up

    try:
        found = getattr(ctypes.CDLL(None), "malloc_trim", None)
    except (OSError, TypeError):
        return None
    return found
