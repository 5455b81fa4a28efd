"""Until when an answer is waited for, where the user set a deadline (R243; asking.md E13).

Values fed with times: a prompt says how many seconds since when, by the clock on the wall; what is counted is the
dock's own clock, which nobody can turn back. It ends no question: that is the engine's.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from jp_tui.conversation.ids import read_timestamp
from jp_tui.protocol.values import PromptRequest


@dataclass(frozen=True, slots=True)
class Limits:
    """When each question's time is over, by inquiry id, in seconds of a monotonic clock."""

    ends: Mapping[str, float] = field(default_factory=dict)

    def added(self, prompt: PromptRequest, now: float, wall: float) -> Limits:
        """With a question that came at `now`, which is `wall` seconds since 1970."""
        if prompt.deadline_secs is None:
            return self.without(prompt.inquiry)
        try:
            passed = wall - read_timestamp(prompt.asked_at).timestamp()
        except ValueError:
            passed = 0.0
        return Limits({**self.ends, prompt.inquiry: now + prompt.deadline_secs - max(passed, 0.0)})

    def without(self, inquiry: str) -> Limits:
        """After one went."""
        return Limits({name: end for name, end in self.ends.items() if name != inquiry})

    def left(self, inquiry: str, now: float) -> float | None:
        """Seconds that are left, never below 0; None where there is no limit."""
        end = self.ends.get(inquiry)
        return None if end is None else max(end - now, 0.0)

    def due(self, inquiry: str, now: float) -> float | None:
        """When the number of whole seconds that are left changes next; None when it does not."""
        end = self.ends.get(inquiry)
        if end is None or end <= now:
            return None
        return end - math.ceil(end - now) + 1.001
