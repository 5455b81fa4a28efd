"""What the mutation sampler found untested in the machine (`python -m tests.mutants`): small rules, each by itself."""

from __future__ import annotations

import re
from dataclasses import replace

from jp_tui.conversation.events import InquiryRequest
from jp_tui.inquiry import effects as s
from jp_tui.inquiry import values as v
from jp_tui.inquiry import why
from jp_tui.inquiry.refusals_replay import turn_resumed
from jp_tui.inquiry.replay import recorded
from tests.inquiry.play import APPLY, CHOICE, ESCALATES, Play, of, only

A = replace(APPLY, targets=("src/a.py",))


def refused(play: Play) -> Play:
    """Somebody said no to a change of src/a.py in this turn."""
    play.ask("c0", A)
    play.answer("c0", False)
    return play


def test_r252_what_is_remembered_reaches_all_that_wait_for_it_behind_others() -> None:
    """Another question that waits between them is passed over, not the end of the search."""
    play = Play()
    play.ask("c1", APPLY)
    play.ask("c2", CHOICE)
    play.ask("c3", APPLY)
    steps = play.answer("c1", True, remember=True)
    assert [step.call for step in of(s.RunAgain, steps)] == ["c1", "c3"]
    assert [opened.call for opened in play.state.waiting] == ["c2"]


def test_r247_a_decision_on_a_refused_target_names_it_on_record() -> None:
    """Whoever reads the record later sees what the person allowed all the same."""
    play = refused(Play())
    play(v.PermissionWanted("c1", "shell", "ask", "args", floor=("src/a.py",)))
    opened = play.open["c1"]
    permit = only(s.Permit, play(v.HumanPermitted(opened.inquiry, opened.digest, True)))
    assert permit.decision["refused"] == ["src/a.py"]
    play(v.PermissionWanted("c2", "shell", "ask", "args"))
    opened = play.open["c2"]
    assert "refused" not in only(s.Permit, play(v.HumanPermitted(opened.inquiry, opened.digest, True))).decision


def test_r247_why_says_what_was_refused() -> None:
    for words in (why.refused_asked("src/a.py: you said no to it"), why.refused_alone("src/a.py: you said no to it")):
        assert re.match(r"Only (you can|the user could) approve this: src/a\.py: you said no to it\.", words)
    assert why.refused_alone("x").startswith("Only the user could approve this: x.")


def test_r150_what_was_escalated_before_a_restart_is_asked_for_the_same_reason() -> None:
    """Its own reviewer's no is why it is asked, not a refusal that needs a person; another's no is one."""
    play = Play()
    play.ask("c0", A, rule=ESCALATES)
    before = only(s.AskHuman, play.verdict("c0.apply_changes.1", False, "too wide"))
    asked = [event for event in play.records if isinstance(event, InquiryRequest)][-1]
    for another in (False, True):
        again = Play()
        again.requests["c0.apply_changes.2"] += 1
        known = turn_resumed(play.records)
        if another:
            known = replace(known, refused={"src/a.py": "you said no to it"})
        again(known)
        again(v.CallResumed("c0", "tool", {}, {"apply_changes": 2}, (recorded(asked),)))
        ask = only(s.AskHuman, again.ask("c0", A, rule=ESCALATES))
        assert (ask.why == before.why) is not another
        assert ("you said no to it" in ask.why) is another
