"""What went wrong outside a turn, above the composer: it stays until it is over or put away.

Two voices: trouble (the log cannot be written) stays until it is gone; a refusal is put away by the next thing the
user does. Nobody's words but the engine's are shown here, and they are foreign text all the same.
"""

from __future__ import annotations

from textual import events
from textual.reactive import reactive
from textual.widgets import Static

from jp_tui.conversation.text import Foreign
from jp_tui.ui.text import foreign, join, ours, styled


class Banner(Static):
    """One or two lines of words with a mark in front; hidden when there is nothing to say."""

    DEFAULT_CSS = """
    Banner {
        height: auto; max-height: 6; margin: 0 1; padding: 0 1; display: none;
        background: $waiting-background; border-left: outer $warning;
        &.-trouble { background: $error 12%; border-left: outer $error; }
        &.-shown { display: block; }
    }
    """

    trouble: reactive[tuple[str, str]] = reactive(("", ""))
    """What is wrong with the log, and what to do; stays."""
    refusal: reactive[tuple[str, str]] = reactive(("", ""))
    """Why a command was not carried out, and what to do."""

    def watch_trouble(self) -> None:
        self._say()

    def watch_refusal(self) -> None:
        self._say()

    def _say(self) -> None:
        trouble = bool(self.trouble[0])
        message, advice = self.trouble if trouble else self.refusal
        self.set_class(trouble, "-trouble")
        if bool(message) is not self.has_class("-shown"):
            self.set_class(bool(message), "-shown")
            self.refresh_bindings()  # there is, or is not, something that Esc puts away
        parts = [styled(foreign(Foreign(message)), "bold")]
        if advice:
            parts.append(foreign(Foreign(advice), style="$muted-foreground"))
        self.update(join(*parts, sep=ours("\n")))

    def on_click(self, event: events.Click) -> None:
        event.stop()
        self.refusal = ("", "")
