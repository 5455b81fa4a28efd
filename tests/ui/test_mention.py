"""`@` in the composer: the list, its keys, odd names (issue 8, 3; T1)."""

from __future__ import annotations

from collections.abc import Sequence

from jp_tui.protocol import commands as cmd
from jp_tui.protocol import events as ev
from tests.fakes.link import FakeLink
from tests.ui.app_host import workspace

PATHS = ("src/main.py", "src/my file.txt", "src/", "evil\x1b[31m\nname\u202etxt")


def finds(paths: Sequence[str]) -> FakeLink:
    """An engine that knows these files."""
    link = FakeLink()
    link.answers[cmd.FindFiles] = lambda asked: [
        ev.FilesFound(revision=asked.revision, paths=tuple(paths), total=len(paths))
    ]
    return link


async def test_tab_writes_the_path_that_is_marked() -> None:
    async with workspace(finds(PATHS)) as (app, pilot):
        await pilot.press(*"see @sr")
        await pilot.pause()
        assert "❯ src/main.py" in app.screen_text()
        await pilot.press("tab", *"!")
        assert app.composer.text == "see @src/main.py !"
        assert [one.query for one in app.link.of(cmd.FindFiles)] == ["", "s", "sr"]


async def test_enter_takes_what_is_marked_and_sends_nothing() -> None:
    async with workspace(finds(PATHS)) as (app, pilot):
        await pilot.press(*"@file")
        await pilot.pause()
        await pilot.press("enter")
        assert app.composer.text == '@"src/my file.txt" ' and app.starts() == []
        await pilot.press("enter")
        await pilot.pause()
        assert app.starts() == ['@"src/my file.txt" ']


async def test_a_folder_goes_on_with_what_is_in_it() -> None:
    async with workspace(finds(PATHS)) as (app, pilot):
        await pilot.press(*"@src")
        await pilot.pause()
        await pilot.press("down", "down", "tab")
        assert app.composer.text == "@src/" and app.composer._files.open


async def test_esc_closes_the_list_and_what_is_written_is_sent() -> None:
    async with workspace(finds(PATHS)) as (app, pilot):
        await pilot.press(*"@src")
        await pilot.pause()
        await pilot.press("escape")
        await pilot.pause()
        assert "src/main.py" not in app.screen_text()
        await pilot.press("enter")
        await pilot.pause()
        assert app.starts() == ["@src"]


async def test_a_name_that_nobody_could_type_breaks_nothing() -> None:
    """T1: shown and written with what it hides made visible."""
    async with workspace(finds(PATHS)) as (app, pilot):
        await pilot.press(*"@evil")
        await pilot.pause()
        shown = app.screen_text()
        assert "\u202e" not in shown and "\x1b" not in shown and "⏎name" in shown
        await pilot.press("tab")
        assert app.composer.text == '@"evil\\u001b[31m\\nname\\u202etxt" '


async def test_nothing_found_is_said_and_is_sent_as_it_stands() -> None:
    async with workspace(finds(())) as (app, pilot):
        await pilot.press(*"ask @ada")
        await pilot.pause()
        assert "no match in 0 files" in app.screen_text()
        await pilot.press("enter")
        await pilot.pause()
        assert app.starts() == ["ask @ada"]


async def test_resources_of_a_server_are_named_as_such() -> None:
    """P48: while it is asked, in the list and where nothing fits; none is an image of the workspace."""
    link = FakeLink()
    found = [ev.FilesFound(revision=0, server="docs", done=False)]
    link.answers[cmd.FindFiles] = lambda asked: [one.model_copy(update={"revision": asked.revision}) for one in found]
    async with workspace(link) as (app, pilot):
        await pilot.press(*"@docs:")
        await pilot.pause()
        assert "asking docs for its resources…" in app.screen_text()
        found[0] = ev.FilesFound(revision=0, server="docs", total=2)
        await pilot.press("f")
        await pilot.pause()
        assert "no match in 2 resources of docs · sent as written" in app.screen_text()
        found[0] = ev.FilesFound(revision=0, server="docs", problem="docs did not start within 30 s.")
        await pilot.press("i")
        await pilot.pause()
        assert "no resources: docs did not start within 30 s." in app.screen_text()
        found[0] = ev.FilesFound(revision=0, server="docs", total=2, paths=("docs:file:///a.png",))
        await pilot.press("l")
        await pilot.pause()
        assert "2 resources of docs · Tab inserts the address" in app.screen_text()
        await pilot.press("tab")
        assert app.composer.text == "@docs:file:///a.png " and not app.link.of(cmd.CheckImage)
