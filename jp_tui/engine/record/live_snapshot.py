"""What is in the air of one conversation: what its turn and its calls do now, for a face that comes later.

Everything goes on to the faces, but for the streamed text of a conversation that nobody has opened: of fifty sub-agents
at work, their facts, calls and questions are enough. A call that has ended is told until its result is on record: the
results of a batch are stored together. Keeps no text and decides nothing.
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
"""States whose time a face counts."""


class LiveSnapshot:
    """Stands where `publish` was; `watched` says whether somebody has opened the conversation, `clock` is seconds."""

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
        """Tell a face that was not there."""
        if (phase := self._phase) is not None:
            left = None if phase.retry_in is None else max(phase.retry_in - (self._clock() - self._since), 0.0)
            self._publish(phase.model_copy(update={"retry_in": left}))
        for call, event in self._calls.items():
            began = self._began.get(call) if event.state in RUNS else None
            ms = event.ms if began is None else int((self._clock() - began) * 1000)
            self._publish(event.model_copy(update={"ms": ms}))
