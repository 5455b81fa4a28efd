"""Diffs are exact, the same every time, and bounded; replacing keeps every byte around it (R234, R235, T28)."""

from __future__ import annotations

import re
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jp_tui.tools.files.approval import fenced
from jp_tui.tools.files.difference import changed_lines, lines_of, unified
from jp_tui.tools.files.edits import EditJob, edit
from jp_tui.tools.files.patterns import PatternProblem, Replacement, apply

LINES = st.lists(st.sampled_from(["a", "b", "c", "", "`", "```", "d\r", "\x0b", "\u2028", "\ufeff"]), max_size=30)


@st.composite
def texts(draw: st.DrawFn) -> str:
    """Lines that repeat, with every kind of character that somebody might take for a line end."""
    return "\n".join(draw(LINES)) + draw(st.sampled_from(["", "\n"]))


def patched(before: str, diff: str) -> str:
    """What a unified diff makes of a text, strictly: every context and removed line must stand there."""
    left, out, at = lines_of(before), list[str](), 0
    lines = lines_of(diff)[2:]
    for number, line in enumerate(lines):
        mark, rest = line[0], line[1:]
        if mark == "\\":
            continue
        if number + 1 < len(lines) and lines[number + 1].startswith("\\"):
            rest = rest[:-1]
        if mark == "@":
            found = re.match(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@\n", line)
            assert found is not None
            start = int(found[1]) - (found[2] != "0")
            assert start >= at
            out += left[at:start]
            at = start
            assert int(found[3]) - (found[4] != "0") == len(out)
            continue
        if mark in " -":
            assert left[at] == rest
            at += 1
        if mark in " +":
            out.append(rest)
    return "".join(out + left[at:])


@given(texts(), texts())
def test_a_diff_makes_the_one_from_the_other(before: str, after: str) -> None:
    diff = unified("a/f", "b/f", before, after)
    assert (diff == "") is (before == after)
    if diff:
        assert patched(before, diff) == after
        assert unified("a/f", "b/f", before, after) == diff
    added, removed = changed_lines(before, after)
    assert len(lines_of(after)) - len(lines_of(before)) == added - removed


@given(texts(), st.lists(st.tuples(st.sampled_from("abc`"), st.sampled_from(["", "x", "x\ny", "`" * 5])), max_size=3))
def test_what_is_written_is_what_the_diff_says(before: str, replacements: list[tuple[str, str]]) -> None:
    """R235: the approved diff applied to the old bytes gives the new bytes."""
    job: EditJob = {
        "texts": {"f": before},
        "names": {"f": "f"},
        "patterns": [{"old": old, "new": new, "regex": False, "files": ["f"]} for old, new in replacements],
        "every": True,
        "case_sensitive": True,
    }
    done = edit(job)
    for edited in done["files"].values():
        assert patched(before, edited["diff"]) == edited["text"]
        assert patched(before, edited["diff"]).encode() == edited["text"].encode()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "a\n"),
        ("a\n", ""),
        ("a", "a\n"),
        ("".join(f"{i}\n" for i in range(40)), "".join(f"{i}\n" for i in range(40) if i not in (3, 30)) + "x"),
        ("a\nb\nc\n" * 9, "a\nb\n" + "a\nb\nc\n" * 8 + "q\n"),
    ],
)
def test_git_applies_it_too(tmp_path: Path, before: str, after: str) -> None:
    """The diff is one that another program reads the same way."""
    file = tmp_path / "f"
    if before:
        file.write_bytes(before.encode())
    diff = unified("a/f" if before else "/dev/null", "b/f" if after else "/dev/null", before, after)
    subprocess.run(["git", "apply", "--unsafe-paths", "-"], cwd=tmp_path, input=diff.encode(), check=True)
    assert (file.read_bytes() if file.exists() else b"") == after.encode()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a\n" * 100_000, "b\n" * 100_000),
        ("".join(f"{i}\n" for i in range(50_000)), "".join(f"{i}\n" for i in reversed(range(50_000)))),
        ("a\nb\n" * 25_000, "b\na\n" * 25_000 + "c\n"),
        ("".join(f"{i % 7}{i % 5}\n" for i in range(20_000)), "".join(f"{i % 5}{i % 7}\n" for i in range(20_000))),
    ],
    ids=["all others", "reversed", "shifted", "many alike"],
)
def test_the_worst_texts_take_a_moment(before: str, after: str) -> None:
    """T28: difflib alone would take minutes for these. The bound is counted, so the result never depends on time."""
    began = time.process_time()
    diff = unified("a", "b", before, after)
    assert time.process_time() - began < 10
    assert patched(before, diff) == after


@given(st.text(alphabet="`~a\n", max_size=40))
def test_nothing_closes_the_fence(text: str) -> None:
    lines = fenced("diff", text).split("\n")
    fence = lines[-1]
    assert set(fence) == {"`"}
    assert lines[0] == fence + "diff"
    assert not any(line.strip().startswith(fence) for line in lines[1:-1])


ENDS = st.sampled_from(["\n", "\r\n", "\n", "\r"])


@given(
    st.lists(st.tuples(st.sampled_from(["one", "two", "", "x y"]), ENDS), max_size=12), st.sampled_from(["", "\ufeff"])
)
def test_bytes_outside_the_place_stay(lines: list[tuple[str, str]], mark: str) -> None:
    """S40 "a file keeps its own": mixed line ends, byte order mark, missing newline."""
    before = mark + "".join(text + end for text, end in lines) + "tail"
    after = apply(before, Replacement(1, "tail", "end"), every=False, case_sensitive=True).text
    assert after == before.removesuffix("tail") + "end"
    inserted = apply(before, Replacement(1, "tail", "new\nend"), every=False, case_sensitive=True).text
    crlf = before.count("\r\n")
    mostly = "\r\n" if crlf > before.count("\n") - crlf else "\n"
    assert inserted == before.removesuffix("tail") + "new" + mostly + "end"


def test_once_means_once() -> None:
    with pytest.raises(PatternProblem, match="more than once"):
        apply("aa", Replacement(1, "a", "b"), every=False, case_sensitive=True)
    change = apply("aaa", Replacement(1, "aa", "b"), every=True, case_sensitive=True)
    assert (change.text, change.count) == ("ba", 1)


def test_a_result_is_bounded() -> None:
    """A replacement that multiplies is stopped before it fills the memory."""
    with pytest.raises(PatternProblem, match="larger than 2 MiB"):
        apply("a" * 100_000, Replacement(1, "a", "b" * 100_000), every=True, case_sensitive=True)


@pytest.mark.parametrize(
    ("text", "old", "touched", "lines"),
    [
        ("a\nb\na\n", "a", 2, 3),
        ("a\nb\nc", "b\nc", 2, 3),
        ("aaa\n", "a", 1, 1),
        ("a\nb\n", "a\n", 1, 2),
        ("a\nb\nc\n", "\nb", 2, 3),
    ],
)
def test_touched_lines_are_counted_once(text: str, old: str, touched: int, lines: int) -> None:
    change = apply(text, Replacement(1, old, "X"), every=True, case_sensitive=True)
    assert (change.touched, change.lines) == (touched, lines)


def test_an_insertion_touches_its_line() -> None:
    change = apply("a\nb\n", Replacement(1, "^", "> ", regex=True), every=True, case_sensitive=True)
    assert change.text == "> a\n> b\n"
    assert (change.touched, change.lines) == (2, 2)
