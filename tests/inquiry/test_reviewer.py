"""Reviewing models and escalation against the port (inquiries.md R119, R136, R137, section 9; acceptance 8, 11)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jp_tui.conversation.events import InquiryAnswered, InquiryCancelled, InquiryRequest
from jp_tui.conversation.strict_json import Json
from jp_tui.inquiry import effects as s
from jp_tui.inquiry import values as v
from jp_tui.questions.answer_kind import verdict_key
from jp_tui.questions.types import Question, SchemaAnswer
from jp_tui.questions.wire import digest, recorded
from tests.inquiry.play import APPLY, BARE, CHOICE, ESCALATES, EXCLUSIVE, MODEL, Play, facts, of, only

FIRST, SECOND = "c1.apply_changes.1", "c1.apply_changes.2"
LABELLED = replace(ESCALATES, prompt_label="git")
M13 = (
    "The tool 'tool' asked a follow-up question (\"Apply?\") that was routed to a secondary assistant for resolution, "
    "but the secondary assistant failed to provide a valid answer. Error: {}. You may retry the tool call or end the "
    "turn."
)


def test_a_verdict_is_an_answer() -> None:
    """R108, R140, R25: recorded with its reason, model, duration and tokens; the reason is no note for the tool."""
    play = Play()
    play.ask("c1", rule=MODEL)
    steps = play.verdict(FIRST, True, " fits the request ", ms=6900, usage={"input": 900})
    (answer,) = facts(steps)
    assert isinstance(answer, InquiryAnswered) and answer.responder is not None
    assert (answer.answer, answer.explanation) == (True, "fits the request")
    assert answer.responder.wire() == {
        "kind": "assistant",
        "model": "acme/small",
        "ms": 6900,
        "usage": {"input": 900},
    }
    assert only(s.RunAgain, steps).answers["apply_changes"] == v.GivenAnswer(True, digest(APPLY))
    assert only(s.Settled, steps).by == "assistant"
    last = play.state.calls["c1"].last
    assert last is not None and (last.reason, last.who.model, last.overruled) == (
        "fits the request",
        "acme/small",
        False,
    )
    assert not play.state.ledger.answers, "never cached (R114)"


def test_a_plain_no_is_final() -> None:
    """R141: it is given to the tool, which runs with it; with or without a reason (R136)."""
    for reason in ("too broad", ""):
        play = Play()
        play.ask("c1", rule=MODEL)
        steps = play.verdict(FIRST, False, reason)
        assert play.pairs == [(FIRST, "false assistant")]
        assert only(s.RunAgain, steps).answers["apply_changes"].value is False
        last = play.state.calls["c1"].last
        assert last is not None and last.reason == reason


SHAPE = Question("n", "How many?", SchemaAnswer({"type": "integer"}))


@pytest.mark.parametrize(
    ("question", "value", "reason", "error"),
    [
        (APPLY, True, "  ", "the answer came without a reason"),
        (APPLY, 1, "because", "expected true or false"),
        (APPLY, "true", "because", "expected true or false"),
        (APPLY, None, "because", "expected true or false"),
        (CHOICE, "c", "because", "not one of the options"),
        (CHOICE, "a", "", "the answer came without a reason"),
        (SHAPE, 3, "because", "it wasn't checked against the schema"),
        (SHAPE, False, "", "it wasn't checked against the schema"),
        (APPLY, True, "half \ud800", "the reason cannot be written as JSON"),
    ],
)
def test_what_does_not_fit_is_no_verdict(question: Question, value: Json, reason: str, error: str) -> None:
    """R136: validated like any answer; no approval without a reason. M13 and backend_error (R137)."""
    play = Play()
    play.ask("c1", question, rule=MODEL)
    steps = play.verdict(f"c1.{question.id}.1", value, reason)
    assert play.pairs == [(f"c1.{question.id}.1", "backend_error")]
    text = M13.format(error).replace("Apply?", question.text)
    assert only(s.Complete, steps) == s.Complete("c1", text, True)


def test_a_schema_verdict_is_taken_when_it_was_checked() -> None:
    """R8: also at this door."""
    play = Play()
    play.ask("c1", SHAPE, rule=MODEL)
    checked = {verdict_key({"type": "integer"}, 3): None}
    assert only(s.RunAgain, play.verdict("c1.n.1", 3, verdicts=checked)).answers["n"].value == 3


def test_escalation_approves_in_silence() -> None:
    """R155: a yes is one pair, and nobody is asked."""
    play = Play()
    play.ask("c1", rule=ESCALATES)
    steps = play.verdict(FIRST, True)
    assert play.pairs == [(FIRST, "true assistant")] and not of(s.AskHuman, steps)


def escalated(reason: str = 'it says "no"\ntwice') -> Play:
    play = Play()
    play.ask("c1", rule=LABELLED)
    play.verdict(FIRST, False, reason, ms=40)
    return play


def test_escalation_asks_the_human_over_a_no() -> None:
    """R149, R150, R154: its own pair first; then the original question, M12 above it and in no record."""
    play = escalated()
    assert play.pairs == [(FIRST, "false assistant")] and not of(s.RunAgain, play.steps)
    ask = play.steps[-1]
    assert isinstance(ask, s.AskHuman) and ask.label == "git" and ask.remember
    opened = ask.open
    assert opened.inquiry == SECOND and opened.question == APPLY and opened.digest == digest(APPLY)
    assert opened.escalation == v.EscalationCause("acme/small", 'it says "no"\ntwice', False, 40)
    assert opened.text == 'The assistant recommended rejecting this change:\n"it says "no"\ntwice"'
    assert "acme/small rejected it" in ask.why and "/u/config.toml:4" in ask.why
    request = play.records[-1]
    assert isinstance(request, InquiryRequest) and request.question == recorded(APPLY)
    assert request.metadata["row"] == "6" and "recommended" not in str(request.wire())
    assert request.metadata["escalation"] == {
        "model": "acme/small",
        "reason": 'it says "no"\ntwice',
        "failed": False,
        "ms": 40,
    }


def test_a_no_without_a_reason() -> None:
    """M12's fallback, quotes included."""
    opened = escalated("").open["c1"]
    assert isinstance(opened, v.OpenQuestion)
    assert opened.text == 'The assistant recommended rejecting this change:\n"(no reason given)"'


