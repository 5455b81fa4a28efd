"""A call of a turn that was cut off (inquiries.md R207, R237; acceptance 29)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jp_tui.inquiry import effects as s
from jp_tui.inquiry import values as v
from jp_tui.questions.types import Question, TextAnswer
from jp_tui.questions.wire import digest
from tests.inquiry.play import APPLY, ESCALATES, MODEL, Play, of, only

NAME = Question("name", "Name?", TextAnswer())
OPEN = v.Recorded("c1.apply_changes.2", "apply_changes", digest(APPLY))
OTHER = v.Recorded("c1.name.1", "name", digest(NAME))
TOLD = v.EscalationCause("acme/small", "too broad", ms=40)


def resumed(*recorded: v.Recorded, client: bool = True, **answers: v.GivenAnswer) -> Play:
    """A call that was asked `apply_changes` twice before, with what is still open."""
    play = Play(client=client)
    for item in recorded:
        play.requests[item.inquiry] += 1
    play(v.CallResumed("c1", "tool", answers, {"apply_changes": 2, "name": 1}, recorded))
    return play


def test_the_same_question_is_asked_under_its_own_id() -> None:
    """R237: no second request; the answer closes the old one, with the answers of before."""
    play = resumed(OPEN, name=v.GivenAnswer("x", digest(NAME)))
    ask = only(s.AskHuman, play.ask("c1"))
    assert ask.open.inquiry == "c1.apply_changes.2" and play.records == []
    again = only(s.RunAgain, play.answer("c1"))
    assert {name: given.value for name, given in again.answers.items()} == {"name": "x", "apply_changes": True}
    assert play.pairs == [("c1.apply_changes.2", "true user")] and play.state.calls["c1"].recorded == ()


def test_another_question_closes_the_open_one() -> None:
    """R237: another digest or another id; attempts continue from the recorded ones."""
    for question, inquiry in ((replace(APPLY, context="+b"), "c1.apply_changes.3"), (NAME, "c1.name.2")):
        play = resumed(OPEN)
        steps = play.ask("c1", question)
        assert play.pairs == [("c1.apply_changes.2", "user")] and play.unanswered == [inquiry]
        assert of(s.Settled, steps)[0] == s.Settled("c1.apply_changes.2", "withdrawn", "")


def test_a_call_that_ends_without_asking_again_closes_it() -> None:
    """R237: gone, refused, or skipped."""
    play = resumed(OPEN)
    play(v.CallGone("c1"))
    assert play.pairs == [("c1.apply_changes.2", "user")]
    play = resumed(OPEN)
    play(v.PermissionWanted("c1", "tool", "ask", "d"))
    opened = play.open["c1"]
    play(v.HumanPermitted(opened.inquiry, opened.digest, False))
    assert play.pairs == [("c1.apply_changes.2", "user")] and play.state.calls == {}


def test_leave_to_run_does_not_close_it() -> None:
    """Remembered permissions are lost with the turn's memory: it is asked again before the call runs."""
    play = resumed(OPEN)
    play(v.PermissionWanted("c1", "tool", "ask", "d"))
    opened = play.open["c1"]
    play(v.HumanPermitted(opened.inquiry, opened.digest, True))
    assert only(s.AskHuman, play.ask("c1")).open.inquiry == "c1.apply_changes.2"


def test_two_open_requests_are_taken_up_one_by_one() -> None:
    """What matches is used, the rest waits for its own question."""
    play = resumed(OPEN, OTHER)
    play.ask("c1")
    play.answer("c1")
    play.ask("c1", NAME)
    play.answer("c1", "x")
    assert play.pairs == [("c1.apply_changes.2", "true user"), ("c1.name.1", '"x" user')]


def test_it_is_routed_by_the_settings_of_now() -> None:
    """R237 with rows 2 and 5: whoever answers now answers the open request."""
    play = resumed(OPEN)
    play.ask("c1", rule=v.Rule(has_answer=True, answer=False))
    assert play.pairs == [("c1.apply_changes.2", "false static")]
    play = resumed(OPEN)
    play.ask("c1", rule=MODEL)
    play.verdict("c1.apply_changes.2", True)
    assert play.pairs == [("c1.apply_changes.2", "true assistant")]
    play = resumed(OPEN, client=False)
    play.ask("c1", rule=v.Rule(has_answer=True, answer=False), policy="deny")
    assert play.pairs == [("c1.apply_changes.2", "false static")]


@pytest.mark.parametrize("policy", ["unset", "auto", "defaults", "deny", "defer"])
@pytest.mark.parametrize("rule", [v.Rule(), MODEL, ESCALATES, v.Rule(has_answer=True, answer="no boolean")])
def test_what_waited_for_a_person_waits_on_while_nobody_is_there(policy: v.Policy, rule: v.Rule) -> None:
    """E52: neither a policy nor a model nor an unfit setting closes it."""
    play = resumed(OPEN, client=False)
    assert of(s.Defer, play.ask("c1", rule=rule, policy=policy)) and play.pairs == []
    play = resumed(replace(OPEN, escalation=TOLD), client=False)
    assert of(s.Defer, play.ask("c1", rule=rule, policy=policy)) and play.pairs == []


def test_an_escalated_question_comes_back_as_one() -> None:
    """R153, R207: the reviewer is not asked again, its no is shown, and it is not taken for the answer."""
    no = v.GivenAnswer(False, digest(APPLY))
    play = resumed(replace(OPEN, escalation=TOLD), apply_changes=no)
    assert not play.state.calls["c1"].answers
    ask = only(s.AskHuman, play.ask("c1", rule=ESCALATES))
    assert ask.open.inquiry == "c1.apply_changes.2" and ask.open.escalation == TOLD
    assert ask.open.text.startswith("The assistant recommended rejecting this change:")
    play.answer("c1")
    assert play.pairs == [("c1.apply_changes.2", "true user escalated")]


def test_the_digest_of_before_counts_not_the_default() -> None:
    """R235: what was shown is text, context and answer type."""
    play = resumed(OPEN)
    play.ask("c1", replace(APPLY, default=False))
    assert [item.inquiry for item in play.state.waiting] == ["c1.apply_changes.2"]


def test_a_deferred_question_can_be_taken_up_in_the_same_turn() -> None:
    """R230: without a second request."""
    play = Play(client=False)
    play.ask("c1", policy="defer")
    play.state = replace(play.state, client=True)
    found = v.Recorded("c1.apply_changes.1", "apply_changes", digest(APPLY))
    play(v.CallResumed("c1", "tool", {}, {"apply_changes": 1}, (found,)))
    play.ask("c1", policy="defer")
    play.answer("c1")
    assert play.pairs == [("c1.apply_changes.1", "true user")] and not play.state.deferred
