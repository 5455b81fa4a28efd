"""A start whose settings have not changed shows its first frame before it reads them; another reads them first."""

from __future__ import annotations

from pathlib import Path

import pytest

from jp_tui.settings import data
from jp_tui.settings.themes import themes
from tests.faults.conftest import REAL, Start

pytestmark = pytest.mark.pty


def background(theme: str) -> bytes:
    """As the terminal is told it."""
    colour = themes.read(theme, f"{data.THEMES}/{theme}.toml").colors["background"]
    return b"48;2;%d;%d;%d" % tuple(bytes.fromhex(colour[1:]))


def test_what_is_kept_is_worn_and_what_changed_is_read_first(start: Start, tmp_path: Path) -> None:
    home = tmp_path / "jp"
    (home / "config").mkdir(parents=True)
    config, kept = home / "config" / "config.toml", home / "state" / "first-wishes"
    truecolor = {"COLORTERM": "truecolor"}

    def seen(theme: str) -> None:
        terminal = start(REAL, env=truecolor)
        terminal.wait(lambda: background(theme) in terminal.seen, theme)
        terminal.wait(lambda: kept.exists() and theme in kept.read_text(), "what is kept")
        terminal.type("\x11")
        assert terminal.wait_event("code") == 0

    config.write_text("ui.theme = 'jp-day'")
    seen("jp-day")
    kept.write_text(kept.read_text().replace("jp-day", "jp-paper"))  # so that one sees where it comes from
    terminal = start(REAL, env=truecolor)
    terminal.wait(lambda: background("jp-paper") in terminal.seen, "what is kept")
    terminal.wait(lambda: "jp-day" in kept.read_text(), "it is read again, and kept as it is")
    terminal.type("\x11")
    assert terminal.wait_event("code") == 0

    config.write_text("ui.theme = 'jp-night'")
    seen("jp-night")
    config.write_text("ui.theme = 'none-such'")
    terminal = start(REAL, ready=False, env=truecolor)
    assert terminal.wait_event("code") == 2
    terminal.wait(lambda: "none-such" in terminal.seen.decode(errors="replace"), "what is wrong")
