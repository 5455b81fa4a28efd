"""The first-run page on the screen: keys and mouse, what is sent, what is shown (issue 8 "First minutes")."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from textual import events
from textual.pilot import Pilot
from textual.widgets import OptionList

from jp_tui.protocol import commands as cmd
from jp_tui.protocol import events as ev
from jp_tui.protocol.models import ListModels, ModelInfo, ServerSpec
from jp_tui.protocol.setup import ProbeSetup, SaveSetup, TestModel
from jp_tui.ui.screens.setup import SetupPage
from jp_tui.ui.widgets.text_field import TextField
from tests.ui.app_host import Host, workspace
from tests.view.test_first_run import FILE, FOUND, LISTED

ANSWERS = ev.ModelTested(model="ollama/llama", ok=True, ms=1400)
SAVED = ev.SetupSaved(model="ollama/llama", file=FILE, created=True, keys=(("assistant.model.id", '"ollama/llama"'),))


@asynccontextmanager
async def page(size: tuple[int, int] = (80, 24), theme: str = "jp-night") -> AsyncIterator[tuple[Host, Pilot[None]]]:
    async with workspace(size=size, theme=theme) as (app, pilot):
        app.action_open("setup")
        await pilot.pause()
        assert isinstance(app.screen, SetupPage) and len(app.link.of(ProbeSetup)) == 1
        yield app, pilot


async def test_from_the_first_key_to_the_new_conversation() -> None:
    async with page() as (app, pilot):
        assert "Looking for keys" in app.screen_text()
        await app.says(pilot, FOUND)
        await pilot.press("down", "enter")
        assert app.link.of(ListModels) == [ListModels(provider="ollama")]
        await app.says(pilot, LISTED)
        await pilot.press("slash", *"llam", "enter")
        assert app.link.of(TestModel) == [TestModel(model="ollama/llama")]
        await app.says(pilot, ANSWERS)
        assert "answered (1.4 s)" in app.screen_text()
        await pilot.press("enter")
        assert "assistant.model.id = ollama/llama" in app.screen_text() and not app.link.of(SaveSetup)
        await pilot.press("enter")
        assert app.link.of(SaveSetup) == [SaveSetup(model="ollama/llama")]
        before = len(app.link.of(cmd.OpenConversation))
        await app.says(pilot, SAVED)
        await pilot.pause()
        assert [one.which for one in app.link.of(cmd.OpenConversation)][before:] == ["new"]
        assert FILE in app.screen_text()
        await pilot.press("enter")
        assert not isinstance(app.screen, SetupPage)


async def test_esc_goes_back_a_step_and_then_away_and_nothing_is_written() -> None:
    async with page() as (app, pilot):
        await app.says(pilot, FOUND)
        await pilot.press("down", "enter")
        await app.says(pilot, LISTED)
        await pilot.press("slash", "x", "escape")
        assert isinstance(app.focused, OptionList), "from the line to the list first"
        await pilot.press("escape")
        assert "Where do your models come from?" in app.screen_text()
        await pilot.press("escape")
        assert not isinstance(app.screen, SetupPage) and not app.link.of(SaveSetup)


async def test_a_server_of_ones_own_is_written_line_by_line() -> None:
    async with page() as (app, pilot):
        await app.says(pilot, FOUND.model_copy(update={"servers": ()}))
        assert "No API key or server found" in app.screen_text()
        await pilot.press("enter", "enter")
        edit = app.screen.query_one("#edit", TextField)
        assert app.focused is edit and edit.value == "local"
        await pilot.press("ctrl+u", *"mine", "enter", "enter")
        assert app.focused is edit and edit.value.startswith("http://127.0.0.1")
        await pilot.press("escape", "down", "enter")
        assert "openai-responses" in app.screen_text(), "Enter changes it"
        await pilot.press("down", "down", "enter")
        spec = ServerSpec(name="mine", wire="openai-responses", base_url="http://127.0.0.1:8080/v1")
        assert app.link.of(ListModels) == [ListModels(server=spec)]
        await app.says(pilot, ev.Refused(command="list_models", message="mine: \x1b[31mno[/] address"))
        assert "no[/] address" in app.screen_text() and "Your own model server" in app.screen_text()


async def test_a_click_takes_a_row_and_hostile_names_stay_text() -> None:
    bad = ModelInfo(id="ollama/[red]x[/]", provider="ollama", model="[red]x[/]")
    async with page((120, 36)) as (app, pilot):
        await app.says(pilot, FOUND)
        where = next(y for y, line in enumerate(app.screen_text().split("\n")) if "ollama" in line)
        await pilot.click(offset=(40, where))
        await app.says(pilot, ev.ModelsListed(provider="ollama", models=(bad,)))
        assert "[red]x[/]" in app.screen_text()


async def test_a_list_that_was_empty_for_a_moment_keeps_the_focus_and_the_first_slash_is_a_key() -> None:
    """The message that it is hidden may arrive when its rows are there again."""
    async with page() as (app, pilot):
        await app.says(pilot, FOUND)
        await pilot.press("down", "enter")
        await app.says(pilot, LISTED)
        rows = app.screen.query_one(OptionList)
        rows.post_message(events.Hide())
        await pilot.pause()
        assert app.focused is rows
        await pilot.press("slash", "x")
        assert app.screen.query_one("#search", TextField).value == "x"


@pytest.mark.parametrize("size", [(80, 24), (60, 16)])
async def test_the_keys_and_the_highlighted_row_are_in_sight(size: tuple[int, int]) -> None:
    """Whatever is long, what can be pressed stays on the screen."""
    many = tuple(ModelInfo(id=f"ollama/m{n}", provider="ollama", model=f"m{n}") for n in range(300))
    looked = tuple(f"PROVIDER_{n}_API_KEY" for n in range(30))
    async with page(size) as (app, pilot):
        await app.says(pilot, FOUND.model_copy(update={"servers": (), "looked": looked}))
        assert "Esc back" in app.screen_text() and "Another server" in app.screen_text()
        await app.says(pilot, FOUND)
        await pilot.press("down", "enter")
        await app.says(pilot, ev.ModelsListed(provider="ollama", models=many))
        await pilot.press("end")
        await pilot.pause()
        assert "Esc back" in app.screen_text() and "❯ m299" in app.screen_text()
