"""Textual's own command palette, with a way out by Ctrl+C like everything else that lies over the workspace."""

from __future__ import annotations

from textual.binding import Binding
from textual.command import CommandPalette


class Palette(CommandPalette):
    """Find and run a command."""

    BINDINGS = [Binding("ctrl+c", "app.break", "close; twice leaves", show=False, id="palette.break")]
