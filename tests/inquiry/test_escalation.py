"""Every way to and out of an escalated question (inquiries.md R148-R156, R200, R247; acceptance 11; E40, E41)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jp_tui.conversation.events import InquiryAnswered, InquiryCancelled, InquiryRequest
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.inquiry import effects as s
from jp_tui.inquiry import escalations
from jp_tui.inquiry import values as v
from jp_tui.inquiry.replay import recorded
from jp_tui.questions.types import Part, Taken
from jp_tui.questions.wire import digest
from tests.inquiry.play import APPLY, CHOICE, ESCALATES, MODEL, Play, facts, of, only

FIRST, SECOND, THIRD = (f"c1.apply_changes.{number}" for number in (1, 2, 3))
M1 = (
    "tool cannot run because no interactive terminal is available. Do not retry this tool call in this turn; continue "
    "without user input or explain what information is missing."
)
M12 = 'The assistant recommended rejecting this change:\n"{}"'
INTENT = "I rename it everywhere"


def asked(rule: v.Rule = ESCALATES, *, intent: str = "", client: bool = True, **more: object) -> Play:
    play = Play(v.State(client=client, retry_with_intent=True))
    play.ask("c1", more.pop("question", APPLY), rule=rule, intent=intent, **more)  # type: ignore[arg-type]
    return play


def request(play: Play) -> InquiryRequest:
    return [event for event in play.records if isinstance(event, InquiryRequest)][-1]


def open_now(play: Play) -> v.OpenQuestion:
    opened = play.open["c1"]
    assert isinstance(opened, v.OpenQuestion)
    return opened


# --- out of it --------------------------------------------------------------------------------------------


def escalated(**more: object) -> Play:
    play = asked(**more)  # type: ignore[arg-type]
    play.verdict(FIRST, False, "too broad", ms=40, saw="the whole change, 3 of 9 messages")
    return play


def test_acceptance_11_the_banner_has_who_why_and_what_it_saw() -> None:
    """R154, E41: and the second request says whose last word it is not."""
    told = open_now(escalated()).escalation
    assert told == v.EscalationCause("acme/small", "too broad", False, 40, saw="the whole change, 3 of 9 messages")
    about = request(escalated()).metadata
    assert escalations.decode_escalation(about["escalation"]) == told and about["after"] == FIRST
    assert open_now(escalated()).text == M12.format("too broad")


def test_acceptance_11_words_instead() -> None:
    """R182: Reply cancels with words."""
    play = escalated()
    opened = open_now(play)
    steps = play(v.HumanReplied(opened.inquiry, opened.digest, "use git mv"))
    assert only(s.Complete, steps) == s.Complete("c1", "Tool input cancelled by user: use git mv", False)
    assert play.pairs == [(FIRST, "false assistant"), (SECOND, "user_reply")]


def test_acceptance_11_other_arguments() -> None:
    """R97b: the call starts anew, without any answer, and its question goes to the reviewer again."""
    play = escalated()
    opened = open_now(play)
    steps = play(v.HumanEdited(opened.inquiry, opened.digest, {"path": "b"}))
    again = only(s.RunAgain, steps)
    assert (dict(again.answers), again.arguments) == ({}, {"path": "b"})
    assert play.pairs == [(FIRST, "false assistant"), (SECOND, "user_edit")]
    assert only(s.AskReviewer, play.ask("c1", replace(APPLY, context="+b"), rule=ESCALATES)).open.inquiry == THIRD


def test_acceptance_11_by_hunk() -> None:
    """R251: a yes to a part over the reviewer's no."""
    hunks = replace(APPLY, parts=(Part("h1", "d", "1", "-a"), Part("h2", "d", "2", "-b")))
    play = escalated(question=hunks)
    steps = play.answer("c1", True, taken=Taken(("h2",), {"h1": "not this"}))
    assert only(s.RunAgain, steps).answers["apply_changes"].taken == Taken(("h2",), {"h1": "not this"})
    assert play.pairs[-1] == (SECOND, "true user escalated")


def test_acceptance_11_the_end_of_the_turn_and_of_the_call() -> None:
    """R180, R118: two pairs whatever comes (R200)."""
    ended = escalated()
    assert of(s.StopTurn, ended(v.HumanEndedTurn(SECOND, digest(APPLY))))
    gone = escalated()
    gone(v.CallGone("c1"))
    for play in (ended, gone):
        assert play.pairs == [(FIRST, "false assistant"), (SECOND, "user")] and not play.unanswered
        assert only(s.Refuse, play.verdict(FIRST, True)).gone and only(s.Refuse, play.verdict(SECOND, True)).gone


