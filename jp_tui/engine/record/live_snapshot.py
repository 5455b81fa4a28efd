"""Live state of one conversation: its turn and calls, for a front end that attaches later.

All events pass through, except streamed text of a conversation that isn't open anywhere: of 50 working sub-agents,
facts, calls and questions suffice. A finished call is reported until its result is logged, because a batch is stored
together. Stores no text and decides nothing.
"""

from __future__ import annotations

from collections.abc import Callable

from jp_tui.protocol.events import (
    CallChanged,
    Event,
    EventAppended,
    PartDelta,
    PartDropped,
    TurnCompleted,
    TurnPhase,
)

RUNS = ("running", "awaiting_assistant")
"""States whose duration a front end counts."""


class LiveSnapshot:
    """Wraps `publish`; `watched`: the conversation is open in a front end; `clock` is in seconds."""

    def __init__(self, publish: Callable[[Event], None], clock: Callable[[], float], *, watched: bool) -> None:
        self._publish, self._clock, self.watched = publish, clock, watched
        self._phase: TurnPhase | None = None
        self._since = 0.0
        self._calls: dict[str, CallChanged] = {}
        self._began: dict[str, float] = {}

    def __call__(self, event: Event) -> None:
        match event:
            case PartDelta() | PartDropped():
                if not self.watched:
                    return
            case TurnPhase():
                self._phase, self._since = event, self._clock()
            case CallChanged(call=call):
                self._calls[call] = event
                if event.state in RUNS:
                    self._began.setdefault(call, self._clock())
            case EventAppended(stored=one) if one.event.get("type") == "tool_call_response":
                self._forget(str(one.event.get("id")))
            case TurnCompleted():
                self._phase = None
                self._calls.clear()
                self._began.clear()
            case _:
                pass
        self._publish(event)

    def _forget(self, call: str) -> None:
        self._calls.pop(call, None)
        self._began.pop(call, None)

    def again(self) -> None:
        """Report it to a new front end."""
        if (phase := self._phase) is not None:
            left = None if phase.retry_in is None else max(phase.retry_in - (self._clock() - self._since), 0.0)
            self._publish(phase.model_copy(update={"retry_in": left}))
        for call, event in self._calls.items():
            began = self._began.get(call) if event.state in RUNS else None
            ms = event.ms if began is None else int((self._clock() - began) * 1000)
            self._publish(event.model_copy(update={"ms": ms}))
