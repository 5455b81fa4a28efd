"""What lies over the workspace: too small, keys, themes, palette, the activity (issue 3, 7, 10, "Bad input")."""

from __future__ import annotations

from textual.app import App
from textual.binding import Binding

from jp_tui.protocol import commands as cmd
from jp_tui.protocol import events as ev
from jp_tui.settings.themes import themes as plain
from jp_tui.ui import themes
from jp_tui.ui.keys.bindings import KeyRow, counted, declared, section, spelled
from jp_tui.ui.pages import Page, by_action
from jp_tui.ui.screens.keylist import KeyList, every_key
from jp_tui.ui.screens.picker import ThemePicker
from jp_tui.ui.screens.small import TooSmall
from jp_tui.ui.sidebar.sidebar import Sidebar
from jp_tui.ui.transcript.transcript import Transcript
from tests.fakes import scenes
from tests.fakes.link import FakeLink, opened
from tests.sampling import sampled
from tests.ui.app_host import Host, workspace


async def test_too_small_says_so_takes_no_key_and_gives_everything_back() -> None:
    async with workspace(say=scenes.tools()) as (app, pilot):
        await pilot.press(*"kept")
        await pilot.resize_terminal(59, 16)
        await pilot.pause()
        assert isinstance(app.screen, TooSmall)
        assert "59x16" in app.screen_text() and "60x16" in app.screen_text()
        await pilot.press("x", "enter", "escape")
        await app.says(pilot, *scenes.asked())
        await pilot.resize_terminal(40, 10)
        await pilot.pause()
        assert "40x10" in app.screen_text()
        await pilot.resize_terminal(60, 16)
        await pilot.pause()
        assert not isinstance(app.screen, TooSmall)
        assert app.composer.text == "kept" and app.focused is app.composer and not app.dock.open
        await app.passes(pilot, 1.1)
        assert app.dock.open


async def test_a_terminal_that_is_too_small_from_the_start() -> None:
    async with workspace(size=(30, 8)) as (app, pilot):
        assert isinstance(app.screen, TooSmall)
        await pilot.press("ctrl+c", "ctrl+c")
        await pilot.pause()
        assert app.link.of(cmd.Shutdown)


async def test_over_another_screen_it_goes_away_alone() -> None:
    async with workspace() as (app, pilot):
        await pilot.press("f1")
        await pilot.resize_terminal(50, 12)
        await pilot.pause()
        await pilot.resize_terminal(100, 30)
        await pilot.pause()
        assert isinstance(app.screen, KeyList)
        await pilot.press("escape")
        assert app.focused is app.composer


async def test_s52_an_empty_sidebar_is_closed_until_there_is_something_in_it() -> None:
    async with workspace() as (app, pilot):
        sidebar = app._main.query_one(Sidebar)
        assert not sidebar.display and app.composer.outer_size.width == 120
        await app.says(pilot, *scenes.tools())
        assert sidebar.display and sidebar.outer_size.width == 30
        await app.says(pilot, ev.TurnStarted(conversation="c1", turn=2, model="demo/tour"))
        assert sidebar.display, "it doesn't close between two turns"
        await app.says(pilot, opened(conversation="c2"))
        assert not sidebar.display


async def test_s52_the_user_can_open_an_empty_sidebar_and_the_setting_keeps_it_open() -> None:
    async with workspace() as (app, pilot):
        sidebar = app._main.query_one(Sidebar)
        await pilot.press("ctrl+b")
        assert sidebar.display
        await pilot.press("ctrl+b")
        assert not sidebar.display
    app = Host(FakeLink(), sidebar="show")
    async with app.run_test(size=(300, 50)) as pilot:
        await pilot.pause()
        sidebar = app._main.query_one(Sidebar)
        assert sidebar.display and sidebar.outer_size.width == 60


async def test_the_activity_stands_beside_from_100_columns_and_over_below() -> None:
    async with workspace(size=(100, 30), say=scenes.tools()) as (app, pilot):
        sidebar = app._main.query_one(Sidebar)
        assert sidebar.display and not sidebar.has_class("-over")
        await pilot.press("ctrl+b")
        await pilot.pause()
        assert not sidebar.display and app.composer.outer_size.width == 100
        await pilot.press("ctrl+b")
        await pilot.resize_terminal(99, 30)
        await pilot.pause()
        assert not sidebar.display
        await pilot.press("ctrl+b")
        await pilot.pause()
        assert sidebar.display and sidebar.has_class("-over") and app.composer.outer_size.width == 99
        assert "Esc close sidebar" in app.footer and "╭" in app.screen_text().splitlines()[1]
        await pilot.press("escape")
        assert not sidebar.display and app.focused is app.composer
        await pilot.resize_terminal(120, 30)
        await pilot.pause()
        assert sidebar.display


