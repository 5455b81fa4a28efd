"""Of cases that are many and similar, each run of the tests tries a part; `.ci/run nightly` tries all (TESTS_WHOLE=1).

The part is the same in each run, so that a failure comes again, and spread over the whole. `sampled` takes it of a
list, `partly` of the cases of a parametrized test. A case that is named on the command line runs always.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import pytest

T = TypeVar("T")


def whole() -> bool:
    """True if all cases are wanted."""
    return bool(os.environ.get("TESTS_WHOLE"))


def sampled(cases: Sequence[T], share: int, first: int = 0) -> list[T]:
    """Every `share`-th case, beginning with number `first`; all if all are wanted."""
    return list(cases) if whole() else list(cases)[first::share]


def partly(share: int) -> pytest.MarkDecorator:
    """Mark a parametrized test of which a `share`-th of the cases runs.

    If it has several parameters, each value of the longest one runs as long as the others have `share` combinations:
    a state is tried in one size, the next state in another.
    """
    return pytest.mark.partly(share)


def chosen(at: Mapping[str, int], sizes: Mapping[str, int], share: int) -> bool:
    """True if the case with the values number `at` belongs to the part. `sizes` has the number of each one's values."""
    names = sorted(sizes, key=lambda name: (-sizes[name], name))
    combination = 0
    for name in names[1:]:
        combination = combination * sizes[name] + at[name]
    return (combination - at[names[0]]) % share == 0 if names else True


def only_parts(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Drop the cases of marked tests that don't belong to their part."""
    if whole() or any("[" in str(word) for word in config.args):
        return
    marked: dict[tuple[str, str], list[Any]] = {}
    for item in items:
        if item.get_closest_marker("partly") is not None and hasattr(item, "callspec"):
            marked.setdefault((item.nodeid.partition("::")[0], item.originalname), []).append(item)  # type: ignore[attr-defined]
    dropped = set()
    for cases in marked.values():
        # pytest numbers values by case, so that each would be another one
        numbers = {name: _numbered([case.callspec.params[name] for case in cases]) for name in cases[0].callspec.params}
        numbers = {name: of for of, name in {of: name for name, of in numbers.items()}.items()}  # what goes together
        sizes = {name: 1 + max(of) for name, of in numbers.items()}
        share = cases[0].get_closest_marker("partly").args[0]
        dropped |= {
            case
            for at, case in enumerate(cases)
            if not chosen({name: of[at] for name, of in numbers.items()}, sizes, share)
        }
    if dropped:
        items[:] = [item for item in items if item not in dropped]
        config.hook.pytest_deselected(items=list(dropped))


def _numbered(values: Sequence[object]) -> tuple[int, ...]:
    """For each value its number among the different ones, in the order in which they come."""
    seen: dict[int, int] = {}
    return tuple(seen.setdefault(id(value), len(seen)) for value in values)
