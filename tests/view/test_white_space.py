"""Changes of white space alone: found, marked by signs, and said in words (Z26)."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jp_tui.view.wording.diff_lines import read
from jp_tui.view.wording.white_space import LEGEND, differing, in_diff, marked, marks, note, signs


def lines(before: str, after: str) -> tuple[str, str] | None:
    """Both lines as they are marked."""
    found = differing(before, after)
    return None if found is None else (marked(before, found[0]), marked(after, found[1]))


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        ("x = 1", "x = 1  ", ("x = 1", "x = 1··")),
        ("\treturn x", "    return x", ("→return x", "····return x")),
        ("a b  c", "a b c", ("a b··c", "a b·c")),
        ("a", "a\r", ("a", "a␍")),
        ("a\r", "a", ("a␍", "a")),
        ("ab", "a b", ("ab", "a·b")),
        ("", "  ", ("", "··")),
        ("same", "same", None),
        ("x = 1", "x = 2 ", None),
        ("a\u00a0b", "a b", None),
    ],
)
def test_where_two_lines_differ(before: str, after: str, shown: tuple[str, str] | None) -> None:
    assert lines(before, after) == shown


@given(st.text("ab \t\r", max_size=12), st.text("ab \t\r", max_size=12))
def test_two_lines_that_differ_in_white_space_alone_are_marked_differently(before: str, after: str) -> None:
    """Nothing is lost, and at least one sign stands where they differ."""
    found = lines(before, after)
    same = "".join(before.split()) == "".join(after.split())
    assert (found is None) == (before == after or not same)
    if found is not None:
        assert found[0] != found[1] and set("".join(found)) & set("·→␍")
        plain = [one.translate({ord("·"): " ", ord("→"): "\t", ord("␍"): "\r"}) for one in found]
        assert plain == [before, after]


DIFF = """--- a/x.py
+++ b/x.py
@@ -1,5 +1,6 @@
 def f():
-\treturn 1
+    return 1
-x = 2
+x = 3
+
 end
"""


def test_a_diff_is_marked_and_says_what_changes_in_white_space_alone() -> None:
    text, words = in_diff(DIFF)
    assert "-→return 1\n+····return 1\n" in text and "-x = 2\n+x = 3\n" in text
    assert words == f"2 of 5 changed lines: only white space ({LEGEND})"
    whole, said = in_diff("@@ -1 +1 @@\n-a\r\n+a\n")
    assert whole == "@@ -1 +1 @@\n-a␍\n+a\n" and said == f"only white space changed ({LEGEND})"
    assert in_diff("@@ -1 +1 @@\n-a\n+b\n") == ("@@ -1 +1 @@\n-a\n+b\n", "")
    assert in_diff("no diff  \n") == ("no diff  \n", "")


@pytest.mark.parametrize(
    ("body", "spans", "words"),
    [
        (" a\n+  \n+\n b\n", [(), ((0, 2),), (), ()], f"only white space changed ({LEGEND})"),
        (" a\n+\n-b\n c\n", [(), (), (), ()], f"1 of 2 changed lines: only white space ({LEGEND})"),
        ("+x\n+\n+y\n+ \n", [(), (), (), ((0, 1),)], ""),
        ("-a\n-\n+b\n+ \n", [(), (), (), ((0, 1),)], f"2 of 4 changed lines: only white space ({LEGEND})"),
    ],
)
def test_blank_lines(body: str, spans: list[object], words: str) -> None:
    """Alone they are a change of white space; among others that come or go they are not, but their blanks are seen."""
    changes = [one for one in read(f"@@ -1,9 +1,9 @@\n{body}") if one.sign != "@"]
    found = marks(changes)
    assert [found.of(one) for one in changes] == spans and note(changes, found) == words


def test_a_long_run_is_counted() -> None:
    assert signs(" " * 5000) == "·" * 64 + "⟨×5,000⟩" and signs("\f") == "\\u{000C}"


def test_long_lines_and_many_of_them_take_linear_time() -> None:
    began = time.process_time()
    text = "x " * 500_000
    assert differing(text, text + " ") is not None
    in_diff("@@ -1,20000 +1,20000 @@\n" + "-a\n" * 20_000 + "+a \n" * 20_000)
    assert time.process_time() - began < 20
