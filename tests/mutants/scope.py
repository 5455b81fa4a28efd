"""What may be changed, and which tests are asked. The one place that names rooms."""

from __future__ import annotations

from pathlib import Path

from tests.mutants.copies import ROOT

PATTERNS = (
    "jp_tui/inquiry/*.py",
    "jp_tui/questions/*.py",
    "jp_tui/engine/**/*.py",
    "jp_tui/tools/**/*.py",
    "jp_tui/journal/**/*.py",
    "jp_tui/providers/**/*.py",
    "jp_tui/settings/**/trust*.py",
    "jp_tui/conversation/neutral*.py",
)
STRICT = ("approval", "permission", "secret", "writer", "trust")
"""A file with one of these words in its name has no survivor that a test could kill."""
_ELSEWHERE = {"house", "bench", "mutants", "pictures"}
"""Folders of tests that judge the text of the program, or measure, or would start all of this again."""


def files() -> list[str]:
    """The files that are changed, in order."""
    found = {path.relative_to(ROOT).as_posix() for pattern in PATTERNS for path in ROOT.glob(pattern)}
    return sorted(name for name in found if not name.endswith("__init__.py"))


def strict(path: str) -> bool:
    """Whether no mutant of this file may survive."""
    return any(word in Path(path).stem for word in STRICT)


def test_files() -> list[str]:
    """Every file of tests that can notice a change of behaviour."""
    found = (path.relative_to(ROOT) for path in sorted((ROOT / "tests").rglob("test_*.py")))
    return [path.as_posix() for path in found if path.parts[1] not in _ELSEWHERE]
