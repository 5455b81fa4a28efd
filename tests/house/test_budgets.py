"""HOUSE habits 1, 3 and 9: how large a file, a class and a function may be, and how each file opens."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from statistics import median, quantiles

from tests.house.sources import Source, ours

LONGEST = ((ast.ClassDef, 300), ((ast.FunctionDef, ast.AsyncFunctionDef), 60))
"""What a class, and what a function, may have in lines."""


def too_long(source: Source, tree: ast.Module) -> tuple[int, list[str]]:
    """How many classes and functions there are, and which of them have too many lines."""
    found = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)]
    return len(found), [
        f"{source.name}:{node.lineno} {node.name}"
        for node in found
        for kinds, most in LONGEST
        if isinstance(node, kinds) and (node.end_lineno or 0) - node.lineno + 1 > most
    ]


def unreasoned(source: Source, tree: ast.Module) -> list[str]:
    """What is wrong with how a file opens."""
    reason = ast.get_docstring(tree)
    if not reason:
        return [f"{source.name}: no docstring"] if source.text.strip() else []
    ours_to_run = source.name.startswith("jp_tui/") and not source.name.endswith("__init__.py")
    if ours_to_run and len(reason.splitlines()) > 12:
        return [f"{source.name}: the reason of a file has two to eight lines"]
    return []


def test_files_are_small_most_of_all() -> None:
    sizes = [source.lines for source in ours("jp_tui") if source.lines]
    assert median(sizes) <= 120
    assert quantiles(sizes, n=10)[-1] <= 300, "nine files of ten"
    assert [source.name for source in ours("jp_tui", "tests") if source.lines > 500] == []


def test_the_app_does_not_eat_the_rest() -> None:
    assert [s.name for s in ours("jp_tui") if s.name == "jp_tui/ui/app.py" and s.lines >= 300] == []
    assert [s.name for s in ours("jp_tui") if s.name == "jp_tui/ui/app.py"], "the app is there to be measured"


def test_each_file_opens_with_its_reason_and_no_class_and_no_function_is_too_long() -> None:
    wrong: list[str] = []
    many = 0
    for source in ours("jp_tui", "tests"):
        tree = source.tree
        count, long = too_long(source, tree)
        many += count
        wrong += long + unreasoned(source, tree)
    assert wrong == []
    assert many > 5_000, "the check has gone blind"


def test_the_check_above_can_fail(tmp_path: Path) -> None:
    body = "\n".join("    x = 1" for _ in range(300))
    made = tmp_path / "x.py"
    made.write_text(f"def f():\n{body}\nclass C:\n{body}\nasync def g():\n{body}\nclass D:\n    x = 1\n")
    source = Source(made, "jp_tui/x.py")
    count, long = too_long(source, source.tree)
    assert count == 4 and [name.split()[1] for name in long] == ["f", "C", "g"]
    assert unreasoned(source, source.tree) == ["jp_tui/x.py: no docstring"]
    talks = ast.parse('"""' + "word\n" * 13 + '"""')
    assert len(unreasoned(source, talks)) == 1 and unreasoned(source, ast.parse('"""Why."""')) == []


def test_no_room_for_what_has_no_name() -> None:
    """HOUSE "Names": no utils, helpers, manager."""
    for source in ours("jp_tui"):
        for word in ("util", "helper", "manager", "misc", "common"):
            assert word not in source.name.lower(), source.name
        for name in re.findall(r"^\s*class (\w+)", source.text, re.MULTILINE):
            assert not name.endswith(("Manager", "Helper", "Helpers", "Util", "Utils")), f"{source.name} {name}"
