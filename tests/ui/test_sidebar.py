"""How the activity, the status line and the last line are cut to the room they have (issue 3, 7; T2, E50)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from rich.cells import cell_len
from textual.app import App, ComposeResult
from textual.content import Content
from textual.events import MouseScrollDown
from textual.geometry import Region

from jp_tui.conversation.text import Foreign
from jp_tui.ui.sidebar.line_view import MOST, LineView
from jp_tui.ui.sidebar.sidebar import Sidebar, painted
from jp_tui.ui.text import ours
from jp_tui.ui.widgets.status import line
from jp_tui.view.activity.lines import ActivityLine
from jp_tui.view.activity.status import Status
from tests.fakes import scenes
from tests.ui.app_host import until, workspace

HOSTILE = Foreign("[/]\x1b[31m[@click=app.quit]x[/]\u202ey")


def test_a_call_is_one_line_with_its_duration_at_the_edge() -> None:
    found = painted(ActivityLine(role="good", sign="✓", text=Foreign("fs_read_file"), right="38 ms"), 30).plain
    assert found == "✓ fs_read_file           38 ms" and len(found) == 30


@pytest.mark.parametrize("width", [12, 20, 35, 60])
def test_no_line_is_wider_than_the_sidebar(width: int) -> None:
    wide = Foreign("日本語のとても長いツール名とその説明")
    for role in ("good", "question", "heading"):
        for depth in (0, 1, 2):
            found = painted(ActivityLine(role=role, sign="✓", text=wide, aside=wide, right="9.3 s", depth=depth), width)  # type: ignore[arg-type]
            assert max(map(cell_len, found.plain.split("\n"))) <= max(width, 2 * depth + 8)


def test_a_path_is_cut_from_the_left_so_that_the_file_stays() -> None:
    found = painted(
        ActivityLine(role="good", sign="✓", text=Foreign("read"), aside=Foreign("a/bb/c/notes.md")), 21
    ).plain
    assert found == "✓ read …/c/notes.md"


def test_a_reason_is_quoted_and_wrapped_and_ends() -> None:
    found = painted(ActivityLine(role="reason", text=Foreign("word " * 200), depth=1), 30).plain.split("\n")
    assert len(found) == 6 and found[0].startswith("  “word") and all(len(row) <= 30 for row in found)


def test_a_long_question_takes_two_rows_and_says_who_asks() -> None:
    asks = ActivityLine(
        role="waiting", sign="▌", text=Foreign("Apply this change to src/teatimer/brew.py?"), aside=Foreign("me")
    )
    assert painted(asks, 24).plain.split("\n") == ["▌ Apply this change to", "▌ src/teatimer/brew.py?", "▌ me"]
    short = ActivityLine(role="waiting", sign="▌", text=Foreign("Apply this change?"), aside=Foreign("mole › rm"))
    assert painted(short, 24).plain.split("\n") == ["▌ Apply this change?", "▌ mole › rm"]
    nested = ActivityLine(role="question", sign="└", text=Foreign("one two three four five six seven"), depth=1)
    assert painted(nested, 16).plain.split("\n") == ["  └ one two", "    three four…"]


async def test_what_a_tool_or_a_model_says_shows_as_it_is() -> None:
    """T1, T2."""
    asks = scenes.prompt("text")
    asks = asks.model_copy(update={"question": scenes.question("text").__class__(
        id="x", text=HOSTILE.raw, answer_type=asks.question.answer_type
    ), "source_name": HOSTILE.raw})  # fmt: skip
    state, question = scenes.asked("text")[1:]
    question = question.model_copy(update={"prompt": asks})
    hostile = scenes.call("grep", "running").model_copy(update={"tool": HOSTILE.raw, "title": HOSTILE})
    async with workspace(say=[*scenes.started(), hostile, state, question]) as (app, _):
        shown = app.screen_text()
        assert "[@click=app.quit]" in shown and "\x1b" not in shown and app.return_code is None


async def test_it_scrolls_when_there_is_more_than_fits() -> None:
    calls = [scenes.call(f"tool_{n}", "completed", id_=f"c{n}", ms=1, end="ok") for n in range(60)]
    async with workspace(say=[*scenes.started(), *calls]) as (app, pilot):
        sidebar = app._main.query_one(Sidebar)
        assert "tool_0 " in app.screen_text() and "tool_59" not in app.screen_text()
        sidebar.focus()
        await pilot.press("end")
        for _ in range(100):
            await pilot.pause(0.01)
            if "tool_59" in app.screen_text():
                break
        assert "tool_59" in app.screen_text()


STATUS = Status(
    workspace="/home/ada/code/a-rather-long-name/of/acme",
    home="/home/ada",
    title=Foreign("A conversation about cross-references in the knowledge base"),
    model="anthropic/claude-sonnet-4-5",
    tokens_in=12_400,
    tokens_out=812,
    waiting=("one", "two"),
    working=True,
    phase="streaming",
)


@pytest.mark.parametrize("width", range(10, 200, 7))
def test_the_status_line_fits_and_what_waits_is_never_cut(width: int) -> None:
    """E50."""
    for mode in ("", "unattended"):
        found = line(replace(STATUS, mode=mode), 0.0, width).plain
        assert cell_len(found) <= max(width, len("2 waiting for you"))
        assert "2 waiting for you" in found
        assert ("unattended in the sandbox" in found) == (bool(mode) and width >= 45)  # AR30


def test_what_is_left_out_leaves_its_room_to_the_title() -> None:
    """With a long name of a model, half of a line of 80 stood empty beside nine letters of a title."""
    child = replace(STATUS, model="demo//a/script/at/some/place/that/is/long.toml", tokens_in=0, tokens_out=0, phase="")
    shown = line(child, 0.0, 80).plain
    assert cell_len(shown) == 80 and "A conversation about cross-" in shown and "…" in shown


def test_the_status_line_says_everything_where_there_is_room() -> None:
    assert line(STATUS, 0.0, 220).plain == (
        "jp  ~/code/a-rather-long-name/of/acme · A conversation about cross-references in the knowledge base · "
        "anthropic/claude-sonnet-4-5 · 12.4k in · 812 out · model is writing · 2 waiting for you"
    )
    assert line(Status(workspace="/srv/x"), 0.0, 80).plain == "jp  /srv/x"


async def test_lines_are_laid_out_anew_when_a_scroll_bar_comes() -> None:
    """It takes a column: what stood at the right edge must not break."""
    calls = [scenes.call(f"tool_{n}", "completed", id_=f"c{n}", ms=1000, end="ok") for n in range(20)]
    async with workspace(say=[*scenes.started(), *calls], size=(120, 16)) as (app, pilot):
        await pilot.pause()
        side = app._main.query_one(Sidebar).region.x
        rows = [line[side:] for line in app.screen_text().split("\n") if "tool_" in line[side:]]
        assert len(rows) > 5 and all("1.0 s" in row for row in rows)


async def test_a_line_that_changes_is_painted_alone_and_no_layout_is_asked_for() -> None:
    """Issue 7, "Reliability": fifty sub-agents at work change it many times a second."""
    calls = [scenes.call(f"tool_{n}", "queued", id_=f"c{n}") for n in range(60)]
    async with workspace(say=[*scenes.started(), *calls]) as (app, pilot):
        view = app._main.query_one(LineView)
        await until(pilot, lambda: view.total > 60)
        before, laid_out = [*view.render_lines(Region(0, 0, *view.size))], []
        app._main.screen_layout_refresh_signal.subscribe(view, laid_out.append)
        await app.says(pilot, scenes.call("tool_3", "completed", id_="c3", ms=1, end="ok"))
        await until(pilot, lambda: "✓ tool_3" in app.screen_text())
        after = view.render_lines(Region(0, 0, *view.size))
        changed = [y for y, (old, new) in enumerate(zip(before, after, strict=True)) if old is not new]
        assert len(changed) == 1 and "✓ tool_3" in after[changed[0]].text
        rows = view.total
        await app.says(pilot, scenes.call("tool_60", "queued", id_="c60"))
        await until(pilot, lambda: view.total == rows + 1)
        assert laid_out == [], "one more row is no other room"


async def test_it_is_scrolled_by_the_wheel_and_by_its_bar_and_keeps_what_is_selected() -> None:
    calls = [scenes.call(f"tool_{n}", "completed", id_=f"c{n}", ms=1, end="ok") for n in range(60)]
    async with workspace(say=[*scenes.started(), *calls], size=(120, 36)) as (app, pilot):
        view = app._main.query_one(LineView)
        right, bottom = view.size.width - 1, view.size.height - 1
        await pilot._post_mouse_events([MouseScrollDown], widget=view, offset=(3, 3), button=0)
        assert view.top == 2
        await pilot.click(view, offset=(right, bottom))
        assert view.top == 2 + view.size.height or view.top == view.total - view.size.height, "a page"
        await pilot.mouse_down(view, offset=(right, bottom))
        await pilot.mouse_up(view, offset=(right, bottom))
        top = view.top
        await pilot.mouse_down(view, offset=(4, 0))
        await pilot.hover(view, offset=(9, 1))
        await pilot.mouse_up(view, offset=(9, 1))
        said = app._main.get_selected_text()
        assert said is not None and f"tool_{top - 3}"[2:] in said and "\n" in said
        app._main.query_one(Sidebar).focus()
        await pilot.press("home")
        assert view.top == 0 and app._main.get_selected_text() == said


async def test_lines_of_long_ago_are_let_go_and_those_in_sight_are_not_painted_again() -> None:
    """Issue 9, "a day of work": each duration that was shown made a line of its own."""
    asked: list[object] = []

    def made(width: int) -> list[object]:
        return ["first", *(f"{turn[0]} {row}" for row in range(9))]

    def shown(row: object, width: int) -> Content:
        asked.append(row)
        return ours("x").pad_right(width - 1)

    class Lines(App[None]):
        def compose(self) -> ComposeResult:
            yield LineView(make=made, paint=shown)

    app, turn = Lines(), [0]
    async with app.run_test(size=(40, 12)):
        view = app.query_one(LineView)
        for turn[0] in range(MOST):
            view.again()
            view.render_lines(Region(0, 0, *view.size))
            assert len(view._strips) <= MOST + view.size.height
        assert asked.count("first") == 1 and len(asked) == 9 * MOST + 1


async def test_where_nothing_scrolls_its_keys_are_the_workspaces() -> None:
    """E1: the conversation pages."""
    async with workspace(say=scenes.tools()) as (app, pilot):
        app._main.query_one(Sidebar).focus()
        paged: list[int] = []

        def page(step: int) -> None:
            paged.append(step)

        app._main.action_page = page  # type: ignore[method-assign]
        await pilot.press("pagedown", "pageup")
        assert paged == [1, -1]
