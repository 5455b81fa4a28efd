"""Regular expressions compiled on first use: compiling all takes 7 ms, and the first frame needs few (traps.md T23).
They behave like `re.compile`; an invalid one fails at its use, so a test compiles all."""

from __future__ import annotations

import re
from typing import Any, cast

known: list[_Later] = []
"""All patterns, for the test."""


class _Later:
    """Has the methods of a compiled pattern after the first use of one."""

    def __init__(self, pattern: str, flags: int) -> None:
        self._said = pattern, flags
        known.append(self)

    def __getattr__(self, name: str) -> Any:
        """Called only for missing attributes."""
        compiled = re.compile(*self._said)
        found = getattr(compiled, name)
        setattr(self, name, found)
        return found


def later(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """As `re.compile`, but deferred. Use its methods; functions of `re` don't accept it."""
    return cast("re.Pattern[str]", _Later(pattern, flags))
