"""Commands in the composer: a list while one is written, Enter runs it, nothing unknown is sent (issue 4, 6)."""

from __future__ import annotations

from pathlib import Path

from jp_tui.protocol import commands as cmd
from jp_tui.ui.composer.command_uses import CommandUses
from jp_tui.ui.composer.slash_list import SlashList
from jp_tui.ui.pages import COMMANDS
from jp_tui.ui.screens.keylist import KeyList
from jp_tui.ui.screens.ledger import LedgerPage
from jp_tui.ui.screens.picker import ThemePicker
from tests.fakes import scenes
from tests.fakes.link import FakeLink
from tests.ui.app_host import Host, until, workspace


def listed(app: Host) -> list[str]:
    """The names in the list, the chosen one marked."""
    found = app._main.query_one(SlashList)
    return [("*" if at == found.chosen else "") + one.name for at, one in enumerate(found.commands)]


async def test_a_slash_opens_the_list_and_writing_on_narrows_it() -> None:
    async with workspace() as (app, pilot):
        await pilot.press("/")
        await pilot.pause()
        assert listed(app)[:2] == ["*new", COMMANDS[1].name] and "❯ /new" in app.screen_text()
        await pilot.press(*"th")
        await pilot.pause()
        assert listed(app) == ["*theme"]
        await pilot.press("x")
        await pilot.pause()
        assert listed(app) == [] and not app._main.query_one(SlashList).display


async def test_arrows_choose_and_enter_runs_what_is_marked() -> None:
    async with workspace() as (app, pilot):
        await pilot.press("/")
        await pilot.pause()
        await pilot.press("down", "up", *["down"] * listed(app).index("ledger"), "enter")
        await pilot.pause()
        assert isinstance(app.screen, LedgerPage) and app.composer.text == "" and app.starts() == []
        assert [one.conversation for one in app.link.of(cmd.ReadLedger)] == ["c1"]


async def test_a_whole_command_in_one_burst_is_run_not_sent() -> None:
    """Keys come faster than the list is painted."""
    async with workspace() as (app, pilot):
        app.burst(*"/ledger", "enter")
        await pilot.pause()
        await pilot.pause()
        assert isinstance(app.screen, LedgerPage) and app.starts() == []


async def test_tab_completes_and_escape_puts_the_list_away() -> None:
    async with workspace() as (app, pilot):
        await pilot.press(*"/th", "tab")
        await pilot.pause()
        assert app.composer.text == "/theme " and listed(app)[0] == "*theme"
        await pilot.press("ctrl+u", *"/l")
        await pilot.pause()
        assert "Tab complete" in app.footer and "Esc close list" in app.footer
        await pilot.press("escape")
        await pilot.pause()
        assert listed(app) == [] and app.composer.text == "/l" and "Tab complete" not in app.footer
        await pilot.press("enter")
        await pilot.pause()
        assert app.composer.text == "/l" and "No command /l" in app.screen_text(), "what is put away is not taken"


async def test_an_unknown_one_is_refused_with_the_nearest_name_and_stays_written() -> None:
    async with workspace(size=(80, 24)) as (app, pilot):
        await pilot.press(*"/ledgr", "enter")
        await pilot.pause()
        assert app.starts() == [] and app.composer.text == "/ledgr" and not app.composer.busy
        assert "No command /ledgr. Did you mean /ledger? // sends it as text." in app.screen_text()
        await pilot.press("x")
        await pilot.pause()
        assert "No command" not in app.screen_text()


async def test_two_slashes_send_a_text_that_begins_with_one() -> None:
    async with workspace() as (app, pilot):
        await pilot.press(*"//etc/hosts is broken", "enter")
        await pilot.pause()
        assert app.starts() == ["/etc/hosts is broken"]


async def test_what_was_sent_before_comes_back_as_it_has_to_be_written() -> None:
    async with workspace(FakeLink(history=["/etc/hosts"])) as (app, pilot):
        await pilot.press("up")
        assert app.composer.text == "//etc/hosts"


async def test_commands_work_while_the_model_does_and_texts_still_wait() -> None:
    async with workspace(say=scenes.tools()) as (app, pilot):
        await pilot.press(*"/he", "enter")
        await pilot.pause()
        assert isinstance(app.screen, KeyList)
        await pilot.press("escape", *"wait", "enter")
        assert app.composer.text == "" and app.starts() == []
        await pilot.pause()
        assert [one.text for one in app.link.of(cmd.QueueTurn)] == ["wait"]


