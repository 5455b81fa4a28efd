"""`!` in the composer: run, shown, ended, and its output only where the user wants it (issue 8, 3)."""

from __future__ import annotations

import pytest

from jp_tui.conversation.text import Foreign
from jp_tui.protocol import commands as cmd
from jp_tui.protocol import events as ev
from tests.ui.app_host import Host, workspace


def lines(app: Host) -> list[tuple[int, str]]:
    return [(one.run, one.line) for one in app.link.of(cmd.RunShell)]


async def test_a_command_is_run_shown_and_put_away() -> None:
    async with workspace() as (app, pilot):
        await pilot.press(*"!make test", "enter")
        await pilot.pause()
        assert lines(app) == [(1, "make test")] and app.composer.text == "" and app.starts() == []
        await app.says(pilot, ev.ShellOutput(run=1, text=Foreign("\x1b[31mone\x1b[0m\ntwo\n")))
        shown = app.screen_text()
        assert "$ make test" in shown and "one" in shown and "[31m" not in shown and "Esc stops it" in shown
        await pilot.press("escape")
        await pilot.pause()
        assert [one.run for one in app.link.of(cmd.StopShell)] == [1]
        await app.says(pilot, ev.ShellEnded(run=1, stopped=True, text=Foreign("one\ntwo\n"), ms=1200))
        assert "✗ stopped" in app.screen_text()
        await pilot.press("escape")
        await pilot.pause()
        assert "$ make test" not in app.screen_text() and app.starts() == []


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (200, 50)])
async def test_how_it_ended_is_in_sight_however_much_it_said(size: tuple[int, int]) -> None:
    """A command that failed after a page of output must not look as if it went well."""
    async with workspace(size=size) as (app, pilot):
        await pilot.press(*"!make", "enter")
        await pilot.pause()
        text = Foreign("".join(f"line {number}\n" for number in range(40)))
        await app.says(pilot, ev.ShellEnded(run=1, status=3, text=text, ms=10))
        shown = app.screen_text()
        assert "$ make" in shown and "line 39" in shown and "✗ exit status 3" in shown and "earlier lines" in shown


async def test_its_output_goes_along_folded_when_it_is_added() -> None:
    async with workspace() as (app, pilot):
        await pilot.press(*"!ls", "enter", *"see ")
        await app.says(pilot, ev.ShellEnded(run=1, status=0, text=Foreign("a\nb\n"), ms=10))
        assert "✓ exit status 0" in app.screen_text()
        await pilot.press("alt+a", *" !")
        assert app.composer.text == "see [output 1: 6 lines, 32 characters] !"
        await pilot.press("enter")
        await pilot.pause()
        assert app.starts() == ["see ```\n$ ls\na\nb\n[exit status 0]\n``` !"]


async def test_two_exclamation_marks_begin_a_text_and_one_alone_is_nothing() -> None:
    async with workspace() as (app, pilot):
        await pilot.press("!", "enter")
        assert app.composer.text == "!" and lines(app) == []
        await pilot.press(*"!wow", "enter")
        await pilot.pause()
        assert app.starts() == ["!wow"] and lines(app) == []


async def test_one_at_a_time_and_the_second_stays_written() -> None:
    async with workspace() as (app, pilot):
        app.burst(*"!a", "enter", *"!b", "enter")
        await pilot.pause()
        assert lines(app) == [(1, "a")] and app.composer.text == "!b"
        await pilot.press("ctrl+u", "up", "up")
        assert app.composer.text == "!a", "it is in the history as it was typed"
