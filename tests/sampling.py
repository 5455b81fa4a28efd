"""Of cases that are many and much alike, a part in each run of the tests, and all in `.ci/run nightly` (TESTS_WHOLE=1).

The part is the same in each run, so that a failure comes again, and spread over the whole.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


def whole() -> bool:
    """Whether all cases are wanted."""
    return bool(os.environ.get("TESTS_WHOLE"))


def sampled(cases: Sequence[T], share: int, first: int = 0) -> list[T]:
    """Every so manyth of them, beginning with number `first`; all where all are wanted."""
    return list(cases) if whole() else list(cases)[first::share]