@pytest.mark.parametrize("via", ["process", "plain"])
def test_acceptance_11_answered_from_elsewhere(via: str) -> None:
    """R243, E53."""
    play = escalated()
    (answer,) = facts(play.answer("c1", True, via=via))
    assert isinstance(answer, InquiryAnswered) and answer.responder is not None
    assert answer.responder.wire() == {"kind": "user", "escalated": True, "via": via}


def test_acceptance_11_a_deferred_escalation_is_taken_up() -> None:
    """R153, R207: under its own id, with the reviewer's verdict, and no reviewer is asked again."""
    play = escalated(client=False, policy="defer")
    found = recorded(request(play))
    assert found.inquiry == SECOND and play.unanswered == [SECOND]
    again = Play()
    again.requests[SECOND] += 1
    again(v.CallResumed("c1", "tool", {}, {"apply_changes": 2}, (found,)))
    ask = only(s.AskHuman, again.ask("c1", rule=ESCALATES))
    assert ask.open.inquiry == SECOND and ask.open.text == M12.format("too broad")
    assert ask.open.escalation is not None and ask.open.escalation.saw == "the whole change, 3 of 9 messages"
    again.answer("c1", True)
    assert again.pairs == [(SECOND, "true user escalated")]


# --- once more, with what the assistant wants -------------------------------------------------------------


def test_a_second_look_with_the_intent() -> None:
    """Issue 6.7: after the first no, in a pair of its own; told what the assistant said."""
    play = asked(intent=f" {INTENT} ")
    steps = play.verdict(FIRST, False, "why?", ms=7)
    ask = only(s.AskReviewer, steps)
    assert ask.intent and ask.open.intent == INTENT and ask.open.inquiry == SECOND
    assert ask.open.before == (v.EarlierVerdict("acme/small", "why?", 7),) and "retry_with_intent" in ask.why
    assert play.pairs == [(FIRST, "false assistant")] and not of(s.AskHuman, play.steps)
    about = request(play).metadata
    assert about["before"] == [{"model": "acme/small", "reason": "why?", "ms": 7}] and about["after"] == FIRST
    assert only(s.RunAgain, play.verdict(SECOND, True, "now I see")).answers["apply_changes"].value is True
    assert play.pairs[1:] == [(SECOND, "true assistant")] and not of(s.AskHuman, play.steps)


def test_a_second_no_escalates_with_both() -> None:
    play = asked(intent=INTENT)
    play.verdict(FIRST, False, "why?", ms=7)
    ask = only(s.AskHuman, play.verdict(SECOND, False, "still no", ms=9))
    assert ask.open.escalation == v.EscalationCause(
        "acme/small", "still no", False, 9, before=(v.EarlierVerdict("acme/small", "why?", 7),)
    )
    assert ask.open.text == M12.format("still no") and ask.open.inquiry == THIRD
    play.answer("c1", True)
    assert [what for _, what in play.pairs] == ["false assistant", "false assistant", "true user escalated"]


@pytest.mark.parametrize(
    ("rule", "intent", "on"), [(MODEL, INTENT, True), (ESCALATES, " \n", True), (ESCALATES, INTENT, False)]
)
def test_no_second_look(rule: v.Rule, intent: str, on: bool) -> None:
    """Not for a plain reviewer, not without an intent, not when it is not set."""
    play = Play(v.State(client=True, retry_with_intent=on))
    play.ask("c1", APPLY, rule=rule, intent=intent)
    assert not of(s.AskReviewer, play.verdict(FIRST, False))


def test_a_second_look_is_for_a_no_alone() -> None:
    play = asked(intent=INTENT)
    assert of(s.RunAgain, play.verdict(FIRST, True))
    choice = asked(intent=INTENT, question=CHOICE)
    assert of(s.RunAgain, choice.verdict("c1.env.1", "a"))