async def test_a_theme_is_worn_while_one_looks_and_given_back_by_escape() -> None:
    async with workspace(theme="jp-night") as (app, pilot):
        app.action_theme()
        await pilot.pause()
        assert isinstance(app.screen, ThemePicker)
        await pilot.press("down", "down")
        assert app.theme not in ("jp-night",)
        await pilot.press("escape")
        await pilot.pause()
        assert app.theme == "jp-night" and app.link.of(cmd.SetSetting) == []


async def test_enter_keeps_a_theme_and_writes_it_down() -> None:
    async with workspace(theme="jp-night") as (app, pilot):
        app.action_theme()
        await pilot.pause()
        await pilot.press("up", "enter")
        await pilot.pause()
        assert [(one.key, one.value) for one in app.link.of(cmd.SetSetting)] == [("ui.theme", app.theme)]
        assert app.theme != "jp-night" and app.focused is app.composer


async def test_every_theme_can_be_worn() -> None:
    """Also Textual's own, which lack our variables, and those of sixteen colours, which lack some of Textual's."""
    async with workspace(say=[*scenes.tools(), *scenes.asked()]) as (app, pilot):
        files = plain.names("/nonexistent")
        names = themes.choices(files)
        assert set(files) < set(names) and "textual-dark" in names
        for name in [*files, *sampled([name for name in names if name not in files], 4)]:
            assert app.user_files.apply_theme(name), name
            await pilot.pause()
            assert app.theme == name and app._exception is None


async def test_a_theme_file_that_cannot_be_read_is_said_and_changes_nothing(tmp_path: object) -> None:
    async with workspace() as (app, pilot):
        app.user_files.theme_files = {**app.user_files.theme_files, "broken": "/nonexistent/broken.toml"}
        assert not app.user_files.apply_theme("broken")
        await pilot.pause()
        assert app.theme == "jp-night" and "the file doesn't exist" in app.footer


async def test_a_theme_that_does_not_exist_is_no_reason_not_to_open() -> None:
    async with workspace(theme="nowhere") as (app, _):
        assert app.theme == "jp-night" and app.focused is app.composer


async def test_the_keys_screen_lists_what_is_declared_and_f1_closes_it_again() -> None:
    async with workspace() as (app, pilot):
        await pilot.press("f1")
        await pilot.pause()
        shown = app.screen_text()
        assert "Reading" in shown and "PgUp" in shown and "In the conversation" in shown
        await pilot.press("slash", *"new conversation")
        shown = app.screen_text()
        assert "/new" in shown and "PgUp  " not in shown
        await pilot.press("enter", "escape")
        await pilot.press("f1")
        await pilot.pause()
        assert app.focused is app.composer


def test_every_binding_of_ours_has_an_id_a_description_and_a_tooltip() -> None:
    from jp_tui.ui.screens.workspace import WorkspaceScreen
    from jp_tui.ui.transcript.interrupt_menu import InterruptMenu

    ids = []
    for place in (Host.__bases__[0], WorkspaceScreen, InterruptMenu):
        for binding in place.__dict__["BINDINGS"]:
            assert isinstance(binding, Binding) and binding.id and binding.description and binding.tooltip, binding
            ids.append(binding.id)
    assert len(set(ids)) == len(ids)


def test_sections_name_each_key_once_and_leave_none_out() -> None:
    sections = every_key(Host.__bases__[0])
    elsewhere = next(one for one in sections if one.task == "Looking elsewhere")
    assert elsewhere.title == "", "what works in all of the workspace comes first"
    shown = [row.keys for row in elsewhere.rows]
    assert shown == ["Ctrl+P", "F2", "F4", "F7", "F8", "F10", "F1", "Esc", "F3", "Ctrl+B"]
    assert {"In the composer", "In the interrupt menu", "In a question"} <= {section.title for section in sections}


def test_the_page_of_keys_has_every_sheet_and_all_its_keys() -> None:
    """Issue 5: a sheet that declares keys has its section; only texts are written with the composer's."""
    from jp_tui.ui.sheets import registry as kinds  # noqa: F401  # every sheet is known then
    from jp_tui.ui.sheets.area import AnswerArea
    from jp_tui.ui.sheets.sheet import Sheet

    listed = {section.title: section for section in every_key(Host.__bases__[0])}
    pages = {(row.keys, row.does) for section in listed.values() for row in section.rows}
    for kind in (Sheet, *AnswerArea.__subclasses__()):
        if "BINDINGS" in vars(kind):
            for row in counted(section(kind.__name__, declared(kind)).rows):
                assert (row.keys, row.does) in pages, f"{kind.__name__}: {row}"
    several = listed["In a multiple choice"].rows
    assert KeyRow("1 … 9", "Select by number", "") in several and any(row.keys == "Space" for row in several)
    named = ("When a tool asks to run", "When delivering a result", "In a form question", "In a change with hunks")
    assert {*named, "In a form review"} <= listed.keys()


