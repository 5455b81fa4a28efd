"""Recorded hostile orders of events against the machine: each request one response, none invented, none misled.

Where a case is about a transport that does not exist, its rule is tried here. Each case is named by its id.
"""

from __future__ import annotations

import gc
import random
import time
from collections.abc import Callable

import pytest

from jp_tui.conversation.events import InquiryAnswered, InquiryCancelled
from jp_tui.inquiry import effects as s
from jp_tui.inquiry import values as v
from jp_tui.questions.types import BooleanAnswer, Question, TextAnswer
from tests.hostile.recorded import ours
from tests.inquiry.play import APPLY, ASK, ESCALATES, Play, of, only

FIRST = "c1.apply_changes.1"
NEVER = Question("apply_changes", "Apply?", BooleanAnswer(), persistence="none")


def answer_and_deadline() -> None:
    """INQ-001: in the same tick, in either order: one response, and the late one is nothing."""
    play = Play()
    play.ask("c1", rule=v.Rule(deadline_secs=5))
    play.answer("c1", True)
    assert play(v.DeadlinePassed(FIRST)) == []
    assert play.pairs == [(FIRST, "true user")]
    play = Play()
    play.ask("c1", rule=v.Rule(deadline_secs=5))
    play(v.DeadlinePassed(FIRST))
    assert only(s.Refuse, play.answer("c1", True)).gone
    assert play.pairs == [(FIRST, "timed_out")]


def two_answers() -> None:
    """INQ-002: the first wins, the other is told so and by whom; the tool sees one."""
    play = Play()
    play.ask("c1")
    play.answer("c1", True)
    assert play.answer("c1", False, via="process") == [s.Refuse(FIRST, "already answered", True, "user")]
    assert play.pairs == [(FIRST, "true user")]
    assert only(s.RunAgain, play.steps).answers["apply_changes"].value is True


def late_review() -> None:
    """INQ-006: a yes of the reviewer after its no approves nothing, while the human decides or afterwards."""
    play = Play()
    play.ask("c1", rule=ESCALATES)
    play.verdict(FIRST, False)
    second = play.open["c1"].inquiry
    for inquiry in (FIRST, second):
        assert only(s.Refuse, play.verdict(inquiry, True)).gone
    assert [item.inquiry for item in play.state.waiting] == [second]
    play.answer("c1", False)
    assert only(s.Refuse, play.verdict(FIRST, True)) == s.Refuse(FIRST, "already answered", True, "assistant")
    assert play.pairs == [(FIRST, "false assistant"), (second, "false user escalated")]


def wrong_static() -> None:
    """INQ-008: never coerced; the error names the key and forbids to try again."""
    play = Play()
    play.ask("c1", tool="edit", rule=v.Rule(has_answer=True, answer="yes"))
    done = only(s.Complete, play.steps)
    assert done.is_error and "conversation.tools.edit.questions.apply_changes.answer" in done.content
    assert "do not retry" in done.content
    assert isinstance(closing := play.records[-1], InquiryCancelled) and closing.reason == "invalid_static_answer"


def nobody_there() -> None:
    """INQ-010: no model answers its own question, and nothing waits."""
    play = Play(client=False)
    play.ask("c1", ASK, tool="ask_user", source="assistant")
    done = only(s.Complete, play.steps)
    assert done.is_error and "Do not retry" in done.content and not play.state.waiting and not play.state.reviewed
    assert isinstance(closing := play.records[-1], InquiryCancelled) and closing.reason == "no_prompt_backend"


def not_remembered() -> None:
    """INQ-012."""
    play = Play()
    play.ask("c1", NEVER)
    play.answer("c1", True, remember=True)
    play.ask("c2", NEVER)
    assert [item.call for item in play.state.waiting] == ["c2"]


def another_tool() -> None:
    """INQ-014: the same question id of two tools is two questions."""
    play = Play()
    play.ask("c1", tool="x")
    play.answer("c1", True, remember=True)
    play.ask("c2", tool="y")
    assert [item.call for item in play.state.waiting] == ["c2"]


def reused_call() -> None:
    """INQ-015: told apart by the attempt; the first answer does not answer the second question."""
    play = Play()
    play.ask("c1")
    first = play.open["c1"]
    play.answer("c1", True)
    play(v.CallGone("c1"))
    play.ask("c1")
    second = play.open["c1"]
    assert (first.inquiry, second.inquiry) == (FIRST, "c1.apply_changes.2")
    stale = play(v.HumanAnswered(first.inquiry, first.digest, False))
    assert isinstance(stale[0], s.Refuse) and play.state.waiting == (second,)


