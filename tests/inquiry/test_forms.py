"""Back, its undo and what is recorded of them (inquiries.md R171-R178, R181, E23; acceptance 16 to 18, 20)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jp_tui.conversation import events as ev
from jp_tui.conversation.strict_json import Json
from jp_tui.inquiry import effects as s
from jp_tui.inquiry import values as v
from jp_tui.questions.types import FormView, Place
from tests.inquiry.form import Filled, Form, Forms, select, text, walked, yes_no
from tests.inquiry.play import APPLY, HUSH, PASS, Play, only, pinned

DEPLOY: Form = (
    yes_no("deploy"),
    select("env", "test", "live", when=("deploy", True)),
    text("region", rule=pinned("eu")),
    text("reason", when=("env", "live")),
    yes_no("tell"),
)


def started(form: Form = DEPLOY, *values: Json) -> Forms:
    forms = Forms()
    forms.start("c", form)
    for value in values:
        forms.answer(value)
    return forms


def refused(steps: list[s.Step]) -> str:
    return only(s.Refuse, steps).reason


def test_one_question_is_asked_recorded_and_over() -> None:
    """Row 16, R18, R167: the source is the assistant's, there is nothing to go back to and nothing to look over."""
    forms = started((text("answer"),))
    asked = forms.open()
    assert asked.back == "" and asked.prefill == asked.undo == () and asked.form is not None
    assert asked.form.progress is None
    assert refused(forms.back()) == "there is no answered question to go back to"
    forms.answer("x")
    assert forms.results == {"c": Filled({"answer": "x"})} and forms.play.pairs == [("c.answer.1", '"x" user')]
    request = forms.play.records[0]
    assert isinstance(request, ev.InquiryRequest) and request.source == ev.Source("assistant")


def test_a_pinned_answer_that_does_not_fit_ends_the_form() -> None:
    """Row 16, R105: M3 names the slot it stands under (R171)."""
    rule = replace(pinned(3), slot="answer")
    forms = started((text("name", rule=rule), yes_no("b")))
    assert "conversation.tools.ask_user.questions.answer.answer" in str(forms.results["c"])
    assert forms.play.pairs == [("c.name.1", "invalid_static_answer")]


def test_each_answer_is_recorded_when_it_is_given() -> None:
    """R182b, R171, R173, R174: branches, chained skips, pinned answers; a skipped question records nothing."""
    forms = started(DEPLOY, False)
    assert forms.play.pairs == [("c.deploy.1", "false user"), ("c.region.1", '"eu" static')]
    forms.answer(True)
    forms.submit()
    whole: dict[str, Json] = {"deploy": False, "env": None, "region": "eu", "reason": None, "tell": True}
    assert forms.results["c"] == Filled(whole)


def test_progress_jumps_over_what_is_skipped() -> None:
    """Row 20, R175."""
    forms = started()
    seen = []
    for value in (False, True):
        form = forms.open().form
        assert form is not None
        seen.append(form.progress)
        forms.answer(value)
    assert seen == [(1, 5), (5, 5)] and forms.review().open.form.progress is None


def test_back_goes_over_skipped_and_pinned_questions() -> None:
    """Row 18, R172, R176: to the last one that the user answered; never from the first, never to a pinned one."""
    forms = started(DEPLOY, False)
    assert forms.open().question.id == "tell" and forms.open().back == "deploy"
    forms.back()
    opened = forms.open()
    assert (opened.question.id, opened.inquiry, opened.prefill) == ("deploy", "c.deploy.2", (False,))
    assert opened.back == "" and opened.undo == ("deploy", "region") and forms.answers() == {}
    assert refused(forms.back()) == "there is no answered question to go back to"
    for name in ("region", "env", "tell", "deploy", "nowhere"):
        assert refused(forms.back(name)) == "you can only go back to a question you answered"


def test_back_again_and_again() -> None:
    """R177: each takes away more; the undo brings all of it back, at once and in its order."""
    forms = started(DEPLOY, True, "live", "why not")
    before = forms.answers()
    forms.back()
    assert forms.open().prefill == ("why not",) and forms.open().undo == ("reason",)
    forms.back()
    forms.back()
    assert forms.open().question.id == "deploy" and forms.open().undo == ("deploy", "env", "region", "reason")
    forms.restore()
    assert forms.open().question.id == "tell" and list(forms.answers().items()) == list(before.items())
    assert forms.open().undo == forms.open().prefill == ()
    assert refused(forms.restore()) == "there is nothing to restore"


