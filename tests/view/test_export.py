"""Stored events as plain text (inquiries.md R206): every kind says something, or nothing on purpose."""

from __future__ import annotations

import pytest

from jp_tui.conversation import events as ev
from jp_tui.conversation.reading import read_event
from jp_tui.view.export import plain


@pytest.mark.parametrize(
    ("event", "said"),
    [
        (ev.TurnStart(), ""),
        (ev.ChatRequest(content="hi"), "You: hi"),
        (ev.ChatResponse(kind="message", content="yes"), "Assistant: yes"),
        (ev.ChatResponse(kind="message", content="ye", metadata={"incomplete": True}), "Assistant: ye\n(incomplete)"),
        (ev.ChatResponse(kind="message", content=""), ""),
        (ev.ChatResponse(kind="reasoning", content="hm"), "Reasoning: hm"),
        (ev.ChatResponse(kind="reasoning", content=" \n"), ""),
        (ev.ChatResponse(kind="data", content={"a": [1, None]}), 'Assistant: {"a":[1,null]}'),
        (ev.ToolCallRequest(id="c", name="x", arguments={"a": "é"}), 'Tool: x {"a":"é"}'),
        (ev.ToolCallResponse(id="c", content="ok"), "Result: ok"),
        (ev.ToolCallResponse(id="c", content="no", is_error=True), "Error: no"),
        (
            ev.ToolCallResponse(
                id="c",
                content="ok",
                metadata={
                    "permission": {"choice": "run", "by": "user", "remember": True},
                    "delivery": {"choice": "deliver", "by": "user"},
                    "edited_arguments": {"a": 1},
                },
            ),
            (
                "Permission: you ran it · remembered for this turn\n"
                'Delivery: you told the result\nRan with: {"a":1}\nResult: ok'
            ),
        ),
        (
            ev.ToolCallResponse(
                id="c", content="M15", metadata={"permission": {"choice": "skip", "by": "user", "reason": "no"}}
            ),
            "Permission: skipped by you: no\nResult: M15",
        ),
        (ev.ConfigDelta(delta={"ui": {"theme": "x"}}), 'Settings: {"ui":{"theme":"x"}}'),
        (ev.InquiryRequest(id="i", source=ev.Source("assistant"), question={"text": "Sure?"}), "Question: Sure?"),
        (ev.InquiryRequest(id="i", source=ev.Source("assistant"), question={}), "Question: "),
        (ev.InquiryAnswered(id="i", answer=False), "Answer: false"),
        (ev.InquiryAnswered(id="i", answer="red", explanation="it fits"), 'Answer: "red"\nReason: it fits'),
        (ev.InquiryRedacted(id="i"), "Answer: <redacted>"),
        (ev.InquiryCancelled(id="i", reason="user_reply"), "Cancelled (user_reply)"),
        (ev.TurnOutcome(outcome="done"), ""),
        (ev.TurnOutcome(outcome="interrupted"), "Turn interrupted"),
        (ev.TurnOutcome(outcome="failed", error={"message": "No.", "advice": "Wait."}), "Turn failed: No. Wait."),
        (read_event({"type": "from the future"}), "(from the future)"),
        (read_event({"type": "chat_request"}), "(chat_request: `content` is not text)"),
        (read_event({}), "(unknown event)"),
    ],
)
def test_what_an_event_says(event: ev.Event, said: str) -> None:
    assert plain(event) == said
