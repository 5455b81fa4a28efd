"""F3: the sub-agents of the conversation, live, and one key to the conversation of each (issue 7, 1; E4, E60)."""

from __future__ import annotations

import pytest
from textual.pilot import Pilot

from jp_tui.protocol import commands as cmd
from jp_tui.ui.screens.agents import Agents as Page
from jp_tui.ui.screens.inbox import Inbox
from jp_tui.view.activity.agents import AgentTree, agent_state
from tests.fakes import waiting
from tests.fakes.link import opened
from tests.ui.app_host import Host, workspace


async def listed(app: Host, pilot: Pilot[None]) -> list[str]:
    """The lines of the list."""
    if not isinstance(app.screen, Page):
        await pilot.press("ctrl+o", "f3")
    await pilot.pause()
    assert isinstance(app.screen, Page)
    return [line.strip(" │") for line in app.screen_text().split("\n")]


async def test_e60_a_sign_marks_the_row_and_its_task_stands_whole_below() -> None:
    async with workspace(say=waiting.agents(), size=(80, 24)) as (app, pilot):
        lines = await listed(app, pilot)
        assert any(line.startswith("❯ ◐ librarian  Read docs") for line in lines), lines
        assert "waiting for you · 2 calls" in lines
        await pilot.press("j")
        await pilot.pause()
        lines = await listed(app, pilot)
        assert any(line.startswith("❯ ◐ taster") for line in lines)
        assert waiting.TASTER.task.raw in lines


async def test_it_follows_them_while_it_is_open() -> None:
    async with workspace(say=waiting.agents(), size=(80, 24)) as (app, pilot):
        await listed(app, pilot)
        await pilot.press("down")
        await app.says(pilot, waiting.runs(waiting.LIBRARIAN, "completed"))
        app.screen.paint()  # type: ignore[attr-defined]
        await pilot.pause()
        lines = await listed(app, pilot)
        assert any(line.startswith("✓ librarian") for line in lines) and "done · 2 calls" in lines
        assert any(line.startswith("❯ ◐ taster") for line in lines), "the highlighted row stays"


@pytest.mark.parametrize(("end", "shown"), [("ok", "✓ done"), ("error", "✗ failed"), ("cancelled", "⊘ cancelled")])
def test_how_one_ended_is_said(end: str, shown: str) -> None:
    """Stopped or failed is not done."""
    ended = waiting.runs(waiting.LIBRARIAN, "completed").model_copy(update={"end": end})
    (one,) = AgentTree().apply(ended, 1.0).known
    assert " ".join(agent_state(one)[:2]) == shown


async def test_enter_opens_the_conversation_and_asks_the_engine_for_no_list() -> None:
    async with workspace(say=waiting.agents(), size=(80, 24)) as (app, pilot):
        await listed(app, pilot)
        await pilot.press("down", "enter")
        await pilot.pause()
        opened = [one for one in app.link.of(cmd.OpenConversation) if one.which == "id"]
        assert [one.conversation for one in opened] == ["child-2"] and app.screen is app._main
        assert app.link.of(cmd.ListInquiries) == []


async def test_e5_in_the_conversation_of_one_the_last_line_says_that_its_key_goes_back() -> None:
    async with workspace(say=waiting.agents(), size=(120, 24)) as (app, pilot):
        await pilot.press("ctrl+o")
        await pilot.pause()
        assert "F3 sub-agents" in app.screen_text().splitlines()[-1]
        child = opened(conversation=waiting.TASTER.conversation, agent=waiting.TASTER)
        await app.says(pilot, child)
        await pilot.pause()
        last = app.screen_text().splitlines()[-1]
        assert "F3 go back" in last and "sub-agents" not in last
        await pilot.press("f3")
        await pilot.pause()
        assert app.link.of(cmd.OpenConversation)[-1].conversation == waiting.TASTER.parent


async def all_of(app: Host, pilot: Pilot[None]) -> list[str]:
    """The lines of the list of everyone."""
    app.link.answers[cmd.ReadAgents] = lambda _: [waiting.at_work()]
    app.action_open("agents", "all")
    for _ in range(2):
        await pilot.pause()
    return await listed(app, pilot)


async def test_n24_conversations_and_programs_say_what_they_do() -> None:
    async with workspace(size=(120, 36)) as (app, pilot):
        lines = await all_of(app, pilot)
        assert any(line.startswith("❯ ▸ Rename the parser") for line in lines), lines
        assert "works · conversation here" in lines and "open · conversation in jp-tui" in lines
        assert any(line.startswith("◐ node “claude-code 2.1.330 · Release 4.2”") for line in lines), lines
        assert any(
            line.startswith("waiting for you · /home/ada/site · MCP · ") and "2 questions" in line for line in lines
        )
        assert any(line.startswith("○ codex") for line in lines)


async def test_n24_enter_opens_a_conversation_or_the_inbox_and_nothing_for_one_that_idles() -> None:
    async with workspace(size=(120, 36)) as (app, pilot):
        await all_of(app, pilot)
        await pilot.press("j", "j")
        assert app.screen.check_action("choose", ()) and "enter" in app.screen.active_bindings
        await pilot.press("enter")
        await pilot.pause()
        assert isinstance(app.screen, Inbox)
        await pilot.press("escape")
        await all_of(app, pilot)
        await pilot.press("k")
        await pilot.pause()
        assert not app.screen.check_action("choose", ())
        await pilot.press("enter", "j", "enter")
        await pilot.pause()
        assert [one.conversation for one in app.link.of(cmd.OpenConversation) if one.which == "id"] == ["c3"]


async def test_n24_without_sub_agents_the_command_lists_everyone() -> None:
    async with workspace(size=(80, 24)) as (app, pilot):
        app.action_open("agents")
        await pilot.pause()
        assert isinstance(app.screen, Page) and app.link.of(cmd.ReadAgents)
