"""Filter for events of other conversations than the one shown: sub-agents have their own (R218, issue 7).

A question reaches its user from any conversation (E4); everything else is shown in its own.
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


def belongs_elsewhere(event: e.Event, conversation: str) -> bool:
    """Return True if this event belongs to a conversation other than `conversation` ("" while none is open)."""
    if not conversation or not isinstance(event, _TOLD_THERE):
        return False
    return event.conversation not in ("", conversation)


def shown_events(events: Iterable[e.Event], conversation: Callable[[], str]) -> Iterator[e.Event]:
    """Iterate over the events of the conversation shown, which one of them may change."""
    return (event for event in events if not belongs_elsewhere(event, conversation()))
