"""Deadlines of questions, where the user set one (R243; asking.md E13).

A prompt has a number of seconds and a start in wall time; they are counted on the dock's monotonic clock. The engine
ends the questions.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from jp_tui.conversation.ids import read_timestamp
from jp_tui.protocol.values import PromptRequest
from jp_tui.view.questions.queue import Key, key_of


@dataclass(frozen=True, slots=True)
class Deadlines:
    """The end of each question's time, in seconds of a monotonic clock."""

    ends: Mapping[Key, float] = field(default_factory=dict)

    def added(self, prompt: PromptRequest, now: float, wall: float) -> Deadlines:
        """Return the deadlines with a question that came at `now`, which is `wall` seconds since 1970."""
        if prompt.deadline_secs is None:
            return self.without(key_of(prompt))
        try:
            passed = wall - read_timestamp(prompt.asked_at).timestamp()
        except ValueError:
            passed = 0.0
        return Deadlines({**self.ends, key_of(prompt): now + prompt.deadline_secs - max(passed, 0.0)})

    def without(self, key: Key) -> Deadlines:
        """Return the deadlines without a question."""
        return Deadlines({name: end for name, end in self.ends.items() if name != key})

    def left(self, key: Key, now: float) -> float | None:
        """Return the seconds that are left, never below 0; None where there is no limit."""
        end = self.ends.get(key)
        return None if end is None else max(end - now, 0.0)

    def due(self, key: Key, now: float) -> float | None:
        """Return when the number of whole seconds that are left changes next; None when it does not."""
        end = self.ends.get(key)
        if end is None or end <= now:
            return None
        return end - math.ceil(end - now) + 1.001
