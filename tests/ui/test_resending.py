"""An earlier message, edited and said anew in a fork; and what a click in the lists above the composer does."""

from __future__ import annotations

from datetime import UTC, datetime

from textual.pilot import Pilot

from jp_tui.conversation.text import Foreign
from jp_tui.protocol import commands as cmd
from jp_tui.protocol import events as ev
from jp_tui.protocol.values import ConversationInfo, StoredEvent
from tests.fakes import scenes
from tests.fakes.link import FakeLink, opened
from tests.ui.app_host import Host, workspace

C = "c1"


def said(seq: int, text: str) -> StoredEvent:
    at = "2026-01-01 00:00:00.0"
    return StoredEvent(seq=seq, turn=seq, event={"timestamp": at, "type": "chat_request", "content": text})


def talked() -> FakeLink:
    page = (said(1, "first question"), said(2, "second question"))
    return FakeLink(opened(page=page, last_seq=2, turns=2, new=False))


async def edit(app: Host, pilot: Pilot[None]) -> None:
    await pilot.press(*"half", "tab", "e")
    await pilot.pause()
    await pilot.pause()


async def test_e_takes_the_last_message_to_the_composer_and_enter_says_it_in_a_fork() -> None:
    async with workspace(talked()) as (app, pilot):
        await edit(app, pilot)
        assert app.composer.text == "second question" and "Enter sends it in a fork" in app.screen_text()
        await pilot.press("end", "!", "enter")
        await pilot.pause()
        fork = app.link.of(cmd.ForkConversation)[0]
        assert (fork.conversation, fork.at, fork.before) == (C, 2, True) and app.starts() == []
        now = datetime.now(UTC).isoformat()
        info = ConversationInfo(
            id="f1", title=Foreign("x"), workspace="/w", model="m", created=now, updated=now, events=1, turns=1
        )
        app.link.answers[cmd.OpenConversation] = lambda asked: [opened(conversation=asked.conversation, new=False)]
        await app.says(pilot, ev.ConversationForked(info=info, text="second question"))
        assert [(one.conversation, one.text) for one in app.link.of(cmd.StartTurn)] == [("f1", "second question!")]
        assert "in a fork" not in app.screen_text() and app.composer.text == "half"


async def test_esc_leaves_it_and_what_was_written_is_back() -> None:
    async with workspace(talked()) as (app, pilot):
        await edit(app, pilot)
        await pilot.press("escape")
        await pilot.pause()
        assert app.composer.text == "half" and "in a fork" not in app.screen_text()
        await pilot.press("enter")
        await pilot.pause()
        assert app.starts() == ["half"] and app.link.of(cmd.ForkConversation) == []


async def test_a_fork_that_cannot_be_made_gives_the_words_back() -> None:
    async with workspace(talked()) as (app, pilot):
        await edit(app, pilot)
        await pilot.press("enter")
        await app.says(pilot, ev.Refused(command="fork_conversation", message="No room.", conversation=C))
        assert app.composer.text == "second question" and "No room." in app.screen_text()
        await pilot.press("escape")
        await pilot.pause()
        assert app.composer.text == "half"


async def test_a_click_takes_a_message_that_waits_back() -> None:
    queue = {"conversation": C, "messages": ({"id": 1, "text": "one"}, {"id": 2, "text": "two"})}
    async with workspace(say=[*scenes.tools(), ev.QueueChanged.model_validate(queue)]) as (app, pilot):
        await pilot.click("#queue", offset=(10, 0))
        await pilot.pause()
        assert [(one.id, one.drop) for one in app.link.of(cmd.TakeQueued)] == [(1, False)]


async def test_a_click_names_a_file_and_takes_what_was_typed_before() -> None:
    link = FakeLink(history=["older", "newer"])
    link.answers[cmd.FindFiles] = lambda asked: [ev.FilesFound(revision=asked.revision, paths=("a.py", "b.py"))]
    async with workspace(link) as (app, pilot):
        await pilot.press("@")
        await pilot.pause()
        await pilot.click("#files", offset=(5, 1))
        await pilot.pause()
        assert app.composer.text == "@b.py "
        await pilot.press("ctrl+r")
        await pilot.pause()
        await pilot.click("#recall", offset=(5, 1))
        await pilot.pause()
        assert app.composer.text == "older"


async def test_f_opens_a_copy_of_all_up_to_the_message() -> None:
    async with workspace(talked()) as (app, pilot):
        await pilot.press("tab", "left_curly_bracket", "left_curly_bracket", "f")
        await pilot.pause()
        fork = app.link.of(cmd.ForkConversation)[0]
        assert (fork.conversation, fork.at, fork.before) == (C, 1, False)
        now = datetime.now(UTC).isoformat()
        info = ConversationInfo(
            id="f2", title=Foreign("x"), workspace="/w", model="m", created=now, updated=now, events=1, turns=1
        )
        await app.says(pilot, ev.ConversationForked(info=info))
        assert app.link.of(cmd.OpenConversation)[-1].conversation == "f2" and app.starts() == []
