"""A file that a docstring, a comment or a page of ours names is there."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator

from tests.house.sources import ROOT, Source, ours, tracked

NAMED = re.compile(r"`((?:[a-z_]+/)*[a-z_]+\.py)`")
RECIPES = {"date.py", "hello.py", "where.py", "shout.py"}
"""Files that ARCHITECTURE's recipes add."""


def spoken(source: Source) -> Iterator[tuple[int, str]]:
    """The comments and docstrings of a file, with the line of each."""
    if not NAMED.search(source.text):  # most files name none, and tokens take long
        return
    for token in tokenize.generate_tokens(io.StringIO(source.text).readline):
        if token.type in (tokenize.COMMENT, tokenize.STRING) and (
            token.type == tokenize.COMMENT or '"""' in token.string
        ):
            yield token.start[0], token.string


def missing(text: str, files: set[str]) -> list[str]:
    """The files that a text names and that nobody has: by their name, or by the end of their path."""
    found = [
        name for name in NAMED.findall(text) if name not in files and not any(f.endswith(f"/{name}") for f in files)
    ]
    return [name for name in found if name.rpartition("/")[2] not in RECIPES and "main.py" not in name]


def test_files_that_are_named_are_there() -> None:
    files = set(tracked())
    wrong = [
        f"{source.name}:{line} {name}"
        for source in ours("jp_tui", "tests")
        for line, text in spoken(source)
        for name in missing(text, files)
        if source.name != "tests/house/test_named_files.py"
    ]
    for page in ("README.md", "ARCHITECTURE.md", *(f"docs/{one.name}" for one in (ROOT / "docs").glob("*.md"))):
        wrong += [f"{page} {name}" for name in missing((ROOT / page).read_text(), files)]
    assert wrong == []


def test_the_check_above_can_fail() -> None:
    assert missing("see `gone.py` and `ui/app.py`, `b/app.py`", {"jp_tui/ui/app.py"}) == ["gone.py", "b/app.py"]
