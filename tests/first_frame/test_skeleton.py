"""The guardian's skeleton is the workspace's first frame, cell by cell, at any size, dark and light (designs.md A)."""

from __future__ import annotations

import os
from io import StringIO
from pathlib import Path
from typing import Literal

import pyte
import pytest
from rich.console import Console

from jp_tui.first_frame import saved_look as looks
from jp_tui.first_frame.saved_look import DEFAULT, Look, chosen, file_of, parse, read_own, terminal_key
from jp_tui.first_frame.skeleton import BEGIN, LEAST, WIDE, SkeletonContext, frame, painted, room
from jp_tui.first_frame.skeleton import line as typed_line
from jp_tui.ui import ascii_signs
from jp_tui.ui.capture import keep, look_of
from jp_tui.ui.screens.small import LEAST as SMALLEST
from jp_tui.ui.screens.workspace import WIDE as BESIDE
from jp_tui.ui.textual_patches import output_gate
from jp_tui.ui.widgets.footer import KeyBar
from tests.fakes.link import FakeLink
from tests.ui.app_host import Host

SIZES = ((80, 24), (120, 36), (200, 50))
EDGES = ((60, 16), (99, 30), (100, 30))


class First(Host):
    """The workspace before there is an engine."""

    def _start_engine(self) -> None:
        pass


Cell = tuple[str, str, str, bool]


def cells(screen: pyte.Screen, rows: list[int]) -> list[list[Cell]]:
    """What is seen: of a blank only its ground."""
    found = []
    for y in rows:
        row = [screen.buffer[y][x] for x in range(screen.columns)]
        found.append([(one.data, one.fg if one.data != " " else "", one.bg, one.bold) for one in row])
    return found


def shown(size: tuple[int, int], text: str) -> pyte.Screen:
    screen = pyte.Screen(*size)
    pyte.Stream(screen).feed(text)
    return screen


def as_painted(app: Host) -> str:
    """The whole screen as it goes to the terminal."""
    strips = app.screen._compositor.render_strips()
    for segment in (segment for strip in strips for segment in strip if segment.style is not None):
        segment.style._ansi = None  # a style keeps how it was written first, by another test's console
    return "\x1b[?7l" + "".join(f"\x1b[{y + 1};1H{strip.render(app.console)}" for y, strip in enumerate(strips))


async def looked(theme: str, size: tuple[int, int], sidebar: Sidebar = "auto") -> tuple[Look | None, str]:
    """The look that is kept, and the first frame as it is painted; each is looked at once."""
    if (theme, size, sidebar) not in _LOOKED:
        _LOOKED[theme, size, sidebar] = await _looked(theme, size, sidebar)
    look, painted_ = _LOOKED[theme, size, sidebar]
    return None if look is None else parse(look.written()), painted_


Sidebar = Literal["auto", "show"]
_LOOKED: dict[tuple[str, tuple[int, int], str], tuple[Look | None, str]] = {}


async def _looked(theme: str, size: tuple[int, int], sidebar: Sidebar) -> tuple[Look | None, str]:
    app = First(FakeLink(), theme=theme, sidebar=sidebar)
    app.console = Console(color_system="truecolor", force_terminal=True, file=StringIO(), width=size[0])
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        look = look_of(app._main, app._main.query_one(KeyBar).parts())
        return look, as_painted(app)


CASES = [(theme, size) for theme in ("jp-night", "jp-day") for size in SIZES] + [("jp-night", size) for size in EDGES]


WITH_SIDEBAR = [("jp-night", (100, 30)), ("jp-day", (200, 50)), ("jp-night", (300, 50))]


@pytest.mark.parametrize(
    ("theme", "size", "sidebar"),
    [*((*one, "auto") for one in CASES), *((*one, "show") for one in WITH_SIDEBAR)],
    ids=str,
)
async def test_the_skeleton_is_the_first_frame(theme: str, size: tuple[int, int], sidebar: Sidebar) -> None:
    """With the look of another size, as it is when a terminal was resized between two runs."""
    look, _ = await looked(theme, (120, 36), sidebar)
    assert look is not None
    _, real = await looked(theme, size, sidebar)
    look.place = "/here"
    look.folders = ["~/code/acme"]
    drawn = frame(look, SkeletonContext("/here"), "", 0, *size)
    rows = list(range(size[1]))
    mine, theirs = cells(shown(size, BEGIN + drawn), rows), cells(shown(size, real), rows)
    for y in rows:
        assert mine[y] == theirs[y], f"row {y}"


