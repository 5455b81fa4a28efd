"""The line under a turn that has ended (issue 8, 7): what it tells, when it is silent, live and reloaded the same."""

from __future__ import annotations

from typing import Any

import pytest

from jp_tui.conversation import events as stored
from jp_tui.protocol import events as ev
from jp_tui.protocol.values import StoredEvent
from jp_tui.view.activity.turn_summary import summary, undone
from jp_tui.view.export.events import plain
from jp_tui.view.transcript.blocks import Note
from jp_tui.view.transcript.reducer import TranscriptReducer


def end(did: Any = None, ms: int = 7300, **usage: Any) -> stored.TurnOutcome:
    metadata = {} if did is None else {"did": did}
    return stored.TurnOutcome(outcome="done", ms=ms, usage=usage, metadata=metadata)


@pytest.mark.parametrize(
    ("event", "told"),
    [
        (end(input=500, output=20), ""),
        (end(ms=75_000, input=500, output=20), "1 m 15 s · 500 in, 20 out"),
        (end({"calls": 1}), "1 tool call · 7.3 s"),
        (
            end({"calls": 5, "failed": 1, "files": 2, "added": 12, "removed": 3, "asked": {"user": 2}}, cost_usd=0.031),
            "5 tool calls, 1 failed · 2 files changed +12 −3 · 2 questions, answered by you · 7.3 s · $0.03",
        ),
        (end({"calls": 2, "asked": {"assistant": 1, "user": 2, "nobody": 1}}),
         "2 tool calls · 4 questions: 2 you, 1 reviewer, 1 not answered · 7.3 s"),
        (end({"asked": {"static": 1}}, ms=10), "1 question, answered by a setting · 10 ms"),
        (end({"calls": "many", "files": -1, "asked": {"user": True, "x": 3}}, input="no"), "7.3 s"),
    ],
)  # fmt: skip
def test_the_line(event: stored.TurnOutcome, told: str) -> None:
    """Silent for short turns of text; numbers of a log that somebody else wrote are looked at first."""
    assert summary(event) == told


def test_what_of_a_reply_cannot_be_shown_is_named() -> None:
    """Also of a short turn; a name is the server's, so it is neutralised."""
    metadata: dict[str, Any] = {"unread": ["hologram", "\x1b[31mx", 3]}
    event = stored.TurnOutcome(outcome="done", ms=10, metadata=metadata)
    assert summary(event).startswith("part of the reply can't be shown (hologram, ") and "\x1b" not in summary(event)
    assert summary(stored.TurnOutcome(outcome="done", ms=10, metadata={"unread": "x"})) == ""


def test_live_and_reloaded_and_as_text_it_is_the_same() -> None:
    event = end({"calls": 3, "files": 1})
    one = StoredEvent(seq=9, turn=2, event=event.wire())
    live, loaded = TranscriptReducer(), TranscriptReducer()
    live.apply(ev.EventAppended(conversation="c", stored=one))
    loaded.load([one])
    (note,) = loaded.of_event(9)
    assert list(live.of_event(9)) == [note] and isinstance(note, Note)
    assert note.text.raw == plain(event) == "3 tool calls · 1 file changed · 7.3 s"


def test_what_was_taken_back_is_a_line_with_harmless_names() -> None:
    raw = {"type": "changes_undone", "way": "back", "turn": 1, "files": ["a\x1b[31m\nb", *"cdefg"], "told": "x"}
    event = stored.Unknown(raw)
    assert undone(event) == plain(event) and "\x1b" not in undone(event) and "\n" not in undone(event)
    assert undone(event).endswith("c, d, e and 2 more") and undone(event).startswith("Undone: ")
    story = TranscriptReducer()
    story.load([StoredEvent(seq=1, turn=1, event=raw)])
    assert isinstance(story.of_event(1)[0], Note)
