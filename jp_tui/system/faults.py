"""Failures seen before: a background task that fails every second is reported once. Pure."""

from __future__ import annotations

import traceback

MOST = 20
"""Kinds of failures reported in one run of the program."""


class SeenFailures:
    """Failures by kind: the type, and the place where it was raised."""

    def __init__(self) -> None:
        self._known: set[tuple[str, str, int]] = set()

    def new(self, error: BaseException) -> bool:
        """True for the first one of a kind, until the limit of kinds."""
        where = traceback.extract_tb(error.__traceback__)
        kind = (
            (type(error).__name__, where[-1].filename, where[-1].lineno or 0) if where else (repr(error)[:200], "", 0)
        )
        if kind in self._known or len(self._known) >= MOST:
            return False
        self._known.add(kind)
        return True
