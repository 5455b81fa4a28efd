"""What a call says while it runs is no news for the transcript; every other change of it is."""

from __future__ import annotations

from jp_tui.conversation import events as stored
from jp_tui.conversation.text import Foreign
from jp_tui.protocol import events as ev
from jp_tui.protocol.values import CallState
from jp_tui.view.transcript.reducer import TranscriptReducer
from tests.view.events_of import HERE, appended, log


def call(state: CallState, said: str = "", title: str = "") -> ev.CallChanged:
    return ev.CallChanged(
        conversation=HERE, turn=1, call="c1", tool="t", state=state, said=Foreign(said), title=Foreign(title)
    )


def test_only_a_change_that_is_shown_paints_a_call_again() -> None:
    story = TranscriptReducer()
    for event in log(stored.TurnStart(), stored.ToolCallRequest(id="c1", name="t", arguments={})):
        story.apply(appended(event))
    story.apply(call("queued"))
    assert story.apply(call("running", "first line")).changed == {"e2"}
    (before,) = story.of_event(2)
    assert story.apply(call("running", "another line")).changed == frozenset()
    assert story.of_event(2)[0] is before
    assert story.apply(call("awaiting_input", "another line")).changed == {"e2"}
