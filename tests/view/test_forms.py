"""A form in the conversation, live and reloaded alike; parts of an approval; what is said aside (issue 5, 9; E23, E30).

R173-R182b, R251.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from jp_tui.conversation import events as stored
from jp_tui.protocol import events as ev
from jp_tui.view.activity.activity import rebuilt
from jp_tui.view.activity.lines import lines
from jp_tui.view.questions.forms import QuestionForm
from jp_tui.view.questions.outcome_line import outcome
from jp_tui.view.transcript.blocks import Odd, Resumed, ToolBlock, User
from jp_tui.view.transcript.reducer import TranscriptReducer
from tests.view.events_of import HERE, appended, asked, changed, log
from tests.view.test_story import blocks, stored_blocks

QUESTIONS: list[Any] = [
    {"id": "deploy", "text": "Deploy?", "answer_type": "boolean"},
    {"id": "env", "text": "Where?", "answer_type": "select", "options": ["staging", "live"],
     "when": {"question_id": "deploy", "equals": True}},
    {"id": "note", "text": "Note?", "answer_type": "text"},
]  # fmt: skip
USER = stored.Responder("user")


def call(*more: Any, result: str | None = "{}", questions: Any = QUESTIONS, **metadata: Any) -> list[Any]:
    request = stored.ToolCallRequest(id="f", name="any_name", arguments={"questions": questions})
    end = [stored.ToolCallResponse(id="f", content=result, metadata=metadata)] if result is not None else []
    return [request, *more, *end]


def shown(question: str, attempt: int = 1, **metadata: Any) -> stored.InquiryRequest:
    text = next(one["text"] for one in QUESTIONS if one["id"] == question)
    return stored.InquiryRequest(
        id=f"f.{question}.{attempt}", source=stored.Source("assistant"),
        question={"text": text, "answer_type": {"type": "text"}, "exclusive": True, "persistence": "none"},
        metadata={"call": "f", "question": question, **metadata},
    )  # fmt: skip


def said(question: str, answer: Any, attempt: int = 1, by: stored.Responder = USER) -> stored.InquiryAnswered:
    return stored.InquiryAnswered(id=f"f.{question}.{attempt}", answer=answer, responder=by)


def left(question: str, tag: str, attempt: int = 1, **metadata: Any) -> stored.InquiryCancelled:
    return stored.InquiryCancelled(id=f"f.{question}.{attempt}", reason=tag, responder=USER, metadata=metadata)


ANSWERED = [shown("deploy"), said("deploy", True), shown("env"), said("env", "live")]
NOTED = [shown("note"), said("note", "")]
BACK = [
    *ANSWERED,
    shown("note"), left("note", "user_back", discards=["env"]),
    shown("env", 2, discards=["env"]), left("env", "user_back", 2, discards=["deploy", "env"]),
    shown("deploy", 2, discards=["deploy", "env"]),
]  # fmt: skip


def form(events: list[Any]) -> QuestionForm:
    (block,) = (one for one in stored_blocks(log(*events)) if isinstance(one, ToolBlock))
    assert block.form is not None
    return block.form


def now(events: list[Any]) -> QuestionForm:
    """The form while the human is asked."""
    live = TranscriptReducer()
    for event in log(*events):
        live.apply(appended(event))
    live.apply(changed("f", "awaiting_input", "any_name", hidden=True))
    (block,) = (one for one in blocks(live, len(events)) if isinstance(one, ToolBlock))
    assert block.form is not None
    return block.form


def states(found: QuestionForm) -> list[str]:
    return [place.state for place in found.places]


def answers(found: QuestionForm) -> list[Any]:
    return [place.asked.answer if place.state == "answered" and place.asked else None for place in found.places]


def test_a_form_is_one_block_with_its_answers_in_their_order() -> None:
    found = form(call(*ANSWERED, *NOTED, result='{"deploy": true, "env": "live", "note": ""}'))
    assert found.state == "answered" and found.reply.raw == ""
    assert states(found) == ["answered"] * 3 and answers(found) == [True, "live", ""]


def test_what_a_branch_leaves_out_is_skipped_with_the_reason() -> None:
    """R173, R174, E23: in the walker's own words."""
    found = form(call(shown("deploy"), said("deploy", False), *NOTED, result="{}"))
    assert states(found) == ["answered", "skipped", "answered"]
    assert found.places[1].because.raw == "asked only if `deploy` is yes" and found.places[1].asked is None


