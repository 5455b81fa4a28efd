"""Creating, moving and deleting: what is asked, what a no means, that only what was shown is touched (S40, R235)."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from jp_tui.conversation.outcomes import Failure
from jp_tui.questions.types import Question
from jp_tui.system.files import FileBytes, FileProblem, Root, StaleBase, WrittenFile
from jp_tui.tools.files.approval import REJECTED
from jp_tui.tools.files.file_state import describe
from jp_tui.tools.files.workspace import ToolRefusal
from jp_tui.tools.files.writing import PlannedWrite, write_all
from jp_tui.tools.port import GivenAnswer
from tests.tools.asking import call, repository

TREE = Callable[[], dict[str, bytes]]


@pytest.fixture
def tree(tmp_path: Path) -> TREE:
    """Every file below the root with its bytes; a link with its target."""

    def look() -> dict[str, bytes]:
        found = {}
        for folder, _, names in os.walk(tmp_path):
            for name in names:
                path = Path(folder) / name
                inside = path.relative_to(tmp_path).as_posix()
                found[inside] = os.readlink(path).encode() if path.is_symlink() else path.read_bytes()
        return found

    return look


async def test_a_new_file_is_shown_whole(tmp_path: Path, tree: TREE) -> None:
    """S40: `apply_changes` alone; the folders it needs are named and made only then."""
    told = await call(tmp_path, "fs_create_file", False, path="a/b/c.txt", content="one\ntwo")
    assert (told.ids, told.outcome) == (["apply_changes"], Failure(REJECTED, declined=True))
    assert os.listdir(tmp_path) == []
    told = await call(tmp_path, "fs_create_file", path="a/b/c.txt", content="one\ntwo")
    assert told.asked[0].text == "Create a/b/c.txt?"
    assert told.asked[0].context == (
        "The folder a/b is made for it.\n```diff\n--- /dev/null\n+++ b/a/b/c.txt\n@@ -0,0 +1,2 @@\n+one\n+two\n"
        "\\ No newline at end of file\n```"
    )
    assert told.text == "Created a/b/c.txt (2 lines, 7 bytes)."
    assert tree() == {"a/b/c.txt": b"one\ntwo"}


async def test_an_empty_file(tmp_path: Path, tree: TREE) -> None:
    """S40: `content` is optional."""
    told = await call(tmp_path, "fs_create_file", path="e")
    assert told.asked[0].context == "e is created empty."
    assert tree() == {"e": b""}


async def test_replacing_is_asked_first_and_by_default_no(tmp_path: Path, tree: TREE) -> None:
    """S40: `overwrite_file` when it exists (default no), then `apply_changes`."""
    (tmp_path / "f").write_text("old\n")
    ids = ["overwrite_file", "apply_changes"]
    for stop in (0, 1):
        answers = {name: at != stop for at, name in enumerate(ids)}
        told = await call(tmp_path, "fs_create_file", answers, path="f", content="new\n")
        assert (told.ids, told.ok) == (ids[: stop + 1], False)
        assert tree() == {"f": b"old\n"}
    assert [(one.default, one.has_default) for one in told.asked] == [(False, True), (True, True)]
    assert "SHA-256" in (told.asked[0].context or "")
    assert "-old\n+new\n" in (told.asked[1].context or "")
    told = await call(tmp_path, "fs_create_file", path="f", content="new\n")
    assert (told.text, tree()) == ("Replaced f: +1 -1 lines.", {"f": b"new\n"})


async def test_a_file_that_came_to_be_meanwhile_is_not_overwritten(tmp_path: Path, tree: TREE) -> None:
    """PATH-063: it is asked about, with what it holds."""

    def meanwhile(question: Question) -> bool:
        if question.text == "Create n?":
            (tmp_path / "n").write_text("theirs\n")
            return True
        return False

    told = await call(tmp_path, "fs_create_file", meanwhile, path="n", content="ours\n")
    assert told.ids == ["apply_changes", "overwrite_file"]
    assert "theirs" in (told.asked[1].context or "")
    assert tree() == {"n": b"theirs\n"}


async def test_a_replaced_file_that_changes_is_asked_about_again(tmp_path: Path, tree: TREE) -> None:
    """R235."""
    (tmp_path / "f").write_text("one\n")

    def meanwhile(question: Question) -> bool:
        if question.id == "apply_changes" and "-one" in (question.context or ""):
            (tmp_path / "f").write_text("two\n")
        return question.id == "overwrite_file" or "-two" not in (question.context or "")

    told = await call(tmp_path, "fs_create_file", meanwhile, path="f", content="new\n")
    assert told.ids == ["overwrite_file", "apply_changes"] * 2
    assert tree() == {"f": b"two\n"}


async def test_the_same_content_changes_nothing_and_asks_nothing(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("x\n")
    told = await call(tmp_path, "fs_create_file", path="f", content="x\n")
    assert (told.ids, told.ok) == ([], True)


async def test_a_large_replacement_takes_the_long_way(tmp_path: Path, tree: TREE) -> None:
    """T28: the diff is made in a child; the result is the same."""
    (tmp_path / "f").write_text("x\n" * 20_000)
    told = await call(tmp_path, "fs_create_file", path="f", content="x\n" * 20_000 + "y\n")
    assert "@@ -19998,3 +19998,4 @@\n x\n x\n x\n+y\n" in (told.asked[1].context or "")
    assert tree()["f"].endswith(b"x\ny\n")


async def test_a_move_that_harms_nothing_asks_nothing(tmp_path: Path, tree: TREE) -> None:
    """S40: only `overwrite_file` and `move_dirty_source`."""
    repository(tmp_path, {"a": "x\n"})
    told = await call(tmp_path, "fs_move_file", source="a", target="new/b")
    assert (told.ids, told.text) == ([], "Moved a to new/b.")
    assert tree()["new/b"] == b"x\n"
    assert "a" not in tree()


async def test_the_questions_of_a_move(tmp_path: Path, tree: TREE) -> None:
    repository(tmp_path, {"a": "x\n", "b": "y\n"})
    (tmp_path / "a").write_text("changed\n")
    before = tree()
    ids = ["overwrite_file", "move_dirty_source"]
    for stop in (0, 1):
        answers = {name: at != stop for at, name in enumerate(ids)}
        told = await call(tmp_path, "fs_move_file", answers, source="a", target="b")
        assert (told.ids, told.ok, tree()) == (ids[: stop + 1], False, before)
    assert told.asked[0].text == "Replace b with a?"
    assert "y" in (told.asked[0].context or "")
    told = await call(tmp_path, "fs_move_file", source="a", target="b")
    assert told.text == "Moved a to b, which was replaced."
    assert tree()["b"] == b"changed\n"


async def test_a_target_that_came_to_be_meanwhile(tmp_path: Path, tree: TREE) -> None:
    """What nobody was shown is not overwritten."""
    repository(tmp_path, {"a": "x\n"})
    (tmp_path / "a").write_text("dirty\n")

    def meanwhile(question: Question) -> bool:
        if question.id == "move_dirty_source":
            (tmp_path / "b").write_text("theirs\n")
        return question.id == "move_dirty_source"

    told = await call(tmp_path, "fs_move_file", meanwhile, source="a", target="b")
    assert told.ids == ["move_dirty_source", "overwrite_file"]
    assert (tree()["a"], tree()["b"]) == (b"dirty\n", b"theirs\n")


async def test_a_deletion_shows_what_goes(tmp_path: Path, tree: TREE) -> None:
    """S40: `confirm`, after `delete_dirty_file`; both by default no."""
    repository(tmp_path, {"f": "line\n" * 30})
    told = await call(tmp_path, "fs_delete_file", False, path="f")
    assert (told.ids, told.asked[0].text, told.asked[0].default) == (["confirm"], "Delete f?", False)
    context = told.asked[0].context or ""
    assert context.startswith("f has 150 bytes in 30 lines (SHA-256 ")
    assert context.endswith("10 more lines follow.")
    (tmp_path / "f").write_text("changed\n")
    for answers in ({"delete_dirty_file": False}, {"delete_dirty_file": True, "confirm": False}):
        told = await call(tmp_path, "fs_delete_file", answers, path="f")
        assert (told.ids, told.ok) == (list(answers), False)
        assert tree()["f"] == b"changed\n"
    told = await call(tmp_path, "fs_delete_file", path="f")
    assert (told.text, "f" in tree()) == ("Deleted f.", False)


async def test_what_is_deleted_is_what_was_shown(tmp_path: Path, tree: TREE) -> None:
    """R235 for a deletion: another content is another question."""
    (tmp_path / "f").write_text("old\n")

    def meanwhile(question: Question) -> bool:
        if "old" in (question.context or ""):
            (tmp_path / "f").write_text("new\n")
            return True
        return False

    told = await call(tmp_path, "fs_delete_file", meanwhile, path="f")
    assert (told.ids, tree()) == (["confirm", "confirm"], {"f": b"new\n"})


async def test_a_large_file_is_bound_by_size_and_time(
    tmp_path: Path, tree: TREE, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jp_tui.tools.files.file_state.MAX_HASHED", 8)
    (tmp_path / "f").write_text("0123456789")

    def meanwhile(question: Question) -> bool:
        if not (tmp_path / "touched").exists():
            (tmp_path / "touched").touch()
            os.utime(tmp_path / "f", ns=(1, 1))
            return True
        return False

    told = await call(tmp_path, "fs_delete_file", meanwhile, path="f")
    assert (told.ids, tree()["f"]) == (["confirm", "confirm"], b"0123456789")


async def test_a_link_is_deleted_and_moved_itself(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """What it points to stays, also outside; a link is never written through by create."""
    outside = tmp_path_factory.mktemp("outside") / "f"
    outside.write_text("theirs")
    (tmp_path / "out").symlink_to(outside)
    told = await call(tmp_path, "fs_move_file", source="out", target="elsewhere")
    assert told.ok
    told = await call(tmp_path, "fs_create_file", path="elsewhere", content="x")
    assert (told.ok, told.ids) == (False, [])
    told = await call(tmp_path, "fs_delete_file", path="elsewhere")
    assert told.asked[0].context == f"elsewhere is a link to {outside}."
    assert os.listdir(tmp_path) == []
    assert outside.read_text() == "theirs"


async def test_a_link_to_nothing_is_not_created_through(tmp_path: Path) -> None:
    """A file would come to be where nobody looked, say in .git/hooks."""
    (tmp_path / ".git" / "hooks").mkdir(parents=True)
    (tmp_path / "x").symlink_to(".git/hooks/post-checkout")
    told = await call(tmp_path, "fs_create_file", path="x", content="#!/bin/sh\n")
    assert (told.ok, told.ids) == (False, [])
    assert os.listdir(tmp_path / ".git" / "hooks") == []


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("fs_create_file", {"path": "AGENTS.md", "content": "x"}),
        ("fs_create_file", {"path": "sub/package.json", "content": "{}"}),
        ("fs_create_file", {"path": "Makefile", "content": "all:"}),
        ("fs_create_file", {"path": "conftest.py", "content": "1"}),
        ("fs_create_file", {"path": "SiteCustomize.py", "content": "1"}),
        ("fs_create_file", {"path": ".github/workflows/x.yml", "content": "1"}),
        ("fs_move_file", {"source": "f", "target": "setup.py"}),
        ("fs_delete_file", {"path": "tox.ini"}),
        ("fs_move_file", {"source": "tox.ini", "target": "x.txt"}),
        ("fs_move_file", {"source": "tox.ini", "target": "f"}),
    ],
)
async def test_files_that_others_obey_are_for_a_person(tmp_path: Path, tool: str, arguments: dict[str, Any]) -> None:
    """PATH-050 to PATH-055, R247: with the reason shown; no remembered and no static yes counts."""
    for name in ("f", "tox.ini"):
        (tmp_path / name).write_text("x\n")
    everything = {
        name: GivenAnswer(True, "", unseen=True)
        for name in ("overwrite_file", "apply_changes", "confirm", "move_dirty_source", "delete_dirty_file")
    }
    told = await call(tmp_path, tool, False, before=everything, **arguments)
    assert (told.ok, len(told.asked)) == (False, 1)
    assert told.asked[0].floor
    assert "so a person decides" in (told.asked[0].context or "").splitlines()[0]
    assert (tmp_path / "tox.ini").read_text() == (tmp_path / "f").read_text() == "x\n"


async def test_r247_a_file_that_others_obey_moves_with_a_persons_yes_only(tmp_path: Path, tree: TREE) -> None:
    """Both ends are what the yes is about; an ordinary file is moved without a question."""
    (tmp_path / "Makefile").write_text("all:\n")
    told = await call(tmp_path, "fs_move_file", source="Makefile", target="b.txt")
    assert (told.asked[0].text, told.asked[0].targets) == ("Move Makefile to b.txt?", ("b.txt", "Makefile"))
    assert told.ok and tree() == {"b.txt": b"all:\n"}
    assert (await call(tmp_path, "fs_move_file", source="b.txt", target="c.txt")).ids == []


class Full(Root):
    """A disk that is full at the second file, and then lets nobody take back the first."""

    def __init__(self, path: Path, stuck: bool) -> None:
        super().__init__(path)
        self._stuck, self._writes = stuck, 0

    def write(self, path: str, data: bytes, *, expect_sha256: str | None) -> WrittenFile:
        self._writes += 1
        if self._writes == 2 or (self._stuck and self._writes > 2):
            raise FileProblem("no_space", path, "no space is left on the disk")
        return super().write(path, data, expect_sha256=expect_sha256)


@pytest.mark.parametrize("stuck", [False, True])
def test_a_full_disk_in_the_middle(tmp_path: Path, stuck: bool) -> None:
    """T13, and all or none: what is written already is taken back, or named when it cannot be."""
    for name in ("a", "b"):
        (tmp_path / name).write_bytes(b"old")
    with Full(tmp_path, stuck) as root, pytest.raises((ToolRefusal, FileProblem)) as caught:
        write_all(root, [PlannedWrite("a", b"new", b"old"), PlannedWrite("b", b"new", b"old")])
    assert "b: no space is left" in str(caught.value)
    assert (tmp_path / "b").read_bytes() == b"old"
    assert (tmp_path / "a").read_bytes() == (b"new" if stuck else b"old")
    assert str(caught.value).endswith("not: a.") is stuck


class Late(Root):
    """Somebody else writes the second file after the last look at it."""

    def read(self, path: str, limit: int = 1 << 22) -> FileBytes:
        found = super().read(path, limit)
        if path == "b":
            (Path(self.path) / "b").write_bytes(b"theirs")
        return found


def test_a_race_at_the_last_moment(tmp_path: Path) -> None:
    """R235: seen when the second is written; the first gets its bytes back."""
    for name in ("a", "b"):
        (tmp_path / name).write_bytes(b"old")
    with Late(tmp_path) as root, pytest.raises(StaleBase):
        write_all(root, [PlannedWrite("a", b"new", b"old"), PlannedWrite("b", b"new", b"old")])
    assert [(tmp_path / name).read_bytes() for name in "ab"] == [b"old", b"theirs"]


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("fs_create_file", {}, "fs_create_file: `path` is required."),
        ("fs_create_file", {"path": "x", "content": 1}, "`content` must be text"),
        ("fs_create_file", {"path": "x", "content": "y" * ((1 << 20) + 1)}, "more than 1 MiB"),
        ("fs_create_file", {"path": "d"}, "d: is a folder"),
        ("fs_create_file", {"path": "new/"}, "is no name for a file"),
        ("fs_create_file", {"path": "f/x"}, "f"),
        ("fs_create_file", {"path": "bin", "content": "x"}, "delete it first"),
        ("fs_move_file", {"source": "f"}, "`target` is required"),
        ("fs_move_file", {"source": "f", "target": "./f"}, "both source and target"),
        ("fs_move_file", {"source": "f", "target": "d"}, "is a folder"),
        ("fs_move_file", {"source": "d", "target": "e"}, "is a folder"),
        ("fs_move_file", {"source": "*.md", "target": "../new"}, "*.md: there is no such file"),
        ("fs_move_file", {"source": "f", "target": "../f"}, "outside the workspace"),
        ("fs_delete_file", {"path": "d"}, "is a folder"),
        ("fs_delete_file", {"path": "*"}, "*: there is no such file"),
        ("fs_delete_file", {"path": "f", "recursive": True}, "`recursive` is not an argument"),
    ],
)
async def test_what_cannot_be_done_is_said(
    tmp_path: Path, tree: TREE, tool: str, arguments: dict[str, Any], words: str
) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / "f").write_text("x")
    (tmp_path / "bin").write_bytes(b"\0")
    before = tree()
    told = await call(tmp_path, tool, **arguments)
    assert (told.ok, told.ids) == (False, [])
    assert words in told.text
    assert tree() == before


def test_a_large_file_is_told_apart_by_size_and_time_and_not_read_whole(tmp_path: Path) -> None:
    """S40: 16 MiB are hashed, one byte more is not: a question about a disk image comes at once."""
    for name, size in (("just", 16 << 20), ("large", (16 << 20) + 1)):
        with (tmp_path / name).open("wb") as file:
            file.truncate(size)
    with Root(tmp_path) as root:
        just, large = describe(root, "just"), describe(root, "large")
    assert just.sha256 is not None and large.sha256 is None
    assert large.words.startswith("large has 16,777,217 bytes, last changed at ")
