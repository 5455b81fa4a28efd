"""Other ends of a question: left, replied to, edited, out of time, turn ended (inquiries.md R97b, R180, R210, R243)."""

from __future__ import annotations

import pytest

from jp_tui.conversation.events import InquiryCancelled
from jp_tui.inquiry import effects as s
from jp_tui.inquiry import values as v
from jp_tui.questions.types import Question, TextAnswer
from tests.inquiry.play import APPLY, ASK, MODEL, Play, facts, of, only

NAME = Question("name", "Name?", TextAnswer())


def test_leaving_a_question() -> None:
    """R210, M4: cancelled by the user, a successful response."""
    play = Play()
    play.ask("c1")
    opened = play.open["c1"]
    steps = play(v.HumanCancelled(opened.inquiry, opened.digest))
    (fact,) = facts(steps)
    assert isinstance(fact, InquiryCancelled) and fact.responder is not None
    assert (fact.reason, fact.responder.kind) == ("user", "user")
    assert only(s.Complete, steps) == s.Complete("c1", "Tool input cancelled by user.", False)
    assert "c1" not in play.state.calls


def test_a_question_of_the_assistant_is_not_left_and_not_edited() -> None:
    """R248, R97b: ask_user has no Cancel, and its arguments are the question."""
    play = Play()
    play.ask("c1", ASK, source="assistant")
    opened = play.open["c1"]
    assert not only(s.Refuse, play(v.HumanCancelled(opened.inquiry, opened.digest))).gone
    assert not only(s.Refuse, play(v.HumanEdited(opened.inquiry, opened.digest, {}))).gone


def test_replying_in_words() -> None:
    """R179 for ask_user, M47 for a tool's own question, which without words is left (M4)."""
    play = Play()
    play.ask("c1", ASK, source="assistant")
    play.ask("c2")
    play.ask("c3")
    first, second, third = (play.open[call] for call in ("c1", "c2", "c3"))
    again = only(s.RunAgain, play(v.HumanReplied(first.inquiry, first.digest, " rather not ")))
    assert (again.replied, again.reply, dict(again.answers)) == (True, "rather not", {})
    done = only(s.Complete, play(v.HumanReplied(second.inquiry, second.digest, "not now")))
    assert done == s.Complete("c2", "Tool input cancelled by user: not now", False)
    done = only(s.Complete, play(v.HumanReplied(third.inquiry, third.digest, None)))
    assert done == s.Complete("c3", "Tool input cancelled by user.", False)
    assert [what for _, what in play.pairs] == ["user_reply"] * 3


def test_a_reply_without_words_ends_the_form_too() -> None:
    """R179: the text is optional; the answers so far go with it."""
    play = Play()
    play.ask("c1", NAME, source="assistant")
    play.answer("c1", "x")
    play.ask("c1", ASK, source="assistant")
    opened = play.open["c1"]
    again = only(s.RunAgain, play(v.HumanReplied(opened.inquiry, opened.digest, "  ")))
    assert again.replied and again.reply is None and list(again.answers) == ["name"]


def test_editing_the_arguments() -> None:
    """R97b: closed as user_edit, earlier answers cleared, run again with the edited object; a new attempt follows."""
    play = Play()
    play.ask("c1", NAME)
    play.answer("c1", "x")
    play.ask("c1")
    opened = play.open["c1"]
    steps = play(v.HumanEdited(opened.inquiry, opened.digest, {"path": "b"}, via="plain", ms=5))
    (fact,) = facts(steps)
    assert isinstance(fact, InquiryCancelled) and fact.reason == "user_edit" and fact.responder is not None
    assert fact.responder.wire() == {"kind": "user", "via": "plain", "ms": 5}
    again = only(s.RunAgain, steps)
    assert (again.arguments, dict(again.answers), again.replied) == ({"path": "b"}, {}, False)
    work = play.state.calls["c1"]
    assert (dict(work.answers), work.streak, work.last) == ({}, ("", 0), None)
    play.ask("c1")
    assert play.unanswered == ["c1.apply_changes.2"]


