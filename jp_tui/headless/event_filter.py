"""What is said of other conversations than the one in sight: sub-agents work in theirs (R218, issue 7).

A question reaches its human wherever it is asked (E4); everything else of another conversation is told there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from jp_tui.protocol import events as e

_TOLD_THERE = (
    e.TurnStarted,
    e.TurnPhase,
    e.TurnCompleted,
    e.TitleChanged,
    e.EventAppended,
    e.PartDelta,
    e.PartDropped,
    e.CallChanged,
    e.Refused,
)


def elsewhere(event: e.Event, conversation: str) -> bool:
    """Whether this is told in a conversation that is not `conversation` ("" while none is open)."""
    if not conversation or not isinstance(event, _TOLD_THERE):
        return False
    return event.conversation not in ("", conversation)


def mine(events: Iterable[e.Event], conversation: Callable[[], str]) -> Iterator[e.Event]:
    """What is told in the conversation in sight, which one of the events may change."""
    return (event for event in events if not elsewhere(event, conversation()))
