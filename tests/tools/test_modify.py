"""fs_modify_file: what it asks, and that it writes exactly what was approved (S40, R234-R236, matrix row 27)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from jp_tui.conversation.outcomes import Failure
from jp_tui.questions.types import BooleanAnswer, Question
from jp_tui.questions.wire import digest
from jp_tui.tools.port import GivenAnswer
from tests.tools.asking import call, git, repository

M39 = (
    "The proposed file changes were reviewed and rejected. Changes were not applied. "
    "You may retry with different changes."
)


def one(old: str, new: str, **more: Any) -> list[dict[str, Any]]:
    return [{"old": old, "new": new, **more}]


async def test_one_change_is_shown_and_written(tmp_path: Path) -> None:
    """R234: one line of text, the diff as context, default true; approved is written."""
    (tmp_path / "a.py").write_text("x = 1\ny = 2\n")
    told = await call(tmp_path, "fs_modify_file", path="a.py", patterns=one("y = 2", "y = 3"))
    assert told.ids == ["apply_changes"]
    (question,) = told.asked
    assert (question.text, question.answer_type) == ("Apply this change to a.py?", BooleanAnswer())
    assert question.context == ("```diff\n--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n x = 1\n-y = 2\n+y = 3\n```")
    assert (question.default, question.has_default, question.exclusive) == (True, True, False)
    assert (question.persistence, question.floor) == ("turn", False)
    assert told.text == "Changed a.py in 1 place: +1 -1 lines."
    assert (tmp_path / "a.py").read_text() == "x = 1\ny = 3\n"


async def test_no_leaves_everything_as_it_was(tmp_path: Path) -> None:
    """M39 to the letter; it does not say "inquiry" (M45)."""
    (tmp_path / "a.py").write_text("x = 1\n")
    before = (tmp_path / "a.py").stat()
    told = await call(tmp_path, "fs_modify_file", False, path="a.py", patterns=one("1", "2"))
    assert told.outcome == Failure(M39, declined=True)
    assert "inquiry" not in M39
    after = (tmp_path / "a.py").stat()
    assert (after.st_mtime_ns, after.st_ino) == (before.st_mtime_ns, before.st_ino)


async def test_several_files_are_one_question(tmp_path: Path) -> None:
    """S40: all diffs as context, several files in one call; a pattern's `paths` win over `path`."""
    for name in ("a", "b", "c"):
        (tmp_path / name).write_text("one\n")
    patterns = [*one("one", "two", paths=["a", "b"]), *one("one", "three")]
    told = await call(tmp_path, "fs_modify_file", path="c", patterns=patterns)
    assert told.asked[0].text == "Apply these changes to 3 files?"
    context = told.asked[0].context or ""
    assert [line for line in context.splitlines() if line[:3] == "+++"] == ["+++ b/a", "+++ b/b", "+++ b/c"]
    assert [(tmp_path / name).read_text() for name in "abc"] == ["two\n", "two\n", "three\n"]
    assert len(told.text.splitlines()) == 3


