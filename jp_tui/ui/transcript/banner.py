"""Problems outside a turn, above the composer.

Trouble (the log can't be written) is shown until it is over; a refusal or notice until the user's next action. The text
is the engine's or jp-tui's own, and treated as untrusted text all the same.
"""

from __future__ import annotations

from textual import events
from textual.reactive import reactive
from textual.widgets import Static

from jp_tui.conversation.text import Foreign
from jp_tui.ui.text import foreign, join, ours, styled


class Banner(Static):
    """One or two lines with a mark in front; hidden while there is nothing to show."""

    DEFAULT_CSS = """
    Banner {
        height: auto; max-height: 6; margin: 0 1; padding: 0 1; display: none;
        background: $waiting-background; border-left: outer $warning;
        &.-trouble { background: $error 12%; border-left: outer $error; }
        &.-trouble:ansi { background: ansi_default; }
        &.-shown { display: block; }
    }
    """

    trouble: reactive[tuple[str, str]] = reactive(("", ""))
    """The fault of the log, and what to do. Shown first."""
    refusal: reactive[tuple[str, str]] = reactive(("", ""))
    """Why a command was refused, and what to do; also notices."""

    def watch_trouble(self) -> None:
        self._update()

    def watch_refusal(self) -> None:
        self._update()

    def _update(self) -> None:
        trouble = bool(self.trouble[0])
        message, advice = self.trouble if trouble else self.refusal
        self.set_class(trouble, "-trouble")
        if bool(message) is not self.has_class("-shown"):
            self.set_class(bool(message), "-shown")
            self.refresh_bindings()  # Esc closes a notice, if there is one
        parts = [styled(foreign(Foreign(message)), "bold")]
        if advice:
            parts.append(foreign(Foreign(advice), style="$muted-foreground"))
        self.update(join(*parts, sep=ours("\n")))

    def on_click(self, event: events.Click) -> None:
        event.stop()
        self.refusal = ("", "")