@pytest.mark.parametrize("size", [(80, 24), (120, 36)], ids=str)
@pytest.mark.parametrize(("text", "cursor"), [("hello", 0), ("日本 x", 1), ("ends ", 5)])
async def test_what_is_typed_looks_as_in_the_composer(size: tuple[int, int], text: str, cursor: int) -> None:
    look, _ = await looked("jp-night", size)
    assert look is not None
    app = First(FakeLink())
    app.console = Console(color_system="truecolor", force_terminal=True, file=StringIO(), width=size[0])
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        assert app.composer.typed_ahead(text, cursor)
        assert not app.composer.typed_ahead(text, cursor)
        await pilot.pause()
        real = as_painted(app)
    drawn = frame(look, SkeletonContext(), "", 0, *size) + painted(look, typed_line(look, text, cursor, *size))
    rows = [size[1] - 4, size[1] - 3, size[1] - 2]
    assert cells(shown(size, drawn), rows) == cells(shown(size, real), rows)


async def test_the_default_look_is_that_of_the_default_theme() -> None:
    look, _ = await looked("jp-night", (120, 36))
    default = parse(DEFAULT)
    assert look is not None and default is not None
    assert look.colours == default.colours
    assert (look.keys, look.signs, look.hint, look.side) == (default.keys, default.signs, default.hint, default.side)


async def test_a_text_that_fills_its_room_stays_on_one_line() -> None:
    look, _ = await looked("jp-night", (80, 24))
    assert look is not None
    app = First(FakeLink())
    async with app.run_test(size=(80, 24)) as pilot:
        app.composer.typed_ahead("word " * 20 + "x" * 80, 0)
        app.composer.typed_ahead(("word " * 20)[: room(look, 80)], 3)
        await pilot.pause()
        assert app.composer.region.height == 3


async def test_nothing_is_kept_of_a_screen_that_the_skeleton_cannot_draw() -> None:
    app = First(FakeLink())
    app.console = Console(color_system="truecolor", force_terminal=True, file=StringIO(), width=120)
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.pause()
        assert look_of(app._main, None) is not None
        await pilot.press("a")
        assert look_of(app._main, None) is None
        await pilot.press("backspace")
        app._main.set_focus(None)
        await pilot.pause()
        assert not app.composer.has_focus and look_of(app._main, None) is None


async def test_a_screen_without_a_sidebar_knows_its_colours() -> None:
    wide, _ = await looked("jp-day", (120, 36))
    narrow, _ = await looked("jp-day", (80, 24))
    assert wide is not None and narrow is not None
    assert (wide.colours, wide.signs) == (narrow.colours, narrow.signs)


async def test_ascii_signs_stay_ascii() -> None:
    output_gate.only_ascii(True)
    try:
        app = First(FakeLink())
        async with app.run_test(size=(120, 36)) as pilot:
            await pilot.pause()
            output_gate.only_ascii(True)
            look = look_of(app._main, None)
    finally:
        output_gate.only_ascii(False)
    assert look is not None and look.signs.isascii() and ascii_signs.ascii_text(look.hint) == look.hint


async def test_a_second_message_typed_ahead_is_kept_before_what_follows() -> None:
    """Enter twice in one burst, before there is a conversation: nothing is lost."""
    app = First(FakeLink())
    async with app.run_test(size=(80, 24)) as pilot:
        app.burst("a", "enter", "b", "enter", "c")
        await pilot.pause()
        await pilot.pause()
        assert (app._main._first_prompt or "a", app.composer.text) == ("a", "b\nc")


def test_sizes_are_the_workspaces() -> None:
    assert (WIDE, LEAST) == (BESIDE, SMALLEST)


def environment(folder: Path, **more: str) -> dict[bytes, bytes]:
    said = {"JP_TUI_HOME": str(folder), "TERM": "xterm-256color", "COLORTERM": "truecolor", **more}
    return {name.encode(): value.encode() for name, value in said.items()}


def written(folder: Path, data: bytes) -> Path:
    (folder / "state").mkdir(exist_ok=True)
    file = folder / "state" / "first-frame"
    file.write_bytes(data)
    return file


