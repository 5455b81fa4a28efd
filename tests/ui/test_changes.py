"""`/diff` and `/undo` over the workspace (issue 8, 7): the list, the diff, what is asked, what is sent."""

from __future__ import annotations

from typing import Any

from jp_tui.conversation.text import Foreign
from jp_tui.protocol import commands as cmd
from jp_tui.protocol import events as ev
from jp_tui.protocol.changes import FileChange, LeftFile
from jp_tui.ui.screens.changes import Changes
from tests.fakes.link import CONVERSATION
from tests.ui.app_host import Host, workspace

DIFF = "--- a/notes.md\n+++ b/notes.md\n@@ -1,2 +1,2 @@\n same\n-as it was\n+as it is\n"
NOTES = FileChange(
    key="k1", path=Foreign("notes.md"), how="modified", added=1, removed=1, diff=Foreign(DIFF), digest="d1", turns=(2,)
)
MOVED = FileChange(
    key="k2",
    path=Foreign("data/raw.bin"),
    was=Foreign("raw.bin"),
    how="moved",
    state="changed",
    digest="d2",
    turns=(2,),
)


def read(*files: FileChange, turn: int = 2, turns: tuple[int, ...] = (1, 2), **more: Any) -> ev.ChangesRead:
    return ev.ChangesRead(
        conversation=CONVERSATION, scope=more.pop("scope", "turn"), turn=turn, turns=turns, files=files, **more
    )


def undone(app: Host) -> list[cmd.UndoChanges]:
    return app.link.of(cmd.UndoChanges)


async def reads(app: Host, pilot: Any, *parts: str) -> None:
    """Wait until all of this stands on the screen, however it is broken into lines."""
    for _ in range(200):
        shown = " ".join(app.screen_text().split())
        if all(part in shown for part in parts):
            return
        await pilot.pause()
    raise AssertionError(app.screen_text())


async def type_(app: Host, pilot: Any, text: str) -> None:
    for key in text:
        await pilot.press("slash" if key == "/" else key)
    await pilot.press("enter")
    await pilot.pause()


async def test_the_page_lists_files_and_shows_their_diffs() -> None:
    async with workspace() as (app, pilot):
        await type_(app, pilot, "/diff")
        assert isinstance(app.screen, Changes)
        assert app.link.of(cmd.ReadChanges)[-1] == cmd.ReadChanges(conversation=CONVERSATION)
        await app.says(pilot, read(NOTES, MOVED, notes=("what deploy changed is not known here",)))
        await reads(app, pilot, "Turn 2 changed 2 files · +1 −1", "2 of 2 turns", "-2 as it was", "+2 as it is")
        await reads(app, pilot, "what deploy changed")
        await pilot.press("j")
        await reads(app, pilot, "raw.bin → data/raw.bin", "changed since by something else")
        await pilot.press("left")
        await pilot.press("c")
        await pilot.pause()
        asked = app.link.of(cmd.ReadChanges)[-2:]
        assert [(one.scope, one.turn) for one in asked] == [("turn", 1), ("conversation", 0)]
        await pilot.press("escape")
        assert app.screen is app._main


async def test_nothing_is_taken_back_without_a_second_key() -> None:
    async with workspace() as (app, pilot):
        await type_(app, pilot, "/diff")
        await app.says(pilot, read(NOTES))
        await pilot.press("u", "n")
        assert not undone(app)
        await pilot.press("u")
        await reads(app, pilot, "Undo notes.md?")
        await pilot.press("escape")
        assert isinstance(app.screen, Changes) and not undone(app)
        await pilot.press("u", "y")
        await pilot.pause()
        (sent,) = undone(app)
        assert (sent.turn, sent.way, sent.keys, sent.overwrite) == (2, "back", ("k1",), {})


async def test_a_click_on_what_is_asked_does_it_and_one_elsewhere_does_not() -> None:
    """E60."""
    async with workspace() as (app, pilot):
        await type_(app, pilot, "/diff")
        await app.says(pilot, read(NOTES))
        await pilot.press("u")
        await reads(app, pilot, "Undo notes.md?")
        await pilot.click("#frame", offset=(3, 0))
        await pilot.pause()
        assert not undone(app) and "Undo notes.md?" not in app.screen_text()
        await pilot.press("u")
        await reads(app, pilot, "Undo notes.md?")
        await pilot.click("#notice", offset=(3, 0))
        await pilot.pause()
        assert len(undone(app)) == 1


async def test_undo_asks_at_once_and_what_was_changed_since_once_more() -> None:
    """Exactly what was shown is overwritten."""
    async with workspace() as (app, pilot):
        await type_(app, pilot, "/undo")
        await app.says(pilot, read(NOTES, MOVED))
        await reads(app, pilot, "Undo the changes of turn 2 to 2 files?")
        await pilot.press("y")
        await pilot.pause()
        assert undone(app)[0].keys == ()
        left = LeftFile(key="k2", path=MOVED.path, why="somebody else changed it since", asks=True, digest="d3")
        done = ev.ChangesUndone(
            conversation=CONVERSATION, scope="turn", turn=2, way="back", done=(NOTES.path,), left=(left,)
        )
        await app.says(pilot, done, read(NOTES.model_copy(update={"state": "taken_back"}), MOVED))
        await reads(app, pilot, "Undone: notes.md.", "data/raw.bin: somebody else changed it since.")
        await pilot.press("y")
        await pilot.pause()
        assert undone(app)[1].overwrite == {"k2": "d3"} and undone(app)[1].keys == ("k2",)


async def test_undo_of_what_was_taken_back_brings_it_back() -> None:
    async with workspace() as (app, pilot):
        await type_(app, pilot, "/undo")
        await app.says(pilot, read(NOTES.model_copy(update={"state": "taken_back", "diff": Foreign("")})))
        await reads(app, pilot, "Redo the changes of turn 2 to 1 file?")
        await pilot.press("y")
        await pilot.pause()
        assert undone(app)[0].way == "again"


async def test_a_refusal_and_an_empty_list_are_said_there() -> None:
    async with workspace(size=(80, 24)) as (app, pilot):
        await type_(app, pilot, "/diff")
        await app.says(pilot, read(turn=0, turns=()))
        await reads(app, pilot, "No files changed in this conversation")
        await app.says(pilot, ev.Refused(command="undo_changes", message="The model is still working."))
        await reads(app, pilot, "The model is still working.")
