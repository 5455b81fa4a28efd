"""Stored and live events for tests, in a few words: `log()` numbers what it is given, `turn()` is a typical turn."""

from __future__ import annotations

from typing import Any

from jp_tui.conversation import events as stored
from jp_tui.conversation.text import Foreign
from jp_tui.protocol import events as ev
from jp_tui.protocol.values import EventSpan, StoredEvent

HERE = "c1"
DIFF = """--- a/src/teatimer/brew.py
+++ b/src/teatimer/brew.py
@@ -3,5 +3,6 @@ TEAS
 TEAS = (
-    Tea("Green tea", celsius=100, seconds=120),
+    Tea("Green tea", celsius=80, seconds=120),
     Tea("Black tea", celsius=100, seconds=180),
+    Tea("White tea", celsius=75, seconds=240),
 )
"""


def log(*events: Any, turn: int = 1, first: int = 1) -> list[StoredEvent]:
    """Events with numbers from `first`; a (turn, event) pair says its own turn."""
    found: list[StoredEvent] = []
    for event in events:
        own, event = event if isinstance(event, tuple) else (turn, event)
        found.append(StoredEvent(seq=first + len(found), turn=own, event=event.wire()))
    return found


def appended(stored_event: StoredEvent, closes: str = "") -> ev.EventAppended:
    return ev.EventAppended(conversation=HERE, stored=stored_event, closes=closes)


def delta(part: str, text: str, kind: Any = "message", turn: int = 1, **more: str) -> ev.PartDelta:
    return ev.PartDelta(conversation=HERE, turn=turn, part=part, kind=kind, text=Foreign(text), **more)


def changed(call: str, state: Any, tool: str = "fs_read_file", **more: Any) -> ev.CallChanged:
    return ev.CallChanged(conversation=HERE, turn=1, call=call, tool=tool, state=state, **more)


def opened(page: list[StoredEvent], spans: list[EventSpan] | None = None, **more: Any) -> ev.ConversationOpened:
    fields: dict[str, Any] = {
        "conversation": HERE, "title": Foreign("A title"), "workspace": "/work", "model": "demo/tour", "new": not page,
        "page": tuple(page), "spans": tuple(spans or ()), "last_seq": page[-1].seq if page else 0,
    }  # fmt: skip
    return ev.ConversationOpened(**(fields | more))


def asked(call: str, question: str, number: int = 1, *, assistant: bool = False, **more: Any) -> stored.InquiryRequest:
    return stored.InquiryRequest(
        id=f"{call}.q.{number}",
        source=stored.Source("assistant") if assistant else stored.Source("tool", "fs_modify_file"),
        question={"text": question, "answer_type": {"type": "boolean"}, **more},
        metadata={"call": call},
    )


def turn() -> list[Any]:
    """A turn with everything in it: reasoning, text, three calls, a reviewed and a human question, a dialogue."""
    return [
        stored.TurnStart(),
        stored.ChatRequest(content="Make green tea cooler, and tell me [/] what else is there."),
        stored.ChatResponse(kind="reasoning", content="They want 80 °C.\nI read first.\nThen one line.\nMore.\nEnd."),
        stored.ChatResponse(kind="message", content="I'll read it first, then change **one** line:\n\n1. a `Tea`"),
        stored.ToolCallRequest(id="a", name="fs_read_file", arguments={"path": "docs/brewing.md"}),
        stored.ToolCallRequest(id="b", name="fs_modify_file", arguments={"path": "src/teatimer/brew.py"}),
        stored.ToolCallRequest(id="c", name="fs_grep_files", arguments={"pattern": "oolong"}),
        stored.ToolCallResponse(id="a", content="Green tea: 80 °C\n" * 12, metadata={"ms": 38}),
        asked("b", "Apply this change?", context=DIFF),
        stored.InquiryAnswered(
            id="b.q.1", answer=False, explanation="Nobody asked for white tea.",
            responder=stored.Responder("assistant", model="haiku-4-5", ms=1400),
        ),
        asked("b", "Apply this change?", 2, context=DIFF),
        stored.InquiryAnswered(id="b.q.2", answer=True, responder=stored.Responder("user")),
        stored.ToolCallResponse(id="b", content="Changed src/teatimer/brew.py", metadata={"ms": 5400}),
        stored.ToolCallResponse(id="c", content="No file has that.\n\nTrace:\nsrc", is_error=True, metadata={"ms": 9}),
        stored.ToolCallRequest(id="d", name="ask_user", arguments={"question": "Which branch?"}),
        asked("d", "Which branch should I use?", assistant=True, context="Two of them fit."),
        stored.InquiryAnswered(id="d.q.1", answer="main", responder=stored.Responder("user")),
        stored.ToolCallResponse(id="d", content='{"answer_type": "select", "answer": "main"}', metadata={"ms": 9000}),
        stored.ChatResponse(kind="message", content="Done: green tea brews at **80 °C** now."),
        stored.TurnOutcome(outcome="done", model="anthropic/claude-sonnet-4-5", ms=1800),
    ]  # fmt: skip
