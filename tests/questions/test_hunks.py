"""A change hunk by hunk: what is accepted is written, byte for byte, and nothing else (R251, E26; row 27)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jp_tui.questions.hunks import MAX_PARTS, BadDiff, FileDiff, apply, apply_accepted, hunks, parts
from jp_tui.tools.files.difference import unified

BASE = "".join(f"line {n}\n" for n in range(1, 31))


def change(base: str, after: str, name: str = "f") -> FileDiff:
    return FileDiff(name, base, unified(f"a/{name}", f"b/{name}", base, after))


def edited(**lines: str) -> str:
    """BASE with these lines, by number, in the place of the old ones."""
    found = BASE.splitlines(keepends=True)
    for number, text in lines.items():
        found[int(number[1:]) - 1] = text
    return "".join(found)


THREE = change(BASE, edited(_2="two\n", _15="", _28="line 28\nand more\n"))


def texts(changes: list[FileDiff], *accepted: str) -> list[str | None]:
    return [None if one is None else one.text for one in apply_accepted(changes, accepted)]


def test_each_hunk_is_a_part() -> None:
    """R251: id, digest, title, diff, in the order shown; the diff is the hunk's own part of what is shown."""
    found = parts([THREE])
    assert [part.id for part in found] == ["1", "2", "3"]
    assert [part.title for part in found] == ["f, line 2", "f, line 15", "f, after line 28"]
    assert "--- a/f\n+++ b/f\n" + "".join(part.diff for part in found) == THREE.diff
    assert found[0].diff == "@@ -1,5 +1,5 @@\n line 1\n-line 2\n+two\n line 3\n line 4\n line 5\n"
    assert len({part.digest for part in found}) == 3 and all(len(part.digest) == 64 for part in found)
    assert parts([THREE]) == found, "the same change, the same ids and digests"


def test_a_digest_is_of_the_file_and_the_hunk() -> None:
    twice = [change(BASE, edited(_2="x\n", _20="y\n"), name) for name in ("a", "b")]
    assert len({part.digest for part in parts(twice)}) == 4
    assert [part.id for part in parts(twice)] == ["1", "2", "3", "4"]


def test_any_of_them_by_itself() -> None:
    """E26: what is written is exactly what was shown as accepted."""
    assert texts([THREE], "1") == [edited(_2="two\n")]
    assert texts([THREE], "2") == [edited(_15="")]
    assert texts([THREE], "1", "3") == [edited(_2="two\n", _28="line 28\nand more\n")]
    assert texts([THREE]) == [None]
    (some,) = apply_accepted([THREE], ["3", "2"])
    assert some is not None and (some.count, some.all, some.added, some.removed) == (2, 3, 1, 1)


def test_several_files_are_numbered_through() -> None:
    other = change("a\n" * 3, "b\n" + "a\n" * 2, "g")
    assert texts([THREE, other], "4") == [None, "b\na\na\n"]
    assert texts([THREE, other], "1") == [edited(_2="two\n"), None]
    assert [part.title for part in parts([other, THREE])][:2] == ["g, line 1", "f, line 2"]


@pytest.mark.parametrize(
    ("base", "after", "title"),
    [
        ("", "a\n", "f, at the beginning"),
        ("a\n", "", "f, line 1"),
        ("a\nb\n", "x\na\nb\n", "f, at the beginning"),
        ("a\nb\n", "a\nb\nc\n", "f, after line 2"),
        ("a\nb\nc\n", "a\nc\n", "f, line 2"),
        ("a\nb\nc\nd\n", "x\nb\nc\ny\n", "f, lines 1-4"),
        ("a", "a\n", "f, line 1"),
    ],
)
def test_titles(base: str, after: str, title: str) -> None:
    """The lines as they are now, without the equal ones around them."""
    far = change(BASE, edited(_2="two\n"), "far")
    assert parts([change(base, after), far])[0].title == title


def test_nothing_to_choose() -> None:
    """A single hunk is the whole; more than anybody takes one by one are approved whole."""
    assert parts([change(BASE, edited(_2="two\n"))]) == ()
    assert parts([]) == ()
    assert len(parts([change("", "x\n", str(n)) for n in range(MAX_PARTS)])) == MAX_PARTS
    assert parts([change("", "x\n", str(n)) for n in range(MAX_PARTS + 1)]) == ()