def test_a_deadline_that_passes() -> None:
    """R243, R201, M48: timed_out, a successful response, never an answer; one that comes late is nothing (INQ-001)."""
    play = Play()
    play.ask("c1", rule=v.Rule(deadline_secs=60))
    steps = play(v.DeadlinePassed("c1.apply_changes.1"))
    assert play.pairs == [("c1.apply_changes.1", "timed_out")]
    assert only(s.Complete, steps) == s.Complete("c1", "No answer within the time limit set by the user.", False)
    assert only(s.Settled, steps) == s.Settled("c1.apply_changes.1", "cancelled", "policy")
    late = play.answer("c1")
    assert late == [s.Refuse("c1.apply_changes.1", "already answered", True, "policy")]
    play.ask("c2")
    play.answer("c2")
    assert play(v.DeadlinePassed("c2.apply_changes.1")) == [] and play(v.DeadlinePassed("zzz")) == []


def test_ending_the_turn_closes_everything() -> None:
    """R180: questions of people and of reviewers, prompts, and requests of an earlier run."""
    play = Play()
    play.requests["c5.apply_changes.1"] += 1
    play(
        v.CallResumed("c5", "tool", {}, {"apply_changes": 1}, (v.Recorded("c5.apply_changes.1", "apply_changes", "d"),))
    )
    play.ask("c1")
    play.ask("c2", ASK, source="assistant")
    play.ask("c3", rule=MODEL)
    play(v.PermissionWanted("c4", "tool", "ask", "d"))
    opened = play.open["c2"]
    steps = play(v.HumanEndedTurn(opened.inquiry, opened.digest))
    assert sorted(play.pairs) == [
        ("c1.apply_changes.1", "user"),
        ("c2.answer.1", "user"),
        ("c3.apply_changes.1", "user"),
        ("c5.apply_changes.1", "user"),
    ]
    assert all(isinstance(fact, InquiryCancelled) and fact.responder is not None for fact in facts(steps))
    assert {step.inquiry for step in of(s.Settled, steps)} == {inquiry for inquiry, _ in play.pairs} | {
        "c4.__permission__.1"
    }
    assert isinstance(steps[-1], s.StopTurn)
    assert play.state.waiting == play.state.reviewed == ()


def test_ending_the_turn_from_a_question_that_is_gone_is_refused() -> None:
    """A stale sheet ends nothing; from anywhere else the turn ends."""
    play = Play()
    play.ask("c1")
    opened = play.open["c1"]
    play.answer("c1")
    play.ask("c2")
    assert only(s.Refuse, play(v.HumanEndedTurn(opened.inquiry, opened.digest))).gone
    assert only(s.Refuse, play(v.HumanEndedTurn("c2.apply_changes.1", "stale"))).gone is False
    assert isinstance(play(v.HumanEndedTurn())[-1], s.StopTurn)


@pytest.mark.parametrize("note", ["half \ud800"])
def test_words_that_no_log_could_hold(note: str) -> None:
    """Refused; the question stays."""
    play = Play()
    play.ask("c1")
    opened = play.open["c1"]
    assert only(s.Refuse, play.answer("c1", True, note=note)).gone is False
    assert only(s.Refuse, play(v.HumanReplied(opened.inquiry, opened.digest, note))).gone is False
    assert play.state.waiting == (opened,)


def test_a_call_that_runs_again_from_the_start() -> None:
    """R213: what it asked is closed, its answers are gone, attempts go on."""
    play = Play()
    play.ask("c1", NAME)
    play.answer("c1", "x")
    play.ask("c1")
    play(v.CallStarted("c1", "tool"))
    assert play.pairs[-1] == ("c1.apply_changes.1", "user") and not play.state.calls["c1"].answers
    play.ask("c1", APPLY)
    assert play.unanswered == ["c1.apply_changes.2"]
