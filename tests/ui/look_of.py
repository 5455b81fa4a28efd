"""A look for tests of painters: a theme's variables without an app."""

from __future__ import annotations

import tomllib
from functools import lru_cache
from pathlib import Path

from textual.theme import BUILTIN_THEMES, Theme

from jp_tui.ui.painting.look import PaintLook, look
from jp_tui.ui.painting.rows import Row
from jp_tui.ui.themes import derived

THEMES = Path(__file__).resolve().parents[2] / "themes"


def theme(name: str) -> Theme:
    """One of Textual's themes, or one of ours by its file's name."""
    if name in BUILTIN_THEMES:
        return BUILTIN_THEMES[name]
    data = tomllib.loads((THEMES / f"{name}.toml").read_text())
    return Theme(
        name=name, dark=data["dark"], variables=data["variables"], ansi=data.get("ansi", False), **data["colors"]
    )


@lru_cache(maxsize=8)
def look_of(name: str = "jp-night") -> PaintLook:
    """The look of a theme, the same object each time."""
    chosen = theme(name)
    return look({**chosen.to_color_system().generate(), **derived(chosen), **chosen.variables})


def texts(rows: list[Row]) -> list[str]:
    """What stands in rows, blanks at the end left out."""
    return [row.strip.text.rstrip() for row in rows]
