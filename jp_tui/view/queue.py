"""Which question is shown and which wait behind it (inquiries.md R116, R117; asking.md E12, E51).

First come, first shown; a second never replaces a visible one. The user may turn to any, and put one off: then it
waits beside the queue. Pure values; decides nothing about when a sheet opens (arrival.py) or when what was put off
comes back (inbox.py), and nothing about who answers (inquiry/).
"""

from __future__ import annotations

from dataclasses import dataclass

from jp_tui.protocol.values import PromptRequest

Key = tuple[str, str]
"""A conversation and an inquiry in it: two conversations may have inquiries of one id."""
NONE: Key = ("", "")


def key_of(prompt: PromptRequest) -> Key:
    """What a prompt is known by, wherever several conversations meet."""
    return prompt.conversation, prompt.inquiry


@dataclass(frozen=True, slots=True)
class Queue:
    """Prompts in the order they came; `current` is the one that is shown, NONE when none waits. `aside` was put off."""

    prompts: tuple[PromptRequest, ...] = ()
    current: Key = NONE
    aside: tuple[PromptRequest, ...] = ()

    def __len__(self) -> int:
        return len(self.prompts)

    @property
    def head(self) -> PromptRequest | None:
        """The prompt that is shown, or is next to be shown."""
        return next((prompt for prompt in self.prompts if key_of(prompt) == self.current), None)

    @property
    def place(self) -> int:
        """The place of the current one, from 1; 0 when none waits."""
        return next((at for at, prompt in enumerate(self.prompts, 1) if key_of(prompt) == self.current), 0)

    def get(self, key: Key) -> PromptRequest | None:
        """The prompt of that key, in the queue or beside it."""
        return next((prompt for prompt in (*self.prompts, *self.aside) if key_of(prompt) == key), None)

    def added(self, prompt: PromptRequest) -> Queue:
        """With one more at the end. The same inquiry asked anew keeps its place; what was put off stays so, unless
        something else is asked now (another digest)."""
        key = key_of(prompt)
        if any(key_of(waiting) == key for waiting in self.prompts):
            kept = tuple(prompt if key_of(old) == key else old for old in self.prompts)
            return Queue(kept, self.current, self.aside)
        if any(key_of(old) == key and old.digest == prompt.digest for old in self.aside):
            return Queue(self.prompts, self.current, tuple(prompt if key_of(old) == key else old for old in self.aside))
        aside = tuple(old for old in self.aside if key_of(old) != key)
        return Queue((*self.prompts, prompt), self.current if self.prompts else key, aside)

    def without(self, key: Key) -> Queue:
        """After one went. When it was the current one, the one behind it follows, else the first."""
        aside = tuple(prompt for prompt in self.aside if key_of(prompt) != key)
        place = next((at for at, prompt in enumerate(self.prompts) if key_of(prompt) == key), None)
        if place is None:
            return self if len(aside) == len(self.aside) else Queue(self.prompts, self.current, aside)
        left = self.prompts[:place] + self.prompts[place + 1 :]
        if key != self.current:
            return Queue(left, self.current, aside)
        return Queue(left, key_of(left[place if place < len(left) else 0]) if left else NONE, aside)

    def turned(self) -> Queue:
        """With the next one as current, after the last the first again."""
        if not self.prompts:
            return self
        return self.turned_to(key_of(self.prompts[self.place % len(self.prompts)]))

    def turned_to(self, key: Key) -> Queue:
        """With that one as current; one that was put off is back. The same when it does not wait."""
        back = self.brought_back(key)
        return Queue(back.prompts, key, back.aside) if any(key_of(one) == key for one in back.prompts) else self

    def put_off(self, key: Key) -> Queue:
        """With that one beside the queue: it still waits, but is not shown."""
        prompt = next((one for one in self.prompts if key_of(one) == key), None)
        if prompt is None:
            return self
        left = self.without(key)
        return Queue(left.prompts, left.current, (*left.aside, prompt))

    def brought_back(self, key: Key) -> Queue:
        """With that one in the queue again, as the last that came."""
        prompt = next((one for one in self.aside if key_of(one) == key), None)
        if prompt is None:
            return self
        aside = tuple(one for one in self.aside if one is not prompt)
        return Queue((*self.prompts, prompt), self.current if self.prompts else key, aside)

    def others_of_turn(self, prompt: PromptRequest) -> tuple[Key, ...]:
        """What else waits in the turn of a prompt, of its sub-agents' tools too: ending that turn closes all of it
        (R248, R249)."""
        turn, key = _turn(prompt), key_of(prompt)
        others = (key_of(other) for other in (*self.prompts, *self.aside) if _turn(other) == turn)
        return tuple(other for other in others if other != key)


def _turn(prompt: PromptRequest) -> tuple[str, int]:
    """The turn that ends with it: a sub-agent's is part of the one it works for (R249)."""
    agent = prompt.agent
    return (prompt.conversation, prompt.turn) if agent is None else (agent.parent, agent.turn)
