"""Which question is shown and which wait behind it (inquiries.md R116, R117; asking.md E12).

First come, first shown; a second never replaces a visible one. The user may turn to the next. Pure values;
decides nothing about when a sheet opens (arrival.py) and nothing about who answers (inquiry/).
"""

from __future__ import annotations

from dataclasses import dataclass

from jp_tui.protocol.values import PromptRequest


@dataclass(frozen=True, slots=True)
class Queue:
    """Prompts in the order they came; `current` is the inquiry id of the one that is shown, "" when none waits."""

    prompts: tuple[PromptRequest, ...] = ()
    current: str = ""

    def __len__(self) -> int:
        return len(self.prompts)

    @property
    def head(self) -> PromptRequest | None:
        """The prompt that is shown, or is next to be shown."""
        return next((prompt for prompt in self.prompts if prompt.inquiry == self.current), None)

    @property
    def place(self) -> int:
        """The place of the current one, from 1; 0 when none waits."""
        return next((at for at, prompt in enumerate(self.prompts, 1) if prompt.inquiry == self.current), 0)

    def added(self, prompt: PromptRequest) -> Queue:
        """With one more at the end. The same inquiry asked anew (another digest) keeps its place."""
        if any(waiting.inquiry == prompt.inquiry for waiting in self.prompts):
            kept = tuple(prompt if old.inquiry == prompt.inquiry else old for old in self.prompts)
            return Queue(kept, self.current)
        return Queue((*self.prompts, prompt), self.current or prompt.inquiry)

    def without(self, inquiry: str) -> Queue:
        """After one went. When it was the current one, the one behind it follows, else the first."""
        place = next((at for at, prompt in enumerate(self.prompts) if prompt.inquiry == inquiry), None)
        if place is None:
            return self
        left = self.prompts[:place] + self.prompts[place + 1 :]
        if inquiry != self.current:
            return Queue(left, self.current)
        return Queue(left, left[place if place < len(left) else 0].inquiry if left else "")

    def turned(self) -> Queue:
        """With the next one as current, after the last the first again."""
        if not self.prompts:
            return self
        return Queue(self.prompts, self.prompts[self.place % len(self.prompts)].inquiry)

    def others_of_turn(self, prompt: PromptRequest) -> int:
        """How many more wait in the turn of a prompt: what ending that turn would close (R248)."""
        return sum(
            other.conversation == prompt.conversation and other.turn == prompt.turn
            for other in self.prompts
            if other.inquiry != prompt.inquiry
        )
