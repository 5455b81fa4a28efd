"""Copies before each write (issue 8, 7; surface S10): what is kept, for how long, what happens when it cannot be."""

from __future__ import annotations

import itertools
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from jp_tui.engine.base.backups import BackupLimits, BackupRecord, CallCopies, CopyStore
from jp_tui.engine.file_changes.restore import RestoreTarget, current_snapshot, restore
from jp_tui.system.files import FileProblem, StaleBase, sha256
from jp_tui.system.restoring import RestoringRoot
from jp_tui.tools.files.backups import ABSENT, BackupRoot, CopyFailed, FileSnapshot, PlannedChange


class Clock:
    """Seconds since 1970, as a test has them."""

    now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def store(home: Path, *, clock: Clock | None = None, **limits: int) -> CopyStore:
    numbers = itertools.count(1)
    return CopyStore(home / "undo", BackupLimits(**limits), clock or Clock(), lambda: f"r{next(numbers)}")


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[tuple[CopyStore, BackupRoot, Path]]:
    """A store, a root that keeps into it, and the workspace."""
    work = tmp_path / "work"
    work.mkdir()
    made = store(tmp_path)
    with BackupRoot(work, CallCopies(made, "conv", 3, "c1")) as root:
        yield made, root, work


def one(made: CopyStore) -> BackupRecord:
    (record,) = made.records("conv")
    return record


def test_a_write_keeps_what_was_there_before_it(kept: tuple[CopyStore, BackupRoot, Path]) -> None:
    made, root, work = kept
    (work / "a.bin").write_bytes(b"\0old")
    os.chmod(work / "a.bin", 0o750)
    root.write("a.bin", b"new", expect_sha256=sha256(b"\0old"))
    record = one(made)
    (file,) = record.files
    assert (record.turn, record.call, record.act, file.path) == (3, "c1", "tool", "a.bin")
    assert (file.before.kind, file.before.mode, file.after.sha256) == ("file", 0o750, sha256(b"new"))
    assert made.content(file.before) == b"\0old"


def test_a_new_file_a_deleted_link_and_a_move_are_kept_as_what_they_were(
    kept: tuple[CopyStore, BackupRoot, Path],
) -> None:
    made, root, work = kept
    root.write("new", b"x", expect_sha256=None)
    os.symlink("new", work / "link")
    root.delete("link")
    (work / "there").write_text("replaced")
    root.move("new", "there", overwrite=True)
    new, link, move = made.records("conv")
    assert new.files[0].before == ABSENT and new.files[0].after.sha256 == sha256(b"x")
    assert link.files[0].before.kind == "link" and made.content(link.files[0].before) == b"new"
    assert [(file.path, file.before.sha256, file.after.sha256) for file in move.files] == [
        ("new", sha256(b"x"), ""),
        ("there", sha256(b"replaced"), sha256(b"x")),
    ]


def test_through_a_link_the_file_itself_is_kept(kept: tuple[CopyStore, BackupRoot, Path]) -> None:
    made, root, work = kept
    (work / "real").write_text("old")
    os.symlink("real", work / "link")
    root.write("link", b"new", expect_sha256=sha256(b"old"))
    assert one(made).files[0].path == "real" and made.content(one(made).files[0].before) == b"old"


def test_what_came_to_nothing_is_no_record(kept: tuple[CopyStore, BackupRoot, Path]) -> None:
    """A stale base or a folder that is not there changes nothing, and the record is withdrawn."""
    made, root, work = kept
    (work / "a").write_text("mine")
    with pytest.raises(StaleBase):
        root.write("a", b"new", expect_sha256=sha256(b"other"))
    with pytest.raises(FileProblem):
        root.delete("a/b")
    assert made.records("conv") == []


def test_private_and_content_addressed(kept: tuple[CopyStore, BackupRoot, Path], tmp_path: Path) -> None:
    """S10: folders 0700, files 0600; the same content stands once."""
    _, root, work = kept
    for name in ("a", "b"):
        (work / name).write_text("same")
        root.write(name, b"new", expect_sha256=sha256(b"same"))
    found = sorted((tmp_path / "undo").rglob("*"))
    assert [stat.S_IMODE(path.stat().st_mode) for path in found if path.is_dir()] == [0o700, 0o700]
    files = [path for path in found if path.is_file()]
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}
    assert sorted(path.name for path in files) == sorted([sha256(b"same"), "conv.jsonl"])


def test_without_a_copy_nothing_is_changed(kept: tuple[CopyStore, BackupRoot, Path], tmp_path: Path) -> None:
    _, root, work = kept
    (work / "a").write_text("old")
    (tmp_path / "undo").write_text("in the way")
    with pytest.raises(CopyFailed, match="/undo"):
        root.write("a", b"new", expect_sha256=sha256(b"old"))
    with pytest.raises(CopyFailed):
        root.delete("a")
    assert (work / "a").read_text() == "old"


