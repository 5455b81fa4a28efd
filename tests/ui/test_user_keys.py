"""The user's own keys (surface.md S10; issue 8, line 4): what holds, what is refused, in words with its place, and
that they are the user's wherever they are heard or shown."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from textual import events
from textual.screen import ModalScreen

from jp_tui.ui.app import WorkspaceApp
from jp_tui.ui.keys import scopes, user_keys
from jp_tui.ui.keys.user_keys import KeyTable
from jp_tui.ui.screens.keylist import KeyList, every_key, matching
from jp_tui.ui.sidebar.sidebar import Sidebar
from jp_tui.ui.transcript.banner import Banner
from jp_tui.ui.user_files import UserPaths
from tests.fakes import scenes
from tests.fakes.link import FakeLink
from tests.house.sources import ROOT
from tests.ui.app_host import Host, opened


@pytest.fixture(scope="module")
def table() -> KeyTable:
    return scopes.table(WorkspaceApp)


def of(tmp_path: Path, text: str, table: KeyTable) -> tuple[dict[str, str], list[str]]:
    file = tmp_path / "keys.toml"
    file.write_text(text)
    wishes, wrong = user_keys.read_keys(str(file))
    made, clashes = user_keys.make_keymap(wishes, table)
    return made, [one.words().removeprefix(f"{file}:") for one in (*wrong, *clashes)]


@pytest.mark.parametrize(
    ("written", "key"),
    [
        ("Ctrl+B", "ctrl+b"), ("shift+ctrl+P", "ctrl+shift+p"), ("PgUp", "pageup"), ("esc", "escape"),
        ("?", "question_mark"),
        ("shift+g", "G"), ("F12", "f12"), ("alt+Enter", "alt+enter"), ("/", "slash"), ("ctrl++", "ctrl+plus"),
        ("space", "space"), ("left_curly_bracket", "left_curly_bracket"),
    ],
)  # fmt: skip
def test_a_key_is_understood_however_it_is_written(written: str, key: str) -> None:
    assert user_keys.parse_key(written) == key


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[workspace]\nfold = 3", '2:1: workspace.fold: expected a key like "ctrl+b", or several'),
        ("[workspace]\nfold = []", "expected a key"),
        ("[workspace]\nfold = 'ctrl+pgupp'", 'no key "ctrl+pgupp". Did you mean pageup?'),
        ("[workspace]\nfold = 'crtl+b'", 'no modifier "crtl". Did you mean ctrl?'),
        ("[workspace]\nfold = 'ctrl+c'", "Ctrl+C always copies, interrupts and quits"),
        ("[workspace]\nfold = 'ctrl+i'", "is the same as Tab in most terminals"),
        (
            "[workspace]\nfodl = 'f11'",
            "2:1: workspace.fodl: isn't an action. Press F1 or / for names. Did you",
        ),
        ("[workspace]\nfold = 'x'", '"x" types text in the composer. Add Ctrl or Alt, or use a function key'),
        ("[workspace]\nfold = 'f1'", "F1 is already used for app.keys (keys), in the composer"),
        (
            "[workspace]\nfold = 'ctrl+u'",
            "Ctrl+U is already used for edit.delete-start (delete to the start of the line)",
        ),
        ("[edit]\nundo = 'ctrl+g'", "Ctrl+G is already used for composer.editor"),
        ("[edit]\nundo = 'ctrl+s'", "Ctrl+S sends the answer in a text field of a question"),
        ("[sheet]\nyes = 'j'", "sheet.yes: is fixed: it answers questions"),
        ("[interrupt]\ntake = 'f11'", "interrupt.take: is fixed"),
        ("[workspace]\nbreak = 'f11'", "workspace.break: is fixed: Ctrl+C always"),
        ("[dock]\nfold = 'f11'", "dock.fold: uses the keys of workspace.fold. Set that instead."),
        (
            "[workspace]\nfold = 'f11'\nnext = 'f11'",
            "3:1: workspace.next: F11 is already used for workspace.fold (question)",
        ),
        ("[workspace\n", "1:"),
    ],
)
def test_what_cannot_be_is_said_with_its_place(tmp_path: Path, table: KeyTable, text: str, said: str) -> None:
    made, problems = of(tmp_path, text, table)
    assert len(problems) == 1 and said in problems[0], problems
    if "next" not in text:
        assert made == {}


def test_the_rest_holds_and_two_may_swap(tmp_path: Path, table: KeyTable) -> None:
    made, problems = of(
        tmp_path, "[workspace]\nfold = 'ctrl+t'\nnext = 'ctrl+o'\nsidebar = ['F11', 'ctrl+b']\nnope = 'f5'", table
    )
    assert (made["workspace.fold"], made["workspace.next"]) == ("ctrl+t", "ctrl+o")
    assert (made["dock.fold"], made["dock.next"]) == ("ctrl+t", "ctrl+o"), "an open question is folded by the same key"
    assert made["workspace.sidebar"] == "f11,ctrl+b" and len(problems) == 1


def test_what_shares_a_key_keeps_it_when_one_of_them_gets_another(tmp_path: Path, table: KeyTable) -> None:
    """Textual drops all bindings of a key when one of them moves: the others' are said again."""
    made, problems = of(tmp_path, "[workspace]\nhome = 'f11'", table)
    assert not problems and made["workspace.home"] == "f11"
    assert {made[f"workspace.{name}"] for name in ("interrupt", "menu", "close")} == {"escape"}


