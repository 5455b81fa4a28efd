"""The two interrupt menus of R211 with the exact labels of M44, and the effect of each choice, as data.

"& exit" leaves the program in jp; in jp-tui it ends the turn, so every label has a description. Nothing is sent here:
the front end converts the action to InterruptTurn, Continue to nothing (R215).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from jp_tui.protocol.commands import Interrupt

TITLE = "Interrupted"


@dataclass(frozen=True, slots=True)
class InterruptChoice:
    """One line of the menu; `action` None is Continue, `words` asks for a message first."""

    label: str
    does: str
    action: Interrupt | None
    words: bool = False


CONTINUE = InterruptChoice("Continue", "continues the turn", None)

STREAMING = (
    CONTINUE,
    InterruptChoice("Reply (stop & respond)", "keeps the reply so far, sends your message", "reply", True),
    InterruptChoice("Stop (save & exit)", "keeps the reply so far, ends the turn", "stop"),
    InterruptChoice("Abort (discard & exit)", "discards this reply, ends the turn", "abort"),
)
TOOLS = (
    CONTINUE,
    InterruptChoice("Stop & respond", "cancels the tools, sends your message", "respond", True),
    InterruptChoice("Stop (cancel & exit)", "cancels the tools, ends the turn", "stop"),
    InterruptChoice("Restart", "cancels the tools, runs them again", "restart"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class InterruptWishes:
    """Configured action of an interrupt, by what it interrupts (R233); `prompt` opens the menu."""

    streaming: Literal["prompt", "continue", "stop", "abort", "reply"] = "prompt"
    tool_call: Literal["prompt", "continue", "restart", "respond", "stop"] = "prompt"

    def choice(self, phase: str) -> InterruptChoice | None:
        """Return the immediate action in this phase; None opens the menu."""
        wish = self.tool_call if phase == "tools" else self.streaming
        if wish == "prompt":
            return None
        return next((one for one in menu(phase) if one.action == wish), CONTINUE)


def menu(phase: str) -> tuple[InterruptChoice, ...]:
    """Return the menu for the turn's phase (TurnPhase)."""
    return TOOLS if phase == "tools" else STREAMING
