"""Terminals that have only ASCII, or only sixteen colours, or none (issue 8, line 5): nothing of ours needs more."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from rich.cells import cell_len
from rich.console import Console

from jp_tui.ui.ascii_signs import ascii_of, ascii_text, wanted
from jp_tui.ui.textual_patches import output_gate
from tests.house.sources import ours
from tests.ui.test_app_pictures import SCENES, host, steps


@pytest.fixture
def ascii_only() -> Iterator[None]:
    output_gate.only_ascii(True)
    yield
    output_gate.only_ascii(False)


@pytest.mark.parametrize(
    ("choice", "environment", "yes"),
    [
        ("auto", {}, False), ("auto", {"LANG": "de_AT.UTF-8"}, False), ("auto", {"LANG": "C.utf8"}, False),
        ("auto", {"LANG": "C"}, True), ("auto", {"LC_ALL": "POSIX", "LANG": "en_US.UTF-8"}, True),
        ("auto", {"TERM": "linux", "LANG": "en_US.UTF-8"}, True), ("auto", {"TERM": "dumb"}, True),
        ("never", {"TERM": "linux"}, False), ("always", {"LANG": "en_US.UTF-8"}, True),
    ],
)  # fmt: skip
def test_when(choice: str, environment: dict[str, str], yes: bool) -> None:
    assert wanted(choice, environment) is yes


def test_every_sign_that_our_code_writes_has_one_of_the_same_width() -> None:
    signs = {char for room in ("jp_tui/ui", "jp_tui/view") for source in ours(room) for char in source.text}
    seen = {char for char in signs if not char.isascii() and not char.isalpha() and cell_len(char) == 1}
    assert len(seen) > 20
    assert [char for char in sorted(seen) if not ascii_text(char).isascii()] == []
    assert all(len(ascii_of(char)) == 1 for char in seen)


def test_letters_and_wide_characters_are_content() -> None:
    assert ascii_text("Grüße, 日本 ✅ — fertig…") == "Grüße, 日本 ✅ - fertig~"
    assert ascii_text("╭─┬─╮│├┼┤╰┴╯━┃║╔▌▐▁▔█⠋←↑→↓❯✓✗") == "+-+-+|++++++-||+||_-#*<^>v>+x"


@pytest.mark.parametrize("scene", ["done", "escalated", "select", "keys", "ledger", "slash", "interrupted-tools"])
async def test_a_screen_has_nothing_but_ascii_outside_content(scene: str, ascii_only: None) -> None:
    app = host(scene, "jp-sixteen")
    async with app.run_test(size=(100, 30)) as pilot:
        await steps(app, *SCENES[scene])(pilot)
        output_gate.only_ascii(True)
        console = Console(color_system="standard", force_terminal=True)
        rows = app.screen._compositor.render_strips()
        for row in rows:
            row._render_cache = None
        shown = re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(row.render(console) for row in rows))
        plain = "\n".join("".join(segment.text for segment in row) for row in rows)
        assert not plain.isascii(), "there was something to replace"
        assert sorted({char for char in shown if not char.isascii()}) == []
        assert [cell_len(line) for line in shown.split("\n")] == [cell_len(line) for line in plain.split("\n")]
        for row in rows:
            row._render_cache = None


async def test_no_color_leaves_marks_for_what_colours_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = host("boolean", "jp-night")
    async with app.run_test(size=(100, 30)) as pilot:
        await steps(app, *SCENES["boolean"])(pilot)
        rows = app.screen._compositor.render_strips()
        fronts = {style.color for row in rows for _, style, _ in row if style is not None and style.color is not None}
        colours = {colour.triplet for colour in fronts if colour.triplet is not None}
        assert all(len(set(one)) == 1 for one in colours), "greys only"
        text = app.screen_text()
        assert "+41  > [!TIP]" in text and "✓ fs_read_file" in text, "what a colour says a sign says as well"
