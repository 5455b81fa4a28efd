"""The ledger and the list of exchanges over the workspace (asking.md E42, E43; R236; surface S6)."""

from __future__ import annotations

from typing import Any

import pytest

from jp_tui.conversation.text import Foreign
from jp_tui.protocol import commands as cmd
from jp_tui.protocol import events as ev
from jp_tui.ui.screens.inquiries import Inquiries
from jp_tui.ui.screens.ledger import LedgerPage
from tests.fakes import scenes
from tests.fakes.link import CONVERSATION
from tests.ui.app_host import Host, workspace
from tests.view.test_ledger import entry, info

PLACE = "/home/ada/.config/jp-tui/config.toml:12"
TURN = entry(key="turn", value=True, since=scenes.AT, uses=3, text=Foreign("Apply this change?"))
PINNED = entry(key="pinned", kind="pinned", scope="settings", question="branch", value="main", place=PLACE)
FIXED = entry(key="fixed", kind="unattended", scope="settings", tool="fs_read_file", question="", revocable=False)


def read(*entries: Any) -> ev.LedgerRead:
    return ev.LedgerRead(conversation=CONVERSATION, entries=entries)


def revoked(app: Host) -> list[str]:
    return [one.key for one in app.link.of(cmd.RevokeEntry)]


async def test_the_ledger_says_what_is_remembered_and_that_it_is_being_read() -> None:
    async with workspace() as (app, pilot):
        await pilot.press("f7")
        await pilot.pause()
        assert isinstance(app.screen, LedgerPage) and "reading…" in app.screen_text()
        await app.says(pilot, read(TURN, PINNED, FIXED))
        shown = app.screen_text()
        assert "fs_modify_file · apply_changes  yes" in shown and "used 3 times" in shown
        assert "until this turn ends" in shown and "config.toml:12" in shown and "reading…" not in shown
        assert "asked: Apply this change?" in shown
        await pilot.press("escape")
        assert app.screen is app._main and app.focused is app.composer


async def test_an_empty_ledger_says_so_in_words() -> None:
    async with workspace() as (app, pilot):
        await pilot.press("f7")
        await app.says(pilot, read())
        assert "No remembered answers and no tools that run" in app.screen_text()
        await pilot.press("d")
        assert revoked(app) == []


async def test_what_a_turn_remembers_is_taken_back_at_once_and_the_list_is_live() -> None:
    """E43, R236."""
    async with workspace() as (app, pilot):
        await pilot.press("f7")
        await app.says(pilot, read(TURN, PINNED))
        await pilot.press("d")
        await pilot.pause()
        assert revoked(app) == ["turn"] and "revoking" in app.screen_text()
        await app.says(pilot, read(PINNED))
        assert "revoking" not in app.screen_text() and "apply_changes" not in app.screen_text()
        await app.says(pilot, read(PINNED, TURN))
        assert "used 3 times" in app.screen_text()


async def test_what_edits_a_file_is_asked_once_more_and_any_other_key_keeps_it() -> None:
    async with workspace() as (app, pilot):
        await pilot.press("f7")
        await app.says(pilot, read(TURN, PINNED))
        await pilot.press("down", "delete")
        await pilot.pause()
        assert revoked(app) == [] and f"This edits {PLACE}" in app.screen_text()
        await pilot.press("up", "down")
        await pilot.pause()
        assert "This edits" not in app.screen_text()
        await pilot.press("d", "d")
        await pilot.pause()
        assert revoked(app) == ["pinned"]


async def test_by_mouse_alone_an_entry_is_chosen_taken_back_and_the_list_closed() -> None:
    """E60."""
    async with workspace() as (app, pilot):
        await pilot.press("f7")
        await app.says(pilot, read(TURN, PINNED))

        async def click(words: str) -> None:
            rows = app.screen_text().splitlines()
            row = next(y for y, text in enumerate(rows) if words in text)
            await pilot.click(offset=(rows[row].index(words), row))
            await pilot.pause()

        await click("pinned answer")
        await click("d revoke")
        assert revoked(app) == [] and "This edits" in app.screen_text()
        await click("remembered answer")
        assert "This edits" not in app.screen_text()
        await click("d revoke")
        assert revoked(app) == ["turn"]
        await click("Esc close")
        assert app.screen is app._main