@pytest.mark.parametrize("on_failure", ["ask", "fail"])
@pytest.mark.parametrize("kind", ["failed", "too_long"])
def test_a_second_look_that_comes_to_nothing_leaves_the_first_no(on_failure: str, kind: str) -> None:
    """R148, R151: it was rejected, so the human decides, whatever `on_failure` says; M12 is still the first line."""
    play = asked(intent=INTENT, question=replace(APPLY, targets=("a",)))
    play.state = replace(play.state, on_failure=on_failure)  # type: ignore[arg-type]
    play.verdict(FIRST, False, "why?")
    assert play.state.ledger.refused == {}, "not its last word yet"
    play(v.ReviewerFailed(SECOND, "gone", "acme/small", kind=kind))  # type: ignore[arg-type]
    opened = open_now(play)
    assert opened.text.startswith(M12.format("why?") + "\n") and opened.inquiry == THIRD and opened.refused == ""
    assert dict(play.state.ledger.refused) == {"a": "small said no to it"}
    play.answer("c1", True)
    assert play.pairs[1:] == [(SECOND, "backend_error"), (THIRD, "true user escalated")]
    assert play.state.ledger.refused == {}


@pytest.mark.parametrize(("second", "ends"), [(False, "false assistant"), (None, "backend_error")])
def test_a_second_look_without_a_client(second: bool | None, ends: str) -> None:
    """R153: never a yes."""
    play = asked(intent=INTENT, client=False)
    play.verdict(FIRST, False, "why?")
    steps = play(v.ReviewerFailed(SECOND, "gone")) if second is None else play.verdict(SECOND, second)
    assert [what for _, what in play.pairs] == ["false assistant", ends] and not play.unanswered
    assert (
        (only(s.RunAgain, steps).answers["apply_changes"].value is False) if second is False else of(s.Complete, steps)
    )


def test_a_second_look_that_was_cut_off_is_taken_up() -> None:
    """R237: under its own id, with the first verdict; there is no third look. One that became a person's shows it."""
    play = asked(intent=INTENT)
    play.verdict(FIRST, False, "why?", ms=7)
    found = recorded(request(play))
    assert found.before == (v.EarlierVerdict("acme/small", "why?", 7),) and found.escalation is None
    given = {"apply_changes": v.GivenAnswer(False, digest(APPLY))}
    for client_rule in (ESCALATES, v.Rule()):
        again = Play(v.State(client=True, retry_with_intent=True))
        again.requests[SECOND] += 1
        again(v.CallResumed("c1", "tool", given, {"apply_changes": 2}, (found,)))
        assert again.state.calls["c1"].answers == {}, "that no is not final (R149)"
        steps = again.ask("c1", rule=client_rule, intent=INTENT)
        if client_rule is ESCALATES:
            assert only(s.AskReviewer, steps).intent
            steps = again.verdict(SECOND, False, "still no")
        told = only(s.AskHuman, steps).open.escalation
        assert told is not None and ("why?" in (told.reason, *(one.reason for one in told.before)))


# --- taken over -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", [ESCALATES, MODEL])
def test_taking_it_over(rule: v.Rule) -> None:
    """R156, E40: cancelled/user, then a new attempt with who was at it, since when and what it had said so far."""
    play = asked(rule)
    steps = play(v.HumanTookOver(FIRST, "acme/small", "It looks \ud800 fine", 5200))
    closed = play.records[1]
    assert isinstance(closed, InquiryCancelled) and closed.reason == "user"
    assert closed.responder is not None and closed.responder.kind == "user"
    ask = only(s.AskHuman, steps)
    assert ask.open.escalation == v.EscalationCause("acme/small", "It looks ? fine", True, 5200, "taken_over")
    assert ask.open.text == 'You took this over from acme/small.\nSo far it had said: "It looks ? fine"'
    assert ask.why == "You took it over from acme/small." and ask.remember
    assert request(play).metadata["row"] == ("6" if rule is ESCALATES else "5")
    late = play.verdict(FIRST, True)
    assert late == [s.Refuse(FIRST, "already answered", True, "user")]
    assert only(s.Refuse, play(v.HumanTookOver(FIRST))).gone
    play.answer("c1", False)
    assert play.pairs == [(FIRST, "user"), (SECOND, "false user")], "no verdict was overruled (R148)"
    last = play.state.calls["c1"].last
    assert last is not None and not last.overruled


def test_taking_over_before_it_said_anything() -> None:
    play = asked()
    play(v.HumanTookOver(FIRST))
    assert open_now(play).text == "You took this over from the reviewing model."


def test_taking_over_a_second_look() -> None:
    """The first no is shown, and a yes overrules it."""
    play = asked(intent=INTENT)
    play.verdict(FIRST, False, "why?", ms=7)
    play(v.HumanTookOver(SECOND, "acme/small", "Now", 90))
    opened = open_now(play)
    assert opened.text.splitlines() == [
        *M12.format("why?").splitlines(),
        "You took this over from acme/small.",
        'So far it had said: "Now"',
    ]
    assert opened.escalation is not None and opened.escalation.before == (v.EarlierVerdict("acme/small", "why?", 7),)
    play.answer("c1", True)
    assert play.pairs[-1] == (THIRD, "true user escalated")


