"""How each file opens, and names that say nothing."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from tests.house.sources import Source, ours

OPENING = re.compile(r'(?:#[^\n]*\n|\s)*"""(?:[^"\\]|\\.|"(?!""))*"""', re.DOTALL)


def unreasoned(source: Source, tree: ast.Module) -> list[str]:
    """What is wrong with how a file opens."""
    reason = ast.get_docstring(tree)
    if not reason:
        return [f"{source.name}: no docstring"] if source.text.strip() else []
    ours_to_run = source.name.startswith("jp_tui/") and not source.name.endswith("__init__.py")
    if ours_to_run and len(reason.splitlines()) > 12:
        return [f"{source.name}: the reason of a file has two to eight lines"]
    return []


def opening(source: Source) -> str:
    """The file up to the end of its first text in quotes: the rest takes long to read and is not asked about."""
    found = OPENING.match(source.text)
    return found[0] if found else source.text


def test_each_file_opens_with_its_reason() -> None:
    sources = list(ours("jp_tui", "tests"))
    assert [wrong for source in sources for wrong in unreasoned(source, ast.parse(opening(source)))] == []
    assert len(sources) > 1_000, "the check has gone blind"


def test_the_check_above_can_fail(tmp_path: Path) -> None:
    made = tmp_path / "x.py"
    made.write_text("x = 1\n")
    source = Source(made, "jp_tui/x.py")
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
