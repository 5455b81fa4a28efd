"""What all pages over the workspace owe: keys of a fast typist reach the line they were meant for, and what waits for
the human is told while one covers the status line (asking.md E50)."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.containers import Vertical

from jp_tui.conversation.text import Foreign
from jp_tui.protocol import commands as cmd
from jp_tui.protocol import events as ev
from jp_tui.protocol.settings import SettingEntry
from jp_tui.protocol.values import StoredEvent
from jp_tui.ui.screens.inbox import Inbox
from jp_tui.ui.screens.library import MOST, Library
from jp_tui.ui.widgets.text_field import TextField
from tests.fakes import scenes
from tests.ui.app_host import workspace
from tests.ui.test_inbox import asks, settled
from tests.ui.test_library_page import AT, info, page, sent
from tests.ui.test_settings_page import ENTRIES, read
from tests.ui.test_settings_page import page as settings_page

BOOLEAN = scenes.prompt("boolean")
(QUESTION,) = asks(BOOLEAN)


async def test_what_is_typed_at_once_after_the_slash_is_searched_for_and_does_nothing_to_the_list() -> None:
    async with page() as (app, pilot):
        app.burst("/", *"axtu")
        await pilot.pause()
        await pilot.pause()
        assert not app.link.of(cmd.ArchiveConversation) and not app.link.of(cmd.DeleteConversation)
        assert app.screen.query_one("#search", TextField).value == "axtu"


@pytest.mark.parametrize("key", ["n", "i", "e"])
async def test_what_is_typed_at_once_after_a_key_that_opens_a_line_stands_in_it(key: str) -> None:
    async with page() as (app, pilot):
        app.burst(key, *"xa")
        await pilot.pause()
        await pilot.pause()
        assert not app.link.of(cmd.DeleteConversation)
        assert app.screen.query_one("#edit", TextField).value.endswith("xa")


async def test_a_value_that_is_typed_at_once_after_enter_changes_no_other_setting() -> None:
    text = SettingEntry(key="assistant.model.id", value="ollama/a", layer="user", kind="text", own=True)
    async with settings_page() as (app, pilot):
        await app.says(pilot, read().model_copy(update={"entries": (text, *ENTRIES)}))
        await pilot.press("home")
        app.burst("enter", *"xm", "enter")
        await pilot.pause()
        await pilot.pause()
        assert [(one.key, one.value) for one in app.link.of(cmd.SetSetting)] == [("assistant.model.id", "ollama/axm")]


async def test_a_question_that_comes_while_a_page_is_open_is_counted_on_its_frame() -> None:
    """E50: what waits is never hidden, also where a page covers the status line."""
    async with page((80, 24)) as (app, pilot):
        assert "waiting" not in app.screen_text()
        await app.says(pilot, QUESTION)
        assert isinstance(app.screen, Library) and "1 waiting for you" in app.screen_text().splitlines()[-1]
        await app.says(pilot, settled(BOOLEAN))
        assert "waiting" not in app.screen_text()


async def test_a_page_that_opens_while_something_waits_says_so_and_the_inbox_need_not() -> None:
    async with workspace(say=[QUESTION]) as (app, pilot):
        app.action_open("settings")
        await pilot.pause()
        await pilot.pause()
        assert "1 waiting for you" in str(app.screen.query_one(Vertical).border_subtitle)
        await pilot.press("escape", "f4")
        await pilot.pause()
        assert isinstance(app.screen, Inbox)
        assert "waiting for you" not in str(app.screen.query_one(Vertical).border_subtitle)


async def test_a_preview_of_what_is_exported_is_no_page_of_the_export(tmp_path: Path) -> None:
    """A file without its middle would look whole."""

    def said(*numbers: int) -> tuple[StoredEvent, ...]:
        return tuple(
            StoredEvent(seq=n, turn=n, event={"timestamp": AT, "type": "chat_request", "content": f"words {n}"})
            for n in numbers
        )

    async with page() as (app, pilot):
        await sent(app, pilot, cmd.ReadConversation)
        await pilot.press("e", "ctrl+u", *f"{tmp_path}/out.md", "enter")
        await pilot.pause()
        await app.says(pilot, ev.ConversationRead(info=info(), events=said(3), more=False))
        await app.says(pilot, ev.ConversationRead(info=info(), events=said(1, 2), more=True))
        await app.says(pilot, ev.ConversationRead(info=info(), events=said(3), more=False))
        text = (tmp_path / "out.md").read_text()
        assert [text.count(f"words {n}") for n in (1, 2, 3)] == [1, 1, 1]


async def test_what_was_deleted_at_another_time_is_brought_back_where_it_stands() -> None:
    async with page() as (app, pilot):
        await pilot.press("t", "t")
        await app.says(pilot, ev.ConversationsListed(conversations=(info(deleted=AT),)))
        footer = app.screen_text().splitlines()[-2]
        assert "u undo" in footer and not any(key in footer for key in ("x delete", "Enter open", "a archive")), footer
        await pilot.press("enter", "x", "u")
        await pilot.pause()
        assert app.link.of(cmd.RestoreConversation)[-1].conversation == "aaaa1111"
        assert not app.link.of(cmd.DeleteConversation) and isinstance(app.screen, Library)
        await app.says(pilot, ev.ConversationsListed(conversations=()))
        assert "No conversations deleted in the last 7 days." in app.screen_text()


async def test_what_was_refused_is_not_told_as_done_when_something_else_changes() -> None:
    async with page() as (app, pilot):
        await pilot.press("x")
        await app.says(pilot, ev.Refused(command="delete_conversation", message="Held."))
        await app.says(pilot, ev.ConversationChanged(info=info("bbbb2222", Foreign("Second").raw)))
        assert "Deleted" not in app.screen_text() and "u undo" not in app.screen_text()


async def test_a_conversation_of_a_sub_agent_is_named_as_one_and_what_is_not_listed_is_told() -> None:
    async with page() as (app, pilot):
        many = tuple(info(f"c{n:07}", f"Number {n}", parent="aaaa1111" if n == 0 else "") for n in range(MOST))
        await app.says(pilot, ev.ConversationsListed(conversations=many))
        shown = app.screen_text()
        assert shown.count("a sub-agent's") == 1 and "Latest 500. Search to find others." in shown
        await pilot.press("x")
        await app.says(pilot, ev.ConversationChanged(info=info("c0000000", deleted=AT)))
        await app.says(pilot, ev.ConversationsListed(conversations=many))
        assert "u restores it" in app.screen_text(), "what was done stands there, and not the limit"


@pytest.mark.parametrize("action", ["keys", "open('diff')"])
async def test_a_page_of_another_kind_tells_what_waits_too(action: str) -> None:
    async with workspace(size=(80, 24)) as (app, pilot):
        await app.run_action(action)
        await pilot.pause()
        assert app.screen is not app._main and "waiting for you" not in app.screen_text()
        await app.says(pilot, QUESTION)
        assert "1 waiting for you" in app.screen_text()
        await app.says(pilot, settled(BOOLEAN))
        assert "waiting for you" not in app.screen_text()