async def test_patterns_build_on_each_other(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one\n")
    await call(tmp_path, "fs_modify_file", path="a", patterns=[*one("one", "two"), *one("two", "three")])
    assert (tmp_path / "a").read_text() == "three\n"


async def test_a_file_that_changed_after_the_answer_is_asked_about_again(tmp_path: Path) -> None:
    """R235, PATH-061: the same id, another digest; what somebody else wrote is kept."""
    file = tmp_path / "f"
    file.write_text("one\nkeep\n")

    def meanwhile(question: Question) -> bool:
        if file.read_text() == "one\nkeep\n":
            file.write_text("zero\none\nkeep\n")
        return True

    told = await call(tmp_path, "fs_modify_file", meanwhile, path="f", patterns=one("one", "two"))
    assert told.ids == ["apply_changes", "apply_changes"]
    assert digest(told.asked[0]) != digest(told.asked[1])
    assert file.read_text() == "zero\ntwo\nkeep\n"


async def test_an_answer_to_another_patch_does_not_count(tmp_path: Path) -> None:
    """R235: a yes is bound to the digest of what was shown."""
    (tmp_path / "f").write_text("one\n")
    old = {"apply_changes": GivenAnswer(True, "0" * 64)}
    told = await call(tmp_path, "fs_modify_file", False, before=old, path="f", patterns=one("one", "two"))
    assert told.ids == ["apply_changes"]
    assert (tmp_path / "f").read_text() == "one\n"


async def test_a_remembered_answer_covers_a_patch_nobody_saw(tmp_path: Path) -> None:
    """R236."""
    (tmp_path / "f").write_text("one\n")
    unseen = {"apply_changes": GivenAnswer(True, "0" * 64, unseen=True)}
    told = await call(tmp_path, "fs_modify_file", before=unseen, path="f", patterns=one("one", "two"))
    assert (told.ids, told.ok) == ([], True)
    assert (tmp_path / "f").read_text() == "two\n"


async def test_but_not_one_that_only_a_person_may_approve(tmp_path: Path) -> None:
    """R247: a floor question takes no remembered yes, and says why it is one (PATH-050 to PATH-055)."""
    (tmp_path / "Makefile").write_text("all:\n\ttrue\n")
    unseen = {"apply_changes": GivenAnswer(True, "0" * 64, unseen=True)}
    told = await call(
        tmp_path, "fs_modify_file", False, before=unseen, path="Makefile", patterns=one("true", "rm -rf /")
    )
    assert told.ids == ["apply_changes"]
    assert told.asked[0].floor
    assert (told.asked[0].context or "").startswith("Makefile: other programs run what it says")
    assert (tmp_path / "Makefile").read_text() == "all:\n\ttrue\n"


async def test_the_order_of_the_questions(tmp_path: Path) -> None:
    """S40: broad_replacement, modify_dirty_file, apply_changes; each no ends it in plain words."""
    repository(tmp_path, {"f": "a\n" * 12})
    (tmp_path / "f").write_text("a\n" * 11)
    arguments: dict[str, Any] = {"path": "f", "patterns": one("a", "b"), "replace_all": True}
    ids = ["broad_replacement", "modify_dirty_file", "apply_changes"]
    for stop in range(3):
        answers = {name: at != stop for at, name in enumerate(ids)}
        told = await call(tmp_path, "fs_modify_file", answers, **arguments)
        assert told.ids == ids[: stop + 1]
        assert not told.ok
        assert (tmp_path / "f").read_text() == "a\n" * 11
    assert [(one.default, one.has_default) for one in told.asked] == [(False, True), (False, True), (True, True)]
    assert all("\n" not in one.text for one in told.asked)
    told = await call(tmp_path, "fs_modify_file", True, **arguments)
    assert told.ok
    assert (tmp_path / "f").read_text() == "b\n" * 11


@pytest.mark.parametrize(
    ("text", "broad"),
    [("a\n" * 10, True), ("a\n" * 9, False), ("a\n" * 5 + "b\n" * 5, False), ("a\n" * 6 + "b\n" * 4, True)],
    ids=["all of ten", "nine lines", "half", "over half"],
)
async def test_what_is_broad(tmp_path: Path, text: str, broad: bool) -> None:
    """S40: over half of a file of ten lines or more."""
    (tmp_path / "f").write_text(text)
    told = await call(tmp_path, "fs_modify_file", path="f", patterns=one("a", "c"), replace_all=True)
    assert ("broad_replacement" in told.ids) is broad


async def test_what_is_dirty(tmp_path: Path) -> None:
    """S40: changed, staged or untracked counts; committed, ignored and no repository do not."""
    repository(
        tmp_path, {"clean": "x\n", "changed": "x\n", "staged": "x\n", ".gitignore": "ignored\n", "crlf": "x\r\n"}
    )
    for name in ("changed", "staged"):
        (tmp_path / name).write_text("x\ny\n")
    git(tmp_path, "add", "staged")
    for name in ("new", "ignored"):
        (tmp_path / name).write_text("x\n")
    found = {}
    for name in ("clean", "changed", "staged", "new", "ignored", "crlf"):
        told = await call(tmp_path, "fs_modify_file", False, path=name, patterns=one("x", "z"))
        found[name] = told.ids[0] == "modify_dirty_file"
    dirty = {"changed", "staged", "new"}
    assert {name for name, is_dirty in found.items() if is_dirty} == dirty


@pytest.mark.parametrize("hashes", ["sha1", "sha256"])
async def test_a_workspace_within_a_repository(tmp_path: Path, hashes: str) -> None:
    """Paths are the workspace's, not the repository's; before the first commit everything is uncommitted."""
    root = tmp_path / "sub"
    root.mkdir()
    (root / "f").write_text("x\n")
    git(tmp_path, "init", "-q", f"--object-format={hashes}")
    git(tmp_path, "add", "-A")
    told = await call(root, "fs_modify_file", False, path="f", patterns=one("x", "y"))
    assert told.ids == ["modify_dirty_file"]
    git(tmp_path, "commit", "-q", "-m", "first")
    told = await call(root, "fs_modify_file", False, path="f", patterns=one("x", "y"))
    assert told.ids == ["apply_changes"]
    assert (await call(root, "fs_list_files")).text == "f"


async def test_a_large_file_takes_the_long_way_to_the_same_end(tmp_path: Path) -> None:
    """T28: patterns and diff in a child; what is asked and written is as for a small one."""
    text = "".join(f"line {number}\n" for number in range(40_000))
    (tmp_path / "f").write_text(text)
    told = await call(tmp_path, "fs_modify_file", path="f", patterns=one("line 777\n", "line é\u2028\n"))
    assert "@@ -775,7 +775,7 @@\n line 774\n line 775\n line 776\n-line 777\n+line é\u2028\n" in (
        told.asked[0].context or ""
    )
    assert (tmp_path / "f").read_text() == text.replace("line 777\n", "line é\u2028\n")


async def test_git_runs_nothing_that_the_workspace_names(tmp_path: Path) -> None:
    """A workspace's own git configuration names no program that is run by looking at its files."""
    repository(tmp_path, {"f": "x\n", ".gitattributes": "* filter=evil\n"})
    marker = tmp_path / "ran"
    git(tmp_path, "config", "filter.evil.clean", f"touch {marker}; cat")
    git(tmp_path, "config", "core.fsmonitor", f"touch {marker}; false")
    (tmp_path / "f").write_text("y\n")
    told = await call(tmp_path, "fs_modify_file", path="f", patterns=one("y", "z"))
    assert "modify_dirty_file" in told.ids
    await call(tmp_path, "fs_list_files")
    assert not marker.exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"patterns": one("a", "b")}, "has no file"),
        ({"path": "f"}, "`patterns` is required"),
        ({"path": "f", "patterns": []}, "`patterns` is required"),
        ({"path": "f", "patterns": ["a"]}, "pattern 1 must be an object"),
        ({"path": "f", "patterns": [{"old": "a"}]}, "pattern 1: `new` is required"),
        ({"path": "f", "patterns": one("", "b")}, "pattern 1: `old` must not be empty"),
        ({"path": "f", "patterns": one("a", "b", count=1)}, "pattern 1: `count` is not an argument"),
        ({"path": "f", "patterns": one("a", "b"), "replace_all": "yes"}, "`replace_all` must be true or false"),
        ({"path": "f", "patterns": one("a", "b"), "dry_run": True}, "`dry_run` is not an argument"),
        ({"path": "f", "patterns": one("z", "b")}, "pattern 1 is not found (in f)"),
        ({"path": "f", "patterns": one("a", "b")}, "pattern 1 is found more than once"),
        ({"path": "f", "patterns": one("(", "b", regex=True)}, "no valid regular expression"),
        ({"path": "f", "patterns": one("aa", r"\9", regex=True)}, "no valid regular expression or replacement"),
        ({"path": "f", "patterns": one("aa", "aa")}, "change nothing"),
        ({"path": "gone", "patterns": one("a", "b")}, "gone: there is no such file"),
        ({"path": "dir", "patterns": one("a", "b")}, "dir: is a folder"),
        ({"path": "binary", "patterns": one("a", "b")}, "is not UTF-8 text"),
        ({"path": "latin", "patterns": one("a", "b")}, "is not UTF-8 text"),
        ({"path": "large", "patterns": one("a", "b")}, "more than the 1 MiB"),
        ({"path": "../f", "patterns": one("a", "b")}, "outside the workspace"),
        ({"path": "out", "patterns": one("a", "b")}, "outside the workspace"),
    ],
)
async def test_what_cannot_be_done_is_said(tmp_path: Path, arguments: dict[str, Any], words: str) -> None:
    """Nothing is asked, nothing is changed, and the model can act on the words."""
    root = tmp_path / "root"
    (root / "dir").mkdir(parents=True)
    (root / "f").write_text("aa a\n")
    (root / "binary").write_bytes(b"a\0b")
    (root / "latin").write_bytes(b"a\xe9")
    (root / "large").write_bytes(b"a" * ((1 << 20) + 1))
    (tmp_path / "f").write_text("aa\n")
    (root / "out").symlink_to(tmp_path / "f")
    told = await call(root, "fs_modify_file", **arguments)
    assert (told.ok, told.ids) == (False, [])
    assert words in told.text
    assert (root / "f").read_text() == "aa a\n"
    assert (tmp_path / "f").read_text() == "aa\n"