def test_nobody_is_there_to_take_it_over() -> None:
    play = asked(client=False)
    assert only(s.Refuse, play(v.HumanTookOver(FIRST))).gone is False
    assert only(s.Refuse, play(v.HumanTookOver("c9.x.1"))).gone
    assert len(play.state.reviewed) == 1


# --- no verdict -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("rule", "row"), [(ESCALATES, "6"), (MODEL, "5")])
@pytest.mark.parametrize("on_failure", ["ask", "fail"])
def test_what_is_too_long_goes_to_the_human(rule: v.Rule, row: str, on_failure: str) -> None:
    """R247: whoever was meant to decide it; nobody was asked, so no model has failed."""
    play = Play(v.State(client=True, on_failure=on_failure))  # type: ignore[arg-type]
    play.ask("c1", rule=rule)
    ask = only(s.AskHuman, play(v.ReviewerFailed(FIRST, "900,000 tokens", "acme/small", kind="too_long")))
    assert ask.open.escalation == v.EscalationCause("acme/small", "900,000 tokens", True, cause="too_long")
    assert ask.open.text == "This is too long to be shown to acme/small whole, so it comes to you."
    assert "too long" in ask.why and "acme/small" in ask.why and request(play).metadata["row"] == row
    closed = play.records[1]
    assert isinstance(closed, InquiryCancelled) and closed.responder is None
    assert play.pairs == [(FIRST, "backend_error")]


@pytest.mark.parametrize("rule", [ESCALATES, MODEL, v.Rule()])
@pytest.mark.parametrize("policy", ["unset", "auto"])
def test_what_is_too_long_without_a_client(rule: v.Rule, policy: v.Policy) -> None:
    """R247: M1, cancelled/no_prompt_backend, also in row 11."""
    play = asked(rule, client=False, policy=policy)
    steps = play(v.ReviewerFailed(FIRST, "900,000 tokens", kind="too_long"))
    assert only(s.Complete, steps) == s.Complete("c1", M1, True)
    assert play.pairs == [(FIRST, "no_prompt_backend")]
    assert play.records[1].metadata == {"cause": "too_long", "error": "900,000 tokens"}


def test_advice_is_for_people_and_no_model_reads_it() -> None:
    """M13 has the error alone; beside the record stands what people can do, and an escalation says it."""
    failed = v.ReviewerFailed(FIRST, "acme sent nothing", "acme/small", advice="Raise x.y")
    play = asked(MODEL)
    assert "Error: acme sent nothing. You may retry" in only(s.Complete, play(failed)).content
    assert play.records[1].metadata == {"cause": "failed", "error": "acme sent nothing", "advice": "Raise x.y"}
    told = only(s.AskHuman, asked(ESCALATES)(failed)).open.escalation
    assert told is not None and told.reason == "acme sent nothing. Raise x.y"


@pytest.mark.parametrize("usage", [{"input": 9, "cost_usd": 0.1}, {"bad": float("nan")}])
def test_a_failure_keeps_what_it_cost(usage: JsonObject) -> None:
    play = asked(MODEL)
    play(v.ReviewerFailed(FIRST, "cut off", "acme/small", 12, usage=usage))
    closed = play.records[1]
    assert isinstance(closed, InquiryCancelled) and closed.responder is not None
    assert closed.responder.usage == ({} if "bad" in usage else usage) and closed.responder.ms == 12


def test_what_a_reviewer_saw_stands_beside_its_answer() -> None:
    """E41, after a reload as well."""
    play = asked(MODEL)
    (answer,) = facts(play.verdict(FIRST, True, saw="all of it"))
    assert answer.metadata == {"saw": "all of it"}


@pytest.mark.parametrize(
    "told",
    [
        v.EscalationCause("acme/small", "no", ms=4),
        v.EscalationCause("", "", True, cause="taken_over"),
        v.EscalationCause(
            "m", "x", True, 1, "too_long", (v.EarlierVerdict("m", "first", None), v.EarlierVerdict("", "", 3)), "all"
        ),
    ],
)
def test_an_escalation_is_read_as_it_was_written(told: v.EscalationCause) -> None:
    assert escalations.decode_escalation(escalations.encode_escalation(told)) == told
    assert escalations.decode_escalation("x") is None and escalations.decode_verdicts({"a": 1}) == ()
