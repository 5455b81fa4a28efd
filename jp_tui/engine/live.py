"""What is in the air of one conversation: what its turn and its calls do now, for a face that comes later.

Everything goes on to the faces, but for the streamed text of a conversation that nobody has opened: of fifty sub-agents
at work, their facts, calls and questions are enough. Keeps no text and decides nothing.
"""

from __future__ import annotations

from collections.abc import Callable

from jp_tui.protocol.events import CallChanged, Event, PartDelta, PartDropped, TurnCompleted, TurnPhase


class Live:
    """Stands where `publish` was; `watched` says whether somebody has opened the conversation."""

    def __init__(self, publish: Callable[[Event], None], *, watched: bool) -> None:
        self._publish, self.watched = publish, watched
        self._phase: TurnPhase | None = None
        self._calls: dict[str, CallChanged] = {}

    def __call__(self, event: Event) -> None:
        match event:
            case PartDelta() | PartDropped():
                if not self.watched:
                    return
            case TurnPhase():
                self._phase = event
            case CallChanged(state="completed", call=call):
                self._calls.pop(call, None)
            case CallChanged(call=call):
                self._calls[call] = event
            case TurnCompleted():
                self._phase = None
                self._calls.clear()
            case _:
                pass
        self._publish(event)

    def again(self) -> None:
        """Tell a face that was not there."""
        if self._phase is not None:
            self._publish(self._phase)
        for event in self._calls.values():
            self._publish(event)
