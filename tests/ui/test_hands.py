"""What hands do without thinking (issue 8, lines 4, 5): copying, vi's keys, the mouse, the palette, one's own theme."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import OptionList

from jp_tui.conversation import events as stored
from jp_tui.protocol import commands as cmd
from jp_tui.protocol import events as ev
from jp_tui.settings.themes import themes
from jp_tui.ui.pages import by_action
from jp_tui.ui.screens.inbox import Inbox
from jp_tui.ui.screens.palette import CommandProvider
from jp_tui.ui.screens.picker import ThemePicker
from jp_tui.ui.sidebar.sidebar import Sidebar
from jp_tui.ui.transcript.transcript import Transcript
from jp_tui.ui.user_files import UserPaths
from jp_tui.ui.widgets.status import pointed
from jp_tui.view.activity.status import Status
from jp_tui.view.composer.clipboard_text import OSC52_MOST
from tests.fakes import scenes
from tests.limits import LIMIT
from tests.ui.app_host import Host, workspace

CODE = "Two ways:\n\n```sh\nls -la\n```\n\nor\n\n```python\nprint('two')\n```\n"


def said(text: str) -> list[ev.Event]:
    """A turn in which the model said that."""
    answer = stored.ChatResponse(timestamp=scenes.AT, kind="message", content=text)
    end = stored.TurnOutcome(timestamp=scenes.AT, outcome="done", model="demo/tour", ms=9)
    return [*scenes.started(), scenes.appended(3, answer), scenes.appended(4, end), scenes.done()[-1]]


async def copied(app: Host) -> str:
    """What stands on the clipboard once all that was begun is done."""
    if app._copier.task is not None:
        await asyncio.wait_for(app._copier.task, LIMIT)
    return app.clipboard


async def at_the_conversation(app: Host, pilot: Pilot[None]) -> Transcript:
    await app.still(pilot)
    await pilot.press("tab")
    found = app._main.query_one(Transcript)
    assert app.focused is found
    return found


async def test_y_copies_the_message_as_it_was_written_and_braces_mark_another() -> None:
    async with workspace(say=scenes.tools()) as (app, pilot):
        pane = await at_the_conversation(app, pilot)
        await pilot.press("y")
        answer = await copied(app)
        assert "`TIP`" in answer and "*Storage*" in answer, "its Markdown, no gutter"
        assert "Copied the answer, " in app.footer and "by the terminal (OSC 52)" in app.footer
        await pilot.press("left_curly_bracket", "left_curly_bracket", "y")
        assert (await copied(app)).startswith("Add a cross-reference") and "your message" in app.footer
        assert pane.text_selection is not None, "what is marked is seen"


async def test_c_copies_code_without_its_fence_and_again_the_next() -> None:
    async with workspace(say=[*said(CODE)]) as (app, pilot):
        await at_the_conversation(app, pilot)
        found = []
        for _ in range(3):
            await pilot.press("c")
            found.append((await copied(app), app.footer.partition(",")[0]))
        assert found == [
            ("ls -la", "Copied code block 1 of 2"), ("print('two')", "Copied code block 2 of 2"),
            ("ls -la", "Copied code block 1 of 2"),
        ]  # fmt: skip


async def test_what_a_terminal_does_not_take_is_said() -> None:
    async with workspace() as (app, pilot):
        app._copier.copy("x" * (OSC52_MOST + 1))
        await copied(app)
        await pilot.pause()
        assert "Not copied" in app.footer and "no clipboard program" in app.footer
        app._copier.copy("a\x1b[31m\x00b")
        assert await copied(app) == "a[31mb"
        app._copier.copy("\x00")
        assert "Nothing to copy" in app.footer


async def test_the_systems_program_gets_it_too(tmp_path: Path) -> None:
    (tmp_path / "xclip").write_text(f'#!/bin/sh\n/bin/cat > "{tmp_path}/got"\n')
    (tmp_path / "xclip").chmod(0o755)
    async with workspace() as (app, pilot):
        app._copier._environment = {"PATH": str(tmp_path), "DISPLAY": ":0"}
        app._copier.copy("both ways")
        await copied(app)
        await pilot.pause()
        assert (tmp_path / "got").read_text() == "both ways" and "OSC 52) and xclip" in app.footer


async def test_a_click_leaves_the_focus_where_one_writes_and_letters_are_not_eaten() -> None:
    async with workspace(say=scenes.tools()) as (app, pilot):
        await app.still(pilot)
        await pilot.click(Transcript, offset=(10, 5))
        await pilot.press(*"ghjkly")
        assert app.composer.text == "ghjkly" and app.focused is app.composer


async def test_vi_keys_scroll_the_conversation() -> None:
    async with workspace(size=(80, 20), say=said("\n\n".join(f"line {n}" for n in range(100)))) as (app, pilot):
        pane = await at_the_conversation(app, pilot)
        bottom = pane.top
        await pilot.press("g")
        assert pane.top == 0
        await pilot.press("ctrl+d", "j", "j", "k")
        assert pane.top == pane.height // 2 + 1
        await pilot.press("ctrl+u", "G")
        await app.still(pilot)
        assert pane.top >= bottom > 0


async def test_vi_keys_in_a_list() -> None:
    async with workspace() as (app, pilot):
        app.action_theme()
        await pilot.pause()
        rows = app.screen.query_one(OptionList)
        await pilot.press("G")
        assert rows.highlighted == rows.option_count - 1
        await pilot.press("g", "ctrl+d")
        assert rows.highlighted and 1 < rows.highlighted < rows.option_count - 1
        half = rows.highlighted
        await pilot.press("ctrl+d", "ctrl+u")
        assert rows.highlighted == half
        before = app.theme
        await pilot.press("h")
        assert not isinstance(app.screen, ThemePicker) and app.theme != "" and before
        app.action_theme()
        await pilot.pause()
        await pilot.press("j", "l")
        await pilot.pause()
        assert not isinstance(app.screen, ThemePicker) and app.link.of(cmd.SetSetting)


@pytest.mark.parametrize(
    ("at", "command"), [("waiting for", "inbox"), ("demo/tour", "model"), ("12k in", "usage"), ("~/code", "")]
)
def test_what_the_top_line_counts_can_be_clicked(at: str, command: str) -> None:
    status = Status(model="demo/tour", tokens_in=12_000, tokens_out=812, put_off=0, elsewhere=2)
    shown = " jp ~/code · demo/tour · 12k in · 812 out · 2 waiting for you"
    from jp_tui.view.activity.status import tokens, waiting_text

    shown = f"jp  ~/code · demo/tour · {tokens(status)} · {waiting_text(status)}"
    word = {"12k in": tokens(status)[:4], "waiting for": waiting_text(status)}.get(at, at)
    assert pointed(status, shown, shown.index(word) + 1) == command


async def test_a_click_on_what_waits_opens_the_inbox() -> None:
    async with workspace(say=[*scenes.tools(), *scenes.asked()]) as (app, pilot):
        first = app.screen_text().split("\n")[0]
        await pilot.click(offset=(first.index("waiting for you") + 2, 0))
        await pilot.pause()
        assert isinstance(app.screen, Inbox)


async def test_the_palette_has_what_has_only_a_key_and_each_works() -> None:
    async with workspace(say=scenes.tools()) as (app, pilot):
        await pilot.press("x")  # who writes keeps the composer: the question waits folded
        await app.says(pilot, *scenes.asked())
        provider = CommandProvider(app.screen, None)
        keys = {key.title: key for key in provider._keys()}
        assert {"Question", "Newest", "Page up", "Suspend"} <= set(keys) and "Palette" not in keys
        assert "Ctrl+O" in keys["Question"].does
        assert not set(keys) & {entry.title for entry in by_action()}
        assert not app.dock.open
        await provider._press(keys["Question"])
        await pilot.pause()
        assert app.dock.open
        sidebar = app._main.query_one(Sidebar)
        shown = sidebar.display
        for key in keys.values():
            node = key.node
            name = key.action.removeprefix("app.").partition("(")[0]
            assert hasattr(node, f"action_{name}") or hasattr(app, f"action_{name}"), key
        assert sidebar.display is shown


async def test_ones_own_theme_is_worn_again_when_its_file_changes_and_a_bad_one_is_said(tmp_path: Path) -> None:
    mine = tmp_path / "mine.toml"
    mine.write_text("[colors]\nprimary = '#00aa77'\n")
    async with workspace() as (app, pilot):
        app.user_files.paths = UserPaths(theme_folder=str(tmp_path))
        app.user_files.theme_files = themes.names(str(tmp_path))
        assert app.user_files.apply_theme("mine") and app.current_theme.primary == "#00aa77"
        mine.write_text("[colors]\nprimary = '#ffaa00'\n")
        (tmp_path / "new.toml").write_text("[colors]\nprimary = '#123456'\n")
        app.user_files.read_changed()
        await pilot.pause()
        assert app.current_theme.primary == "#ffaa00" and "new" in app.user_files.theme_files
        assert app.get_css_variables()["user-bar"] == "#ffaa00", "seen at once"
        mine.write_text("[colors]\nprimary = 'blue-ish'\n")
        app.user_files.read_changed()
        await pilot.pause()
        assert app.current_theme.primary == "#ffaa00", "what held, holds"
        assert "mine.toml:2:1: colors.primary: expected a colour" in app.footer.replace(str(tmp_path), "")
        app.user_files.read_changed()
        mine.write_text("[colors]\nprimary = '#0000ff'\n")
        app.user_files.read_changed()
        assert app.current_theme.primary == "#0000ff"


async def test_a_theme_of_ones_own_that_is_broken_is_said_at_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Issue 8, 5: one of ours is worn instead, and the reason stands until it is put away."""
    (tmp_path / "mine.toml").write_text("primary = '#zz'\n")
    monkeypatch.chdir(tmp_path)  # however long its name is, the banner breaks no line in it
    found = {**themes.names("/nonexistent"), "mine": "mine.toml"}
    monkeypatch.setattr(themes, "names", lambda folder: found)
    async with workspace(theme="mine") as (app, pilot):
        await pilot.pause()
        assert app.theme == "jp-night"
        said = app.screen_text()
        assert "mine.toml:1:1" in said and "Using theme jp-night instead" in said