async def test_what_cannot_be_taken_back_says_why_and_a_refusal_is_said_in_place() -> None:
    async with workspace() as (app, pilot):
        await pilot.press("f7")
        await app.says(pilot, read(FIXED))
        await pilot.press("d")
        await pilot.pause()
        assert revoked(app) == [] and "can't be revoked here" in app.screen_text()
        await app.says(pilot, read(TURN))
        await pilot.press("d")
        no = ev.Refused(command="revoke_entry", message="It is gone [/].", advice="Read again.", conversation="c1")
        await app.says(pilot, no)
        assert "It is gone [/]." in app.screen_text() and "Read again." in app.screen_text()
        await pilot.press("escape")
        assert "It is gone" not in app.screen_text(), "it is no trouble of the workspace"


async def test_a_refusal_after_the_list_was_closed_is_said_in_the_last_line() -> None:
    async with workspace() as (app, pilot):
        await app.says(pilot, ev.Refused(command="revoke_entry", message="Too late.", conversation=CONVERSATION))
        assert "Too late." in app.footer


async def test_hostile_text_in_the_ledger_shows_as_it_is() -> None:
    """T1, T2."""
    bad = "[/][@click=app.quit]x[/]\x1b[31m\u202e"
    async with workspace() as (app, pilot):
        await pilot.press("f7")
        await app.says(pilot, read(entry(tool=bad, question=bad, value=bad, text=Foreign(bad))))
        shown = app.screen_text()
        assert "[@click=app.quit]" in shown and "\x1b" not in shown and "\u202e" not in shown


async def test_all_exchanges_of_a_conversation_with_who_answered_and_why() -> None:
    """E42: the newest is highlighted, and what is below the list is about it."""
    yes = {"outcome": "answered", "id": "a.q.1", "answer": True, "responder": {"kind": "static"}, "reason": "as agreed"}
    async with workspace() as (app, pilot):
        await pilot.press(*"/inq", "enter")
        await pilot.pause()
        assert isinstance(app.screen, Inquiries)
        assert [one.conversation for one in app.link.of(cmd.ListInquiries)] == [CONVERSATION]
        await app.says(pilot, ev.InquiriesListed(inquiries=(info(), info(id="b", response=yes))))
        shown = app.screen_text()
        assert "fs_modify_file asks: Apply this change?" in shown and "✓ yes · pinned setting" in shown
        assert "Why you weren't asked: A setting pins this answer." in shown and "“as agreed”" in shown
        await pilot.press("k")
        await pilot.pause()
        assert "Why you were asked" in app.screen_text()
        await pilot.press("r")
        await pilot.pause()
        assert len(app.link.of(cmd.ListInquiries)) == 2


async def test_no_exchange_yet_says_so_and_a_refused_list_says_why() -> None:
    async with workspace() as (app, pilot):
        await pilot.press("f8")
        await app.says(pilot, ev.InquiriesListed(inquiries=()))
        assert "No questions in this conversation" in app.screen_text()
        await app.says(pilot, ev.Refused(command="list_inquiries", message="The log is gone."))
        assert "The log is gone." in app.screen_text()


async def test_a_question_that_comes_while_a_list_is_open_waits_for_it() -> None:
    """E10, E12."""
    async with workspace(say=scenes.tools()) as (app, pilot):
        await pilot.press("f7")
        await app.says(pilot, *scenes.asked(), read(TURN))
        await app.passes(pilot, 2.0)
        assert isinstance(app.screen, LedgerPage) and not app.dock.open
        await pilot.press("escape")
        await pilot.pause()
        await app.passes(pilot, 1.2)
        assert app.dock.open


@pytest.mark.parametrize("size", [(60, 16), (80, 24), (200, 50)], ids=lambda size: f"{size[0]}x{size[1]}")
async def test_a_long_ledger_scrolls_and_what_is_asked_once_more_stays_in_sight(size: tuple[int, int]) -> None:
    """E61: whoever is asked must see it, however much is listed."""
    many = [entry(key=str(n), kind="pinned", scope="settings", place=f"c.toml:{n}", value=n) for n in range(60)]
    async with workspace(size=size) as (app, pilot):
        await pilot.press("f7")
        await app.says(pilot, read(*many))
        await pilot.press(*["down"] * 40, "d")
        await pilot.pause()
        shown = app.screen_text()
        assert "❯ fs_modify_file · apply_changes  40" in shown and "This edits c.toml:40" in shown
        assert "set in c.toml:40" in shown and "Esc close" in shown