def test_what_was_gone_back_from_is_reachable_and_counts_no_more() -> None:
    """R177, R181: another branch after Back; every showing is kept."""
    found = form(call(*BACK, said("deploy", False, 2), shown("note", 2), said("note", "n", 2)))
    assert states(found) == ["answered", "skipped", "answered"] and answers(found) == [False, None, "n"]
    assert [[outcome(one).word.raw for one in place.earlier] for place in found.places] == [
        ["yes"], ["live", "went back"], ["went back"]
    ]  # fmt: skip


def test_what_was_gone_back_from_was_asked() -> None:
    """R176, R181: it stood before the human, who went back without an answer."""
    found = now(
        call(*ANSWERED, shown("note"), left("note", "user_back", discards=["env"]), shown("env", 2), result=None)
    )
    assert states(found) == ["answered", "open", "gone_back"]
    assert [outcome(one).word.raw for one in found.places[2].earlier] == ["went back"]


def test_the_activity_says_which_answers_back_took_away() -> None:
    """R177: two answers to one question, and which of them counts; one that was brought back counts (E23)."""

    def told(*events: Any) -> list[tuple[str, str, str]]:
        rows = lines(rebuilt(log(*call(*events))), 0.0)
        return [(row.sign, row.text.raw, row.aside.raw) for row in rows if row.text.raw in ("yes", "no", "live")]

    assert told(*BACK, said("deploy", False, 2)) == [
        ("↶", "yes", "withdrawn"), ("↶", "live", "withdrawn"), ("✗", "no", "you")
    ]  # fmt: skip
    assert told(*BACK, left("deploy", "user_back", 2, restores=["deploy", "env"])) == [
        ("✓", "yes", "you"), ("✓", "live", "you")
    ]  # fmt: skip
    own = [
        asked("f", "Sure?"),
        stored.InquiryAnswered(id="f.q.1", answer=False, responder=stored.Responder("assistant")),
    ]
    again = [asked("f", "Sure?", 2), stored.InquiryAnswered(id="f.q.2", answer=True, responder=USER)]
    assert [row[:2] for row in told(*own, *again)] == [("✗", "no"), ("✓", "yes")], "a reviewer's no stays one (R149)"


def test_what_was_brought_back_counts_again() -> None:
    """E23: Restored on the target's showing."""
    undone = [*BACK, left("deploy", "user_back", 2, restores=["deploy", "env"]), shown("note", 2), said("note", "n", 2)]
    assert answers(form(call(*undone))) == [True, "live", "n"]


def test_back_from_the_last_look_stands_with_the_next_showing() -> None:
    """R182b: the look itself is no record."""
    again = [*ANSWERED, *NOTED, shown("env", 2, discards=["env", "note"])]
    found = now(call(*again, result=None))
    assert (found.state, states(found)) == ("open", ["answered", "open", "taken_back"])


def test_the_last_look_waits() -> None:
    assert now(call(*ANSWERED, *NOTED, result=None)).state == "review"


@pytest.mark.parametrize(
    ("more", "result", "state", "places", "reply"),
    [
        ([shown("deploy"), said("deploy", True), shown("env"), left("env", "user_reply")],
         '{"cancelled": true, "answered": {"deploy": true}, "reply": "ask me later"}', "replied",
         ["answered", "left", "unasked"], "ask me later"),
        ([*ANSWERED, *NOTED], '{"cancelled": true, "answered": {}}', "replied", ["answered"] * 3, ""),
        ([*ANSWERED, shown("note"), left("note", "user")], "Turn ended by the user before …", "ended",
         ["answered", "answered", "left"], ""),
        ([*BACK, left("deploy", "user", 2)], "Turn ended by the user before …", "ended",
         ["left", "taken_back", "gone_back"], ""),
        ([*ANSWERED, *NOTED], '{"cancelled": true, "answered": "no object"}', "answered", ["answered"] * 3, ""),
    ],
)  # fmt: skip
def test_replied_and_ended_ones_say_so(more: list[Any], result: str, state: str, places: list[str], reply: str) -> None:
    """R179, R180."""
    found = form(call(*more, result=result))
    assert (found.state, states(found), found.reply.raw) == (state, places, reply)


