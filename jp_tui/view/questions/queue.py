"""Order of questions: the current one and the queue (inquiries.md R116, R117; asking.md E12, E51).

First come, first shown; a second never replaces a visible one. The user may turn to any, or snooze one: then it waits
beside the queue. Pure values; when a sheet opens is decided in arming.py, when a snooze ends in inbox.py, who answers
in inquiry/.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from jp_tui.protocol.values import PromptRequest

Key = tuple[str, str]
"""Conversation and inquiry id: two conversations may have inquiries with the same id."""
NONE: Key = ("", "")


def key_of(prompt: PromptRequest) -> Key:
    """Return the key of a prompt across conversations."""
    return prompt.conversation, prompt.inquiry


@dataclass(frozen=True, slots=True)
class Queue:
    """Prompts in order of arrival; `current` is the one shown, NONE if none waits.

    `off` are snoozed. Lookup takes constant time, also with a thousand.
    """

    waiting: Mapping[Key, PromptRequest] = field(default_factory=dict)
    current: Key = NONE
    off: Mapping[Key, PromptRequest] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.waiting)

    @property
    def prompts(self) -> tuple[PromptRequest, ...]:
        """Return all prompts in the queue, in order."""
        return tuple(self.waiting.values())

    @property
    def aside(self) -> tuple[PromptRequest, ...]:
        """Return all snoozed prompts, in that order."""
        return tuple(self.off.values())

    @property
    def head(self) -> PromptRequest | None:
        """Return the prompt that is shown, or is next."""
        return self.waiting.get(self.current)

    @property
    def place(self) -> int:
        """Return the position of the current one, from 1; 0 if none waits."""
        return [*self.waiting].index(self.current) + 1 if self.current in self.waiting else 0

    def get(self, key: Key) -> PromptRequest | None:
        """Return the prompt with that key, queued or snoozed."""
        return self.waiting.get(key) or self.off.get(key)

    def added(self, prompt: PromptRequest) -> Queue:
        """Append a prompt. The same inquiry asked again keeps its place and its snooze, unless its content changed
        (another digest)."""
        key = key_of(prompt)
        if key in self.waiting:
            return Queue({**self.waiting, key: prompt}, self.current, self.off)
        if (old := self.off.get(key)) is not None and old.digest == prompt.digest:
            return Queue(self.waiting, self.current, {**self.off, key: prompt})
        return Queue({**self.waiting, key: prompt}, self.current if self.waiting else key, _without(self.off, key))

    def without(self, key: Key) -> Queue:
        """Remove a prompt. If it was current, the one behind it follows, else the first."""
        if key not in self.waiting:
            return Queue(self.waiting, self.current, _without(self.off, key)) if key in self.off else self
        left = _without(self.waiting, key)
        current = self.current
        if key == current:
            place = self.place - 1
            current = ([*left][place] if place < len(left) else next(iter(left))) if left else NONE
        return Queue(left, current, _without(self.off, key))

    def turned(self) -> Queue:
        """Make the next one current, after the last the first again."""
        if not self.waiting:
            return self
        return self.with_current([*self.waiting][self.place % len(self.waiting)])

    def with_current(self, key: Key) -> Queue:
        """Make that one current, ending its snooze. Unchanged if it doesn't wait."""
        back = self.brought_back(key)
        return Queue(back.waiting, key, back.off) if key in back.waiting else self

    def put_off(self, key: Key) -> Queue:
        """Snooze it: it still waits, but isn't shown."""
        prompt = self.waiting.get(key)
        if prompt is None:
            return self
        left = self.without(key)
        return Queue(left.waiting, left.current, {**left.off, key: prompt})

    def brought_back(self, key: Key) -> Queue:
        """End its snooze: it is queued last."""
        prompt = self.off.get(key)
        if prompt is None:
            return self
        return Queue({**self.waiting, key: prompt}, self.current if self.waiting else key, _without(self.off, key))

    def others_of_turn(self, prompt: PromptRequest) -> tuple[Key, ...]:
        """Return the other waiting prompts of a prompt's turn, also of its sub-agents' tools: ending that turn closes
        all of them (R248, R249)."""
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
    """Return the turn that ends with it: a sub-agent's is part of its parent's (R249)."""
    agent = prompt.agent
    return (prompt.conversation, prompt.turn) if agent is None else (agent.parent, agent.turn)