def test_too_large_is_noted_without_its_content(tmp_path: Path) -> None:
    (tmp_path / "big").write_text("12345")
    made = store(tmp_path, file=4)
    with BackupRoot(tmp_path, CallCopies(made, "conv", 1, "c")) as root:
        root.delete("big")
    before = one(made).files[0].before
    assert (before.kind, before.size, before.sha256) == ("file", 5, "") and made.content(before) is None


def change(text: str) -> list[PlannedChange]:
    data = text.encode()
    return [PlannedChange("f", FileSnapshot("file", data, sha256(data), len(data), 0o644), ABSENT)]


def contents(made: CopyStore) -> list[bytes | None]:
    return [made.content(record.files[0].before) for record in made.records("conv")]


def test_the_oldest_goes_first_and_its_record_stays(tmp_path: Path) -> None:
    clock = Clock()
    made = store(tmp_path, clock=clock, total=10)
    for text in ("aaaa", "bbbb", "cccc"):
        clock.now += 1
        made.keep("conv", 1, "c", "/", change(text))
    assert contents(made) == [None, b"bbbb", b"cccc"]


def test_what_is_too_old_is_forgotten_when_it_is_next_used(tmp_path: Path) -> None:
    clock = Clock()
    store(tmp_path, clock=clock, days=2).keep("conv", 1, "c", "/", change("old"))
    clock.now += 3 * 86_400
    again = store(tmp_path, clock=clock, days=2)
    again.keep("conv", 2, "c", "/", change("young"))
    assert contents(again) == [None, b"young"]


def test_a_torn_line_and_a_damaged_copy_are_nothing(tmp_path: Path) -> None:
    """A power cut tears the last line; what is appended then is still read."""
    made = store(tmp_path)
    made.keep("conv", 1, "c", "/", change("one"))
    log = tmp_path / "undo" / "conv.jsonl"
    log.write_bytes(log.read_bytes() + b'{"id": "torn')
    made.keep("conv", 2, "c", "/", change("two"))
    assert [record.turn for record in made.records("conv")] == [1, 2]
    path = next((tmp_path / "undo" / "contents").glob(f"*/{sha256(b'one')}"))
    path.write_bytes(b"damaged")
    assert contents(made) == [None, b"two"]


def test_an_id_is_never_a_path(tmp_path: Path) -> None:
    made = store(tmp_path)
    made.keep("../../x", 1, "c", "/", change("one"))
    assert len(made.records("../../x")) == 1 and [p.name for p in tmp_path.iterdir()] == ["undo"]


def test_a_unit_is_restored_whole_or_not_at_all(tmp_path: Path) -> None:
    """T12: where one file cannot be made what it was, those before it are again what they were found as."""
    work = tmp_path / "work"
    (work / "b").mkdir(parents=True)
    (work / "a").write_text("now")
    made = store(tmp_path)
    old = FileSnapshot("file", b"old", sha256(b"old"), 3, 0o640)
    with RestoringRoot(work) as root:
        goals = [RestoreTarget("a", current_snapshot(root, "a", 99), old), RestoreTarget("b/c/d", ABSENT, old)]
        (work / "b" / "c").write_text("in the way")
        with pytest.raises(FileProblem):
            restore(root, made, "conv", 1, goals, "undo")
        assert (work / "a").read_text() == "now" and made.records("conv") == []
        (work / "b" / "c").unlink()
        restore(root, made, "conv", 1, goals, "undo")
    assert (work / "a").read_text() == (work / "b/c/d").read_text() == "old"
    assert stat.S_IMODE((work / "b/c/d").stat().st_mode) == 0o640 and len(made.records("conv")) == 1


def test_what_came_between_is_not_overwritten(tmp_path: Path) -> None:
    """T12: only the bytes that were looked at are replaced."""
    (tmp_path / "a").write_text("seen")
    made = store(tmp_path)
    with RestoringRoot(tmp_path) as root:
        goal = RestoreTarget("a", current_snapshot(root, "a", 99), FileSnapshot("file", b"old", sha256(b"old"), 3))
        (tmp_path / "a").write_text("between")
        with pytest.raises(StaleBase):
            restore(root, made, "conv", 1, [goal], "undo")
    assert (tmp_path / "a").read_text() == "between"


def test_a_conversation_that_is_deleted_is_forgotten(tmp_path: Path) -> None:
    made = store(tmp_path)
    made.keep("conv", 1, "c", "/", change("one"))
    made.forget("conv")
    made.forget("never")
    assert made.records("conv") == []
