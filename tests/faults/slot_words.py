"""One hostile text handed out to many slots of the screen, each with a mark of its own before it.

The mark is what proves that a slot was reached: it is looked for in what came out of the terminal. It is plain letters,
so that no slot changes it, and stands on the first line, which is what a slot of one line shows.
"""

from __future__ import annotations

from jp_tui.conversation.text import Foreign

SHORT = "short"
"""What stands in a slot that is not meant."""


class Words:
    """`only` these slots get the text, all when it is empty; `slots` are those that were handed out, with their marks.
    `turn` sets the marks of one show apart from those of another."""

    def __init__(self, text: str, *, only: frozenset[str] = frozenset(), turn: int = 0) -> None:
        self._text, self._only, self._turn = text, only, turn
        self.slots: dict[str, str] = {}

    def path(self, slot: str) -> str:
        """The same as a path or a name, which no system lets grow beyond 4,096 bytes."""
        return self(slot)[:4000]

    def __call__(self, slot: str, *, block: bool = False) -> str:
        """The text for a slot; `block`: on lines of its own, so that what begins a line does so here as well."""
        if slot not in self.slots:
            number = len(self.slots)
            turn = "".join(chr(97 + self._turn // 26**place % 26) for place in range(3))
            self.slots[slot] = f"q{turn}{chr(97 + number // 26)}{chr(97 + number % 26)}z"
        text = self._text if not self._only or slot in self._only else SHORT
        return f"{self.slots[slot]}\n\n{text}" if block else f"{self.slots[slot]} {text}"

    def foreign(self, slot: str, *, block: bool = False) -> Foreign:
        return Foreign(self(slot, block=block))
