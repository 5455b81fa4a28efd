"""The first screen of an empty conversation: where it is, the last conversations, tips that change (S51)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from rich.cells import cell_len
from textual.pilot import Pilot

from jp_tui.conversation.text import Foreign
from jp_tui.protocol import commands as cmd
from jp_tui.protocol import events as ev
from jp_tui.protocol.context import ContextPart, ContextRead, ReadContext
from jp_tui.protocol.values import ConversationInfo
from jp_tui.ui.transcript.first_screen import FirstScreen
from jp_tui.view.pages.first_screen import TIPS, TIPS_SHOWN, FirstScreenView, recent, tips
from tests.fakes import scenes
from tests.fakes.link import FakeLink, opened
from tests.ui.app_host import Host, workspace

AT = "2026-11-21T10:00:00.000Z"


def info(id_: str, title: str, **more: Any) -> ConversationInfo:
    return ConversationInfo(
        id=id_, title=Foreign(title), workspace="/home/ada/code/acme", model="anthropic/claude-haiku-4-5", created=AT,
        updated=AT, events=120, **{"turns": 3, **more},
    )  # fmt: skip


FOUR = (info("a", "Fix the build"), info("b", "Name the teas"), info("c", "Third"), info("d", "Fourth"))


@asynccontextmanager
async def first(
    *listed: ConversationInfo, size: tuple[int, int] = (120, 36), **given: object
) -> AsyncIterator[tuple[Host, Pilot[None]]]:
    link = FakeLink(opened(**{"model": "anthropic/claude-haiku-4-5", **given}))
    link.answers[cmd.ListConversations] = lambda _: [ev.ConversationsListed(conversations=listed or FOUR)]
    async with workspace(link, size=size) as (app, pilot):
        await pilot.pause()
        yield app, pilot


async def test_s51_it_names_model_folder_and_the_last_three_conversations() -> None:
    async with first() as (app, _):
        shown = app.screen_text()
        assert "claude-haiku-4-5  ~/code/acme" in shown and "Fix the build" in shown and "Third" in shown
        assert "Fourth" not in shown and all(tip in shown for tip in tips("c1")[:TIPS_SHOWN])
        assert [one.limit for one in app.link.of(cmd.ListConversations)] == [4]


async def test_s51_it_names_the_instruction_files_that_the_model_gets() -> None:
    async with first() as (app, pilot):
        assert [one.conversation for one in app.link.of(ReadContext)] == ["c1"]
        paths = (
            "/home/ada/code/acme/AGENTS.md",
            "/home/ada/.config/jp-tui/AGENTS.md",
            "/home/ada/code/acme/sub/CLAUDE.md",
        )
        parts = [
            ContextPart(
                part="instructions", path=Foreign(path), state="sent" if at < 2 else "not_sent", bytes=9, tokens=2
            )
            for at, path in enumerate(paths)
        ]
        await app.says(pilot, ContextRead(conversation="c1", parts=tuple(parts), tokens=4, model="m"))
        assert "Instructions: AGENTS.md, ~/.config/jp-tui/AGENTS.md" in app.screen_text()
        assert "CLAUDE.md" not in app.screen_text()


async def test_s51_tab_then_enter_opens_one_and_esc_goes_back_to_writing() -> None:
    async with first() as (app, pilot):
        await pilot.press("tab", "down", "up", "down")
        assert isinstance(app.focused, FirstScreen) and "❯ Name the teas" in app.screen_text()
        await pilot.press("escape")
        assert app.focused is app.composer and "❯" not in app.screen_text()
        await pilot.press("tab", "enter")
        await pilot.pause()
        assert [one.conversation for one in app.link.of(cmd.OpenConversation)][-1] == "b"


async def test_s51_letters_typed_there_go_to_the_composer() -> None:
    async with first() as (app, pilot):
        await pilot.press("tab", *"hey")
        assert app.composer.text == "hey" and app.focused is app.composer


async def test_s51_a_click_opens_one() -> None:
    async with first() as (app, pilot):
        rows = app.screen_text().splitlines()
        row = next(y for y, text in enumerate(rows) if "Third" in text)
        await pilot.click(offset=(rows[row].index("Third"), row))
        await pilot.pause()
        assert [one.conversation for one in app.link.of(cmd.OpenConversation)][-1] == "c"


async def test_s51_it_is_gone_with_the_first_message() -> None:
    async with first() as (app, pilot):
        await pilot.press("tab")
        await app.says(pilot, *scenes.started())
        assert "Fix the build" not in app.screen_text() and scenes.PROMPT[:20] in app.screen_text()
        assert app.column.first is None and app.focused is app.composer


@pytest.mark.parametrize(
    "given", [{"greeting": Foreign("Hello")}, {"held_by": "process 7"}, {"new": False, "last_seq": 9}], ids=str
)
async def test_s51_a_greeting_and_a_conversation_with_a_past_are_shown_themselves(given: dict[str, object]) -> None:
    async with first(**given) as (app, _):
        assert app.column.first is None and app.link.of(cmd.ListConversations) == []


async def test_s51_a_new_folder_has_tips_and_nothing_to_open() -> None:
    async with first(info("x", "", turns=0)) as (app, pilot):
        assert "Last conversations" not in app.screen_text() and tips("c1")[0] in app.screen_text()
        await pilot.press("tab")
        assert app.focused is app.composer


@pytest.mark.parametrize("size", [(60, 16), (80, 24), (200, 50)], ids=str)
async def test_s51_bad_titles_and_small_screens(size: tuple[int, int]) -> None:
    titles = ("x", "long " * 2000, "שלום \u202eabc\u202c", "日本語のタイトル 👩‍👩‍👧 " * 9)
    async with first(*(info(str(at), title) for at, title in enumerate(titles)), size=size) as (app, pilot):
        await pilot.press("tab")
        shown = app.screen_text()
        assert "Last conversations" in shown and "❯ x" in shown and "\u202e" not in shown
        assert all(cell_len(row) <= size[0] for row in shown.splitlines())


def test_s51_tips_change_with_the_conversation() -> None:
    assert set(tips("a")) == set(TIPS) and len(tips("a")) == len(TIPS) and tips("a")[0] != tips("b")[0]
    assert {tip for id_ in map(str, range(100)) for tip in tips(id_)[:TIPS_SHOWN]} == set(TIPS)


KEPT = FirstScreenView(
    model="anthropic/claude-haiku-4-5",
    folder="/home/ada/code/acme",
    home="/home/ada",
    instructions="Instructions: AGENTS.md",
    recent=recent(FOUR[:2], ""),
    tips=tips("before"),
)
"""What the last start left."""


async def test_s51_the_first_frame_has_a_kept_one_and_the_engine_changes_only_what_is_new() -> None:
    """No row moves, and the tips stay, when the engine answers."""
    link = FakeLink()
    link.answers[cmd.OpenConversation] = lambda _: []
    app = Host(link, first=KEPT)
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.pause()
        before = app.screen_text()
        assert "claude-haiku-4-5  ~/code/acme" in before and "Instructions: AGENTS.md" in before
        assert "~/code/acme · anthropic/claude-haiku-4-5" in before and "Name the teas" in before
        assert all(tip in before for tip in tips("before")[:TIPS_SHOWN])
        for _ in range(200):
            if link.of(cmd.OpenConversation):
                break
            await pilot.pause()
            assert app.screen_text() == before, "the conversation's own widgets show the same"
        assert len(app.screen.query(FirstScreen)) == 1
        await app.says(pilot, opened(model="anthropic/claude-haiku-4-5", title=Foreign("")))
        assert app.screen_text() == before
        await app.says(pilot, ev.ConversationsListed(conversations=FOUR[1:]))
        now = app.screen_text()
        assert "Fix the build" not in now and "Third" in now
        assert all(tip in now for tip in tips("before")[:TIPS_SHOWN])
        await pilot.press("tab", "enter")
        assert [one.conversation for one in link.of(cmd.OpenConversation)] == ["", "b"]


async def test_s51_a_kept_one_gives_way_to_a_conversation_that_is_not_empty() -> None:
    async with workspace(
        FakeLink(opened(page=scenes.page([*scenes.tools(), *scenes.done()]), last_seq=9)), first=KEPT
    ) as (app, _):
        assert not app.screen.query(FirstScreen) and "Name the teas" not in app.screen_text()


async def test_s51_a_conversation_that_is_clicked_before_the_engine_is_there_is_opened_by_it() -> None:
    link = FakeLink()
    app = Host(link, first=KEPT)
    async with app.run_test(size=(120, 36)) as pilot:
        app._open_conversation("b")
        for _ in range(200):
            if link.of(cmd.OpenConversation):
                break
            await pilot.pause()
        assert [one.conversation for one in link.of(cmd.OpenConversation)] == ["b"]