def test_every_id_means_the_same_keys_wherever_it_is_declared(table: KeyTable) -> None:
    """Else setting it again would change a class that the user did not mean."""
    for kind in {kind for scope in table.scopes for kind in scope.kinds}:
        here: dict[str, set[str]] = {}
        for binding in user_keys.bindings_of(kind):
            if binding.id and binding.id.partition(".")[0] not in user_keys.FIXED:
                here.setdefault(binding.id, set()).add(binding.key)
        assert all(keys == set(table.declared[id]) for id, keys in here.items()), (kind, here)


def test_every_key_of_a_screen_or_sheet_can_be_named_and_is_on_the_page(table: KeyTable) -> None:
    """What declares keys is a place with a title; the page of keys is made from these."""
    on_page = {kind for _, kind in scopes.titled(WorkspaceApp)}
    for title, kind in scopes.screens():
        assert issubclass(kind, ModalScreen) and title and kind in on_page
        assert all(one.id for one in kind._merged_bindings.key_to_bindings.values() for one in one), kind  # type: ignore[union-attr]
    import jp_tui.ui.sheets.registry  # noqa: F401
    from jp_tui.ui.sheets.area import AnswerArea

    def below(kind: type) -> set[type]:
        return {kind}.union(*map(below, kind.__subclasses__()))

    declaring = {kind for kind in below(AnswerArea) if vars(kind).get("BINDINGS")}
    assert declaring and declaring <= on_page


def test_the_example_names_real_actions_with_their_real_keys(tmp_path: Path, table: KeyTable) -> None:
    shown = (ROOT / "config" / "examples" / "keys.toml").read_text()
    lines = [line[2:] for line in shown.splitlines() if line.startswith("# ") and ('= "' in line or line[2:3] == "[")]
    tree = tomllib.loads("\n".join(lines))
    for section, rows in tree.items():
        for name, keys in rows.items():
            assert set(map(user_keys.parse_key, keys.split(","))) == set(table.declared[f"{section}.{name}"]), (
                section,
                name,
            )
    made, problems = of(tmp_path, "\n".join(lines), table)
    assert problems == [] and made


def test_the_page_of_keys_says_the_users_and_can_be_searched() -> None:
    sections = every_key(WorkspaceApp, keymap={"workspace.sidebar": "f11,f12"})
    row = next(row for one in sections for row in one.rows if row.does == "sidebar")
    assert row.keys == "F11  F12"
    assert [row.keys for one in matching(sections, "sidebar F12") for row in one.rows] == ["F11  F12"]
    assert matching(sections, "no such key") == []


async def test_the_users_keys_work_are_shown_and_are_read_again(tmp_path: Path) -> None:
    file = tmp_path / "keys.toml"
    file.write_text("[workspace]\nsidebar = 'f11'\nfold = 'f12'\n[composer]\neditor = 'x'\n[edit]\nundo = 'alt+z'\n")
    app = Host(FakeLink())
    app.user_files.paths = UserPaths(keys_file=str(file))
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(app, pilot)
        for _ in range(500):
            if app._keymap:
                break
            await pilot.pause(0.01)
        await app.says(pilot, *scenes.tools(), *scenes.asked())
        await app.passes(pilot, 1.1)
        assert 'keys.toml:5:1: composer.editor: "x" types' in app._main.query_one(Banner).refusal[0]
        assert app.dock.open and "Ctrl+O" not in app.screen_text()
        sheet = app.dock.shown()
        assert sheet is not None
        sheet.open_menu("do fold")
        row = next(row for row in sheet.menu.list.rows if row.id == "do fold")
        assert row.detail is not None and "(F12)" in row.detail.plain
        sheet.turn("answer")
        await pilot.press("ctrl+o")
        assert app.dock.open
        await pilot.press("f12")
        assert not app.dock.open and "F12 opens" in app.screen_text() and "F12 question" in app.footer
        sidebar = app._main.query_one(Sidebar)
        before = sidebar.display
        await pilot.press("ctrl+b")
        assert sidebar.display is before
        await pilot.press("f11")
        assert sidebar.display is not before
        await pilot.press(*"abc", "alt+z")
        assert app.composer.text == ""
        now = sidebar.display
        file.write_text("[workspace]\nsidebar = 'f11'\n")
        app.post_message(events.AppFocus())
        await pilot.pause()
        await pilot.press("f11")
        assert sidebar.display is not now and app.user_files.key_problems == ()
        await pilot.press("f1")
        assert isinstance(app.screen, KeyList)
        await pilot.press("slash", *"sidebar")
        assert "F11" in app.screen_text() and "Ctrl+Q" not in app.screen_text()
        assert "workspace.sidebar" in app.screen_text(), "the name by which it is set"
