"""HOUSE habits 1, 3 and 9: how large a file, a class and a function may be, and how each file opens."""

from __future__ import annotations

import ast
from statistics import median, quantiles

import pytest

from tests.house.sources import Source, ours

EVERYTHING = [*ours("jp_tui"), *ours("tests")]


def each(source: Source, kinds: type | tuple[type, ...]) -> list[tuple[str, int]]:
    """Every class or function of a file with its length in lines."""
    return [
        (f"{source.name}:{node.lineno} {node.name}", (node.end_lineno or 0) - node.lineno + 1)
        for node in ast.walk(source.tree)
        if isinstance(node, kinds)
    ]


def test_files_are_small_most_of_all() -> None:
    sizes = [source.lines for source in ours("jp_tui") if source.lines]
    assert median(sizes) <= 120
    assert quantiles(sizes, n=10)[-1] <= 300, "nine files of ten"
    assert [source.name for source in EVERYTHING if source.lines > 500] == []


def test_the_app_does_not_eat_the_rest() -> None:
    assert [s.name for s in ours("jp_tui") if s.name == "jp_tui/ui/app.py" and s.lines >= 300] == []
    assert [s.name for s in ours("jp_tui") if s.name == "jp_tui/ui/app.py"], "the app is there to be measured"


@pytest.mark.parametrize(
    ("kinds", "most"), [(ast.ClassDef, 300), ((ast.FunctionDef, ast.AsyncFunctionDef), 60)], ids=["class", "function"]
)
def test_no_class_and_no_function_is_too_long(kinds: type | tuple[type, ...], most: int) -> None:
    found = [(name, length) for source in EVERYTHING for name, length in each(source, kinds)]
    assert len(found) > 50
    assert [(name, length) for name, length in found if length > most] == []


@pytest.mark.parametrize(
    "source", [source for source in EVERYTHING if source.text.strip()], ids=lambda source: source.name
)
def test_each_file_opens_with_its_reason(source: Source) -> None:
    reason = ast.get_docstring(source.tree)
    assert reason, "no docstring"
    if source.name.startswith("jp_tui/") and not source.name.endswith("__init__.py"):
        assert len(reason.splitlines()) <= 12, "the reason of a file has two to eight lines"


def test_no_room_for_what_has_no_name() -> None:
    """HOUSE "Names": no utils, helpers, manager."""
    for source in ours("jp_tui"):
        for word in ("util", "helper", "manager", "misc", "common"):
            assert word not in source.name.lower(), source.name
        for node in ast.walk(source.tree):
            if isinstance(node, ast.ClassDef):
                assert not node.name.endswith(("Manager", "Helper", "Helpers", "Util", "Utils")), node.name
