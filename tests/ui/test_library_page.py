"""The page of stored conversations: search, preview, open, rename, fork, archive, delete and back, export, import."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from jp_tui.conversation.text import Foreign
from jp_tui.protocol import commands as cmd
from jp_tui.protocol import events as ev
from jp_tui.protocol.library import Found, Hit, ImportProblem
from jp_tui.protocol.values import ConversationInfo, StoredEvent
from jp_tui.ui.screens.exporting import Exporting
from jp_tui.ui.screens.library import Library
from tests.fakes.link import CONVERSATION
from tests.ui.app_host import Host, workspace

AT = "2026-11-21T10:00:00.000Z"


def info(id_: str = "aaaa1111", title: str = "Fix the [b]build[/b]\x1b[31m", **more: Any) -> ConversationInfo:
    return ConversationInfo(
        id=id_, title=Foreign(title), workspace="/home/ada/code/acme", model="anthropic/claude-haiku-4-5", created=AT,
        updated=AT, events=120, turns=3, **more,
    )  # fmt: skip


TWO = ev.ConversationsListed(conversations=(info(), info("bbbb2222", "Second")))
SAID = tuple(
    StoredEvent(seq=n, turn=1, event={"timestamp": AT, "type": "chat_request", "content": words})
    for n, words in ((1, "first words"), (2, "second words"))
)


@asynccontextmanager
async def page(size: tuple[int, int] = (120, 36)) -> AsyncIterator[tuple[Host, Pilot[None]]]:
    async with workspace(size=size) as (app, pilot):
        app.action_open("conversations")
        await pilot.pause()
        assert isinstance(app.screen, Library)
        await app.says(pilot, TWO)
        yield app, pilot


async def sent(app: Host, pilot: Pilot[None], kind: type[Any], number: int = 1) -> Any:
    """The last command of a kind, once there are so many: a pause of the keys comes before some."""
    for _ in range(200):
        if len(found := app.link.of(kind)) >= number:
            return found[-1]
        await pilot.pause(0.01)
    raise AssertionError(f"no {kind.__name__}: {app.link.sent[-5:]}")


async def test_the_list_and_the_end_of_the_one_on_which_the_cursor_rests() -> None:
    async with page() as (app, pilot):
        shown = app.screen_text()
        assert "Fix the [b]build[/b]" in shown and "\x1b" not in shown and "3 turns · claude-haiku-4-5" in shown
        read = await sent(app, pilot, cmd.ReadConversation)
        assert (read.conversation, read.after) == ("aaaa1111", 80)
        await app.says(pilot, ev.ConversationRead(info=info(), events=SAID, more=False))
        assert "second words" in app.screen_text()
        await app.says(pilot, ev.ConversationRead(info=info("cccc"), events=(), more=False))
        assert "second words" in app.screen_text(), "what comes late for another one is let go"


async def test_enter_opens_the_highlighted_one() -> None:
    async with page() as (app, pilot):
        await pilot.press("j", "enter")
        await pilot.pause()
        assert app.screen is app._main and app.link.of(cmd.OpenConversation)[-1].conversation == "bbbb2222"


async def test_a_search_goes_out_when_the_keys_rest_and_only_the_latest_answer_counts() -> None:
    async with page() as (app, pilot):
        await pilot.press("slash", *"build")
        asked = await sent(app, pilot, cmd.SearchConversations)
        assert (asked.text, asked.workspace) == ("build", "/home/ada/code/acme")
        hit = Hit(seq=7, turn=2, kind="chat_request", text=Foreign("why does the build fail"), marks=((13, 18),))
        found = ev.ConversationsFound(text="build", revision=asked.revision, found=(Found(info=info(), hits=(hit,)),),
                                      unindexed=12)  # fmt: skip
        await app.says(pilot, ev.ConversationsFound(text="b", revision=asked.revision - 1))
        assert "Second" in app.screen_text(), "an older answer is let go"
        await app.says(pilot, found)
        shown = app.screen_text()
        assert "1 place · " in shown and "turn 2  why does the build fail" in shown and "Second" not in shown
        assert "12 events aren't searchable yet." in shown
        await pilot.press("escape")
        await sent(app, pilot, cmd.ListConversations, 2)


async def test_what_was_deleted_or_archived_is_said_and_taken_back_with_one_key() -> None:
    async with page() as (app, pilot):
        await pilot.press("x")
        await pilot.pause()
        assert app.link.of(cmd.DeleteConversation)[-1].conversation == "aaaa1111"
        await app.says(pilot, ev.ConversationChanged(info=info(deleted=AT)), ev.ConversationsListed(conversations=()))
        assert "u restores it" in app.screen_text()
        await pilot.press("u")
        await pilot.pause()
        assert app.link.of(cmd.RestoreConversation)[-1].conversation == "aaaa1111"
        await app.says(pilot, ev.ConversationChanged(info=info()), TWO)
        assert "Restored" in app.screen_text()
        await pilot.press("a")
        await app.says(pilot, ev.ConversationChanged(info=info(archived=True)))
        await pilot.press("u")
        await pilot.pause()
        assert [one.archived for one in app.link.of(cmd.ArchiveConversation)] == [True, False]


async def test_a_title_of_ones_own_a_fork_other_folders_and_the_archive() -> None:
    async with page() as (app, pilot):
        await pilot.press("j", "n", "ctrl+u", *"Mine", "enter")
        await pilot.pause()
        renamed = app.link.of(cmd.RenameConversation)[-1]
        assert (renamed.conversation, renamed.title) == ("bbbb2222", "Mine")
        await pilot.press("w", "t")
        await pilot.pause()
        asked = [(one.workspace, one.which) for one in app.link.of(cmd.ListConversations)]
        assert asked[-2:] == [("", "active"), ("", "archived")] and "Archived conversations" in app.screen_text()
        await pilot.press("f")
        await app.says(pilot, ev.ConversationForked(info=info("dddd4444")))
        assert app.screen is app._main and app.link.of(cmd.OpenConversation)[-1].conversation == "dddd4444"


async def test_what_holds_it_elsewhere_is_said_and_an_import_tells_what_it_could_not_read() -> None:
    async with page() as (app, pilot):
        await pilot.press("x")
        await app.says(pilot, ev.Refused(command="delete_conversation", message="A workspace holds it (pid 7)."))
        assert "A workspace holds it (pid 7)." in app.screen_text()
        await pilot.press("i", *"~/jp", "enter")
        await pilot.pause()
        assert app.link.of(cmd.ImportConversations)[-1].path == "~/jp"
        problem = ImportProblem(path="/home/ada/jp/x", reason="events.json is no JSON")
        await app.says(pilot, ev.ConversationsImported(imported=(info(),), before=2, problems=(problem,)))
        assert "1 imported, 2 existed already, 1 couldn't be read." in app.screen_text()
        assert "/home/ada/jp/x: events.json is no JSON" in app.screen_text()


def test_an_export_is_read_in_pages_and_never_writes_over_a_file(tmp_path: Path) -> None:
    def refused(work: Callable[[], object]) -> str:
        try:
            work()
        except ValueError as problem:
            return str(problem)
        raise AssertionError("it was not refused")

    exporting = Exporting(info(), "out.md", str(tmp_path))
    assert exporting.next().after == 0
    assert not exporting.takes(ev.ConversationRead(info=info(), events=SAID[:1], more=True))
    assert exporting.next().after == 1
    assert exporting.takes(ev.ConversationRead(info=info(), events=SAID[1:], more=False))
    text = (tmp_path / "out.md").read_text()
    assert "first words" in text and "second words" in text and "\x1b" not in text
    assert "already exists" in refused(lambda: Exporting(info(), "out.md", str(tmp_path)))
    assert "sets the format" in refused(lambda: Exporting(info(), "out.doc", str(tmp_path)))
    assert "doesn't exist." in refused(lambda: Exporting(info(), "no/out.md", str(tmp_path)))
    late = Exporting(info(), "late.json", str(tmp_path))
    (tmp_path / "late.json").write_text("theirs")
    assert "Can't write" in refused(lambda: late.takes(ev.ConversationRead(info=info(), events=SAID, more=False)))
    assert (tmp_path / "late.json").read_text() == "theirs"


async def test_the_page_names_the_conversation_that_is_open() -> None:
    async with page() as (app, pilot):
        await app.says(pilot, ev.ConversationsListed(conversations=(info(CONVERSATION, "Here"), info())))
        assert "● Here" in app.screen_text()
