"""The versions that pyproject.toml allows are those that are tried (`.ci/run`, lanes "lowest" and "newest")."""

from __future__ import annotations

import re
import sys

import pytest

from tests.house import lowest
from tests.house.audit import pins
from tests.house.lowest import BENEATH, ROOT, normal
from tests.house.sources import imported, ours

IMPORTED_AS = {"markdown_it": "markdown-it-py", "yaml": "pyyaml"}
PARTS = {"pydantic_core": "pydantic", "httpcore": "httpx", "mcp_types": "mcp", "httpx2": "mcp", "anyio": "mcp"}
OPTIONAL = {"keyring"}
"""Used where the user has it, in whatever version (mcp.md P60)."""
"""Packages that another one brings along, and that are used as a part of it: it names their exact version, or they are
imported for types only."""


def test_the_lowest_versions_are_the_lower_bounds() -> None:
    assert lowest.FILE.read_text() == lowest.lowest(), "python -m tests.house.lowest --write"
    found = {normal(name): version for name, version in pins(lowest.FILE.read_text())}
    assert {normal(name): version for name, version in lowest.bounds().items()}.items() <= found.items()


def test_what_is_pinned_by_hand_is_needed_by_others_only() -> None:
    """Each name is one that is installed, and none has a bound of its own."""
    pinned = {normal(name) for name, _ in pins((ROOT / "constraints.txt").read_text())}
    assert {normal(name) for name in BENEATH} <= pinned
    assert not {normal(name) for name in BENEATH} & {normal(name) for name in lowest.bounds()}


def test_whatever_is_imported_has_a_range() -> None:
    """A library that comes along with another one isn't imported: its versions would be unbounded."""
    known = {normal(name) for name in lowest.bounds()} | {"mcp", "psycopg"}  # extras
    for source in ours("jp_tui"):
        for line, name, _ in imported(source):
            top = name.split(".")[0]
            if top in sys.stdlib_module_names or top in ("jp_tui", "__future__"):
                continue
            package = normal(PARTS.get(top, IMPORTED_AS.get(top, top)))
            assert package in known | OPTIONAL, f"{source.name}:{line} {name}"


@pytest.mark.parametrize("name", ["quick.txt", "quick-python.txt"])
def test_the_quick_part_names_tests_that_are_there(name: str) -> None:
    lines = (ROOT / "tests" / name).read_text().split()
    assert len(lines) > 10
    for line in lines:
        path, _, test = line.partition("::")
        assert (ROOT / path).exists(), line
        assert not test or re.search(rf"def {test}\b", (ROOT / path).read_text()), line