def test_keys_as_people_write_them() -> None:
    assert [spelled(key) for key in ("ctrl+p", "shift+enter", "f1", "pageup", "y", "escape", "ctrl+underscore")] == [
        "Ctrl+P", "Shift+Enter", "F1", "PgUp", "y", "Esc", "Ctrl+_",
    ]  # fmt: skip


async def test_letters_that_the_conversation_uses_are_not_taken_for_typing() -> None:
    async with workspace(say=scenes.tools()) as (app, pilot):
        app._main.query_one(Transcript).focus()
        await pilot.press("n", "p", "k")
        assert app.composer.text == "" and app.focused is app._main.query_one(Transcript)
        await pilot.press("x")
        assert app.composer.text == "x" and app.focused is app.composer


async def test_the_last_line_shows_what_works_and_changes_with_the_focus() -> None:
    """E5."""
    async with workspace() as (app, pilot):
        assert app.footer == "Enter send  Ctrl+J new line  Ctrl+G editor  Ctrl+B sidebar  Ctrl+P palette  F1 keys"
        await app.says(pilot, *scenes.streaming())
        line = "Enter queue  Ctrl+J new line  Ctrl+G editor  Esc interrupt  Ctrl+B sidebar  Ctrl+P palette  F1 keys"
        assert app.footer == line
        await pilot.press("escape")
        await pilot.pause()
        assert "send" not in app.footer and "Esc continue" in app.footer


async def test_keys_of_the_last_line_can_be_clicked() -> None:
    """E60."""
    async with workspace() as (app, pilot):
        line = app.size.height - 1
        await pilot.click(offset=(app.screen_text().splitlines()[line].index("F1"), line))
        await pilot.pause()
        assert isinstance(app.screen, KeyList)


async def test_ctrl_c_closes_what_lies_over_the_workspace_and_twice_leaves() -> None:
    async with workspace() as (app, pilot):
        for key in ("ctrl+p", "f1"):
            await pilot.press(key)
            await pilot.pause()
            assert app.screen is not app._main
            app.time.now += 5
            await pilot.press("ctrl+c")
            await pilot.pause()
            assert app.screen is app._main and app.link.of(cmd.Shutdown) == []
        app.time.now += 5
        await pilot.press("f1", "ctrl+c", "ctrl+c")
        await pilot.pause()
        assert app.link.of(cmd.Shutdown)


async def test_the_palette_has_our_commands_and_only_working_ones() -> None:
    async with workspace() as (app, _):
        assert [entry.title for entry in by_action()] == [
            "New conversation", "Conversations", "Ledger", "Rules", "MCP servers", "Inquiries", "Compact", "Changes",
            "Undo", "Inbox",
            "Agents", "Reviewers", "Decide yourself", "Interrupt", "Sidebar", "Theme", "Model", "Agent", "Plan mode",
            "Approval mode",
            "Context", "Usage", "Settings", "Setup", "Trust", "Help", "Quit",
        ]  # fmt: skip
        for entry in by_action():
            assert callable(entry.opener() if isinstance(entry, Page) else getattr(app, f"action_{entry.action}"))
        app.action_new()
        assert [one.which for one in app.link.of(cmd.OpenConversation)] == ["new", "new"]


def test_suspending_comes_before_the_text_fields_undo_and_the_palette_does_not_come_before_a_list() -> None:
    """T26; asking.md, Keys."""
    bindings = {binding.action: binding for binding in Host.__bases__[0].__dict__["BINDINGS"]}
    assert bindings["suspend_process"].priority and not bindings["command_palette"].priority
    assert App.action_suspend_process


async def test_tab_leads_to_the_conversation_first_then_to_the_activity_and_back() -> None:
    """E60: the lines of the trail are one key away; a sheet keeps Tab to itself (R245)."""
    async with workspace(say=scenes.tools()) as (app, pilot):
        seen = []
        for _ in range(3):
            await pilot.press("tab")
            seen.append(app.focused.id if app.focused else "")
        assert seen == ["transcript", "sidebar", "composer"]
        await pilot.press("tab", "tab", "shift+tab")
        assert app.focused is app._main.query_one(Transcript)
        await pilot.press("shift+tab", "shift+tab")  # in the composer it changes the mode
        assert app.focused is app._main.composer and app.link.sent[-1] == cmd.SetApprovalMode(
            conversation="c1", mode="edits"
        )
        await app.says(
            pilot, ev.ApprovalModeSet(conversation="c1", mode="edits", chosen="unattended", why="No sandbox.")
        )
        await pilot.press("shift+tab")
        assert app.link.sent[-1] == cmd.SetApprovalMode(conversation="c1", mode="ask")
        shown = app.screen_text()
        assert "edits allowed" in shown.split("\n")[0] and "Mode edits allowed. No sandbox." in shown
        await app.says(pilot, *scenes.asked())
        await app.passes(pilot, 2.0)
        assert app.dock.open and not app.check_action("open", ("ledger",))
        await pilot.press("f7")
        await pilot.pause()
        assert app.screen is app._main
