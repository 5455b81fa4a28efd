"""What a conversation changed, and taking it back, through a real engine over real files (issue 8, 7)."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from jp_tui.conversation import model as m
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.changes import FileChange
from jp_tui.protocol.values import Answered
from tests.engine.conftest import Bench
from tests.fakes.models import Item, Script, call, end, text


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Bench]:
    """A bench whose copies are kept."""
    made = Bench(tmp_path)
    made.copies = True
    yield made
    made.stop()


def edit(path: str, old: str, new: str, id_: str = "c1", index: int = 0) -> list[Item]:
    arguments: JsonObject = {"path": path, "patterns": [{"old": old, "new": new}]}
    return call("fs_modify_file", arguments, id_, index)


def turn(*calls: list[Item]) -> list[list[Item]]:
    return [[*(item for one in calls for item in one), *end("tools")], [*text("Done."), *end()]]


def run(bench: Bench, words: str = "do it") -> None:
    """A turn in which everything is answered with yes."""
    bench.say(words)
    while True:
        event = bench.until((e.QuestionAsked, e.TurnCompleted))  # type: ignore[arg-type]
        if isinstance(event, e.TurnCompleted):
            assert event.outcome == "done"
            return
        bench.answer(event.prompt, Answered(value=True))


def read(bench: Bench, scope: str = "turn", turn: int = 0) -> e.ChangesRead:
    bench.send(c.ReadChanges(conversation=bench.conversation, scope=scope, turn=turn))  # type: ignore[arg-type]
    return bench.until(e.ChangesRead)


def undo(bench: Bench, **more: object) -> e.ChangesUndone:
    bench.send(c.UndoChanges(conversation=bench.conversation, **more))  # type: ignore[arg-type]
    return bench.until(e.ChangesUndone)


def paths(found: e.ChangesRead) -> dict[str, FileChange]:
    return {one.path.raw: one for one in found.files}


def test_a_turn_is_listed_taken_back_and_brought_back(desk: Bench) -> None:
    """Create, modify, move and delete in one turn: all of it goes, all of it comes again, modes and links too."""
    work = desk.workspace
    (work / "a.txt").write_text("one\ntwo\n")
    (work / "gone.sh").write_text("#!/bin/sh\n")
    os.chmod(work / "gone.sh", 0o755)
    (work / "raw.bin").write_bytes(b"\0\1\2")
    os.symlink("a.txt", work / "link")
    desk.script = Script(
        *turn(
            edit("a.txt", "two", "2"),
            call("fs_create_file", {"path": "deep/new.txt", "content": "hello\n"}, "c2", 1),
            call("fs_delete_file", {"path": "gone.sh"}, "c3", 2),
            call("fs_move_file", {"source": "raw.bin", "target": "moved.bin"}, "c4", 3),
            call("fs_delete_file", {"path": "link"}, "c5", 4),
        )
    )
    desk.start()
    run(desk)
    before = read(desk)
    found = paths(before)
    assert (before.turn, before.turns) == (1, (1,))
    assert {path: (one.how, one.added, one.removed) for path, one in found.items()} == {
        "a.txt": ("modified", 1, 1),
        "deep/new.txt": ("created", 1, 0),
        "gone.sh": ("deleted", 0, 1),
        "moved.bin": ("moved", 0, 0),
        "link": ("deleted", 0, 0),
    }
    assert found["moved.bin"].was.raw == "raw.bin" and found["link"].note == "a link to a.txt → absent"
    assert "-two\n+2\n" in found["a.txt"].diff.raw and not any(one.why_not for one in found.values())
    done = undo(desk)
    assert len(done.done) == 5 and not done.left
    assert (work / "a.txt").read_text() == "one\ntwo\n" and not (work / "deep/new.txt").exists()
    assert stat.S_IMODE((work / "gone.sh").stat().st_mode) == 0o755
    assert (work / "raw.bin").read_bytes() == b"\0\1\2" and not (work / "moved.bin").exists()
    assert os.readlink(work / "link") == "a.txt"
    assert {one.state for one in read(desk).files} == {"taken_back"}
    again = undo(desk, way="again")
    assert len(again.done) == 5
    assert (work / "a.txt").read_text() == "one\n2\n" and (work / "deep/new.txt").read_text() == "hello\n"
    assert not os.path.lexists(work / "link") and not (work / "gone.sh").exists()
    assert {one.state for one in read(desk).files} == {"made"}


def test_one_file_of_a_turn(desk: Bench) -> None:
    work = desk.workspace
    (work / "a").write_text("a\n")
    (work / "b").write_text("b\n")
    desk.script = Script(*turn(edit("a", "a", "A"), edit("b", "b", "B", "c2", 1)))
    desk.start()
    run(desk)
    key = paths(read(desk))["b"].key
    assert [path.raw for path in undo(desk, keys=(key,)).done] == ["b"]
    assert ((work / "a").read_text(), (work / "b").read_text()) == ("A\n", "b\n")
    (left,) = undo(desk, keys=(key,)).left
    assert left.why == "it is already so"


def test_what_somebody_else_changed_is_left_until_exactly_that_may_be_overwritten(desk: Bench) -> None:
    work = desk.workspace
    (work / "a").write_text("a\n")
    desk.script = Script(*turn(edit("a", "a", "A")))
    desk.start()
    run(desk)
    (work / "a").write_text("mine\n")
    (shown,) = read(desk).files
    assert (shown.state, shown.added, shown.removed) == ("changed", 1, 1) and "+mine" in shown.diff.raw
    (left,) = undo(desk).left
    assert left.asks and left.digest == shown.digest and (work / "a").read_text() == "mine\n"
    (work / "a").write_text("mine again\n")
    stale = undo(desk, overwrite={left.key: left.digest})
    assert stale.left[0].asks and (work / "a").read_text() == "mine again\n"
    assert undo(desk, overwrite={left.key: stale.left[0].digest}).done
    assert (work / "a").read_text() == "a\n"
    undo(desk, way="again")
    assert (work / "a").read_text() == "mine again\n"  # nothing that was overwritten is lost


def test_the_model_is_told_with_the_next_turn(desk: Bench) -> None:
    """It stands in the log, and nothing else of the request changes."""
    (desk.workspace / "a").write_text("a\n")
    desk.script = Script(*turn(edit("a", "a", "A")), [*text("I see."), *end()])
    desk.start()
    run(desk)
    undo(desk)
    assert desk.kinds()[-1] == "changes_undone"
    desk.stop()
    desk.start("latest")
    run(desk, "and now?")
    last = desk.script.requests[-1].messages[-1]
    told, said = last.parts
    assert last.role == "user" and isinstance(told, m.TextPart) and said == m.TextPart("and now?")
    assert told.text.startswith("I took back changes that your tools made in turn 1") and "- a" in told.text


def test_turns_and_the_whole_conversation(desk: Bench) -> None:
    work = desk.workspace
    (work / "a").write_text("0\n")
    desk.script = Script(*turn(edit("a", "0", "1")), *turn(edit("a", "1", "2")))
    desk.start()
    run(desk)
    run(desk)
    assert "-1\n+2" in read(desk).files[0].diff.raw
    (first,) = read(desk, turn=1).files
    assert first.state == "later"
    assert undo(desk, turn=1).left[0].why == "a later turn changed it since"
    (whole,) = read(desk, "conversation").files
    assert "-0\n+2" in whole.diff.raw and whole.turns == (1, 2)
    undo(desk, scope="conversation")
    assert (work / "a").read_text() == "0\n"
    undo(desk, scope="conversation", way="again")
    assert (work / "a").read_text() == "2\n"


def test_nothing_is_touched_outside_or_through_a_link(desk: Bench, tmp_path: Path) -> None:
    work = desk.workspace
    (work / "d").mkdir()
    (work / "d" / "a").write_text("a\n")
    desk.script = Script(*turn(edit("d/a", "a", "A")))
    desk.start()
    run(desk)
    outside = tmp_path / "outside"
    (work / "d").rename(outside)
    os.symlink(outside, work / "d")
    (shown,) = read(desk).files
    assert shown.why_not
    assert undo(desk).left[0].why and (outside / "a").read_text() == "A\n"


def test_copies_that_are_lost_and_files_that_are_too_large_say_so(desk: Bench) -> None:
    work = desk.workspace
    (work / "a").write_text("a\n")
    (work / "big").write_bytes(b"x" * 3000)
    desk.script = Script(*turn(edit("a", "a", "A"), call("fs_delete_file", {"path": "big"}, "c2", 1)))
    desk.copy_limit = 2000
    desk.start()
    run(desk)
    for kept in (desk.home / "undo" / "contents").glob("*/*"):
        kept.unlink()
    left = {one.path.raw: one.why for one in undo(desk).left}
    assert left == {
        "a": "its copy no longer exists",
        "big": "it had 3,000 bytes, more than undo.file_mib allows",
    }


def test_not_while_the_model_works(desk: Bench) -> None:
    (desk.workspace / "a").write_text("a\n")
    desk.script = Script(*turn(edit("a", "a", "A")), *turn(edit("a", "A", "B")))
    desk.start()
    run(desk)
    desk.say("again")
    desk.prompt()
    desk.send(c.UndoChanges(conversation=desk.conversation))
    assert "still working" in desk.until(e.Refused).message
    assert (desk.workspace / "a").read_text() == "A\n"


def test_the_end_of_a_turn_says_what_it_did(desk: Bench) -> None:
    """Counted once, in the log: tools, files, lines, questions and who answered; nothing for text alone."""
    (desk.workspace / "a").write_text("a\n")
    calls = [edit("a", "a", "A"), call("fs_read_file", {"path": "missing"}, "c2", 1)]
    desk.script = Script(*turn(*calls), [*text("Hello."), *end()])
    desk.start()
    run(desk)
    run(desk)
    first, second = (event["metadata"] for event in desk.log() if event["type"] == "turn_outcome")
    assert first["did"] == {"calls": 2, "failed": 1, "files": 1, "added": 1, "removed": 1, "asked": {"user": 1}}
    assert "did" not in second


def test_a_folder_that_is_gone_is_said_and_not_listed(desk: Bench) -> None:
    """As after a walk of the tour, whose sample is thrown away."""
    (desk.workspace / "a").write_text("a\n")
    desk.script = Script(*turn(edit("a", "a", "A")))
    desk.start()
    run(desk)
    desk.workspace.rename(desk.home / "elsewhere")
    found = read(desk)
    assert not found.files and "folder no longer exists" in found.notes[0]


def test_a_change_of_a_file_that_is_too_large_to_compare_is_listed_without_lines(desk: Bench) -> None:
    (desk.workspace / "big").write_text("x" * (1 << 20) + "\n")
    desk.script = Script(*turn(call("fs_delete_file", {"path": "big"})))
    desk.copy_limit = 4 << 20
    desk.start()
    run(desk)
    (found,) = read(desk).files
    assert (found.how, found.added, found.removed, found.diff.raw) == ("deleted", 0, 0, "")
    assert found.note == "too large to compare: 1,048,577 → 0 bytes"
