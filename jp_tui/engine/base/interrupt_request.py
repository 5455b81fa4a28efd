"""The user's request to interrupt a turn, as a value: the strongest choice applies, and no text is lost.

While calls run, `call_batch.py` has its own; this one is for every other moment of a turn (inquiries.md R211, R214).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Choice = Literal["reply", "stop", "abort"]
_STRENGTH: dict[Choice, int] = {"reply": 1, "stop": 2, "abort": 3}


@dataclass(slots=True)
class InterruptRequest:
    """`words` is the next message (Reply); `given_back` is text that can't be sent any more."""

    choice: Choice | None = None
    words: list[str] = field(default_factory=list)
    given_back: list[str] = field(default_factory=list)

    def stops(self) -> bool:
        """True if the turn must stop. A method, since it changes while others wait."""
        return self.choice is not None

    def add(self, choice: Choice, text: str = "") -> None:
        """Add a choice; a milder one has no effect, and its text is returned to the user."""
        said = [text] if text.strip() else []
        if self.choice is not None and _STRENGTH[choice] < _STRENGTH[self.choice]:
            self.given_back += said
            return
        if choice == "reply":
            self.words += said
        else:
            self.given_back += [*self.words, *said]
            self.words = []
        self.choice = choice
