"""The page of settings: search, meaning, change, reset (issue "Settings"; surface S10)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from textual.pilot import Pilot

from jp_tui.protocol import commands as cmd
from jp_tui.protocol import events as ev
from jp_tui.protocol.settings import SettingEntry
from jp_tui.settings.layers.explain import toml_value
from jp_tui.ui.screens.choosing import Choosing
from jp_tui.ui.screens.settings import SettingsPage
from jp_tui.ui.widgets.text_field import TextField
from tests.ui.app_host import Host, workspace

FILE = "/home/ada/.config/jp-tui/config.toml"
ENTRIES = (
    SettingEntry(
        key="ui.theme", value="jp-night", layer="built-in", place="defaults.toml:55", help="the name of a theme",
        kind="text", default="jp-night", applies="now",
    ),
    SettingEntry(
        key="ui.sidebar", value="hide", layer="user", place=f"{FILE}:2", help="the tool activity",
        kind="choice", choices=("auto", "show", "hide"), default="auto", own=True,
    ),
    SettingEntry(key="notify.bell", value=True, layer="built-in", place="defaults.toml:65", kind="boolean"),
    SettingEntry(
        key="inquiry.max_attempts", value=20, layer="built-in", help="how often one question may be asked",
        kind="integer", low=1, high=1000,
    ),
    SettingEntry(key="assistant.model.parameters.max_tokens", help="of one [b]response[/b]\x1b[31m", kind="integer"),
)  # fmt: skip


def read() -> ev.SettingsRead:
    return ev.SettingsRead(entries=ENTRIES, file=FILE)


@asynccontextmanager
async def page(size: tuple[int, int] = (120, 36)) -> AsyncIterator[tuple[Host, Pilot[None]]]:
    async with workspace(size=size) as (app, pilot):
        app.action_open("settings")
        await pilot.pause()
        assert isinstance(app.screen, SettingsPage) and len(app.link.of(cmd.ReadSettings)) == 1
        await app.says(pilot, read())
        yield app, pilot


def sent(app: Host) -> list[tuple[str, object]]:
    return [(one.key, one.value) for one in app.link.of(cmd.SetSetting)]


async def test_every_key_is_there_with_its_value_its_place_and_its_meaning() -> None:
    async with page() as (app, pilot):
        shown = app.screen_text()
        assert 'ui.sidebar = "hide"' in shown and "yours · the tool activity" in shown
        assert "max_tokens = not set" in shown and "\x1b" not in shown and "[b]response[/b]" in shown
        await pilot.press("j")
        await pilot.pause()
        shown = app.screen_text()
        assert "Allowed: auto · show · hide. A change applies after a restart." in shown
        assert f"From: user, {FILE}:2" in shown and 'After reset: "auto"' in shown


async def test_the_search_narrows_and_esc_shows_all_again() -> None:
    async with page() as (app, pilot):
        await pilot.press("slash", *"asked")
        await pilot.pause()
        assert "inquiry.max_attempts" in app.screen_text() and "ui.theme" not in app.screen_text()
        await pilot.press("down")
        assert isinstance(app.screen, SettingsPage) and app.screen.entry == ENTRIES[3]
        await pilot.press("slash", "escape")
        await pilot.pause()
        assert "ui.theme" in app.screen_text() and isinstance(app.screen, SettingsPage)
        await pilot.press("m")
        await pilot.pause()
        assert "ui.sidebar" in app.screen_text() and "notify.bell" not in app.screen_text()
        await pilot.press("escape")
        assert app.screen is app._main


async def test_a_switch_turns_and_what_was_written_is_said_and_read_again() -> None:
    async with page() as (app, pilot):
        await pilot.press("j", "j", "enter")
        await pilot.pause()
        assert sent(app) == [("notify.bell", False)]
        await app.says(pilot, ev.SettingChanged(key="notify.bell", value=False, file=FILE))
        assert f"Saved to {FILE}." in app.screen_text() and len(app.link.of(cmd.ReadSettings)) == 2


async def test_a_choice_opens_its_names_with_what_holds_marked_and_can_be_left() -> None:
    async with page() as (app, pilot):
        await pilot.press("j", "enter")
        await pilot.pause()
        assert isinstance(app.screen, Choosing) and "● hide" in app.screen_text()
        await pilot.press("escape")
        await pilot.pause()
        assert isinstance(app.screen, SettingsPage) and sent(app) == []
        await pilot.press("enter", "k", "enter")
        await pilot.pause()
        assert sent(app) == [("ui.sidebar", "show")]


async def test_a_theme_is_chosen_from_those_there_are() -> None:
    async with page() as (app, pilot):
        await pilot.press("enter")
        await pilot.pause()
        assert isinstance(app.screen, Choosing) and "● jp-night" in app.screen_text()
        await pilot.press("escape")


async def test_a_number_is_written_in_a_line_and_a_refusal_stands_in_place() -> None:
    async with page() as (app, pilot):
        await pilot.press("j", "j", "j", "enter")
        await pilot.pause()
        assert isinstance(app.focused, TextField) and app.focused.value == "20"
        await pilot.press("ctrl+u", *"3000", "enter")
        await pilot.pause()
        assert sent(app) == [("inquiry.max_attempts", 3000)]
        await app.says(pilot, ev.Refused(command="set_setting", message="expected a whole number from 1 to 1000"))
        assert "expected a whole number from 1 to 1000" in app.screen_text()
        line = app.focused
        assert isinstance(line, TextField) and line.value == "3000", "what was refused can be mended where it stands"
        await pilot.press("ctrl+u", *"[1", "enter")
        await pilot.pause()
        assert len(sent(app)) == 1 and "isn't a valid TOML value" in app.screen_text()


async def test_of_a_huge_value_the_beginning_is_written_out_and_the_rest_is_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """T4: neither a search nor a row nor the lines below write out megabytes; no line takes them."""
    most = [0]

    def counted(value: object) -> str:
        most[0] = max(most[0], len(found := toml_value(value)))
        return found

    monkeypatch.setattr("jp_tui.ui.screens.settings.toml_value", counted)
    huge = "word " * 2_000_000
    one = SettingEntry(key="a.prompt", value=huge, default=[huge, huge], kind="text", layer="user", own=True)
    nested = {"a": [huge], "b": {"c": 1, "d": huge}}
    two = SettingEntry(key="a.table", value=nested, kind="other", layer="user")
    async with page() as (app, pilot):
        await app.says(pilot, ev.SettingsRead(entries=(one, two), file=FILE))
        shown = app.screen_text()
        assert 'a.prompt = "word word' in shown and "9,999,840 more characters⟩" in shown
        assert "After reset: [" in shown and "19,999,840 more characters⟩" in shown
        await pilot.press("slash", *"word", "enter")
        assert "a.table" in app.screen_text() and most[0] < 20_000
        await pilot.press("enter")
        await pilot.pause()
        assert not isinstance(app.focused, TextField) and sent(app) == []
        assert "10,000,000 characters, too many for one line" in app.screen_text()


async def test_only_what_stands_in_the_file_can_be_taken_back_and_the_theme_is_worn_at_once() -> None:
    async with page() as (app, pilot):
        await pilot.press("x")
        assert app.link.of(cmd.ResetSetting) == []
        await pilot.press("j", "x")
        await pilot.pause()
        assert [one.key for one in app.link.of(cmd.ResetSetting)] == ["ui.sidebar"]
        await app.says(pilot, ev.SettingChanged(key="ui.theme", value="jp-day", file=FILE))
        assert app.theme == "jp-day"


async def test_it_fits_the_smallest_usual_terminal() -> None:
    async with page((80, 24)) as (app, _):
        lines = app.screen_text().split("\n")
        assert any("Enter change" in line and "/ search" in line for line in lines), "the keys are in sight"
        assert max(map(len, lines)) <= 80