async def test_all_problems_at_once(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("a\n")
    told = await call(tmp_path, "fs_modify_file", path="f", patterns=[*one("x", ""), *one("y", "")])
    assert len(told.text.splitlines()) == 2


async def test_a_pattern_that_never_ends_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """T21c: it runs in a process of its own, which is killed; nothing is changed."""
    monkeypatch.setattr("jp_tui.tools.worker.SECONDS", 0.5)
    (tmp_path / "f").write_text("a" * 40 + "b\n")
    told = await call(tmp_path, "fs_modify_file", path="f", patterns=one("^(a+)+$", "x", regex=True))
    assert (told.ok, told.ids) == (False, [])
    assert "seconds and was ended" in told.text


async def test_regular_expressions_and_capitals(tmp_path: Path) -> None:
    """S40: `regex`, `replace_all`, `case_sensitive`."""
    (tmp_path / "f").write_text("Name: ann\nname: bob\n")
    await call(
        tmp_path,
        "fs_modify_file",
        path="f",
        patterns=[*one(r"^name: (\w+)$", r"\1!", regex=True)],
        replace_all=True,
        case_sensitive=False,
    )
    assert (tmp_path / "f").read_text() == "ann!\nbob!\n"
    await call(tmp_path, "fs_modify_file", path="f", patterns=one("ANN", r"\1"), case_sensitive=False)
    assert (tmp_path / "f").read_text() == "\\1!\nbob!\n"


async def test_mode_line_ends_mark_and_missing_newline_stay(tmp_path: Path) -> None:
    """T12; the byte order mark is no part of the first line."""
    file = tmp_path / "f"
    file.write_bytes(b"\xef\xbb\xbfone\r\ntwo\r\nthree")
    file.chmod(0o750)
    patterns = [*one("one\ntwo", "1\n2"), *one("^1$", "eins", regex=True)]
    told = await call(tmp_path, "fs_modify_file", path="f", patterns=patterns)
    assert told.ok
    assert file.read_bytes() == b"\xef\xbb\xbfeins\r\n2\r\nthree"
    assert file.stat().st_mode & 0o777 == 0o750


async def test_a_fence_in_the_diff_closes_nothing(tmp_path: Path) -> None:
    """R234: the fence is longer than any run of backticks in what it holds."""
    (tmp_path / "f.md").write_text("````\n```\nx\n````\n")
    told = await call(tmp_path, "fs_modify_file", path="f.md", patterns=one("x", "`````"))
    context = (told.asked[0].context or "").splitlines()
    assert (context[0], context[-1]) == ("``````diff", "``````")


async def test_a_link_inside_is_followed_and_named(tmp_path: Path) -> None:
    """T11: what the question names is what is changed; the link stays a link."""
    (tmp_path / "real").write_text("a\n")
    (tmp_path / "link").symlink_to("real")
    told = await call(tmp_path, "fs_modify_file", path="link", patterns=one("a", "b"))
    assert told.asked[0].text == "Apply this change to real?"
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "b\n"


async def test_a_strange_name_is_shown_escaped(tmp_path: Path) -> None:
    """PATH-020, R2: the question is one line, whatever a file is called."""
    name = "a\n\x1b[2J\u202eb"
    (tmp_path / name).write_text("a\n")
    told = await call(tmp_path, "fs_modify_file", path=name, patterns=one("a", "b"))
    assert told.ok
    assert "\n" not in told.asked[0].text
    assert told.asked[0].text.isprintable()
    heads = [line for line in (told.asked[0].context or "").splitlines() if line[:4] in ("--- ", "+++ ")]
    assert len(heads) == 2
    assert all(line.isprintable() for line in heads)


async def test_when_one_file_fails_none_is_changed(tmp_path: Path) -> None:
    """T12: all or none; the error names the file."""
    for name in ("a", "b"):
        (tmp_path / name).write_text("x\n")

    def lock(question: Question) -> bool:
        (tmp_path / "b").chmod(0o444)
        return True

    told = await call(tmp_path, "fs_modify_file", lock, patterns=one("x", "y", paths=["a", "b"]))
    assert not told.ok
    assert told.text.startswith("b: ")
    assert [(tmp_path / name).read_text() for name in "ab"] == ["x\n", "x\n"]
    assert sorted(os.listdir(tmp_path)) == ["a", "b"]