def test_lines_that_look_like_marks() -> None:
    """Hunks are counted by their heads: no content ends one, begins one or loses its end."""
    odd = [
        "--- a/f\n",
        "+++ b/f\n",
        "@@ -1 +1 @@\n",
        "\\ No newline at end of file\n",
        "-\n",
        "+\n",
        "\n",
        " \r\n",
        "\x0b\u2028\x85\n",
    ]
    base = "".join(odd) + "end"
    after = "".join(f"-{line}" for line in odd) + "\\ No newline at end of file"
    assert apply(base, hunks(change(base, after).diff)) == after


@pytest.mark.parametrize(
    "diff",
    [
        "nonsense\n",
        "@@ -1,2 +1,2 @@\n a\n-b\n",
        "@@ -1 +1 @@\n*a\n",
        "@@ -1 +1,2 @@\n a\n a\n+b\n",
        "@@ -1 +1 @@\n-a\n+b\nmore\n",
    ],
)
def test_what_is_no_diff(diff: str) -> None:
    with pytest.raises(BadDiff):
        hunks(diff)


def test_a_diff_of_another_text() -> None:
    """Never guessed: it stands where it says, or it is refused."""
    (hunk,) = hunks(change(BASE, edited(_9="x\n")).diff)
    for other in ("", "new\n" + BASE, BASE.replace("line 9", "line 90"), BASE.replace("\n", "\r\n")):
        with pytest.raises(BadDiff):
            apply(other, [hunk])
    with pytest.raises(BadDiff):
        apply(BASE, [hunk, hunk])


LINES = st.sampled_from(["a", "b", "c", "", " ", "é\u2028x", "-", "+x", "@@ -1 +1 @@", "\\ No newline at end of file"])
ENDS = st.sampled_from(["\n", "\n", "\n", "\r\n", "\r\r\n"])


@st.composite
def pairs(draw: st.DrawFn) -> tuple[str, str]:
    """A text and one made of it by a few edits, far enough from one another for several hunks now and then."""
    before = draw(st.lists(st.builds(lambda line, end: line + end, LINES, ENDS), max_size=40))
    after = list(before)
    for _ in range(draw(st.integers(0, 5))):
        at = draw(st.integers(0, len(after)))
        after[at : at + draw(st.integers(0, 2))] = draw(
            st.lists(st.builds(lambda line, end: line + end, LINES, ENDS), max_size=2)
        )
    cut = st.sampled_from(["", "", "z"])
    return "".join(before) + draw(cut), "".join(after) + draw(cut)


@given(pairs(), st.data())
def test_all_is_the_change_none_is_the_base_and_any_rest_composes(pair: tuple[str, str], data: st.DataObject) -> None:
    """R251: whichever are accepted, the rest applied to the outcome comes to the whole."""
    base, after = pair
    every = hunks(change(base, after).diff)
    assert apply(base, every) == after
    assert apply(base, []) == base
    picked = data.draw(st.sets(st.sampled_from(range(len(every))))) if every else set()
    some = apply(base, [hunk for at, hunk in enumerate(every) if at in picked])
    for at, hunk in enumerate(every):  # each place reads as it was shown: new where accepted, old where not
        assert "".join(hunk.new if at in picked else hunk.old) in some
    shift, rest = 0, []
    for at, hunk in enumerate(every):
        if at in picked:
            shift += len(hunk.new) - len(hunk.old)
        else:
            rest.append(type(hunk)(hunk.start + shift, hunk.old, hunk.new, hunk.text))
    assert apply(some, rest) == after


@given(pairs())
def test_what_is_taken_has_exactly_the_accepted_lines(pair: tuple[str, str]) -> None:
    """The diff from the base to what is written is the accepted hunk and no other."""
    base, after = pair
    whole = change(base, after)
    for hunk in hunks(whole.diff):
        made = apply(base, [hunk])
        assert made != base
        assert apply(base, hunks(change(base, made).diff)) == made
        lines = base.split("\n")
        kept = "\n".join(lines[: hunk.start]) + ("\n" if hunk.start else "")
        assert made.startswith(kept + "".join(hunk.new))