def test_back_to_a_named_question() -> None:
    """R182b: tabs."""
    forms = started(DEPLOY, True, "live", "why not")
    forms.back("deploy")
    assert forms.open().question.id == "deploy" and forms.answers() == {}


@pytest.mark.parametrize(("again", "asked"), [(True, "env"), (False, "tell")])
def test_submitting_goes_on_from_there(again: bool, asked: str) -> None:
    """R177, R178, C56: the same value or another, what came after is gone for good, and starts from its own default."""
    forms = started(DEPLOY, True, "live")
    forms.back("deploy")
    forms.answer(again)
    opened = forms.open()
    assert opened.question.id == asked and opened.prefill == opened.undo == ()
    assert "env" not in forms.answers() and refused(forms.restore()) == "there is nothing to restore"


def test_what_is_on_record() -> None:
    """R181, R23: every showing is a pair; `discards` and `restores` stand beside them for whoever resumes."""
    forms = started(DEPLOY, True, "live")
    forms.back("env")
    forms.restore()
    forms.back()
    forms.answer("test")
    assert forms.play.pairs == [
        ("c.deploy.1", "true user"),
        ("c.env.1", '"live" user'),
        ("c.region.1", '"eu" static'),
        ("c.reason.1", "user_back"),
        ("c.env.2", "user_back"),
        ("c.reason.2", "user_back"),
        ("c.env.3", '"test" user'),
        ("c.region.2", '"eu" static'),
    ]
    told = [(event.id, event.metadata) for event in forms.play.records if isinstance(event, ev.InquiryCancelled)]
    assert told == [
        ("c.reason.1", {"discards": ["env", "region"]}),
        ("c.env.2", {"restores": ["env", "region"]}),
        ("c.reason.2", {"discards": ["env", "region"]}),
    ]
    again = {event.id: event for event in forms.play.records if isinstance(event, ev.InquiryRequest)}
    assert again["c.env.3"].metadata["discards"] == ["env", "region"]
    assert "discards" not in again["c.region.2"].metadata
    left = next(event for event in forms.play.records if event.id == "c.reason.1" and event is not again["c.reason.1"])
    assert isinstance(left, ev.InquiryCancelled) and left.responder == ev.Responder("user")


def test_going_back_and_forth_is_no_tool_that_never_accepts() -> None:
    """R98: showings that ended with Back do not count, and between two of a question another was asked."""
    forms = started(DEPLOY, True)
    for value in ("test", "live") * 15:
        forms.answer(value)
        forms.back("env")
    assert forms.open().question.id == "env"
    forms = started((yes_no("a"), yes_no("b")), True, False)
    for _ in range(30):
        forms.back()
        forms.answer(True)
    forms.submit()
    assert forms.results["c"] == Filled({"a": True, "b": True})


def test_a_tool_that_never_accepts_asks_nothing_else() -> None:
    """R98: what it asked in between counts, even if it went away unanswered."""
    play = Play(v.State(client=True, most=3))
    for _ in range(3):
        play.ask("c1", replace(APPLY, id="other"))
        play.ask("c1")
        play.answer("c1")
    for _ in range(2):
        play.ask("c1")
        play.answer("c1")
    assert only(s.Complete, play.ask("c1")).is_error


def test_a_question_without_a_form_has_no_back() -> None:
    """R182: a tool's own question offers Reply and End Turn, never Back; nor do prompts about a call."""
    play = Play()
    play.ask("c1")
    play.answer("c1")
    play.ask("c1", replace(APPLY, id="second"))
    opened = play.open["c1"]
    assert isinstance(opened, v.OpenQuestion) and opened.back == ""
    assert isinstance(play(v.HumanWentBack(opened.inquiry, opened.digest, "apply_changes"))[0], s.Refuse)
    play(v.PermissionWanted("c2", "tool", "ask", "args"))
    asked = play.open["c2"]
    for given in (v.HumanWentBack(asked.inquiry, "args"), v.HumanRestored(asked.inquiry, "args")):
        assert "no form" in only(s.Refuse, play(given)).reason


