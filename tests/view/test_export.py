"""Stored events as plain text (inquiries.md R206): every kind says something, or nothing on purpose."""

from __future__ import annotations

import pytest

from jp_tui.conversation import events as ev
from jp_tui.conversation.reading import read_event
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.view.export.events import ending, exported, plain
from tests.view.events_of import asked, log
from tests.view.test_forms import ANSWERED, BACK, NOTED, PARTS, call, left, said, shown

USAGE: JsonObject = {"input": 8100, "output": 90, "cost_usd": 0.0042}
REVIEWER = ev.Responder("assistant", model="anthropic/haiku", ms=7100, usage=USAGE)


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
                'Delivery: you delivered the result\nRan with: {"a":1}\nResult: ok'
            ),
        ),
        (
            ev.ToolCallResponse(
                id="c", content="M15", metadata={"permission": {"choice": "skip", "by": "user", "reason": "no"}}
            ),
            "Permission: skipped by you: no\nResult: M15",
        ),
        (
            ev.ToolCallResponse(id="c", content="M8", is_error=True, metadata={"stop": {"rejections": 3}}),
            "Stopped: must stop and ask you: 3 rejections of one request\nError: M8",
        ),
        (ev.ConfigDelta(delta={"ui": {"theme": "x"}}), 'Settings: {"ui":{"theme":"x"}}'),
        (ev.InquiryRequest(id="i", source=ev.Source("assistant"), question={"text": "Sure?"}), "Question: Sure?"),
        (ev.InquiryRequest(id="i", source=ev.Source("assistant"), question={}), "Question: "),
        (ev.InquiryAnswered(id="i", answer=False), "Answer: false"),
        (ev.InquiryAnswered(id="i", answer="red", explanation="it fits"), 'Answer: "red"\nReason: it fits'),
        (
            ev.InquiryAnswered(id="i", answer=False, explanation="no\nnever", responder=REVIEWER),
            "Answer: false\nReason: no\n  never\nBy: reviewer haiku · 7.1 s · $0.0042 · 8.1k tokens in, 90 out",
        ),
        (
            ev.InquiryAnswered(id="i", answer=True, responder=ev.Responder("user", escalated=True, ms=900)),
            "Answer: true\nBy: you, over the reviewer's no",
        ),
        (ev.InquiryAnswered(id="i", answer=True, responder=ev.Responder("user")), "Answer: true"),
        (
            ev.InquiryAnswered(id="i", answer=True, responder=ev.Responder("static")),
            "Answer: true\nBy: pinned setting",
        ),
        (
            ev.InquiryCancelled(id="i", reason="backend_error", responder=REVIEWER),
            "Cancelled (backend_error)\nBy: reviewer haiku · 7.1 s · $0.0042 · 8.1k tokens in, 90 out",
        ),
        (
            ev.InquiryRequest(
                id="i",
                source=ev.Source("tool"),
                question={"text": "Sure?"},
                metadata={"escalation": {"cause": "too_long"}},
            ),
            "Question: Sure?\nAsked: too long for the reviewer: you decide",
        ),
        (ev.InquiryRedacted(id="i"), "Answer: <redacted>"),
        (ev.InquiryCancelled(id="i", reason="user_reply"), "Cancelled (user_reply)"),
        (ev.TurnOutcome(outcome="done"), ""),
        (ev.TurnOutcome(outcome="interrupted"), "Turn interrupted"),
        (ev.TurnOutcome(outcome="failed", error={"message": "No.", "advice": "Wait."}), "Turn failed: No. Wait."),
        (
            read_event({"type": "inquiry_aside", "id": "i", "question": "why?", "answer": "so"}),
            "Side question: why?\nSide question answered: so",
        ),
        (read_event({"type": "inquiry_aside", "id": "i", "send": True}), ""),
        (read_event({"type": "from the future"}), "(from the future)"),
        (read_event({"type": "chat_request"}), "(chat_request: `content` is not text)"),
        (read_event({}), "(unknown event)"),
    ],
)
def test_what_an_event_says(event: ev.Event, said: str) -> None:
    assert plain(event) == said


def test_a_form_is_exported_as_one_block() -> None:
    """Issue 5, 9; R206: in the place of its first question, with what counts."""
    events = call(*BACK, said("deploy", False, 2), shown("note", 2), said("note", "n", 2), result="{}")
    texts = list(exported(log(ev.ChatRequest(content="go"), *events)))
    assert texts[0] == "You: go" and texts[1].startswith("Tool: any_name") and texts[3] == "Result: {}"
    assert texts[2] == (
        "Asked 3 questions\n1. Deploy? – Answer: false\n"
        '2. Where? – Skipped (asked only if `deploy` is yes)\n3. Note? – Answer: "n"'
    )
    assert len(texts) == 4


def test_a_form_that_was_left_is_exported_as_such() -> None:
    result = '{"cancelled": true, "answered": {"deploy": true}, "reply": "later"}'
    events = call(shown("deploy"), said("deploy", True), shown("env"), left("env", "user_reply"), result=result)
    form = list(exported(log(*events)))[1]
    assert form.splitlines()[2:] == ["2. Where? – Cancelled (user_reply)", "3. Note? – Not answered",
                                     "Replied with text: later"]  # fmt: skip
    unsent = call(*ANSWERED, *NOTED, result="Turn ended by the user before …", end="cancelled")
    assert list(exported(log(*unsent)))[1].splitlines()[-1] == "Answered, not submitted"


def test_other_questions_are_exported_as_ever_and_parts_by_name() -> None:
    """R251."""
    told = {"accepted": ["1"], "comments": {"2": "no"}}
    answer = ev.InquiryAnswered(id="f.q.1", answer=True, extra={"parts": told})
    texts = list(exported(log(*call(asked("f", "Apply?", parts=PARTS[:2]), answer))))
    assert texts[1:3] == ["Question: Apply?", "Answer: true\nTaken: f.txt, line 1\nLeft out: f.txt, line 2: no"]


@pytest.mark.parametrize("text", ["short", "words\n" * 3_000, "y" * 30_000, "\n" * 9_000 + "end"])
def test_the_end_of_an_export_is_that_of_all_of_it(text: str) -> None:
    """T4: of a text of megabytes no more is looked at than is shown."""
    events = log(ev.ChatRequest(content=text), ev.ChatResponse(kind="message", content=f"said {text}"))
    whole = "\n".join(exported(events)).strip()
    found = ending(events, 4_000)
    assert whole.endswith(found.removeprefix("…\n").removeprefix("Assistant: …").lstrip()) and len(found) <= 4_020
    assert found == whole or found.startswith(("…\n", "Assistant: …"))


def test_s54_a_preview_speaks_in_words_and_an_export_keeps_the_values() -> None:
    events = log(
        ev.ToolCallRequest(id="a", name="fs_read_file", arguments={"path": "docs/a.md", "start_line": 1}),
        ev.ToolCallResponse(id="a", content="# Title\n\nwords\n"),
        ev.InquiryAnswered(id="i", answer=["eu", "us"]),
        ev.ConfigDelta(delta={"assistant": {"model": {"id": "haiku"}}}),
    )
    assert ending(events, 4_000).split("\n") == [
        "Tool: fs_read_file docs/a.md",
        "Result: # Title (+2 lines)",
        "Answer: eu, us",
        "Settings: assistant.model.id is haiku",
    ]
    assert '{"path"' in "\n".join(exported(events)).replace("{ ", "{")