def test_a_form_that_ended_at_its_last_look_was_not_answered() -> None:
    """R180, E25: every question has its answer and the model got none of them; also when the call itself failed."""
    unfinished = form(call(*ANSWERED, *NOTED, result="Turn ended by the user before …", end="cancelled"))
    assert (unfinished.state, states(unfinished)) == ("unsent", ["answered"] * 3)
    skipped = form(call(*ANSWERED, *NOTED, result="Tool skipped", end="skipped"))
    request, *asked_, response = call(*ANSWERED, *NOTED, result="It broke.")
    failed = form([request, *asked_, dataclasses.replace(response, is_error=True)])
    assert (skipped.state, failed.state) == ("unsent", "unsent")


def test_ids_that_look_like_a_reply_are_none() -> None:
    """A form may ask `cancelled`, `answered` and `reply`."""
    questions = [{"id": id_, "text": f"{id_}?", "answer_type": "text"} for id_ in ("cancelled", "answered", "reply")]
    request = stored.InquiryRequest(
        id="f.reply.1", source=stored.Source("assistant"), question={"text": "reply?"},
        metadata={"call": "f", "question": "reply"},
    )  # fmt: skip
    result = '{"cancelled": true, "answered": {}, "reply": "x"}'
    found = form(call(request, stored.InquiryAnswered(id="f.reply.1", answer="x"), result=result, questions=questions))
    assert found.state == "answered"


def test_a_cut_off_form_is_ended_and_an_open_one_waits() -> None:
    over = [*call(*ANSWERED, shown("note"), result=None), stored.TurnOutcome(outcome="interrupted", ms=1)]
    assert form(over).state == "ended"
    assert now(call(*ANSWERED, shown("note"), result=None)).state == "open"
    assert form(call(*ANSWERED, shown("note"), result=None)).state == "ended", "of an earlier run: nobody waits for it"


@pytest.mark.parametrize("questions", [[], "x", QUESTIONS[:1], [{"id": "other", "text": "?", "answer_type": "text"}]])
def test_arguments_that_say_nothing_leave_what_was_asked(questions: Any) -> None:
    found = form(call(*ANSWERED, questions=questions))
    assert states(found) == ["answered", "answered"] and [place.text.raw for place in found.places] == [
        "Deploy?", "Where?"
    ]  # fmt: skip


def test_one_question_is_no_form_and_a_tool_s_own_are_none() -> None:
    """R170; R160 is about the assistant's."""
    alone = stored_blocks(log(*call(shown("deploy"), said("deploy", True), questions=QUESTIONS[:1])))
    assert isinstance(alone[0], ToolBlock) and alone[0].form is None and alone[0].dialogue
    own = stored_blocks(log(*call(asked("f", "One?"), asked("f", "Two?", 2))))
    assert isinstance(own[0], ToolBlock) and own[0].form is None


def test_pinned_answers_keep_who_gave_them() -> None:
    """R172."""
    pinned = [shown("deploy"), said("deploy", True, by=stored.Responder("static"))]
    found = form(call(*pinned, *ANSWERED[2:], *NOTED))
    assert found.places[0].asked is not None and found.places[0].asked.by == "static"


@pytest.mark.parametrize("cut", range(1, 12))
def test_pages_in_any_order_give_the_same_form(cut: int) -> None:
    events = log(*call(*BACK, said("deploy", False, 2), shown("note", 2), said("note", "n", 2)))
    story = TranscriptReducer()
    story.load(events[cut:])
    story.load(events[:cut])
    assert blocks(story, events[-1].seq) == stored_blocks(events)


def test_the_activity_keeps_the_showings_that_count() -> None:
    said_ = [line.text.raw for line in lines(rebuilt(log(*call(*BACK, said("deploy", False, 2)))), 0.0)]
    assert said_.count("Where?") == 1 and "went back" not in said_


