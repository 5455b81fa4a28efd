"""Memory that was freed goes back to the system: what the C library keeps for later is of no use after a busy moment.

Pages in the middle of its heaps are given back too, of all threads. Collects no garbage and decides about no moment.
"""

from __future__ import annotations

import functools
from collections.abc import Callable


def give_back() -> None:
    """Takes a millisecond or two. Nothing where the C library has no call for it (musl, macOS)."""
    if (trim := _malloc_trim()) is not None:
        trim(0)


@functools.cache
def _malloc_trim() -> Callable[[int], object] | None:
    """`malloc_trim` of glibc; other threads run meanwhile."""
    import ctypes  # a few milliseconds: not at start-up

    try:
        found = getattr(ctypes.CDLL(None), "malloc_trim", None)
    except (OSError, TypeError):
        return None
    return found