@pytest.mark.parametrize("value", [True, False])
def test_the_human_decides_over_the_reviewer(value: bool) -> None:
    """R151: one run, with the final answer; marked as escalated (R149)."""
    play = escalated()
    steps = play.answer("c1", value, note="my say")
    assert play.pairs == [(FIRST, "false assistant"), (SECOND, f"{str(value).lower()} user escalated")]
    assert len(of(s.RunAgain, play.steps)) == 1
    assert only(s.RunAgain, steps).answers["apply_changes"] == v.GivenAnswer(value, digest(APPLY), "my say")
    last = play.state.calls["c1"].last
    assert last is not None and last.overruled and last.who.kind == "user"


def test_leaving_an_escalated_question_is_leaving() -> None:
    """R152: it does not fall back to the reviewer's no."""
    play = escalated()
    opened = play.open["c1"]
    steps = play(v.HumanCancelled(opened.inquiry, opened.digest))
    assert only(s.Complete, steps) == s.Complete("c1", "Tool input cancelled by user.", False)
    assert play.pairs == [(FIRST, "false assistant"), (SECOND, "user")]


@pytest.mark.parametrize("value", [True, False])
def test_remembered_at_the_escalation_prompt(value: bool) -> None:
    """R115: later ones skip the reviewer."""
    play = escalated()
    play.answer("c1", value, remember=True)
    steps = play.ask("c2", rule=LABELLED)
    assert not of(s.AskReviewer, steps)
    assert play.pairs[-1] == ("c2.apply_changes.1", f"{str(value).lower()} remembered")


@pytest.mark.parametrize(
    ("policy", "question", "recorded_as", "value"),
    [
        ("deny", APPLY, ["false assistant"], False),
        ("unset", APPLY, ["false assistant"], False),
        ("auto", APPLY, ["false assistant"], False),
        ("defaults", APPLY, ["false assistant", "true default escalated"], True),
        ("defaults", BARE, ["false assistant"], False),
        ("defaults", replace(APPLY, default=False), ["false assistant"], False),
        ("defaults", replace(APPLY, default="yes"), ["false assistant"], False),
        ("defaults", replace(APPLY, default=1), ["false assistant"], False),
    ],
)
def test_escalation_without_a_client(policy: v.Policy, question: Question, recorded_as: list[str], value: bool) -> None:
    """R153: never approved over a no but by a default the tool's author gave; the tool runs once."""
    play = Play(client=False)
    play.ask("c1", question, rule=ESCALATES, policy=policy)
    steps = play.verdict(FIRST, False)
    assert [what for _, what in play.pairs] == recorded_as
    assert only(s.RunAgain, steps).answers["apply_changes"].value is value
    assert not play.unanswered


