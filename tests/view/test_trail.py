"""What became of a question and who let a call run: words, signs, reasons (E42, E60; R21-R25, R85-R93, R200, R230)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from rich.cells import cell_len

from jp_tui.conversation import events as stored
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.conversation.text import Foreign
from jp_tui.protocol import events as ev
from jp_tui.view.activity.activity import InquiryView, applied
from jp_tui.view.questions import approval_text
from jp_tui.view.questions.outcome_line import TAGS, outcome
from jp_tui.view.transcript.blocks import QuestionBlock, Resumed, ToolBlock
from jp_tui.view.transcript.reducer import TranscriptReducer
from jp_tui.view.wording.why import why
from tests.fakes import scenes
from tests.fakes.link import CONVERSATION
from tests.view.events_of import HERE, asked, changed, log
from tests.view.test_activity import after, texts
from tests.view.test_story import blocks, stored_blocks

OPEN = InquiryView(id="a.q.1", text=Foreign("Sure?"))
FATES = {
    "open": (OPEN, "◐ asked"),
    "escalated": (replace(OPEN, escalated=True, handed="rejected"), "▲ escalated to you"),
    "deferred": (replace(OPEN, how="deferred"), "◔ deferred: waiting for an answer"),
    "yes": (replace(OPEN, how="answered", answer=True, by="user"), "✓ yes · you"),
    "no": (
        replace(OPEN, how="answered", answer=False, by="user", escalated=True),
        "✗ no · you, after the reviewer's no",
    ),
    "elsewhere": (
        replace(OPEN, how="answered", answer="x", by="user", via="process"),
        "✓ x · you, from another process",
    ),
    "reviewer": (
        replace(OPEN, how="answered", answer=False, by="assistant", model=Foreign("haiku-4-5"), ms=1400),
        "✗ no · reviewer haiku-4-5 · 1.4 s",
    ),
    "pinned": (replace(OPEN, how="answered", answer=True, by="static"), "✓ yes · pinned setting"),
    "remembered": (replace(OPEN, how="answered", answer=True, by="remembered"), "✓ yes · remembered"),
    "default": (replace(OPEN, how="answered", answer=True, by="default"), "✓ yes · default"),
    "redacted": (replace(OPEN, how="redacted"), "✱ answered, kept secret"),
    "withdrawn": (replace(OPEN, how="withdrawn"), "⊘ withdrawn"),
    "cancelled": (replace(OPEN, how="cancelled", tag=Foreign("user")), "⊘ cancelled · you"),
    "back": (replace(OPEN, how="cancelled", tag=Foreign("user_back")), "↶ went back · you"),
    "replied": (replace(OPEN, how="cancelled", tag=Foreign("user_reply")), "» replied with text · you"),
    "edited": (replace(OPEN, how="cancelled", tag=Foreign("user_edit")), "✎ arguments edited instead · you"),
    "late": (replace(OPEN, how="cancelled", tag=Foreign("timed_out")), "◷ timed out · your time limit"),
    "failed": (
        replace(OPEN, how="cancelled", tag=Foreign("backend_error"), by="assistant", model=Foreign("haiku")),
        "✗ reviewer failed · reviewer haiku",
    ),
    "denied": (
        replace(OPEN, how="cancelled", tag=Foreign("no_prompt_backend")),
        "✗ denied: no user available · policy",
    ),
    "of another program": (replace(OPEN, how="cancelled", tag=Foreign("of_tomorrow")), "⊘ of_tomorrow"),
}


def line(one: InquiryView, **how: bool) -> str:
    end = outcome(one, **how)
    return " · ".join(part for part in (f"{end.sign} {end.word.raw}", end.who.raw, end.took) if part)


@pytest.mark.parametrize("name", list(FATES))
def test_every_fate_has_its_own_line(name: str) -> None:
    one, shown = FATES[name]
    assert line(one) == shown
    assert cell_len(outcome(one).sign) == 1


def test_no_two_fates_differ_by_colour_alone() -> None:
    """E60."""
    seen = [line(one) for one, _ in FATES.values()]
    assert len(set(seen)) == len(seen)
    assert all(word for _, word, _, _ in TAGS.values())


def test_an_open_question_that_nobody_can_answer_or_that_a_model_decides() -> None:
    assert line(OPEN, waits=False) == "⊘ not answered"
    assert line(replace(OPEN, reviewer=Foreign("haiku")), reviewed=True) == "◇ reviewer · haiku"


@pytest.mark.parametrize(
    ("one", "said"),
    [
        (FATES["yes"][0], "Why you were asked: No remembered answer, setting or reviewer covers this question."),
        (replace(FATES["yes"][0], why=Foreign("settings say so\nmore"), row="7"),
         "Why you were asked: settings say so (rule 7)"),
        (FATES["pinned"][0], "Why you weren't asked: A setting pins this answer."),
        (FATES["remembered"][0],
         "Why you weren't asked: You gave this answer for every such question earlier in this turn."),
        (FATES["reviewer"][0], "Why you weren't asked: Your settings send this question to a reviewer."),
        (FATES["denied"][0], "Why you weren't asked: No user was available."),
        (replace(FATES["redacted"][0], row="2"), "Why you weren't asked: A setting pins this answer. (rule 2)"),
        (FATES["replied"][0], "Why you were asked: No remembered answer, setting or reviewer covers this question."),
    ],
)  # fmt: skip
def test_why_somebody_was_asked_or_was_not(one: InquiryView, said: str) -> None:
    """E42."""
    assert why(one).raw == said


@pytest.mark.parametrize(
    ("metadata", "said"),
    [
        ({"permission": {"choice": "run", "by": "user", "remember": True}}, ["you ran it · remembered for this turn"]),
        ({"permission": {"choice": "run", "by": "user", "remember": True, "made_rules": ["rule-1", "rule-2"]}},
         ["you ran it · made rule-1, rule-2"]),
        ({"permission": {"choice": "run", "by": "mode", "mode": "edits"}}, ["ran without asking · mode edits"]),
        ({"permission": {"choice": "run", "by": "reviewer"}}, ["ran without asking · a reviewer's yes"]),
        ({"permission": {"choice": "skip", "by": "user", "reason": "too wide\nx"}}, ["skipped by you: too wide"]),
        ({"permission": {"choice": "edit", "by": "user"}}, ["arguments edited by you"]),
        ({"permission": {"choice": "run", "by": "remembered"}}, ["ran without asking · remembered"]),
        ({"permission": {"choice": "skip", "by": "policy"}}, ["denied: no user available · policy"]),
        ({"permission": {"choice": "cancel", "by": "user", "via": "process"}},
         ["cancelled by you · from another process"]),
        ({"permission": {"choice": "run", "by": "user"}, "delivery": {"choice": "edit", "by": "user"}},
         ["you ran it", "result edited by you"]),
        ({"permission": {"choice": "explode", "by": "user"}, "delivery": "yes"}, []),
        ({"permission": None}, []),
    ],
)  # fmt: skip
def test_who_decided_about_a_call_and_its_result(metadata: JsonObject, said: list[str]) -> None:
    """R86, R89, R91, R93; what cannot be read is left out."""
    assert [approval_text.sentence(one) for one in approval_text.decisions(metadata)] == said


def test_decisions_and_what_ran_come_with_the_call_live_and_reloaded() -> None:
    """R87: the request stays as the model sent it."""
    request = stored.ToolCallRequest(id="a", name="run", arguments={"path": "x", "all": True})
    decided: JsonObject = {"permission": {"choice": "edit", "by": "user"}, "edited_arguments": {"path": "y"}}
    response = stored.ToolCallResponse(id="a", content="ok", metadata=decided)
    (tool,) = stored_blocks(log(request, response))
    assert isinstance(tool, ToolBlock)
    assert [one.choice for one in tool.decided] == ["edit"]
    assert tool.arguments[0] == (Foreign("path"), Foreign("x"))
    assert tool.edited == ((Foreign("path"), Foreign("y")),)
    shown = texts(after([*scenes.started(), *(scenes.appended(n, one) for n, one in ((3, request), (4, response)))]))
    assert "  ✎ arguments edited by you" in shown


def test_ids_that_repeat_within_a_turn_are_paired_by_order() -> None:
    """R29: older logs have two-segment ids that come again."""
    one = stored.InquiryRequest(
        id="a.q", source=stored.Source("tool", "t"), question={"text": "One?"}, metadata={"call": "a"}
    )
    two = replace(one, question={"text": "Two?"})
    events = log(
        stored.ToolCallRequest(id="a", name="t", arguments={}),
        one, stored.InquiryAnswered(id="a.q", answer="first"),
        two, stored.InquiryAnswered(id="a.q", answer="second"),
    )  # fmt: skip
    (tool,) = stored_blocks(events)
    assert isinstance(tool, ToolBlock)
    assert [(asked.text.raw, asked.answer) for asked in tool.asked] == [("One?", "first"), ("Two?", "second")]
    later = TranscriptReducer()
    later.load(events[3:])
    later.load(events[:3])
    assert blocks(later, 5) == [tool]
    live = after([*scenes.started(), *(scenes.appended(10 + at, one.event_) for at, one in enumerate(_facts(events)))])
    assert [asked.answer for asked in live.calls[0].inquiries] == ["first", "second"]


class _Fact:
    def __init__(self, event: stored.Event) -> None:
        self.event_ = event


def _facts(events: list[ev.StoredEvent]) -> list[_Fact]:
    from jp_tui.conversation.reading import read_event

    return [_Fact(read_event(one.event)) for one in events]


def test_pairs_without_a_call_stand_alone_each_with_its_answer() -> None:
    request = stored.InquiryRequest(id="q", source=stored.Source("other", "importer"), question={"text": "Sure?"})
    found = stored_blocks(log(request, stored.InquiryAnswered(id="q", answer=True), request))
    assert [block.asked.how for block in found if isinstance(block, QuestionBlock)] == ["answered", "open"]


def test_a_deferred_question_says_so_and_its_call_waits() -> None:
    """R230: the turn ended to wait; nobody said no."""
    events = log(
        stored.ToolCallRequest(id="a", name="t", arguments={}),
        asked("a", "Sure?"),
        stored.TurnOutcome(outcome="deferred"),
    )
    tool = stored_blocks(events)[0]
    assert isinstance(tool, ToolBlock)
    assert (tool.state, tool.end, tool.asked[0].how) == ("awaiting_input", None, "deferred")


def test_a_turn_that_goes_on_says_where_it_was_cut_off() -> None:
    """R207: the line stands behind what was there, and its calls run again."""
    story = TranscriptReducer()
    story.load(log(stored.ToolCallRequest(id="a", name="t", arguments={}), asked("a", "Sure?")))
    story.apply(ev.TurnStarted(conversation=HERE, turn=1, model="m", resumed=True))
    story.apply(changed("a", "awaiting_input", "t"))
    tool, line_ = blocks(story, 2)
    assert isinstance(tool, ToolBlock) and tool.state == "awaiting_input" and tool.asked[0].how == "open"
    assert isinstance(line_, Resumed) and line_.place > tool.place


def test_leave_to_run_and_to_deliver_wait_in_the_words_of_m34_and_m35() -> None:
    """M34, M35, R96: they are no inquiries of the call, its state says what it waits for."""
    prompt = scenes.prompt("boolean").model_copy(update={"kind": "permission"})
    activity = after([*scenes.tools(), ev.QuestionAsked(conversation=CONVERSATION, prompt=prompt)])
    assert activity.waiting[0].text.raw == "Run built-in fs_modify_file tool?"
    assert activity.calls[1].state == "awaiting_permission" and not activity.calls[1].inquiries
    mcp = prompt.model_copy(update={"tool_kind": "mcp", "server": "github"})
    again = applied(activity, ev.QuestionAsked(conversation=CONVERSATION, prompt=mcp), 1.0)
    assert again.waiting[0].text.raw == "Run mcp fs_modify_file tool from github server?"
    deliver = prompt.model_copy(update={"kind": "delivery", "inquiry": "d"})
    both = applied(again, ev.QuestionAsked(conversation=CONVERSATION, prompt=deliver), 1.0)
    assert both.waiting[1].text.raw == "Deliver fs_modify_file result to assistant?"
    assert both.calls[1].state == "awaiting_result_edit"
    review = prompt.model_copy(update={"kind": "review", "inquiry": "r"})
    all_ = applied(both, ev.QuestionAsked(conversation=CONVERSATION, prompt=review), 1.0)
    assert all_.waiting[2].text.raw == "Review your answers" and all_.calls[1].state == "awaiting_input"


def test_a_deciding_reviewer_shows_its_model_and_for_how_long() -> None:
    """R139, R96."""
    fact = stored.InquiryRequest(
        id="call_2.q.1", source=stored.Source("tool", "fs_modify_file"), question={"text": "Apply?"},
        metadata={"call": "call_2", "reviewer": "haiku-4-5"},
    )  # fmt: skip
    activity = after([*scenes.tools(), scenes.appended(7, fact)], 100.0)
    activity = after([scenes.call("fs_modify_file", "awaiting_assistant", id_="call_2")], 104.0, activity)
    assert activity.ticking
    assert "    ◇ reviewer haiku-4-5 7 s" in texts(activity, 111.0)


def test_r222_a_sub_agent_that_asked_is_no_id_in_the_trail() -> None:
    from jp_tui.view.questions.inquiry import InquiryView
    from jp_tui.view.questions.outcome_line import asker

    assert asker(InquiryView(id="x", text=Foreign("?"), asker=Foreign("sub_agent:kj9j7eg7"))) == Foreign("a sub-agent")