def test_an_answer_from_before_the_form_is_not_reached() -> None:
    """R182: what was asked without Back is not gone back to from a form of the same call."""
    play = Play()
    play.ask("c1")
    play.answer("c1")
    form = (yes_no("a"), yes_no("b"))
    play(v.QuestionRaised("c1", form[0].question, "tool", form=walked(form, {}).form))
    assert play.state.waiting[0].back == ""  # type: ignore[union-attr]


def test_answers_that_nobody_was_asked_for_are_no_target() -> None:
    """R172, R176: a reviewer's, a default, one that the turn remembers, an escalated one; also after a restart."""
    form = (yes_no("a"), yes_no("b"), yes_no("c"))
    for how in ("reviewer", "escalated", "remembered", "static"):
        play = Play()
        play(v.CallStarted("c1", "tool"))
        question = replace(APPLY, id="a")
        rule = {"reviewer": v.Rule("assistant"), "escalated": v.Rule("assistant_with_escalation")}.get(how, v.Rule())
        if how == "static":
            rule = pinned(True)
        play(v.QuestionRaised("c1", question, "tool", rule, form=walked(form, {}).form))
        if how in ("reviewer", "escalated"):
            play.verdict("c1.a.1", how == "reviewer")
        if how in ("escalated", "remembered"):
            opened = play.open["c1"]
            play(v.HumanAnswered(opened.inquiry, opened.digest, True, remember=how == "remembered"))
        answers = play.state.calls["c1"].answers
        assert list(answers) == ["a"]
        play(v.QuestionRaised("c1", form[1].question, "tool", form=walked(form, answers).form))
        opened = play.open["c1"]
        assert isinstance(opened, v.OpenQuestion) and opened.question.id == "b" and opened.back == "", how
        assert isinstance(play(v.HumanWentBack(opened.inquiry, opened.digest, "a"))[0], s.Refuse)
    taken = v.GivenAnswer(True, "d")
    play = Play()
    play(v.CallResumed("c1", "tool", {"a": taken}, {}, (), unasked=frozenset({"a"})))
    play(v.QuestionRaised("c1", form[1].question, "tool", form=walked(form, {"a": taken}).form))
    assert play.state.waiting[0].back == ""  # type: ignore[union-attr]


def test_a_question_that_has_changed_is_not_pre_filled() -> None:
    """R235: an answer belongs to what was shown."""
    forms = started((text("a"), text("b")), "old")
    changed = replace(forms.forms["c"][0].question, context="new")
    forms.forms["c"] = (replace(forms.forms["c"][0], question=changed), text("b"))
    forms.back()
    assert forms.open().question.id == "a" and forms.open().prefill == () and forms.open().undo == ("a",)


def test_a_secret_is_never_pre_filled() -> None:
    """R12, R193, R202: Back to it asks for it anew; the undo hands it to the tool, in memory only."""
    form = FormView((Place("pass", "P", "answered"), Place("b", "b?", "current")))
    play = Play()
    play.ask("c1", PASS, form=form)
    play.answer("c1", HUSH)
    play.ask("c1", yes_no("b").question, form=form)
    opened = play.open["c1"]
    play(v.HumanWentBack(opened.inquiry, opened.digest))
    steps = play.ask("c1", PASS, form=form)
    opened = play.open["c1"]
    assert isinstance(opened, v.OpenQuestion) and opened.prefill == () and opened.undo == ("pass",)
    assert HUSH not in repr(steps) and HUSH not in repr(play.state)
    again = only(s.RunAgain, play(v.HumanRestored(opened.inquiry, opened.digest)))
    assert again.answers["pass"].value == HUSH


def test_pre_filled_text_stands_in_no_repr() -> None:
    """R202: nobody can tell by looking at an answer whether it is a secret."""
    forms = started((text("a"), text("b")), "swordfish")
    forms.back()
    bare = replace(forms.open(), form=None)
    assert bare.prefill == ("swordfish",) and "swordfish" not in repr(bare)