@pytest.mark.parametrize(
    "data",
    [
        b"", b"\0" * 100, b"\xff\xfe", DEFAULT.encode()[:200], b"x" * 100_000, DEFAULT.encode() * 4,
        DEFAULT.replace("48;2;16;18;27", "0m\x1b]0;pwned\x07").encode(), DEFAULT.replace("Ask", "\x1b[2J").encode(),
        DEFAULT.replace("Ask", "\u202e").encode(), DEFAULT.replace("beside\t38", "beside\t-5").encode(),
        DEFAULT.replace("beside\t38", "beside\t9999999").encode(),
        DEFAULT.replace("send\t4", "send\t" + "9" * 5000).encode(),
        DEFAULT.replace("╭", "\x9b").encode(), DEFAULT.replace("48;2;22;24;35", "48;2;22;24;35" * 90).encode(),
        DEFAULT.replace("keys\tF1", "keys\t" + "K" * 400).encode(), (DEFAULT + "keys\ta\tb\t1\n" * 400).encode(),
        DEFAULT.replace("frame", "fame").encode(), (DEFAULT + "unknown\tx\n").encode(),
        (DEFAULT + "terminal\t" + terminal_key({}) + "\nsigns\t日\n").encode(),
    ],
)  # fmt: skip
def test_a_hostile_file_is_no_look(tmp_path: Path, data: bytes) -> None:
    written(tmp_path, data)
    assert chosen(environment(tmp_path), "") is None


def test_what_is_no_plain_file_of_ours_is_not_read(tmp_path: Path) -> None:
    """Neither a link, nor a folder, nor a pipe that nobody writes to."""
    good = written(tmp_path, DEFAULT.encode())
    assert read_own(str(good).encode(), looks.MOST)[1] is not None
    (tmp_path / "link").symlink_to(good)
    os.mkfifo(tmp_path / "pipe")
    for name in ("link", "pipe", "state"):
        assert read_own(str(tmp_path / name).encode(), looks.MOST) == (True, None)
    assert read_own(str(tmp_path / "none").encode(), 9) == (False, None) == read_own(b"", 9) == read_own(b"a\0b", 9)


def test_a_look_holds_for_its_terminal_only(tmp_path: Path) -> None:
    here = environment(tmp_path)
    look = parse(DEFAULT)
    assert look is not None
    look.terminal = terminal_key(here)
    written(tmp_path, look.written().encode())
    found = chosen(here, "")
    assert found is not None and found.written() == look.written()
    for more in ({"TERM": "dumb"}, {"NO_COLOR": "1"}, {"COLORTERM": ""}, {"JP_TUI_UI__THEME": "x"}, {"LC_ALL": "C"}):
        assert chosen(environment(tmp_path, **more), "") is None, more


def test_without_a_file_only_where_colours_are_sure(tmp_path: Path) -> None:
    assert chosen(environment(tmp_path), "") is not None
    assert chosen(environment(tmp_path), "jp-night") is not None
    assert chosen(environment(tmp_path), "jp-day") is None
    assert chosen(environment(tmp_path), "../../etc/passwd") is None
    for more in ({"TERM": "linux"}, {"NO_COLOR": ""}, {"COLORTERM": "yes"}, {"LANG": "C"}, {"JP_TUI_UI__ASCII": "a"}):
        assert chosen(environment(tmp_path, **more), "") is None, more


def test_where_it_stands() -> None:
    assert file_of({b"JP_TUI_HOME": b"/x"}, "") == b"/x/state/first-frame"
    assert file_of({b"JP_TUI_HOME": b"~/x", b"HOME": b"/h"}, "") == b"/h/x/state/first-frame"
    assert file_of({b"HOME": b"/h"}, "jp-day") == b"/h/.local/state/jp-tui/first-frame.jp-day"
    assert file_of({b"HOME": b"/h", b"XDG_STATE_HOME": b"/s"}, "") == b"/s/jp-tui/first-frame"
    assert file_of({}, "") == file_of({b"HOME": b"/h"}, "../x") == file_of({b"HOME": b"/h"}, "x" * 50) == b""


def test_it_is_kept_as_a_private_file_and_only_when_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JP_TUI_HOME", str(tmp_path))
    look = parse(DEFAULT)
    assert look is not None
    keep(look, "")  # there is no folder: nothing happens
    (tmp_path / "state").mkdir()
    keep(look, "")
    file = tmp_path / "state" / "first-frame"
    assert file.stat().st_mode & 0o777 == 0o600 and [one.name for one in file.parent.iterdir()] == ["first-frame"]
    first = file.stat().st_ino
    keep(look, "")
    assert file.stat().st_ino == first
    look.side = 0
    keep(look, "")
    assert parse(file.read_text()).side == 0  # type: ignore[union-attr]
    assert len(file.read_bytes()) * 4 < looks.MOST
