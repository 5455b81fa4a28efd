"""What the user wants of a turn that is to stop, as a value: the strongest choice stands, and no words are lost.

While calls run, `call_batch.py` keeps its own; this is for every other moment of a turn (inquiries.md R211, R214).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Choice = Literal["reply", "stop", "abort"]
_STRENGTH: dict[Choice, int] = {"reply": 1, "stop": 2, "abort": 3}


@dataclass(slots=True)
class InterruptRequest:
    """`words` are what to say next (Reply); `given_back` is what cannot be said any more."""

    choice: Choice | None = None
    words: list[str] = field(default_factory=list)
    given_back: list[str] = field(default_factory=list)

    def stops(self) -> bool:
        """Whether the turn is to stop. A call, since it changes while others wait."""
        return self.choice is not None

    def add(self, choice: Choice, text: str = "") -> None:
        """One more choice; a milder one changes nothing, and its words go back to the user."""
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