def test_escalation_deferred() -> None:
    """R153, R207: the reviewer's no stays on record beside the open request."""
    play = Play(client=False)
    play.ask("c1", rule=ESCALATES, policy="defer")
    steps = play.verdict(FIRST, False, "too broad")
    assert only(s.Defer, steps) == s.Defer("c1") and not of(s.RunAgain, steps)
    assert play.pairs == [(FIRST, "false assistant")] and play.unanswered == [SECOND]
    request = play.records[-1]
    assert isinstance(request, InquiryRequest)
    assert request.metadata["escalation"] == {
        "model": "acme/small",
        "reason": "too broad",
        "failed": False,
        "ms": None,
    }


def test_only_a_boolean_no_escalates() -> None:
    """R148: not a choice, whatever it says; an exclusive question reaches no reviewer at all (row 4)."""
    play = Play()
    play.ask("c1", CHOICE, rule=ESCALATES)
    play.verdict("c1.env.1", "a")
    assert play.pairs == [("c1.env.1", '"a" assistant')]
    play.ask("c2", EXCLUSIVE, rule=ESCALATES)
    assert play.pairs[-1] == ("c2.apply_changes.1", "assistant_routing_denied")
    alone = Play(client=False)
    alone.ask("c1", APPLY)  # row 11
    alone.verdict(FIRST, False)
    assert alone.pairs == [(FIRST, "false assistant")]


@pytest.mark.parametrize(
    ("client", "rule", "on_failure", "asks"),
    [
        (True, ESCALATES, "ask", True),
        (True, ESCALATES, "fail", False),
        (False, ESCALATES, "ask", False),
        (True, MODEL, "ask", False),
        (False, v.Rule(), "ask", False),
    ],
)
def test_a_reviewer_that_fails(client: bool, rule: v.Rule, on_failure: str, asks: bool) -> None:
    """R155, R137."""
    play = Play(v.State(client=client, on_failure=on_failure))  # type: ignore[arg-type]
    play.ask("c1", rule=rule)
    steps = play(v.ReviewerFailed(FIRST, "connection refused", "acme/small", 12))
    closed = play.records[1]
    assert isinstance(closed, InquiryCancelled) and closed.reason == "backend_error"
    assert closed.responder is not None and closed.responder.wire()["model"] == "acme/small"
    if not asks:
        assert only(s.Complete, steps) == s.Complete("c1", M13.format("connection refused"), True)
        return
    ask = only(s.AskHuman, steps)
    assert ask.open.escalation == v.EscalationCause("acme/small", "connection refused", True, 12)
    assert "couldn't decide" in ask.why and ask.open.text == "acme/small could not decide this: connection refused"
    play.answer("c1", True)
    assert play.pairs == [(FIRST, "backend_error"), (SECOND, "true user")], "no verdict was overruled (R148)"


def test_a_bad_verdict_of_an_escalating_reviewer_goes_to_the_human() -> None:
    """R155, R136: a yes without a reason approves nothing."""
    play = Play()
    play.ask("c1", rule=ESCALATES)
    ask = only(s.AskHuman, play.verdict(FIRST, True, ""))
    assert ask.open.escalation is not None and ask.open.escalation.failed
    assert play.pairs == [(FIRST, "backend_error")]


def test_a_choice_whose_reviewer_fails_goes_to_the_human_too() -> None:
    """R155 names no type."""
    play = Play()
    play.ask("c1", CHOICE, rule=ESCALATES)
    assert of(s.AskHuman, play(v.ReviewerFailed("c1.env.1", "gone")))
    play.answer("c1", "b")
    assert play.pairs == [("c1.env.1", "backend_error"), ("c1.env.2", '"b" user')]


def test_a_late_verdict_is_dropped() -> None:
    """INQ-006: whatever was settled stays settled, and the second attempt is not the reviewer's."""
    play = escalated()
    late = play.verdict(FIRST, True)
    assert late == [s.Refuse(FIRST, "already answered", True, "assistant")]
    assert only(s.Refuse, play.verdict(SECOND, True)).gone
    assert only(s.Refuse, play(v.ReviewerFailed(SECOND, "x"))).gone
    gone = Play()
    gone.ask("c1", rule=MODEL)
    gone(v.CallGone("c1"))
    assert only(s.Refuse, gone.verdict(FIRST, True)).gone and gone.pairs == [(FIRST, "user")]


def test_two_reviews_at_once() -> None:
    """R99, acceptance 6: each verdict reaches its own question."""
    play = Play()
    play.ask("c1", rule=MODEL)
    play.ask("c2", CHOICE, rule=MODEL)
    assert only(s.RunAgain, play.verdict("c2.env.1", "b")).call == "c2"
    assert only(s.RunAgain, play.verdict(FIRST, False)).call == "c1"
    assert play.state.reviewed == ()
