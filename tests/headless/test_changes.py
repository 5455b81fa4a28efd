"""`/diff` and `/undo` in lines (issue 8, 7): what is said, what is sent, and nothing without a list before."""

from __future__ import annotations

from typing import Any

from jp_tui.conversation.text import Foreign
from jp_tui.headless.changes import ChangesWords
from jp_tui.protocol.changes import ChangesRead, ChangesUndone, FileChange, LeftFile, ReadChanges, UndoChanges
from tests.fakes.link import FakeLink

DIFF = "--- a/n\n+++ b/n\n@@ -1 +1 @@\n-a\n+b\x1b[31m\n"
FILE = FileChange(
    key="k", path=Foreign("n\x1b[2J.md"), how="modified", added=1, removed=1, diff=Foreign(DIFF), digest="d"
)


def made() -> tuple[ChangesWords, FakeLink, list[str]]:
    link, said = FakeLink(), list[str]()
    return ChangesWords(link, said.append), link, said


def read(*files: FileChange, **more: Any) -> ChangesRead:
    return ChangesRead(conversation="c", scope="turn", turn=2, turns=(2,), files=files, **more)


def test_a_diff_in_lines_is_harmless() -> None:
    words, link, said = made()
    words.diff("c", "")
    assert link.sent == [ReadChanges(conversation="c")] and words.waits
    words.handle(read(FILE, notes=("what deploy changed is not known here",)))
    assert not words.waits and said[0] == "Turn 2 changed 1 file · +1 −1"
    assert "     -a" in said and said[-1] == "(what deploy changed is not known here)"
    assert not any("\x1b" in one for one in said)


def test_white_space_alone_is_marked_and_said() -> None:
    """Z26: also a line end, which neutralising drops."""
    words, _, said = made()
    words.diff("c", "")
    words.handle(read(FILE.model_copy(update={"diff": Foreign("--- a/n\n+++ b/n\n@@ -1 +1 @@\n-a\r\n+a\n")})))
    assert "     -a␍" in said and "     +a" in said
    assert "     (only white space changed (· space, → tab, ␍ CR))" in said


def test_undo_lists_first_and_takes_back_by_number() -> None:
    words, link, said = made()
    words.undo("c", "1")
    assert not link.sent and "/undo or /diff first" in said[-1]
    words.undo("c", "")
    words.handle(read(FILE))
    assert "/undo NUMBER" in said[-1] and "     -a" not in said
    words.undo("c", "7")
    words.undo("c", "1")
    words.undo("c", "over 1")
    words.undo("c", "all")
    sent = [one for one in link.sent if isinstance(one, UndoChanges)]
    assert [(one.keys, one.overwrite, one.way) for one in sent] == [
        (("k",), {}, "back"),
        (("k",), {"k": "d"}, "back"),
        ((), {}, "back"),
    ]


def test_what_was_left_says_how_it_could_be_overwritten() -> None:
    words, _, said = made()
    left = LeftFile(key="k", path=Foreign("a"), why="somebody else changed it since", asks=True, digest="d")
    words.handle(ChangesUndone(conversation="c", scope="turn", turn=2, way="back", done=(Foreign("b"),), left=(left,)))
    assert said[0] == "Undone: b. The model is informed with your next message."
    assert said[1].startswith("a was skipped: somebody else changed it since.") and "/undo over" in said[1]