async def test_a_theme_by_name_and_one_that_is_not_there() -> None:
    async with workspace() as (app, pilot):
        await pilot.press(*"/theme jp-day", "enter")
        await pilot.pause()
        assert app.theme == "jp-day"
        assert [(one.key, one.value) for one in app.link.of(cmd.SetSetting)] == [("ui.theme", "jp-day")]
        await pilot.press(*"/theme nope", "enter")
        await pilot.pause()
        assert app.theme == "jp-day" and "Unknown theme nope" in app.footer
        await pilot.press(*"/theme", "enter")
        await pilot.pause()
        assert isinstance(app.screen, ThemePicker)


async def test_the_other_commands_do_what_they_say() -> None:
    async with workspace() as (app, pilot):
        await pilot.press(*"/new", "enter")
        await pilot.pause()
        assert [one.which for one in app.link.of(cmd.OpenConversation)] == ["new", "new"]
        assert not app._main.query_one("#sidebar").display  # nothing is in it yet
        await pilot.press(*"/sidebar", "enter")
        await pilot.pause()
        assert app._main.query_one("#sidebar").display
        await pilot.press(*"/interrupt", "enter")
        await pilot.pause()
        assert "Nothing to interrupt" in app.footer
        await pilot.press(*"/quit", "enter")
        await pilot.pause()
        assert app.link.of(cmd.Shutdown)


async def test_a_click_takes_a_line_of_the_list() -> None:
    """E60."""
    async with workspace() as (app, pilot):
        await pilot.press("/")
        await pilot.pause()
        rows = app.screen_text().splitlines()
        row = next(y for y, text in enumerate(rows) if "/ledger" in text)
        await pilot.click(offset=(rows[row].index("/ledger"), row))
        await pilot.pause()
        await pilot.pause()
        assert isinstance(app.screen, LedgerPage) and app.composer.text == ""


async def test_the_palette_finds_the_same_commands() -> None:
    async with workspace(size=(80, 60)) as (app, pilot):
        await pilot.press("ctrl+p")
        await until(pilot, lambda: "/ledger" in app.screen_text())
        assert "Ledger" in app.screen_text()
        await pilot.press("escape")


async def test_what_may_follow_a_command_is_listed_and_completed() -> None:
    async with workspace() as (app, pilot):
        await pilot.press(*"/theme ")
        await pilot.pause()
        assert listed(app)[:2] == ["*theme", "theme jp-colourblind"]
        await pilot.press(*"paper")
        await pilot.pause()
        assert listed(app) == ["*theme jp-paper"]
        await pilot.press("tab")
        await pilot.pause()
        assert app.composer.text == "/theme jp-paper" and listed(app) == []
        await pilot.press("ctrl+u", *"/theme pape", "enter")
        await pilot.pause()
        assert app.theme == "jp-paper" and app.composer.text == ""


async def test_what_is_beyond_the_list_is_counted() -> None:
    async with workspace(size=(80, 24)) as (app, pilot):
        await pilot.press("/")
        await pilot.pause()
        assert f"{len(listed(app)) - 10} more" in app.screen_text()


def test_s50_what_is_run_most_comes_first_also_after_a_restart(tmp_path: Path) -> None:
    file = tmp_path / "commands"
    uses = CommandUses(file)
    assert uses.ordered(COMMANDS) == COMMANDS
    for name in ("usage", "model", "usage"):
        uses.ran(name)
    again = CommandUses(file).ordered(COMMANDS)
    assert [one.name for one in again[:3]] == ["usage", "model", COMMANDS[0].name]


def test_s50_a_damaged_or_missing_file_of_uses_is_no_trouble(tmp_path: Path) -> None:
    (tmp_path / "commands").write_bytes(b"\xff\x00 usage " * 10_000)
    assert CommandUses(tmp_path / "commands").ordered(COMMANDS)[0].name == "usage"
    CommandUses(tmp_path / "nowhere" / "commands").ran("usage")
    assert not (tmp_path / "nowhere").exists()


async def test_s50_the_list_follows_use_and_names_what_a_command_needs() -> None:
    async with workspace() as (app, pilot):
        await pilot.press(*"/interrupt", "enter", "/")
        await pilot.pause()
        assert listed(app)[0] == "*interrupt" and "needs a running turn" in app.screen_text()