PARTS = [{"id": str(number), "title": f"f.txt, line {number}", "digest": "", "diff": ""} for number in range(1, 6)]


@pytest.mark.parametrize(
    ("answer", "told", "words"),
    [
        (True, {"accepted": ["1", "2", "3"], "comments": {"5": "no"}}, "yes to 3 of 5 hunks, 1 comment"),
        (True, {"accepted": ["1"], "comments": {}}, "yes to 1 of 5 hunks"),
        (True, {"accepted": ["1", "2", "3", "4", "5"], "comments": {"1": "a", "2": "b"}}, "yes, 2 comments"),
        (True, {"accepted": ["1", "2", "3", "4", "5"], "comments": {}}, "yes"),
        (False, {"accepted": [], "comments": {"1": "why?"}}, "no, 1 comment"),
        (True, None, "yes"),
        (True, {"accepted": "all"}, "yes"),
        (True, ["1"], "yes"),
    ],
)
def test_a_yes_to_parts_says_to_how_many(answer: bool, told: Any, words: str) -> None:
    """R251, E26."""
    response = stored.InquiryAnswered(
        id="f.q.1", answer=answer, extra={"parts": told} if told is not None else {}, responder=USER
    )
    (block,) = stored_blocks(log(*call(asked("f", "Apply?", parts=PARTS), response)))
    assert isinstance(block, ToolBlock) and outcome(block.asked[0]).word.raw == words


def aside(said: str = "It rings.", **more: Any) -> stored.Unknown:
    raw = {"type": "inquiry_aside", "id": "f.deploy.1", "question": "What does it do?", "answer": said, "model": "m/x"}
    return stored.Unknown({**raw, "metadata": {"call": "f", "about": "Deploy?"}, **more})


def test_what_was_said_aside_stands_with_its_call() -> None:
    """E30: no block of its own, and an event that is none of ours stays odd."""
    sent = stored.Unknown({"type": "inquiry_aside", "id": "f.deploy.1", "send": True})
    message = stored.ChatRequest(content="I talked this over", metadata={"asides": ["f.deploy.1"]})
    events = log(
        *call(shown("deploy"), aside(), sent, aside("", error={"message": "cut"}), said("deploy", True)), message
    )
    found = stored_blocks(events)
    tool, user = found[0], found[1]
    assert isinstance(tool, ToolBlock) and isinstance(user, User) and user.aside
    assert [(one.asked.raw, one.said.raw, one.broken.raw, one.sent) for one in tool.asides] == [
        ("What does it do?", "It rings.", "", True), ("What does it do?", "", "cut", True)
    ]  # fmt: skip
    live = TranscriptReducer()
    for event in events:
        live.apply(appended(event))
    assert blocks(live, events[-1].seq) == found
    backwards = TranscriptReducer()
    for event in reversed(events):
        backwards.load([event])
    assert blocks(backwards, events[-1].seq) == found


@pytest.mark.parametrize("raw", [{"question": 1}, {"answer": None}, {"metadata": {}}, {"id": 5}])
def test_an_aside_that_cannot_be_read_is_shown_as_such(raw: dict[str, Any]) -> None:
    found = stored_blocks(log(*call(shown("deploy"), aside(**raw))))
    assert isinstance(found[-1], Odd)


def test_a_turn_that_went_on_says_so_after_a_reload() -> None:
    """R207: the mark stands with the first event after it was taken up."""
    events = log(*call(shown("deploy"), result=None), said("deploy", True))
    events[-1].event["metadata"] = {"resumed": True}
    live = TranscriptReducer()
    live.load(events[:-1])
    live.apply(ev.TurnStarted(conversation=HERE, turn=1, model="m", resumed=True))
    live.apply(appended(events[-1]))
    found = stored_blocks(events)
    assert sum(isinstance(block, Resumed) for block in found) == 1
    assert [block.key for block in blocks(live, 3) if isinstance(block, Resumed)] == ["r2"]
    assert [block.place for block in found] == [block.place for block in blocks(live, 3)]
