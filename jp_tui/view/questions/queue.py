"""Which question is shown and which wait behind it (inquiries.md R116, R117; asking.md E12, E51).

First come, first shown; a second never replaces a visible one. The user may turn to any, and put one off: then it
waits beside the queue. Pure values; decides nothing about when a sheet opens (arming.py) or when what was put off
comes back (inbox.py), and nothing about who answers (inquiry/).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from jp_tui.protocol.values import PromptRequest

Key = tuple[str, str]
"""A conversation and an inquiry in it: two conversations may have inquiries of one id."""
NONE: Key = ("", "")


def key_of(prompt: PromptRequest) -> Key:
    """What a prompt is known by, wherever several conversations meet."""
    return prompt.conversation, prompt.inquiry


@dataclass(frozen=True, slots=True)
class Queue:
    """Prompts in the order they came; `current` is the one that is shown, NONE when none waits. `off` was put off.

    Of a thousand none is looked at to find one."""

    waiting: Mapping[Key, PromptRequest] = field(default_factory=dict)
    current: Key = NONE
    off: Mapping[Key, PromptRequest] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.waiting)

    @property
    def prompts(self) -> tuple[PromptRequest, ...]:
        """All that wait in the queue, in order."""
        return tuple(self.waiting.values())

    @property
    def aside(self) -> tuple[PromptRequest, ...]:
        """All that were put off, in that order."""
        return tuple(self.off.values())

    @property
    def head(self) -> PromptRequest | None:
        """The prompt that is shown, or is next to be shown."""
        return self.waiting.get(self.current)

    @property
    def place(self) -> int:
        """The place of the current one, from 1; 0 when none waits."""
        return [*self.waiting].index(self.current) + 1 if self.current in self.waiting else 0

    def get(self, key: Key) -> PromptRequest | None:
        """The prompt of that key, in the queue or beside it."""
        return self.waiting.get(key) or self.off.get(key)

    def added(self, prompt: PromptRequest) -> Queue:
        """With one more at the end. The same inquiry asked anew keeps its place; what was put off stays so, unless
        something else is asked now (another digest)."""
        key = key_of(prompt)
        if key in self.waiting:
            return Queue({**self.waiting, key: prompt}, self.current, self.off)
        if (old := self.off.get(key)) is not None and old.digest == prompt.digest:
            return Queue(self.waiting, self.current, {**self.off, key: prompt})
        return Queue({**self.waiting, key: prompt}, self.current if self.waiting else key, _without(self.off, key))

    def without(self, key: Key) -> Queue:
        """After one went. When it was the current one, the one behind it follows, else the first."""
        if key not in self.waiting:
            return Queue(self.waiting, self.current, _without(self.off, key)) if key in self.off else self
        left = _without(self.waiting, key)
        current = self.current
        if key == current:
            place = self.place - 1
            current = ([*left][place] if place < len(left) else next(iter(left))) if left else NONE
        return Queue(left, current, _without(self.off, key))

    def turned(self) -> Queue:
        """With the next one as current, after the last the first again."""
        if not self.waiting:
            return self
        return self.turned_to([*self.waiting][self.place % len(self.waiting)])

    def turned_to(self, key: Key) -> Queue:
        """With that one as current; one that was put off is back. The same when it does not wait."""
        back = self.brought_back(key)
        return Queue(back.waiting, key, back.off) if key in back.waiting else self

    def put_off(self, key: Key) -> Queue:
        """With that one beside the queue: it still waits, but is not shown."""
        prompt = self.waiting.get(key)
        if prompt is None:
            return self
        left = self.without(key)
        return Queue(left.waiting, left.current, {**left.off, key: prompt})

    def brought_back(self, key: Key) -> Queue:
        """With that one in the queue again, as the last that came."""
        prompt = self.off.get(key)
        if prompt is None:
            return self
        return Queue({**self.waiting, key: prompt}, self.current if self.waiting else key, _without(self.off, key))

    def others_of_turn(self, prompt: PromptRequest) -> tuple[Key, ...]:
        """What else waits in the turn of a prompt, of its sub-agents' tools too: ending that turn closes all of it
        (R248, R249)."""
        turn, key = _turn(prompt), key_of(prompt)
        some = ((other, one) for part in (self.waiting, self.off) for other, one in part.items())
        return tuple(other for other, one in some if _turn(one) == turn and other != key)


def _without(some: Mapping[Key, PromptRequest], key: Key) -> Mapping[Key, PromptRequest]:
    if key not in some:
        return some
    left = dict(some)
    del left[key]
    return left


def _turn(prompt: PromptRequest) -> tuple[str, int]:
    """The turn that ends with it: a sub-agent's is part of the one it works for (R249)."""
    agent = prompt.agent
    return (prompt.conversation, prompt.turn) if agent is None else (agent.parent, agent.turn)
