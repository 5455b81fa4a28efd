"""A file named in what is written: where the name begins, and how it is written (issue 8, 3)."""

from __future__ import annotations

import pytest

from jp_tui.view.composer.mentions import REACH, answers, being_written, mention


@pytest.mark.parametrize(
    ("before", "found"),
    [
        ("@", (0, "")),
        ("see @src/ma", (4, "src/ma")),
        ('see @"my fi', (4, "my fi")),
        ("(@a", (1, "a")),
        ("mail@host", None),
        ("@done ", None),
        ('@"done"', None),
        ("no", None),
        ("x" * 3 * REACH + "@a", None),
        ("x" * 3 * REACH + " @a", (3 * REACH + 1, "a")),
    ],
)
def test_what_of_a_name_stands_before_the_cursor(before: str, found: tuple[int, str] | None) -> None:
    assert being_written(before) == found


@pytest.mark.parametrize(
    ("path", "written"),
    [
        ("src/main.py", "@src/main.py"),
        ("my file.txt", '@"my file.txt"'),
        ('a"b\\c', '@"a\\"b\\\\c"'),
        ("a\nb\x1b[31m", '@"a\\nb\\u001b[31m"'),
        ("abc\u202etxt.exe", '@"abc\\u202etxt.exe"'),
        ("größe.md", "@größe.md"),
    ],
)
def test_a_path_is_written_so_that_it_can_be_read(path: str, written: str) -> None:
    """T1: nothing that nobody sees stands in a message."""
    assert mention(path) == written


def test_letters_in_their_order() -> None:
    assert answers("smp", "src/Main.py") and not answers("pms", "src/Main.py") and answers("", "x")
