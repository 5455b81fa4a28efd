"""The screens for a terminal that is too small to work in (issue 3, "Bad input"), and for leaving.

Both cover everything and take every key, so that no key reaches a hidden widget. Nothing below them changes.
"""

from __future__ import annotations

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.screen import ModalScreen
from textual.widgets import Static

from jp_tui.guardian import MOST
from jp_tui.ui.text import ours

LEAST = (60, 16)
"""The smallest size, in columns and rows."""


def too_small(width: int, height: int) -> bool:
    return width < LEAST[0] or height < LEAST[1]


def too_large(width: int, height: int) -> str:
    """Return the notice for a terminal of which a part stays empty (Z27)."""
    columns, rows = MOST
    return f"This terminal has {width:,} columns and {height:,} rows. jp-tui uses {columns:,} and {rows:,}."


class TooSmall(ModalScreen[None], inherit_bindings=False):
    """Shows the needed size and the terminal's."""

    BINDINGS = [Binding("ctrl+c", "app.break", "twice quits", id="small.break", tooltip="Twice within a second")]

    DEFAULT_CSS = """
    TooSmall {
        align: center middle; background: $background;
        Static { width: auto; max-width: 100%; height: auto; text-align: center; color: $foreground; }
    }
    """

    def compose(self) -> ComposeResult:
        yield Static()

    def on_resize(self, event: events.Resize) -> None:
        width, height = event.size
        needed = ours("Too small", style="bold $waiting-foreground")
        self.query_one(Static).update(
            ours(
                "{needed}\n{width}x{height}, needs {w}x{h}\nEnlarge the terminal. Nothing is lost.",
                needed=needed,
                width=width,
                height=height,
                w=LEAST[0],
                h=LEAST[1],
            )
        )


class Leaving(ModalScreen[None], inherit_bindings=False):
    """Shown while the engine ends the turn and closes the log."""

    BINDINGS = [Binding("ctrl+c", "app.leave_now", "quit now", id="leaving.now", tooltip="Don't wait")]

    DEFAULT_CSS = """
    Leaving {
        align: center middle; background: $background 60%;
        Static {
            width: auto; max-width: 100%; height: auto; padding: 0 2; background: $sheet-background;
            border: round $sheet-border;
        }
    }
    """

    def compose(self) -> ComposeResult:
        yield Static(ours("Quitting: ending the turn and closing the log · Ctrl+C quits now"))