def a_thousand() -> None:
    """INQ-018: none lost, none swapped; no input costs more than 100 ms of work."""
    play = Play()
    calls = [f"c{number}" for number in range(1_000)]
    for call in calls:
        play.ask(call, Question("name", f"Who is {call}?", TextAnswer()), tool=f"tool {call}")
    random.Random(18).shuffle(calls)
    slowest = 0.0
    gc.disable()  # what other tests have left behind is not this machine's work
    try:
        for call in calls:
            began = time.thread_time()
            steps = play.answer(call, f"I am {call}")
            slowest = max(slowest, time.thread_time() - began)
            again = only(s.RunAgain, steps)
            assert (again.call, again.answers["name"].value) == (call, f"I am {call}")
    finally:
        gc.enable()
    answered = {event.id: event.answer for event in play.records if isinstance(event, InquiryAnswered)}
    assert answered == {f"{call}.name.1": f"I am {call}" for call in calls}
    assert slowest < 0.1


def asker_gone() -> None:
    """INQ-020: the server that asked is gone: closed on record, and the sheet is told to close."""
    play = Play()
    play.ask("c1")
    steps = play(v.CallGone("c1"))
    assert of(s.Settled, steps) == [s.Settled(FIRST, "withdrawn", "")]
    assert play.pairs == [(FIRST, "user")] and not play.state.waiting


def reply_in_a_form() -> None:
    """INQ-024: the first answer goes along with the words, the second question is closed, not answered."""
    play = Play()
    play.ask("c1", Question("a", "A?", TextAnswer(), exclusive=True, persistence="none"), source="assistant")
    play.answer("c1", "1")
    play.ask("c1", Question("b", "B?", TextAnswer(), exclusive=True, persistence="none"), source="assistant")
    opened = play.open["c1"]
    again = only(s.RunAgain, play(v.HumanReplied(opened.inquiry, opened.digest, "use staging")))
    assert again.replied and again.reply == "use staging"
    assert {name: given.value for name, given in again.answers.items()} == {"a": "1"}
    assert play.pairs == [("c1.a.1", '"1" user'), ("c1.b.1", "user_reply")] and not play.unanswered


def replayed() -> None:
    """INQ-028: the same answer again is told that it is answered, and does not answer the next question."""
    play = Play()
    play.ask("c1")
    opened = play.open["c1"]
    same = v.HumanAnswered(opened.inquiry, opened.digest, True, via="rpc")
    play(same)
    play.ask("c1")
    assert only(s.Refuse, play(same)) == s.Refuse(FIRST, "already answered", True, "user")
    assert play.unanswered == ["c1.apply_changes.2"]


def unknown_id() -> None:
    """INQ-029: never "the current question"."""
    play = Play()
    play.ask("c1")
    refused = only(s.Refuse, play(v.HumanAnswered("zzz", play.open["c1"].digest, True)))
    assert refused.gone and play.unanswered == [FIRST]


def somebody_else() -> None:
    """INQ-036: who has not been shown the question cannot know its digest, and changes nothing."""
    play = Play()
    play.ask("c1")
    opened = play.open["c1"]
    for guess in ("", "0" * 64, opened.digest[:-1], opened.digest.upper() + " "):
        for given in (
            v.HumanAnswered(opened.inquiry, guess, True, via="rpc"),
            v.HumanCancelled(opened.inquiry, guess),
            v.HumanReplied(opened.inquiry, guess, "words"),
            v.HumanEdited(opened.inquiry, guess, {}),
            v.HumanEndedTurn(opened.inquiry, guess) if opened.inquiry else v.HumanEndedTurn(),
        ):
            assert isinstance(play(given)[0], s.Refuse)
    assert play.state.waiting == (opened,) and play.pairs == []
    assert only(s.RunAgain, play.answer("c1")).answers["apply_changes"].digest == play.open["c1"].digest


CASES: dict[str, Callable[[], None]] = {
    "INQ-001": answer_and_deadline,
    "INQ-002": two_answers,
    "INQ-006": late_review,
    "INQ-008": wrong_static,
    "INQ-010": nobody_there,
    "INQ-012": not_remembered,
    "INQ-014": another_tool,
    "INQ-015": reused_call,
    "INQ-018": a_thousand,
    "INQ-020": asker_gone,
    "INQ-024": reply_in_a_form,
    "INQ-028": replayed,
    "INQ-029": unknown_id,
    "INQ-036": somebody_else,
}


@pytest.mark.parametrize("case", CASES)
def test_the_outcome_is_the_safe_one(case: str) -> None:
    CASES[case]()


def test_every_recorded_case_is_tried() -> None:
    assert set(ours("inquiry")) == set(CASES)


def test_what_a_patch_was_approved_for() -> None:
    """R235: the tool gets the digest of what was answered, whatever else it asks under the same id."""
    play = Play()
    play.ask("c1", APPLY)
    first = only(s.RunAgain, play.answer("c1")).answers["apply_changes"].digest
    changed = Question("apply_changes", "Apply?", BooleanAnswer(), context="+b")
    play.ask("c1", changed)
    second = only(s.RunAgain, play.answer("c1")).answers["apply_changes"].digest
    assert first != second
