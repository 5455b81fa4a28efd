"""Regular expressions that are compiled when they are first used: compiling ours takes 7 ms, and few of them are needed
before the first frame (traps.md T23). Otherwise they are what `re.compile` makes; an error in one shows at its use, so
a test compiles all.
"""

from __future__ import annotations

import re
from typing import Any, cast

known: list[_Later] = []
"""All there are, for the test."""


class _Later:
    """Has the methods of a compiled pattern from the first use of one on."""

    def __init__(self, pattern: str, flags: int) -> None:
        self._said = pattern, flags
        known.append(self)

    def __getattr__(self, name: str) -> Any:
        """Asked only for what is not there yet."""
        compiled = re.compile(*self._said)
        found = getattr(compiled, name)
        setattr(self, name, found)
        return found


def later(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """As `re.compile`, but later. To be used by its methods; functions of `re` do not take it."""
    return cast("re.Pattern[str]", _Later(pattern, flags))
